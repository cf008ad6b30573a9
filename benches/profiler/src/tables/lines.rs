//! Lines of the innermost frame.

use super::Asked;
use crate::{
    bench::Bench,
    figure::Unit,
    load::Scripts,
    profiler::{Profiler, Request},
    rounds::{columns, rounds},
    stacks::{self, Frame},
    table::{Cell, Row, Table},
};
use anyhow::{Context, Result, anyhow, ensure};
use php::workload;
use std::{collections::HashMap, process::Command};

pub const NAME: &str = "lines";

const HZ: u32 = 999;
const SECONDS: f64 = 5.0;

pub fn run(bench: &Bench) -> Table {
    let label = format!("lines, {HZ} Hz");
    let prepared = Known::ask(bench).and_then(|known| Ok((known, Scripts::start(bench, "lines", 1)?)));
    let results = rounds(bench, &label, |profiler| {
        let (known, scripts) = prepared.as_ref().map_err(|error| anyhow!("{error:#}"))?;
        round(bench, profiler, known, scripts)
    });
    let row = |label: &str, count: fn(&Round) -> u64, asked: Asked| Row {
        label: label.into(),
        cells: results
            .iter()
            .map(|(profiler, result)| match result {
                Ok(rounds) => {
                    let all: u64 = rounds.iter().map(|round| round.all).sum();
                    let some: u64 = rounds.iter().map(count).sum();
                    let share = |round: &Round| 100.0 * count(round) as f64 / round.all as f64;
                    Cell::figures(rounds.iter().map(share).collect(), Unit::Percent)
                        .aside(format!("{some} of {all} in all"))
                        .asked(asked.of(*profiler))
                }
                Err(why) => Cell::Without(why.clone()),
            })
            .collect(),
    };
    let rows = vec![
        row(
            "not the current line",
            Round::not_current,
            Asked::at_most(0.0, 12.0),
        ),
        row(
            "of it the function's first line, said to be that",
            |round| round.said,
            Asked::NOTHING,
        ),
        row(
            "of it the function's first line, not said",
            |round| round.first,
            Asked::NOTHING,
        ),
        row(
            "of it another line of the function",
            |round| round.other,
            Asked::NOTHING,
        ),
        row(
            "outside of the function",
            |round| round.outside,
            Asked::at_most(0.0, 0.0),
        ),
    ];
    for (profiler, result) in &results {
        if let Some(example) = result.iter().flatten().find_map(|round| round.example.as_ref()) {
            bench.note(format!("{profiler} showed, for example, {example}."));
        }
    }
    Table {
        name: NAME,
        title: "Lines of the innermost frame",
        method: format!(
            "`workloads/lines.php`, which knows on which lines each of its functions can be found, without JIT; \
             windows of {} s. Only samples whose innermost frame is one of these functions count.",
            bench.settings.window(SECONDS)
        ),
        columns: columns(bench),
        rows,
        notes: bench.take_notes(),
    }
}

/// What one recording showed.
#[derive(Debug, Default)]
struct Round {
    all: u64,
    said: u64,
    first: u64,
    other: u64,
    outside: u64,
    example: Option<String>,
}

impl Round {
    const fn not_current(&self) -> u64 {
        self.said + self.first + self.other + self.outside
    }

    fn count(&mut self, known: &Known, frame: &Frame) {
        let Some(lines) = known.0.get(frame.name) else {
            return;
        };
        self.all += 1;
        if frame.first_line {
            self.said += 1;
            return;
        }
        match lines.judge(frame.line) {
            Verdict::Right => return,
            Verdict::First => self.first += 1,
            Verdict::Other => self.other += 1,
            Verdict::Outside => self.outside += 1,
        }
        self.example
            .get_or_insert_with(|| format!("`{}` on line {}", frame.name, frame.line));
    }
}

fn round(bench: &Bench, profiler: Profiler, known: &Known, scripts: &Scripts) -> Result<Round> {
    let request = Request {
        targets: scripts.targets(),
        hz: HZ,
        seconds: bench.settings.window(SECONDS),
    };
    let recording = bench.record(profiler, &request)?;
    let mut round = Round::default();
    stacks::read(&recording.files.stacks, |frames| {
        if let Some(leaf) = frames.first() {
            round.count(known, leaf);
        }
    })?;
    ensure!(round.all > 0, "it took no stack of a known function");
    Ok(round)
}

/// Where each function can be found.
#[derive(Debug, Default)]
struct Known(HashMap<String, Lines>);

#[derive(Debug, Default, PartialEq, Eq)]
struct Lines {
    /// The line that declares it.
    first: i64,
    /// The line of its closing brace.
    last: i64,
    right: Vec<i64>,
}

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Right,
    First,
    Other,
    Outside,
}

impl Lines {
    fn judge(&self, line: i64) -> Verdict {
        if self.right.contains(&line) {
            Verdict::Right
        } else if line == self.first {
            Verdict::First
        } else if (self.first..=self.last).contains(&line) {
            Verdict::Other
        } else {
            Verdict::Outside
        }
    }
}

impl Known {
    fn ask(bench: &Bench) -> Result<Self> {
        let output = Command::new(&bench.php.path)
            .arg(workload("lines.php"))
            .arg("--list")
            .output()
            .context("cannot ask lines.php for its lines")?;
        Self::parse(&String::from_utf8_lossy(&output.stdout))
    }

    /// `range FUNCTION FIRST LAST`, then `hot|fair|brief FUNCTION LINE`, separated by tabs.
    fn parse(list: &str) -> Result<Self> {
        let mut known = Self::default();
        for line in list.lines() {
            let fields: Vec<_> = line.split('\t').collect();
            let number = |index: usize| -> Option<i64> { fields.get(index)?.parse().ok() };
            let function = fields.get(1).copied().unwrap_or_default();
            let lines = known.0.entry(function.into()).or_default();
            match (fields[0], number(2), number(3)) {
                ("range", Some(first), Some(end)) => (lines.first, lines.last) = (first, end),
                ("hot" | "fair", Some(line), None) => lines.right.push(line),
                // Right only for an instant which no sample should meet.
                ("brief", Some(_), None) => {}
                _ => return Err(anyhow!("lines.php lists `{line}`, which is no line")),
            }
        }
        ensure!(
            known.0.values().any(|lines| !lines.right.is_empty()),
            "lines.php lists no lines"
        );
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_judged() {
        let list = "range\tf\t10\t20\nbrief\tf\t11\nhot\tf\t15\nrange\tg\t30\t40\nfair\tg\t33\n";
        let known = Known::parse(list).unwrap();
        let lines = &known.0["f"];
        assert_eq!(lines.judge(15), Verdict::Right);
        assert_eq!(lines.judge(11), Verdict::Other);
        assert_eq!(lines.judge(10), Verdict::First);
        assert_eq!(lines.judge(33), Verdict::Outside);
        assert!(Known::parse("").is_err());
        assert!(Known::parse("hot\tf\tx").is_err());
    }

    #[test]
    fn a_first_line_that_is_said_to_be_one_is_counted_apart() {
        let known = Known::parse("range\tf\t10\t20\nhot\tf\t15\n").unwrap();
        let frame = Frame {
            name: "f",
            file: "/f.php",
            line: 10,
            first_line: true,
        };
        let mut round = Round::default();
        round.count(&known, &frame);
        let unsaid = Frame {
            first_line: false,
            ..frame
        };
        round.count(&known, &unsaid);
        round.count(&known, &Frame { line: 15, ..unsaid });
        assert_eq!((round.all, round.said, round.first), (3, 1, 1));
        assert_eq!(round.not_current(), 2);
    }
}
