//! Instructions, counted by valgrind's callgrind.

use anyhow::{Context, Result};
use std::{fs, path::Path};

/// How many instructions a process retired in its own address space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instructions {
    /// All of them.
    pub total: u64,
    /// Those in one object itself; what it calls is not among them.
    pub own: u64,
}

/// What a program is run under to be counted, into a file.
pub fn under(file: &Path) -> Vec<String> {
    [
        "valgrind".into(),
        "--quiet".into(),
        "--tool=callgrind".into(),
        format!("--callgrind-out-file={}", file.display()),
    ]
    .into()
}

/// Reads what it counted, all in all and in a program or library of that name.
pub fn read(file: &Path, object: &Path) -> Result<Instructions> {
    let text = fs::read_to_string(file).context("callgrind left no counts: is valgrind installed?")?;
    let name = object.file_name().unwrap_or_default().to_string_lossy();
    parse(&text, &format!("/{name}")).context("callgrind left counts without a sum")
}

/// The format gives each object a number when it first names it, and a function's own costs as lines that start
/// with a position; the cost line after `calls=` is what the callee took.
fn parse(text: &str, object: &str) -> Option<Instructions> {
    let mut counted = Instructions::default();
    let mut numbers = Vec::new();
    let mut inside = false;
    let mut callee = false;
    let mut total = None;
    for line in text.lines() {
        // A called object's name is also where its number is first met.
        if let Some(named) = line.strip_prefix("ob=").or_else(|| line.strip_prefix("cob=")) {
            let number = named.split(' ').next().unwrap_or_default();
            if named.ends_with(object) {
                numbers.push(number.to_owned());
            }
            if line.starts_with("ob=") {
                inside = numbers.iter().any(|known| known == number);
            }
        } else if let Some(sum) = line
            .strip_prefix("summary: ")
            .or_else(|| line.strip_prefix("totals: "))
        {
            total = sum.trim().parse().ok().or(total);
        } else if line.starts_with("calls=") {
            callee = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            if inside && !callee {
                let cost = line.split(' ').nth(1)?;
                counted.own += cost.parse::<u64>().ok()?;
            }
            callee = false;
        }
    }
    counted.total = total?;
    Some(counted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_an_object_did_itself() {
        let text = "events: Ir\n\nob=(1) /usr/bin/php\nfl=(1) main.c\nfn=(1) main\n16 400\n\
                    cob=(2) /modules/pdo_pool.so\ncfn=(2) hook\ncalls=50 16\n16 3400\n+1 8\n\n\
                    ob=(2)\nfl=(2) hook.c\nfn=(2)\n5 100\n* 20\n\
                    cob=(1)\ncfn=(1)\ncalls=2 3\n+1 999\n+2 1\n\nob=(1)\nfn=(1)\n9 5\ntotals: 534\n";
        let counted = Instructions { total: 534, own: 121 };
        assert_eq!(parse(text, "/pdo_pool.so"), Some(counted));
        assert_eq!(parse("events: Ir\n", "/pdo_pool.so"), None);
    }
}
