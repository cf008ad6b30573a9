//! `phperf dump`.

mod core;
mod fibers;
mod look;
mod print;
mod rounds;
mod values;
mod whom;

#[cfg(feature = "top")]
pub use look::stack;
pub use print::print;

use crate::{FAILURE, args, sampling};
use anyhow::Result;
use look::{Besides, Shown};
use remote::Process;
use std::io::{self, BufWriter, Write};
use whom::Whom;
use zend::{Finder, Interpreter};

/// Idle processes that are named.
const NAMED: usize = 16;

/// Prints the stack of each process as it is now. One that cannot be read does not keep back the others.
pub fn run(asked: &args::Dump) -> Result<u8> {
    if let Some(file) = &asked.core {
        return core::run(file, asked);
    }
    let whom = Whom::find(asked)?;
    let mut dump = Dump {
        besides: Besides {
            circumstances: look::with_age(sampling::circumstances(&asked.circumstances)),
            peeks: asked.variables.peeks(),
        },
        max_depth: asked.max_depth,
        out: BufWriter::new(io::stdout().lock()),
        is_first: true,
        idle: Vec::new(),
        errors: Vec::new(),
    };
    let mut finder = Finder::default();
    for &pid in &whom.pids {
        dump.process(&mut finder, pid, whom.is_found(pid))?;
    }
    dump.finish(&whom)
}

/// A dump of several processes.
struct Dump<W: Write> {
    besides: Besides,
    max_depth: u16,
    out: W,
    is_first: bool,
    /// Those of which nobody asked in particular, and that run no PHP code.
    idle: Vec<u32>,
    errors: Vec<anyhow::Error>,
}

impl<W: Write> Dump<W> {
    /// Prints what a process does; what was only found and is idle, or gone, needs no line of its own.
    fn process(&mut self, finder: &mut Finder, pid: u32, is_found: bool) -> io::Result<()> {
        let threads = match threads(finder, pid) {
            Ok(threads) => threads,
            Err(error) => {
                if !is_found || !whom::is_none_of_ours(&error) {
                    self.errors.push(error);
                }
                return Ok(());
            }
        };
        let mut is_busy = false;
        for (thread, interpreter) in threads {
            match look::look(&thread, &interpreter, self.max_depth, &self.besides) {
                Ok(Some(shown)) if is_found && shown.stack.frames.is_empty() => {}
                Ok(Some(shown)) => {
                    is_busy = true;
                    self.print(&shown)?;
                }
                // A thread that has nothing to do with PHP, or has just ended.
                Ok(None) => {}
                Err(error) if is_found && whom::is_none_of_ours(&error) => return Ok(()),
                Err(error) => {
                    is_busy = true;
                    self.errors.push(error);
                }
            }
        }
        if is_found && !is_busy {
            self.idle.push(pid);
        }
        Ok(())
    }

    fn print(&mut self, shown: &Shown) -> io::Result<()> {
        if !std::mem::take(&mut self.is_first) {
            writeln!(self.out)?;
        }
        print(&mut self.out, shown)
    }

    /// Says what is left to be said; the exit code.
    fn finish(mut self, whom: &Whom) -> Result<u8> {
        if !self.idle.is_empty() {
            if !self.is_first {
                writeln!(self.out)?;
            }
            let mut named: Vec<String> = self.idle.iter().take(NAMED).map(u32::to_string).collect();
            if self.idle.len() > NAMED {
                named.push("…".into());
            }
            writeln!(
                self.out,
                "{} of {} processes run no PHP code: {}",
                self.idle.len(),
                whom.pids.len(),
                named.join(" ")
            )?;
        }
        self.out.flush()?;
        let is_all = self.is_first && self.idle.is_empty();
        let mut errors = self.errors.into_iter();
        match (errors.next(), errors.len()) {
            (None, _) if is_all => Err(whom.nobody()),
            (None, _) => Ok(0),
            // Of many that were found and cannot be read, one says why for all.
            (Some(error), more) if is_all && (more == 0 || !whom.found.is_empty()) => Err(match more {
                0 => error,
                more => error.context(format!("none of {} processes can be read", more + 1)),
            }),
            (Some(error), _) => {
                for error in std::iter::once(error).chain(errors) {
                    eprintln!("phperf: {error:#}");
                }
                Ok(FAILURE)
            }
        }
    }
}

/// The threads of a process in which PHP may run: itself, where PHP is built without threads.
pub fn threads(finder: &mut Finder, pid: u32) -> Result<Vec<(Process, Interpreter)>> {
    let process = Process::open(pid)?;
    let interpreter = finder.find_started(&process)?;
    if interpreter.threads.is_none() {
        return Ok(vec![(process, interpreter)]);
    }
    // One that has ended meanwhile has no stack.
    Ok(process
        .threads()
        .into_iter()
        .filter_map(|tid| Some((Process::open(tid).ok()?, interpreter.clone())))
        .collect())
}
