//! What of a recording is the subject's.

use profile::{ContextId, Function, LocationId, Sample, Source, StackId, State, Symbols};
use sampler::{Status, Watcher};
use std::{collections::HashMap, io, sync::mpsc::Sender};

/// The function of the sampling script that calls the subject.
const HARNESS: &str = "phperf_sample";

/// Samples of a subject, its own frame the outermost one.
#[derive(Default)]
pub struct Samples {
    pub symbols: Symbols,
    pub taken: Vec<Sample>,
    /// Periods outside of the subject, by what the process was doing.
    pub left_out: HashMap<State, u64>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Collects them.
pub struct Collector {
    pub samples: Samples,
    method: String,
    max_depth: usize,
    /// When this recording began, on the clock of all recordings of the variant.
    offset_ns: u64,
    /// Which stack here is which stack there; none where it is not the subject's.
    known: HashMap<StackId, Option<StackId>>,
    ready: Sender<()>,
}

impl Collector {
    /// For the method of that name; `ready` is told when sampling begins.
    pub fn new(samples: Samples, method: String, max_depth: u16, offset_ns: u64, ready: Sender<()>) -> Self {
        Self {
            samples,
            method,
            max_depth: max_depth.into(),
            offset_ns,
            known: HashMap::new(),
            ready,
        }
    }

    /// The subject's part of a stack. The loop around it, and what is called before and after it, are not its own.
    fn own(&mut self, symbols: &Symbols, stack: StackId) -> Option<StackId> {
        let frames: Vec<_> = symbols.frames(stack).collect();
        let is_harness = |(function, _): &(&Function, _)| &*function.name == HARNESS;
        let depth = match frames.iter().rposition(is_harness) {
            Some(depth) => depth,
            // So deep that the outermost frames are cut off.
            None if frames.len() >= self.max_depth => frames.len(),
            None => return None,
        };
        let called = frames[..depth].last()?.0;
        let method = called.name.rsplit("::").next().unwrap_or_default();
        if depth < frames.len() && !method.eq_ignore_ascii_case(&self.method) {
            return None;
        }
        let own: Vec<LocationId> = frames[..depth]
            .iter()
            .map(|(function, location)| {
                let function = self.samples.symbols.intern_function((*function).clone());
                self.samples.symbols.intern_location(profile::Location {
                    function,
                    ..*location
                })
            })
            .collect();
        Some(self.samples.symbols.intern_stack(&own))
    }
}

impl Watcher for Collector {
    fn started(&mut self, _: Source, _: usize) {
        let _ = self.ready.send(());
    }

    fn sample(&mut self, symbols: &Symbols, sample: &Sample) -> io::Result<()> {
        let own = if let Some(&own) = self.known.get(&sample.stack) {
            own
        } else {
            let own = self.own(symbols, sample.stack);
            self.known.insert(sample.stack, own);
            own
        };
        match own {
            Some(stack) => self.samples.taken.push(Sample {
                at_ns: sample.at_ns + self.offset_ns,
                stack,
                context: ContextId::NONE,
                ..*sample
            }),
            None => *self.samples.left_out.entry(sample.state).or_default() += u64::from(sample.weight),
        }
        Ok(())
    }

    fn wants_status(&mut self) -> bool {
        false
    }

    fn status(&mut self, _: &Status) {}

    fn warn(&mut self, warning: &str) {
        let warning = warning.to_owned();
        if !self.samples.warnings.contains(&warning) {
            self.samples.warnings.push(warning);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{Kind, Line, Location};

    fn collected(stacks: &[&[&str]]) -> (Vec<String>, u64) {
        let (ready, _) = std::sync::mpsc::channel();
        let mut collector = Collector::new(Samples::default(), "benchMd5".into(), 4, 0, ready);
        let mut symbols = Symbols::default();
        for names in stacks {
            let frames: Vec<_> = names
                .iter()
                .map(|name| {
                    let function = symbols.intern_function(Function {
                        name: (*name).into(),
                        file: None,
                        first_line: 0,
                        kind: Kind::User,
                    });
                    symbols.intern_location(Location {
                        function,
                        line: Line::None,
                    })
                })
                .collect();
            let stack = symbols.intern_stack(&frames);
            let sample = Sample {
                at_ns: 0,
                pid: 1,
                tid: 1,
                state: State::OnCpu,
                weight: 2,
                stack,
                context: ContextId::NONE,
                memory: None,
            };
            collector.sample(&symbols, &sample).unwrap();
        }
        let Samples {
            symbols,
            taken,
            left_out,
            ..
        } = collector.samples;
        let names = |sample: &Sample| {
            let names: Vec<_> = symbols
                .frames(sample.stack)
                .map(|(function, _)| &*function.name)
                .collect();
            names.join(" < ")
        };
        (taken.iter().map(names).collect(), left_out.values().sum())
    }

    #[test]
    fn the_subject_is_the_outermost_frame_and_the_harness_is_counted_apart() {
        let (taken, left_out) = collected(&[
            &["md5", "Base::benchMD5", "phperf_sample"],
            &["Base::benchMd5", "phperf_sample", "<main>"],
            &["phperf_sample", "<main>"],
            &["fgets", "PhperfGate::pass", "phperf_sample"],
            &["Base::setUp", "phperf_sample"],
            &["shutdown"],
            &["a", "b", "c", "d"],
        ]);
        assert_eq!(taken, ["md5 < Base::benchMD5", "Base::benchMd5", "a < b < c < d"]);
        assert_eq!(left_out, 8);
    }
}
