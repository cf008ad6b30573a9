//! `callgrind_annotate` reads Callgrind's text.

use crate::{Format, is_there, output, saved, skip};
use std::process::Command;

fn annotate(arguments: &[&str]) -> Option<String> {
    if !is_there("callgrind_annotate", "--version") && !is_there("callgrind_annotate", "--help") {
        skip("valgrind is not installed, so callgrind_annotate cannot check the file");
        return None;
    }
    let (_folder, path) = saved(Format::Callgrind);
    Some(output(
        Command::new("callgrind_annotate")
            .args(["--threshold=100", "--auto=no", "--show-percs=no"])
            .args(arguments)
            .arg(path),
    ))
}

/// The costs at the beginning of the line that ends in `name`.
fn costs(text: &str, name: &str) -> Vec<u64> {
    let line = text.lines().find(|line| line.trim_end().ends_with(name));
    let line = line.unwrap_or_else(|| panic!("no line ends in {name:?}:\n{text}"));
    line.split_whitespace()
        .map_while(|word| word.replace(',', "").parse().ok())
        .collect()
}

#[test]
fn own_costs_are_those_of_the_leaves() {
    let Some(text) = annotate(&[]) else { return };
    assert!(text.contains("Samples Wall Cpu"), "{text}");
    assert_eq!(
        costs(&text, "PROGRAM TOTALS"),
        [12, 120_000_000, 60_000_000],
        "{text}"
    );
    assert_eq!(
        costs(&text, "php:internal:usleep")[..2],
        [4, 40_000_000],
        "{text}"
    );
    assert_eq!(
        costs(&text, "/srv/app/Foo.php:App\\Foo::bar"),
        [3, 30_000_000, 30_000_000],
        "{text}"
    );
}

#[test]
fn inclusive_costs_follow_the_calls() {
    let Some(text) = annotate(&["--inclusive=yes"]) else {
        return;
    };
    assert_eq!(costs(&text, "/srv/app/index.php:<main>")[0], 12, "{text}");
    assert_eq!(costs(&text, "php:internal:array_map")[0], 3, "{text}");
    assert_eq!(
        costs(&text, ":require_once /srv/app/my lib%3B1.php")[0],
        3,
        "{text}"
    );
}

#[test]
fn callers_and_callees_are_told() {
    let Some(text) = annotate(&["--tree=both"]) else {
        return;
    };
    let at = text
        .find("* php:internal:array_map")
        .unwrap_or_else(|| panic!("{text}"));
    let around: Vec<&str> = text[..at].lines().rev().take(2).collect();
    assert!(
        around
            .iter()
            .any(|line| line.contains("< ") && line.contains("require_once")),
        "{text}"
    );
    let after = text[at..].lines().nth(1).unwrap();
    assert!(after.contains("> ") && after.contains("{closure:"), "{text}");
}
