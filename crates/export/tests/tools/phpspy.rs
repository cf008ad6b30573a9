//! phpspy's text is read by the rule of phpspy's collapse script: the second word of each line that begins
//! with a number is a frame, and frame 0 begins a sample. With `STACKCOLLAPSE_PHPSPY` set to that script, it
//! is run as well.

use crate::{Format, output, saved, skip, testing};
use std::{collections::BTreeMap, process::Command};

const EXPECTED: [(&str, u32); 5] = [
    ("<main>", 2),
    ("<main>;App\\Foo::bar", 2),
    ("<main>;App\\Foo::bar;usleep", 4),
    (
        "<main>;App\\Foo::bar;{closure:/srv/app/my%20lib%3B1.php:5};App\\Foo::bar",
        1,
    ),
    (
        "<main>;require_once;array_map;{closure:/srv/app/my%20lib%3B1.php:5}",
        3,
    ),
];

fn collapse(text: &str) -> BTreeMap<String, u32> {
    let mut stacks = BTreeMap::new();
    let mut frames: Vec<&str> = Vec::new();
    let mut end = |frames: &mut Vec<&str>| {
        if !frames.is_empty() {
            frames.reverse();
            *stacks.entry(frames.join(";")).or_insert(0) += 1;
            frames.clear();
        }
    };
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some(depth), Some(name)) = (words.next(), words.next()) else {
            continue;
        };
        if depth.bytes().all(|byte| byte.is_ascii_digit()) {
            if depth.parse() == Ok(0) {
                end(&mut frames);
            }
            frames.push(name);
        }
    }
    end(&mut frames);
    stacks
}

fn expected() -> BTreeMap<String, u32> {
    EXPECTED
        .into_iter()
        .map(|(stack, count)| (stack.to_owned(), count))
        .collect()
}

#[test]
fn its_rule_gives_the_same_stacks() {
    assert_eq!(collapse(&testing::export(Format::Phpspy)), expected());
    let lines = testing::export(Format::PhpspyLine).replace('\t', "\n");
    assert_eq!(collapse(&lines), expected());
}

#[test]
fn its_script_gives_the_same_stacks() {
    let Some(script) = std::env::var_os("STACKCOLLAPSE_PHPSPY") else {
        // Not among the tools that are required: the test above follows the same rule.
        eprintln!("skipped: STACKCOLLAPSE_PHPSPY is not set to phpspy's stackcollapse-phpspy.pl");
        return;
    };
    if !crate::is_there("perl", "-v") {
        return skip("perl is not installed, so stackcollapse-phpspy.pl cannot run");
    }
    let (_folder, path) = saved(Format::Phpspy);
    let text = output(Command::new("perl").arg(script).arg(path));
    let stacks = text.lines().filter_map(|line| line.rsplit_once(' '));
    let stacks: BTreeMap<_, _> = stacks
        .map(|(stack, count)| (stack.to_owned(), count.parse().unwrap()))
        .collect();
    assert_eq!(stacks, expected());
}
