//! Either source of records behind one set of verbs.

#[cfg(feature = "kernel")]
use crate::kernel::{Kernel, KernelSettings};
use crate::{
    Choice, Error, Lasted, Observed, Settings,
    reader::{self, Reader, ReaderSettings, ReaderTally},
};
use profile::Source as SourceName;
use remote::Process;
use std::time::Duration;
use zend::Interpreter;

/// The source that runs.
pub enum Source {
    #[cfg(feature = "kernel")]
    Kernel(Box<Kernel>),
    Reader(Reader),
}

impl Source {
    /// Starts the source that was asked for, or the best that may run; says why it is not the kernel.
    pub fn start(settings: &Settings, targets: usize) -> Result<(Self, Option<String>), Error> {
        #[cfg(not(feature = "kernel"))]
        let _ = targets;
        let why_not = match settings.source {
            Choice::Kernel if !settings.peeks.is_empty() => return Err(Error::NoPeeks),
            Choice::Auto if !settings.peeks.is_empty() => "only the reader looks into variables".to_owned(),
            Choice::Reader => "the reader was asked for".to_owned(),
            #[cfg(not(feature = "kernel"))]
            Choice::Kernel => return Err(Error::NoKernel),
            #[cfg(not(feature = "kernel"))]
            Choice::Auto => "this build has no kernel source".to_owned(),
            #[cfg(feature = "kernel")]
            choice => {
                let asked = KernelSettings {
                    period: settings.period,
                    max_depth: settings.max_depth,
                    targets,
                    asked: settings.asked,
                    calls: settings.waits,
                };
                match Kernel::start(asked) {
                    Ok(kernel) => return Ok((Self::Kernel(Box::new(kernel)), None)),
                    Err(refusal) if choice == Choice::Kernel => return Err(refusal.into()),
                    Err(refusal) => refusal.to_string(),
                }
            }
        };
        if settings.asked.native {
            return Err(Error::NoNative(why_not));
        }
        let asked = ReaderSettings {
            period: settings.period,
            max_depth: settings.max_depth,
            asked: settings.asked,
            peeks: settings.peeks.clone(),
        };
        Ok((Self::Reader(Reader::start(asked)?), Some(why_not)))
    }

    /// Watches a PHP, or one thread of it, from now on, and with `follow` all that it starts.
    pub fn attach(
        &mut self,
        process: &Process,
        interpreter: &Interpreter,
        follow: bool,
    ) -> Result<(), Error> {
        #[cfg(not(feature = "kernel"))]
        let _ = follow;
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(kernel) => kernel
                .attach(process, Some(interpreter), true, follow)
                .map_err(|error| Error::Attach(error.to_string())),
            Self::Reader(reader) => match reader.attach(process, interpreter) {
                Err(reader::Error::Memory(remote::ReadError::NotPermitted(pid))) => {
                    Err(remote::Error::NotPermitted {
                        pid,
                        uid: process.uid(),
                    }
                    .into())
                }
                Ok(()) | Err(reader::Error::Twice(_)) => Ok(()),
                Err(error) => Err(error.into()),
            },
        }
    }

    /// Watches what a PHP starts, but not itself.
    pub fn follow_php(&mut self, process: &Process, interpreter: &Interpreter) -> Result<(), Error> {
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(kernel) => kernel
                .attach(process, Some(interpreter), false, true)
                .map_err(|error| Error::Attach(error.to_string())),
            // It finds children by looking for them.
            Self::Reader(_) => {
                let _ = (process, interpreter);
                Ok(())
            }
        }
    }

    /// Watches what a process that is not PHP becomes and starts.
    pub fn follow(&mut self, process: &Process) -> Result<(), Error> {
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(kernel) => kernel
                .attach(process, None, true, true)
                .map_err(|error| Error::Attach(error.to_string())),
            Self::Reader(_) => {
                let _ = process;
                Ok(())
            }
        }
    }

    /// Waits until there is something to do, for `timeout` at most.
    pub fn wait(&mut self, timeout: Duration) {
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(kernel) => kernel.wait(timeout),
            Self::Reader(reader) => reader.wait(timeout),
        }
    }

    /// Hands over all records that are there.
    pub fn drain(&mut self, sink: &mut dyn FnMut(&[u8])) {
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(kernel) => kernel.drain(sink),
            Self::Reader(reader) => reader.drain(sink),
        }
    }

    /// What happens from `from_ns` (`CLOCK_MONOTONIC`) on counts, and nothing that happens after `until_ns`, however late
    /// the end is noticed.
    pub fn begin(&mut self, from_ns: u64, until_ns: Option<u64>) -> Result<(), Error> {
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(kernel) => kernel.begin(from_ns, until_ns),
            Self::Reader(reader) => reader.begin(from_ns, until_ns)?,
        }
        Ok(())
    }

    /// Looks again at what may have changed in targets that just started: a buffer for JIT code.
    pub fn refresh(&mut self) {
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(kernel) => kernel.refresh(),
            Self::Reader(reader) => reader.refresh(),
        }
    }

    /// Nothing that happens from now on counts. Each target that waits now, and has not been read, is handed to `read`
    /// with a question: for how many periods it has waited in this place, `None` if it has come back meanwhile.
    pub fn close(&mut self, read: &mut dyn FnMut(u32, Lasted<'_>)) {
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(kernel) => kernel.close(read),
            Self::Reader(_) => {
                let _ = read;
            }
        }
    }

    /// Ends the watching: hands over what is left, and says what was counted.
    pub fn finish(&mut self, sink: &mut dyn FnMut(&[u8])) -> (Vec<Observed>, Vec<String>) {
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(kernel) => kernel.finish(sink),
            Self::Reader(reader) => {
                reader.stop();
                reader.drain(sink);
                let mut all: Vec<Observed> = reader.tallies().iter().map(observed).collect();
                for observed in &mut all {
                    // Whoever ended after its last tick has not been missed by it.
                    observed.ended |= Process::open(observed.tid).is_err();
                }
                (all, reader.notes())
            }
        }
    }

    /// What was counted so far.
    pub fn observed(&self) -> Vec<Observed> {
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(kernel) => kernel.observed(),
            Self::Reader(reader) => reader.tallies().iter().map(observed).collect(),
        }
    }

    /// How many processes are watched and have not ended.
    pub fn watched(&self) -> usize {
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(kernel) => kernel.watched(),
            Self::Reader(reader) => reader.tallies().iter().filter(|tally| !tally.ended).count(),
        }
    }

    /// Since when a process is watched.
    pub fn since_ns(&self, pid: u32) -> u64 {
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(kernel) => kernel.since_ns(pid),
            Self::Reader(reader) => reader
                .tallies()
                .iter()
                .rfind(|tally| tally.pid == pid)
                .map_or(0, |tally| tally.first_ns),
        }
    }

    /// CPU time that was spent in the kernel's programs, if the kernel counts it.
    pub fn kernel_cpu(&self) -> Option<Duration> {
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(kernel) => kernel.kernel_cpu(),
            Self::Reader(_) => None,
        }
    }

    /// Whether a process that sleeps from the start leaves no record.
    pub const fn needs_first_stack(&self) -> bool {
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(_) => true,
            Self::Reader(_) => false,
        }
    }

    /// Whether children make themselves known only to those that look for them.
    pub const fn needs_scans_for_children(&self) -> bool {
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(_) => false,
            Self::Reader(_) => true,
        }
    }

    /// Its name.
    pub const fn name(&self) -> SourceName {
        match self {
            #[cfg(feature = "kernel")]
            Self::Kernel(_) => SourceName::Kernel,
            Self::Reader(_) => SourceName::Reader,
        }
    }
}

fn observed(tally: &ReaderTally) -> Observed {
    Observed {
        tid: tally.pid,
        first_ns: tally.first_ns,
        last_ns: tally.last_ns,
        waiting_ns: 0,
        idle: tally.idle,
        lost: tally.lost,
        unreadable: tally.unreadable,
        ended: tally.ended,
        due: Some(tally.due),
    }
}
