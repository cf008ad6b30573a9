//! What every format has to do.

use crate::{Labels, Recording};
use profile::{Sample, StackId, Symbols};
use std::io::{self, Write};

/// A stack that was seen, and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Process, thread, state, request, memory.
    pub labels: Labels,
    /// The stack, in the [`Symbols`] that are passed with it.
    pub stack: StackId,
    /// For how many sampling periods.
    pub periods: u64,
}

impl From<&Sample> for Seen {
    fn from(sample: &Sample) -> Self {
        Self {
            labels: Labels {
                pid: Some(sample.pid),
                thread: Some(sample.tid),
                state: Some(sample.state),
                context: sample.context,
                memory: sample.memory,
            },
            stack: sample.stack,
            periods: u64::from(sample.weight),
        }
    }
}

/// A format that is being written.
///
/// The caller owns the writer, should buffer it, and passes the same one each time. Streaming formats write
/// what was seen as it comes; the others keep counts and write all at the end. Since `finish` does not use up
/// what was counted, a caller whose disk is full can call it again with another writer.
pub trait Exporter: Send {
    /// Takes a stack that was seen. Call it in the order of time.
    fn add(&mut self, symbols: &Symbols, seen: &Seen, out: &mut dyn Write) -> io::Result<()>;

    /// Writes what is left to write, and flushes.
    fn finish(&mut self, symbols: &Symbols, recording: &Recording, out: &mut dyn Write) -> io::Result<()>;
}
