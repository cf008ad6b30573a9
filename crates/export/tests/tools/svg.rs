//! The flame graph is XML that a parser of others accepts.

use crate::{Format, is_there, output, saved, skip, testing};
use std::process::Command;

#[test]
fn it_is_well_formed() {
    if !is_there("xmllint", "--version") {
        return skip("xmllint is not installed, so the flame graph's XML is not checked");
    }
    let (_folder, path) = saved(Format::Svg);
    let title = "string(//*[local-name()='g']/*[local-name()='title'][starts-with(., 'usleep')])";
    let found = output(
        Command::new("xmllint")
            .args(["--nonet", "--xpath", title])
            .arg(&path),
    );
    assert_eq!(found.trim(), "usleep (4 samples, 33.33%)");
}

#[test]
fn names_cannot_break_it() {
    if !is_there("xmllint", "--version") {
        return skip("xmllint is not installed, so the flame graph's XML is not checked");
    }
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
    made.samples[0].stack = made.symbols.intern_stack(&[location]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.svg");
    std::fs::write(&path, testing::bytes(Format::Svg, &made)).unwrap();
    let scripts = output(
        Command::new("xmllint")
            .args(["--nonet", "--xpath", "count(//*[local-name()='script'])"])
            .arg(&path),
    );
    assert_eq!(scripts.trim(), "1", "inferno's own, and no other");
}
