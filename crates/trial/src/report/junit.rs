//! For what shows the tests of a CI.

use super::{Report, sentence};
use crate::Verdict;
use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// For what shows the tests of a CI: a test case for each comparison. One that is slower beyond the margin is a failure, one
/// without an answer an error, an inconclusive one skipped.
pub fn write_junit(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let (mut failures, mut errors, mut skipped) = (0, 0, 0);
    let mut cases = String::new();
    for entry in &report.entries {
        let (element, message) = match &entry.outcome {
            Err(error) => {
                errors += 1;
                ("error", error.to_string())
            }
            Ok(outcome) => {
                let message = format!(
                    "{}; {}",
                    sentence::verdict(&outcome.look, report.plan),
                    sentence::effort(outcome, report.plan)
                );
                match outcome.look.verdict {
                    Verdict::Slower if outcome.look.beyond_margin => {
                        failures += 1;
                        ("failure", message)
                    }
                    Verdict::Inconclusive => {
                        skipped += 1;
                        ("skipped", message)
                    }
                    _ => ("system-out", message),
                }
            }
        };
        let (name, message) = (escaped(&entry.name), escaped(&message));
        let body = if element == "system-out" {
            format!("<system-out>{message}</system-out>")
        } else {
            format!("<{element} message=\"{message}\"/>")
        };
        let _ = writeln!(
            cases,
            "    <testcase classname=\"phperf.compare\" name=\"{name}\">{body}</testcase>"
        );
    }
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"",
        report.entries.len()
    );
    let partial = match &report.partial {
        Some(why) => format!("    <system-err>partial: {}</system-err>\n", escaped(why)),
        None => String::new(),
    };
    write!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite name=\"{} to {}: {}\" {counts}>\n{cases}{partial}  </testsuite>\n</testsuites>\n",
        escaped(&report.a.label),
        escaped(&report.b.label),
        escaped(&report.metric)
    )
}

/// Text within XML. What XML cannot hold at all is shown as a replacement character.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\t' | '\r' => safe.push(' '),
            control if control.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&control) => {
                safe.push('\u{fffd}');
            }
            other => safe.push(other),
        }
    }
    safe
}
