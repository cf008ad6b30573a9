//! The flame graph is XML that another parser accepts, whatever its names.

use crate::{Format, testing};
use roxmltree::{Document, ParsingOptions};

fn parse(svg: &str) -> Document<'_> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(svg, options).unwrap_or_else(|error| panic!("{error}:\n{svg}"))
}

/// The texts of all elements of a name.
fn texts<'a>(document: &'a Document, name: &str) -> Vec<&'a str> {
    let named = document
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", name)));
    named.map(|node| node.text().unwrap_or_default()).collect()
}

#[test]
fn it_is_well_formed() {
    let svg = testing::export(Format::Svg);
    let document = parse(&svg);
    assert!(texts(&document, "title").contains(&"usleep (4 samples, 33.33%)"));
    assert!(texts(&document, "text").contains(&"php index.php --name=\"<a & b>\""));
    assert_eq!(texts(&document, "metadata").len(), 1);
    let svg = testing::export_empty(Format::Svg);
    assert!(
        texts(&parse(&svg), "text")
            .iter()
            .any(|text| text.starts_with("No PHP code"))
    );
}

#[test]
fn names_cannot_break_it() {
    let mut made = testing::profile();
    made.recording.title = "]]></metadata><script>alert(1)</script>\u{ffff}\u{1}".into();
    let name = "]]>&lt;<b>\"'\0\u{fffe}\u{85}--><script>";
    let function = made.symbols.intern_function(profile::Function {
        name: name.into(),
        file: Some(name.into()),
        first_line: 1,
        kind: profile::Kind::Include,
    });
    let location = profile::Location {
        function,
        line: profile::Line::Exact(1),
    };
    let location = made.symbols.intern_location(location);
    for sample in &mut made.samples {
        sample.stack = made.symbols.intern_stack(&[location]);
    }
    let svg = String::from_utf8(testing::bytes(Format::Svg, &made)).unwrap();
    let forbidden = |char| matches!(char, '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    assert!(!svg.contains(forbidden), "characters that XML cannot have");
    let document = parse(&svg);
    assert_eq!(texts(&document, "script").len(), 1, "inferno's own, and no other");
    let title = texts(&document, "text")[0];
    assert_eq!(title, "]]></metadata><script>alert(1)</script>\u{fffd} ");
    made.samples.clear();
    let svg = String::from_utf8(testing::bytes(Format::Svg, &made)).unwrap();
    assert_eq!(texts(&parse(&svg), "script").len(), 0);
}
