//! What tests of a recording need that records nothing.

use crate::{Asked, Choice, Peeks, Settings, Status, Told, Watcher};
use profile::{ContextId, Sample, Source, StackId, State, Symbols};
use std::{io, time::Duration};

/// Looks at nothing.
pub struct Nobody;

impl Watcher for Nobody {
    fn started(&mut self, _: Source, _: usize) {}
    fn sample(&mut self, _: &Symbols, _: &Sample) -> io::Result<()> {
        Ok(())
    }
    fn wants_status(&mut self) -> bool {
        false
    }
    fn status(&mut self, _: &Status) {}
    fn warn(&mut self, _: &str) {}
}

/// A sample each 10 ns.
pub fn settings() -> Settings {
    Settings {
        period: Duration::from_nanos(10),
        duration: None,
        limit: None,
        max_depth: 16,
        source: Choice::Auto,
        waits: false,
        asked: Asked::default(),
        peeks: Peeks::default(),
        labels_values: false,
    }
}

/// A sample of a thread on a CPU.
pub fn told(tid: u32, weight: u32, stack: StackId) -> Told {
    Told::of(Sample {
        at_ns: 1,
        pid: tid,
        tid,
        state: State::OnCpu,
        weight,
        stack,
        context: ContextId::NONE,
        memory: None,
    })
}
