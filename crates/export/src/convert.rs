//! From one format to another.

use crate::{Format, Saved, Seen};
use profile::{ContextId, Function, Kind, Line};

impl Saved {
    /// What was seen, for an exporter: stack by stack, and not in the order of time.
    pub fn seen(&self) -> impl Iterator<Item = Seen> + '_ {
        self.rows.iter().map(|row| Seen {
            labels: row.labels,
            stack: row.stack,
            periods: row.count,
        })
    }

    /// What is known here and not kept by a format, each in a few words.
    pub fn losses(&self, to: Format) -> Vec<&'static str> {
        let keeps = Keeps::of(to);
        let labels = self.rows.iter().map(|row| row.labels);
        let is_exact = |line| matches!(line, Line::Exact(_));
        let rest = self.title.is_some() || self.period_ns.is_some() || self.duration_ns.is_some();
        let mut functions = self.symbols.functions();
        let losses = [
            (Keeps::of(self.format).order, false, "the order in time"),
            (true, keeps.stacks, "whole stacks"),
            (
                labels.clone().any(|labels| labels.pid.is_some()),
                keeps.labels,
                "process and thread",
            ),
            (
                labels.clone().any(|labels| labels.state.is_some()),
                keeps.states,
                "whether it waited",
            ),
            (
                labels.clone().any(|labels| labels.context != ContextId::NONE),
                keeps.labels,
                "requests and what was waited for",
            ),
            (
                labels.clone().any(|labels| labels.memory.is_some()),
                keeps.labels,
                "memory",
            ),
            (self.symbols.functions().any(has_file), keeps.files, "files"),
            (
                functions.any(|function| function.first_line > 0),
                keeps.first_lines,
                "where functions begin",
            ),
            (
                self.symbols.locations().any(|location| is_exact(location.line)),
                keeps.lines,
                "current lines",
            ),
            (rest, keeps.recording, "rate, duration and notes"),
        ];
        let lost = losses
            .into_iter()
            .filter(|&(is_known, is_kept, _)| is_known && !is_kept);
        lost.map(|(_, _, words)| words).collect()
    }
}

/// Whether it has a file that is not in its name.
fn has_file(function: &Function) -> bool {
    function.file.is_some() && function.kind != Kind::Include
}

/// What a format keeps besides functions and counts.
#[derive(Clone, Copy)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a row of the table in docs/formats.md"
)]
struct Keeps {
    order: bool,
    stacks: bool,
    labels: bool,
    states: bool,
    files: bool,
    first_lines: bool,
    lines: bool,
    recording: bool,
}

impl Keeps {
    const fn of(format: Format) -> Self {
        let all = Self {
            order: false,
            stacks: true,
            labels: true,
            states: true,
            files: true,
            first_lines: true,
            lines: true,
            recording: true,
        };
        match format {
            Format::Pprof | Format::Otlp => all,
            Format::Svg => Self { lines: false, ..all },
            Format::Speedscope => Self {
                order: true,
                lines: false,
                ..all
            },
            Format::Phpspy | Format::PhpspyLine => Self {
                order: true,
                first_lines: false,
                recording: false,
                ..all
            },
            Format::Callgrind => Self {
                stacks: false,
                labels: false,
                first_lines: false,
                ..all
            },
            Format::Folded => Self {
                labels: false,
                states: false,
                files: false,
                first_lines: false,
                lines: false,
                recording: false,
                ..all
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{read_from, testing};

    fn saved(format: Format) -> Saved {
        read_from(&testing::bytes(format, &testing::profile())[..]).unwrap()
    }

    #[test]
    fn what_a_format_does_not_keep_is_told() {
        let pprof = saved(Format::Pprof);
        assert_eq!(pprof.losses(Format::Pprof), [""; 0]);
        assert_eq!(pprof.losses(Format::Otlp), [""; 0]);
        assert_eq!(pprof.losses(Format::Svg), ["current lines"]);
        assert_eq!(
            pprof.losses(Format::Callgrind),
            [
                "whole stacks",
                "process and thread",
                "requests and what was waited for",
                "memory",
                "where functions begin"
            ]
        );
        assert_eq!(pprof.losses(Format::Folded).len(), 8);
        assert_eq!(
            saved(Format::Speedscope).losses(Format::Pprof),
            ["the order in time"]
        );
        assert_eq!(saved(Format::Folded).losses(Format::Folded), [""; 0]);
    }

    #[test]
    fn what_is_not_known_is_not_made_up() {
        let folded = read_from(&b"<main>;a 3\n<main> 2\n"[..]).unwrap();
        for to in Format::ALL.into_iter().filter(|format| format.is_readable()) {
            let mut bytes = Vec::new();
            let mut exporter = to.exporter().unwrap();
            for seen in folded.seen() {
                exporter.add(&folded.symbols, &seen, &mut bytes).unwrap();
            }
            let recording = crate::Recording::of(&folded);
            exporter.finish(&folded.symbols, &recording, &mut bytes).unwrap();
            let back = read_from(&bytes[..]).unwrap();
            assert_eq!(back.samples(), 5, "{to}");
            for row in &back.rows {
                assert_eq!(row.labels, crate::Labels::default(), "{to}");
                assert_eq!((row.wall_ns, row.cpu_ns), (None, None), "{to}");
            }
            assert_eq!(
                (back.period_ns, back.started_ns.filter(|&ns| ns > 0)),
                (None, None),
                "{to}"
            );
        }
    }
}
