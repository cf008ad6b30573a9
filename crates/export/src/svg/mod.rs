//! A flame graph for the browser, drawn by inferno, with the profile itself inside.

mod colour;
mod frame;
mod read;
mod write;

pub use frame::{Legend, Taller};
pub use read::read;
pub use write::{Svg, XmlSafe, plain_options, xml_safe};

/// What the element begins with that holds the profile as annotated folded text.
const METADATA: &str = "<metadata id=\"phperf\"><![CDATA[\n";
/// What ends it.
const METADATA_END: &str = "]]></metadata>";

#[cfg(test)]
mod tests {
    use crate::{Format, testing};

    /// The picture without inferno's own style and script, an element a line.
    fn without_script(svg: &str) -> String {
        let (head, rest) = svg.split_once("<style").unwrap();
        let tail = rest.rsplit_once("</script>").map_or(rest, |(_, tail)| tail);
        format!("{head}…{tail}").replace("><", ">\n<")
    }

    #[test]
    fn picture() {
        insta::assert_snapshot!(without_script(&testing::export(Format::Svg)));
    }

    #[test]
    fn no_sample_is_still_a_picture() {
        insta::assert_snapshot!(without_script(&testing::export_empty(Format::Svg)));
    }
}
