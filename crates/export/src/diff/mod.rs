//! Two profiles side by side: which functions take more of the time, and which take less.

mod join;
mod json;
#[cfg(feature = "svg")]
mod svg;
mod text;

use crate::{Report, Saved};
use thiserror::Error;

/// By what two profiles of different length are made comparable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// All samples of a profile are 100 %: where the time goes, however much of it there is.
    #[default]
    Samples,
    /// The time for which it was recorded is 100 %, once for each process: how much time goes there.
    Time,
}

/// Why two profiles cannot be compared.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum DiffError {
    /// There is nothing to divide by.
    #[error("{side} has no samples: nothing can be compared with it")]
    Empty {
        /// Which of the two.
        side: char,
    },
    /// The profile does not tell times.
    #[error(
        "{side}, a {format} file, does not tell its sampling period or how long it was recorded: compare by samples, or record as pprof, svg or speedscope"
    )]
    NoTime {
        /// Which of the two.
        side: char,
        /// The format of the file.
        format: crate::Format,
    },
}

/// One of the two profiles.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// What was recorded.
    pub title: Option<String>,
    /// Samples that were counted.
    pub samples: u64,
    /// How long the recording took.
    pub duration_ns: Option<u64>,
    /// The sampling period.
    pub period_ns: Option<u64>,
    /// The share of one sample.
    pub share: f64,
}

/// Something of both profiles, A and B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// Samples of A.
    pub a: u64,
    /// Samples of B.
    pub b: u64,
}

/// A function in both profiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its name; of an included file, with that file. By it functions of A and B are taken for the same.
    pub name: String,
    /// The file that declares it, in B if it is there.
    pub file: Option<String>,
    /// The line of its declaration; 0 where that is not known.
    pub line: u32,
    /// While it was the innermost frame.
    pub own: Pair,
    /// While it was anywhere on the stack.
    pub total: Pair,
}

/// Two profiles, function by function.
#[derive(Clone, Debug, PartialEq)]
pub struct Diff {
    /// What shares are shares of.
    pub scale: Scale,
    /// Before.
    pub a: Side,
    /// After.
    pub b: Side,
    /// What should be known before the figures are believed, a sentence each.
    pub notes: Vec<String>,
    /// Every function of either profile, those that changed most first.
    pub functions: Vec<Change>,
}

impl Diff {
    /// Compares all samples of both.
    pub fn new(a: &Saved, b: &Saved, scale: Scale) -> Result<Self, DiffError> {
        let reports = [Report::new(a), Report::new(b)];
        let sides = [side(&reports[0], scale, 'A')?, side(&reports[1], scale, 'B')?];
        let mut diff = Self {
            scale,
            notes: notes(a, b, &reports),
            functions: join::functions(reports),
            a: sides[0].clone(),
            b: sides[1].clone(),
        };
        let mut functions = std::mem::take(&mut diff.functions);
        functions.sort_by(|one, other| {
            let key = |change: &Change| (diff.change(change.own).abs(), diff.change(change.total).abs());
            let ((own, total), (other_own, other_total)) = (key(one), key(other));
            other_own
                .total_cmp(&own)
                .then_with(|| other_total.total_cmp(&total))
                .then_with(|| one.name.cmp(&other.name))
        });
        diff.functions = functions;
        Ok(diff)
    }

    /// The shares of A and of B, 1 for all of it.
    pub fn shares(&self, pair: Pair) -> [f64; 2] {
        [pair.a as f64 * self.a.share, pair.b as f64 * self.b.share]
    }

    /// By how much the share has grown from A to B.
    pub fn change(&self, pair: Pair) -> f64 {
        let [a, b] = self.shares(pair);
        b - a
    }

    /// What shares are shares of, in words.
    pub const fn scale_in_words(&self) -> &'static str {
        match self.scale {
            Scale::Samples => "shares of all samples of each",
            Scale::Time => "shares of the time that each was recorded: 100 % is one process at all times",
        }
    }
}

fn side(report: &Report, scale: Scale, side: char) -> Result<Side, DiffError> {
    let samples = report.all.samples;
    if samples == 0 {
        return Err(DiffError::Empty { side });
    }
    let share = match scale {
        Scale::Samples => 1.0 / samples as f64,
        Scale::Time => {
            let ns = report.all.ns.filter(|&ns| ns > 0);
            let duration = report.duration_ns.filter(|&ns| ns > 0);
            let (Some(ns), Some(duration)) = (ns, duration) else {
                return Err(DiffError::NoTime {
                    side,
                    format: report.format,
                });
            };
            ns as f64 / samples as f64 / duration as f64
        }
    };
    Ok(Side {
        title: report.title.clone(),
        samples,
        duration_ns: report.duration_ns,
        period_ns: report.period_ns,
        share,
    })
}

/// Fewer samples than this say little of a function that takes a tenth of the time.
const FEW: u64 = 300;

/// In what the two differ besides their functions.
fn notes(a: &Saved, b: &Saved, reports: &[Report; 2]) -> Vec<String> {
    let mut notes = Vec::new();
    let rate = |saved: &Saved| {
        saved
            .period_ns
            .map(|ns| crate::describe::rate(std::time::Duration::from_nanos(ns)))
    };
    if let (Some(one), Some(other)) = (rate(a), rate(b))
        && one != other
    {
        notes.push(format!("A was sampled at {one}, B at {other}"));
    }
    if let (Some(one), Some(other)) = (source(a), source(b))
        && one != other
    {
        notes.push(format!(
            "A is from the {one}, B from the {other}: they see short waits and innermost frames a little differently"
        ));
    }
    if reports[0].waiting.is_some() != reports[1].waiting.is_some() {
        let (told, not) = if reports[0].waiting.is_some() {
            ('A', 'B')
        } else {
            ('B', 'A')
        };
        notes.push(format!(
            "{told} tells waiting from running, {not} does not: its samples may be of CPU time alone"
        ));
    }
    for (side, report) in ['A', 'B'].into_iter().zip(reports) {
        if report.all.samples < FEW {
            notes.push(format!(
                "{side} has {} samples: small differences are chance",
                report.all.samples
            ));
        }
    }
    notes
}

/// The source of a recording of phperf.
fn source(saved: &Saved) -> Option<&str> {
    saved.notes.iter().find_map(|note| note.strip_prefix("source: "))
}

#[cfg(not(feature = "svg"))]
impl Diff {
    /// Draws nothing: this build has no flame graphs.
    pub fn write_svg(&self, _: &Saved, _: &Saved, _: &mut dyn std::io::Write) -> std::io::Result<()> {
        let error = crate::FormatError::NotBuilt(crate::Format::Svg);
        Err(std::io::Error::other(error))
    }
}

#[cfg(test)]
mod tests;
