//! `phperf compare`.

mod callgrind;
mod command;
mod layout;
pub mod pin;
mod progress;
mod requests;
mod running;
mod together;
mod write;

pub use progress::ProgressLine;
pub use write::Files;

use crate::{FAILURE, UsageError, args, interrupt};
use anyhow::{Context, Result, bail};
use args::Metric;
use command::Runner;
use requests::Client;
use stats::MAX_PAIRS;
use std::{
    ffi::OsString,
    sync::atomic::{AtomicBool, Ordering},
    time::{Instant, SystemTime, UNIX_EPOCH},
};
use together::Together;
use trial::{
    Comparison, Entry, Kind, Look, Order, Outcome, Plan, Report, Side, Signal, Subject, TrialError, Verdict,
};

/// Of the one comparison that there is.
const NAME: &str = "A to B";
/// Exit code of a result that says nothing.
const INCONCLUSIVE: u8 = 3;

/// Compares, prints, writes.
pub fn run(asked: &args::Compare) -> Result<u8> {
    within(asked, |session| match asked.sides.as_slice() {
        [a, b] if !asked.shell => session.addresses(a, b),
        _ => session.commands(),
    })
}

/// Prints and writes what `compare` found.
pub fn within(asked: &args::Compare, compare: impl FnOnce(&mut Session<'_>) -> Result<Report>) -> Result<u8> {
    let plan = Plan::new(asked.pairs.map_or(Plan::PAIRS, usize::from), asked.margin)
        .map_err(|error| UsageError(error.to_string()))?;
    let files = Files::open(&asked.measuring.answer)?;
    if let Some(cpu) = asked.pin {
        pin::to(cpu)?;
    }
    let stop = interrupt::flag("nothing was written".into())?;
    let mut session = Session {
        asked,
        plan,
        stop: &stop,
        seed: asked.measuring.seed.unwrap_or_else(clock),
        started: Instant::now(),
        warm_up: usize::from(asked.warm_up),
    };
    let report = compare(&mut session)?;
    files.write(&report)?;
    exit_code(&asked.measuring.answer, report)
}

/// What all comparisons share.
pub struct Session<'a> {
    asked: &'a args::Compare,
    plan: Plan,
    stop: &'a AtomicBool,
    seed: u64,
    started: Instant,
    /// Measurements of each side before those that count.
    warm_up: usize,
}

impl Session<'_> {
    /// Compares the commands that were asked for.
    pub fn commands(&mut self) -> Result<Report> {
        let [a, b] = sides(self.asked)?;
        let labels = [label(&a), label(&b)];
        let mut a = Runner::new(a, self.asked, self.stop)?;
        let mut b = Runner::new(b, self.asked, self.stop)?;
        let mut notes = Vec::new();
        let outcome = if self.asked.together {
            let both = Together::new([&mut a, &mut b], self.asked, self.seed)?;
            notes.push(both.note());
            self.measure(Comparison::of(NAME, both))?
        } else {
            self.measure(Comparison::new(NAME, || a.measure(), || b.measure()))?
        };
        for (name, runner) in [('A', &a), ('B', &b)] {
            if runner.is_at_floor() {
                notes.push(format!(
                    "{name} needs less memory than was measured: a process is never counted with less than phperf, \
                     which started it."
                ));
            }
        }
        let failed = a.failed + b.failed;
        if failed > 0 {
            notes.push(format!(
                "{failed} runs failed, and were measured as they were (--ignore-failure)."
            ));
        }
        let (name, kind) = match self.asked.metric {
            Metric::Wall => ("wall time", Kind::Time),
            Metric::Cpu => ("CPU time", Kind::Time),
            Metric::User => ("CPU time in user space", Kind::Time),
            Metric::MaxRss => ("most memory", Kind::Memory),
            Metric::Instructions => ("instructions", Kind::Instructions),
        };
        let name = match self.asked.least_of {
            _ if self.asked.together => format!("{name}, both at the same time"),
            1 => name.to_owned(),
            runs => format!("{name} (least of {runs} runs)"),
        };
        let sides = labels.map(Side::new);
        Ok(self.report(sides, &name, kind, notes, outcome))
    }

    fn addresses(&mut self, a: &str, b: &str) -> Result<Report> {
        // What is no address is said first: whoever forgot --shell may well have asked for another metric.
        let mut clients = [Client::new(a, self.asked)?, Client::new(b, self.asked)?];
        if self.asked.metric != Metric::Wall || self.asked.together {
            bail!(UsageError(
                "only the wall time of requests can be measured: leave --metric and --together away".into()
            ));
        }
        let [first, second] = &mut clients;
        let outcome = self.measure(Comparison::new(NAME, || first.measure(), || second.measure()))?;
        let pairs = outcome.as_ref().map_or(0, |outcome| outcome.look.pairs);
        let mut sides = [0, 1].map(|side| Side::new(clients[side].label.clone()));
        let mut notes = Vec::new();
        for (side, client) in sides.iter_mut().zip(&clients) {
            side.observations = client.observations(self.warm_up, pairs);
            if client.closed > 0 {
                notes.push(format!(
                    "{} closed the connection after {} of {} requests: those after them include a new connection.",
                    side.label, client.closed, client.sent
                ));
            }
        }
        let name = format!("wall time of a request (mean of {})", self.asked.requests);
        Ok(self.report(sides, &name, Kind::Time, notes, outcome))
    }

    /// Compares the CPU time of two sides that `pair` measures.
    #[cfg(feature = "hugepages")]
    pub fn pair(&mut self, sides: [String; 2], metric: &str, pair: impl trial::Pair) -> Result<Report> {
        let outcome = self.measure(Comparison::of(NAME, pair))?;
        Ok(self.report(sides.map(Side::new), metric, Kind::Time, Vec::new(), outcome))
    }

    /// The pilot, which may set the number of pairs, then the trial.
    fn measure(&mut self, mut comparison: Comparison<'_>) -> Result<Result<Outcome, TrialError>> {
        let mut to_warm_up = self.warm_up;
        if let Some(time) = self.asked.measuring.time.filter(|_| self.asked.pairs.is_none()) {
            let pilot = Instant::now();
            match comparison.pair.measure(Order::AFirst) {
                Err(error) if !self.stop.load(Ordering::Relaxed) => return Ok(Err(error)),
                _ => {}
            }
            let of_a_pair = pilot.elapsed().as_secs_f64();
            self.warm_up = self.warm_up.max(1);
            to_warm_up = self.warm_up - 1;
            let left =
                time.saturating_sub(self.started.elapsed()).as_secs_f64() - to_warm_up as f64 * of_a_pair;
            let pairs = ((left / of_a_pair) as usize).clamp(1, MAX_PAIRS);
            self.plan = Plan::new(pairs, self.plan.margin())?;
        }
        let mut comparisons = [comparison];
        let mut line = (!self.asked.measuring.quiet).then(|| ProgressLine::new(None));
        let outcome = trial::run(&mut comparisons, self.plan, to_warm_up, self.seed, |progress| {
            if let Some(line) = &mut line {
                line.show(progress);
            }
            let over = self
                .asked
                .measuring
                .time
                .is_some_and(|time| self.started.elapsed() >= time);
            if over || self.stop.load(Ordering::Relaxed) {
                Signal::Stop
            } else {
                Signal::Go
            }
        })
        .remove(0);
        if let Some(line) = &mut line {
            line.clear();
        }
        Ok(outcome)
    }

    fn report(
        &self,
        [a, b]: [Side; 2],
        metric: &str,
        kind: Kind,
        notes: Vec<String>,
        outcome: Result<Outcome, TrialError>,
    ) -> Report {
        let interrupted = self.stop.load(Ordering::Relaxed);
        Report {
            a,
            b,
            metric: metric.to_owned(),
            kind,
            plan: self.plan,
            seed: self.seed,
            partial: interrupted.then(|| "interrupted".to_owned()),
            notes,
            entries: vec![Entry {
                name: NAME.into(),
                outcome,
            }],
        }
    }
}

/// The command lines of both sides.
fn sides(asked: &args::Compare) -> Result<[Vec<OsString>; 2]> {
    if let [a, b] = asked.sides.as_slice() {
        let shell = |line: &String| ["sh", "-c", line].map(OsString::from).to_vec();
        return Ok([shell(a), shell(b)]);
    }
    let mut sides: Vec<Vec<OsString>> = asked
        .commands
        .split(|word| word == "--")
        .map(<[OsString]>::to_vec)
        .collect();
    if sides.len() > 2 {
        bail!(UsageError(
            "there are more than two commands: where -- is an argument of one, use --shell 'A' 'B'".into()
        ));
    }
    let (Some(b), Some(a)) = (sides.pop(), sides.pop()) else {
        bail!(UsageError(
            "there is one command only: give two, as -- A -- B".into()
        ));
    };
    if a.is_empty() || b.is_empty() {
        bail!(UsageError("a command is missing: give two, as -- A -- B".into()));
    }
    Ok([a, b])
}

/// A command line for people.
fn label(words: &[OsString]) -> String {
    if let [shell, flag, line] = words
        && shell == "sh"
        && flag == "-c"
    {
        return line.to_string_lossy().into_owned();
    }
    let word = |word: &OsString| {
        let text = word.to_string_lossy();
        let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
        if !text.is_empty() && text.chars().all(is_plain) {
            text.into_owned()
        } else {
            format!("'{}'", text.replace('\'', "'\\''"))
        }
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// The exit code that was asked for; an error where a comparison has no answer.
pub fn exit_code(asked: &args::Answer, report: Report) -> Result<u8> {
    let mut looks = Vec::new();
    let mut without = None;
    for entry in report.entries {
        match entry.outcome {
            Ok(outcome) => looks.push(outcome.look),
            Err(error) => without = without.or(Some(error)),
        }
    }
    if asked.fail_on_slower
        && looks
            .iter()
            .any(|look| look.verdict == Verdict::Slower && look.beyond_margin)
    {
        return Ok(FAILURE);
    }
    if let Some(error) = without {
        return Err(error).context("no answer");
    }
    if report.partial.is_some() {
        return Ok(interrupt::INTERRUPTED);
    }
    let unsure = |look: &Look| look.verdict == Verdict::Inconclusive;
    Ok(if asked.fail_on_inconclusive && looks.iter().any(unsure) {
        INCONCLUSIVE
    } else {
        0
    })
}

/// A seed.
pub fn clock() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| u64::from(since.subsec_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_can_be_pasted_into_a_shell() {
        let words = |words: &[&str]| label(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(words(&["php", "-d", "a=1", "x.php"]), "php -d a=1 x.php");
        assert_eq!(
            words(&["php", "-r", "echo 'a';", ""]),
            r"php -r 'echo '\''a'\'';' ''"
        );
        assert_eq!(words(&["sh", "-c", "php a | wc"]), "php a | wc");
    }
}
