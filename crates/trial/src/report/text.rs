//! For a terminal.

use super::{
    Entry, Report, Side,
    figure::{Kind, share},
    picture, sentence,
};
use crate::{Outcome, TrialError};
use stats::Sample;
use std::io::{self, Write};

/// A median's interval is what other tools give.
const LEVEL: f64 = 0.99;
/// Quantiles of single observations.
const QUANTILES: [(&str, f64); 5] = [
    ("50 %", 0.5),
    ("90 %", 0.9),
    ("99 %", 0.99),
    ("99.9 %", 0.999),
    ("most", 1.0),
];

/// For a terminal, `width` columns wide: one comparison with its distributions, several as a table.
pub fn write_text(report: &Report, width: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "A  {}", report.a.label)?;
    writeln!(out, "B  {}", report.b.label)?;
    writeln!(out)?;
    match report.entries.as_slice() {
        [only] => single(report, only, width, out)?,
        entries => table(report, entries, out)?,
    }
    for note in &report.notes {
        writeln!(out, "note: {note}")?;
    }
    if let Some(why) = &report.partial {
        writeln!(out, "PARTIAL: {why}; this is what was measured until then.")?;
    }
    Ok(())
}

fn single(report: &Report, entry: &Entry, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let outcome = match &entry.outcome {
        Ok(outcome) => outcome,
        Err(error) => return writeln!(out, "no answer: {}", one_line(error)),
    };
    if let (Ok(a), Ok(b)) = (Sample::new(outcome.a.clone()), Sample::new(outcome.b.clone())) {
        figures(report, &a, &b, out)?;
        if let (Some(a), Some(b)) = (&report.a.observations, &report.b.observations) {
            quantiles(report.kind, a, b, out)?;
        }
        let observed = |side: &Side, figures: Sample| side.observations.clone().unwrap_or(figures);
        let (a, b) = (observed(&report.a, a), observed(&report.b, b));
        for line in picture::lines(&a, &b, report.kind, width) {
            writeln!(out, "{line}")?;
        }
        writeln!(out)?;
    }
    writeln!(out, "{}", sentence::verdict(&outcome.look, report.plan))?;
    writeln!(
        out,
        "{}, {}; order drawn at random with seed {}; the interval holds with {}.",
        report.metric,
        sentence::effort(outcome, report.plan),
        report.seed,
        share(report.plan.confidence())
    )
}

fn figures(report: &Report, a: &Sample, b: &Sample, out: &mut dyn Write) -> io::Result<()> {
    let columns = ["median", "99 % from", "to", "spread", "least", "mean", "outliers"];
    write!(out, " ")?;
    for column in columns {
        write!(out, "{column:>12}")?;
    }
    writeln!(out)?;
    for (name, sample) in [('A', a), ('B', b)] {
        let interval = sample.median_interval(LEVEL, report.seed);
        let cells = [
            report.kind.format(sample.median()),
            report.kind.format(interval.low),
            report.kind.format(interval.high),
            format!("± {:.2} %", sample.relative_spread() * 100.0),
            report.kind.format(sample.min()),
            report.kind.format(sample.mean()),
            format!("{} of {}", sample.outliers().total(), sample.len()),
        ];
        write!(out, "{name}")?;
        for cell in cells {
            write!(out, "{cell:>12}")?;
        }
        writeln!(out)?;
        let modes = sample.modes();
        if modes.len() > 1 {
            let modes: Vec<String> = modes
                .iter()
                .map(|mode| {
                    format!(
                        "{} ({})",
                        report.kind.format(mode.at),
                        share((mode.share * 100.0).round() / 100.0)
                    )
                })
                .collect();
            writeln!(out, "   {name} is of several kinds: {}", modes.join(", "))?;
        }
    }
    writeln!(out)
}

fn quantiles(kind: Kind, a: &Sample, b: &Sample, out: &mut dyn Write) -> io::Result<()> {
    write!(out, " ")?;
    for (name, _) in QUANTILES {
        write!(out, "{name:>12}")?;
    }
    writeln!(out, "{:>12}", "single ones")?;
    for (name, sample) in [('A', a), ('B', b)] {
        write!(out, "{name}")?;
        for (_, at) in QUANTILES {
            write!(out, "{:>12}", kind.format(sample.quantile(at)))?;
        }
        writeln!(out, "{:>12}", sample.len())?;
    }
    writeln!(out)
}

fn table(report: &Report, entries: &[Entry], out: &mut dyn Write) -> io::Result<()> {
    let name = |entry: &Entry| entry.name.chars().count();
    let wide = entries
        .iter()
        .map(name)
        .max()
        .unwrap_or(0)
        .max("comparison".len());
    writeln!(
        out,
        "{:wide$}{:>12}{:>12}{:>10}{:>22}{:>7}  verdict",
        "comparison", "A", "B", "B to A", "interval", "pairs"
    )?;
    for entry in entries {
        write!(out, "{:wide$}", entry.name)?;
        match &entry.outcome {
            Ok(outcome) => row(report, outcome, out)?,
            Err(error) => writeln!(out, "  no answer: {}", one_line(error))?,
        }
    }
    writeln!(out)?;
    if let Some(mean) = report.geometric_mean() {
        writeln!(out, "geometric mean {}", sentence::estimate(mean))?;
    }
    writeln!(
        out,
        "{} of each, order drawn at random with seed {}; each interval holds with {}; margin {}.",
        report.metric,
        report.seed,
        share(report.plan.confidence()),
        share(report.plan.margin())
    )
}

fn row(report: &Report, outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let (look, kind) = (&outcome.look, report.kind);
    let (ratio, interval) = sentence::cells(look);
    let more = match (look.interval, look.more_pairs) {
        (None, _) => format!(" (too few pairs: {} are the least)", report.plan.fewest()),
        (_, Some(more)) => format!(" ({} more would tell)", sentence::pairs(more)),
        _ => String::new(),
    };
    writeln!(
        out,
        "{:>12}{:>12}{ratio:>10}{interval:>22}{:>7}  {}{more}",
        sentence::median(&outcome.a, kind),
        sentence::median(&outcome.b, kind),
        look.pairs,
        look.verdict
    )
}

fn one_line(error: &TrialError) -> String {
    error.to_string().replace('\n', " ")
}
