use super::*;
use crate::read_from;

fn saved(text: &str) -> Saved {
    read_from(text.as_bytes()).unwrap()
}

const A: &str = "# phperf = 1\n# title = before\n# period_ns = 10000000\n# duration_ns = 10000000000\n# note = source: kernel\n\
    # stacks = pid=1 thread=1 state=on-cpu\n<main>;App\\a;md5 300\n<main>;App\\a 100\n<main>;gone 200\n\
    # stacks = pid=1 thread=1 state=blocked\n<main>;PDO::query 400\n";
const B: &str = "# phperf = 1\n# title = after\n# period_ns = 1000000\n# duration_ns = 1000000000\n# note = source: reader\n\
    # stacks = pid=2 thread=2 state=on-cpu\n<main>;App\\a;md5 30\n<main>;App\\a 10\n<main>;new;new 40\n\
    # stacks = pid=2 thread=2 state=blocked\n<main>;PDO::query 120\n";

#[test]
fn by_samples_in_the_terminal() {
    let mut text = Vec::new();
    let diff = Diff::new(&saved(A), &saved(B), Scale::Samples).unwrap();
    diff.write_text(100, None, &mut text).unwrap();
    diff.write_text(60, Some(2), &mut text).unwrap();
    insta::assert_snapshot!(String::from_utf8(text).unwrap());
}

#[test]
fn by_time_as_json() {
    let mut text = Vec::new();
    let diff = Diff::new(&saved(A), &saved(B), Scale::Time).unwrap();
    diff.write_json(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    serde_json::from_str::<serde_json::Value>(&text).unwrap();
    insta::assert_snapshot!(text);
}

#[test]
fn a_profile_against_itself_has_not_changed() {
    for scale in [Scale::Samples, Scale::Time] {
        let diff = Diff::new(&saved(A), &saved(A), scale).unwrap();
        assert!(
            diff.functions
                .iter()
                .all(|change| diff.change(change.own) == 0.0 && diff.change(change.total) == 0.0)
        );
        assert!(diff.notes.is_empty(), "{:?}", diff.notes);
    }
}

#[test]
fn what_cannot_be_compared_says_why() {
    let error = |a: &str, b: &str, scale| Diff::new(&saved(a), &saved(b), scale).unwrap_err().to_string();
    assert!(error(A, "a;b 1", Scale::Time).starts_with("B, a folded file, does not tell"));
    assert!(error("a;b 0", B, Scale::Samples).starts_with("A has no samples"));
}

#[cfg(feature = "svg")]
#[test]
fn the_picture_is_as_wide_as_b_and_coloured_by_the_change() {
    let (a, b) = (saved(A), saved(B));
    let diff = Diff::new(&a, &b, Scale::Samples).unwrap();
    let mut svg = Vec::new();
    diff.write_svg(&a, &b, &mut svg).unwrap();
    let svg = String::from_utf8(svg).unwrap();
    roxmltree::Document::parse_with_options(
        &svg,
        roxmltree::ParsingOptions {
            allow_dtd: true,
            ..roxmltree::ParsingOptions::default()
        },
    )
    .unwrap();
    let colour = |title: &str| {
        let (_, rest) = svg
            .split_once(&format!("<title>{title}</title>"))
            .unwrap_or_else(|| panic!("no {title} in {svg}"));
        let (_, rest) = rest.split_once("fill=\"rgb(").unwrap();
        let numbers = rest.split_once(')').unwrap().0.split(',');
        numbers.map(|number| number.parse().unwrap()).collect::<Vec<u8>>()
    };
    // 1000 samples became 200: md5 had 300, as much as 60 of them.
    let md5 = colour("md5 (30 samples, 15.00%; -15.00%)");
    assert!(md5[2] == 255 && md5[0] < 255, "blue: {md5:?}");
    let query = colour("PDO::query (120 samples, 60.00%; +20.00%)");
    assert!(query[0] == 255 && query[2] < 255, "red: {query:?}");
    assert!(!svg.contains(">gone "), "what B has not has no width");
}
