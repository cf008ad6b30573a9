use super::*;
use crate::report::{Cell, Table};
use serde_json::json;

fn table() -> Table {
    let mut table = Table::new("a <b>", &["name", "time"]);
    table.rows = vec![
        vec![Cell::text("x,\"y\""), Cell::new(1500.5, "1.5µs")],
        vec![Cell::text("bad\u{1b}[2J"), Cell::default()],
    ];
    table
}

fn written(name: &str) -> String {
    let mut out = Vec::new();
    let output = Output::new(name, &BTreeMap::new()).unwrap();
    output.write_to(&[table()], &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn each_output() {
    let all: Vec<_> = ["console", "csv", "delimited", "json", "html"]
        .iter()
        .map(|name| written(name))
        .collect();
    insta::assert_snapshot!(all.join("\n").replace('\u{1b}', "ESC"));
}

#[test]
fn outputs_are_configured() {
    let configured: BTreeMap<_, _> = [(
        "semi".to_owned(),
        json!({"extends": "csv", "delimiter": ";", "file": "x.csv"}),
    )]
    .into();
    let semi = Output::new("semi", &configured).unwrap();
    assert_eq!(
        semi,
        Output {
            kind: Kind::Delimited(';'),
            file: Some("x.csv".into())
        }
    );
    assert_eq!(
        Output::new(r#"{"renderer": "html", "path": "a.html"}"#, &configured)
            .unwrap()
            .file,
        Some("a.html".into())
    );
    assert_eq!(
        Output::new("pdf", &configured).unwrap_err().to_string(),
        "there is no output pdf; there are console, csv, delimited, json, html, semi"
    );
    assert!(Output::new("{", &configured).is_err());
    let nowhere = Output {
        kind: Kind::Json,
        file: Some("/no/such/folder/x".into()),
    };
    assert!(
        nowhere
            .write(&[], &mut io::sink())
            .unwrap_err()
            .to_string()
            .starts_with("cannot write /no/such")
    );
}
