//! inferno reads folded text, and its own collapser of recursion too.

use crate::{Format, testing};
use inferno::{
    collapse::{Collapse, recursive},
    flamegraph::{self, Options},
};

#[test]
fn inferno_draws_it() {
    let text = testing::export(Format::Folded);
    let mut svg = Vec::new();
    flamegraph::from_lines(&mut Options::default(), text.lines(), &mut svg).unwrap();
    let svg = String::from_utf8(svg).unwrap();
    assert!(svg.contains("total_samples=\"12\""), "{svg}");
    assert!(svg.contains("<title>usleep (4 samples, 33.33%)</title>"), "{svg}");
}

#[test]
fn inferno_collapses_recursion_in_it() {
    let text = "<main>;App\\a;App\\a;strlen 3\n<main>;App\\a;strlen 2\n";
    let mut made = testing::profile();
    made.samples.clear();
    let saved = export::read_from(text.as_bytes()).unwrap();
    for row in &saved.rows {
        made.samples.push(profile::Sample {
            at_ns: 0,
            pid: 1,
            tid: 1,
            state: profile::State::OnCpu,
            weight: u32::try_from(row.count).unwrap(),
            stack: row.stack,
            context: profile::ContextId::NONE,
            memory: None,
        });
    }
    made.symbols = saved.symbols;
    let written = testing::bytes(Format::Folded, &made);
    let mut collapsed = Vec::new();
    recursive::Folder::default()
        .collapse(&written[..], &mut collapsed)
        .unwrap();
    assert_eq!(String::from_utf8(collapsed).unwrap(), "<main>;App\\a;strlen 5\n");
}
