//! What programs whose every chain and line is known may show.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::{
    collections::{HashMap, HashSet},
    fmt,
    path::Path,
    process::Command,
};

fn listed(php: &Path, workload: &str) -> String {
    let output = Command::new(php)
        .arg(php::workload(workload))
        .arg("--list")
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The chains of `chains.php`.
pub struct Chains(HashSet<String>);

impl Chains {
    pub fn known(php: &Path) -> Self {
        let list = listed(php, "chains.php");
        assert!(list.lines().count() > 20, "{list}");
        Self(list.lines().map(str::to_owned).collect())
    }

    pub fn allow(&self, stack: &str) -> bool {
        self.0.contains(&plain(stack))
    }

    /// Those of some stacks that cannot be.
    pub fn impossible<'a>(&self, stacks: &'a [(String, u64)]) -> Vec<&'a (String, u64)> {
        stacks.iter().filter(|(stack, _)| !self.allow(stack)).collect()
    }
}

/// `{closure:/file:12}` and `{closure:Truth\delta():12}` as `{closure}`, as the list has it.
fn plain(stack: &str) -> String {
    let frames = stack.split(';').map(|frame| {
        if frame.contains("{closure:") {
            "{closure}"
        } else {
            frame
        }
    });
    frames.collect::<Vec<_>>().join(";")
}

/// What is known of the lines of `lines.php`, by function.
pub struct Lines {
    right: HashMap<String, HashSet<String>>,
    brief: HashSet<(String, String)>,
}

/// What a recording says of them.
#[derive(Default)]
pub struct Verdict {
    /// Innermost frames whose line is said to be the current one.
    pub checked: usize,
    /// Innermost frames whose line is said to be where the function begins.
    pub marked: usize,
    /// Of those that were checked, lines that never run for long enough to be met.
    pub brief: Vec<String>,
    /// Of those that were checked, lines that do not run at all.
    pub never: Vec<String>,
}

impl Lines {
    pub fn known(php: &Path) -> Self {
        let list = listed(php, "lines.php");
        let mut lines = Self {
            right: HashMap::new(),
            brief: HashSet::new(),
        };
        for line in list.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            match fields[..] {
                ["hot" | "fair", function, line] => {
                    lines
                        .right
                        .entry(function.into())
                        .or_default()
                        .insert(line.into());
                }
                ["brief", function, line] => {
                    lines.brief.insert((function.into(), line.into()));
                }
                _ => {}
            }
        }
        assert!(lines.right.len() > 3, "{list}");
        lines
    }

    pub fn judge(&self, phpspy: &str) -> Verdict {
        let mut verdict = Verdict::default();
        for sample in phpspy.split("\n\n") {
            let Some(leaf) = sample.lines().find_map(|line| line.strip_prefix("0 ")) else {
                continue;
            };
            let (function, place) = leaf.rsplit_once(' ').unwrap();
            let line = place.rsplit_once(':').unwrap().1;
            let Some(right) = self.right.get(function) else {
                continue;
            };
            if sample.contains("# first_line = 0") {
                verdict.marked += 1;
                continue;
            }
            verdict.checked += 1;
            if self.brief.contains(&(function.into(), line.into())) {
                verdict.brief.push(leaf.into());
            } else if !right.contains(line) {
                verdict.never.push(leaf.into());
            }
        }
        verdict
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} leaf lines, {} of them never run and {} briefly; {} are marked",
            self.checked,
            self.never.len(),
            self.brief.len(),
            self.marked
        )
    }
}
