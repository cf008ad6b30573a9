//! Processes in whose threads PHP runs: each of those is a target of its own.

use super::Session;
use crate::Error;
use remote::Process;
use std::collections::HashSet;
use zend::Interpreter;

/// The processes with threads that are watched.
#[derive(Default)]
pub struct Threads {
    processes: Vec<Threaded>,
    /// Threads of which nothing is known but that they are there.
    hidden: HashSet<u32>,
}

struct Threaded {
    process: Process,
    interpreter: Interpreter,
    follow: bool,
    /// Threads that need not be looked at again.
    seen: HashSet<u32>,
}

impl Threads {
    /// Whether there is one.
    pub fn any(&self) -> bool {
        !self.processes.is_empty()
    }

    /// Whether one of them may still start threads.
    pub fn are_alive(&self) -> bool {
        self.processes.iter().any(|threaded| threaded.process.is_alive())
    }

    /// It became another program.
    pub fn forget(&mut self, pid: u32) {
        self.processes.retain(|threaded| threaded.process.pid() != pid);
    }

    /// What the user should know.
    pub fn note(&self) -> Option<String> {
        let hidden = self.hidden.len();
        (hidden > 0).then(|| {
            format!("{hidden} threads were not looked into: their C library is neither glibc nor musl")
        })
    }
}

impl Session<'_> {
    /// Watches a PHP: all of its threads where it has some.
    pub(super) fn attach(
        &mut self,
        process: &Process,
        interpreter: &Interpreter,
        follow: bool,
    ) -> Result<(), Error> {
        if interpreter.threads.is_none() {
            return self.attach_one(process, interpreter, follow);
        }
        let pid = process.pid();
        if !self
            .threads
            .processes
            .iter()
            .any(|threaded| threaded.process.pid() == pid)
        {
            self.threads.processes.push(Threaded {
                process: process.clone(),
                interpreter: interpreter.clone(),
                follow,
                seen: HashSet::new(),
            });
        }
        self.roots.remove(&pid);
        // One that starts others meanwhile may not have been watched yet.
        while self.attach_threads()? > 0 {}
        Ok(())
    }

    /// For a source that does not see threads by itself.
    pub(super) fn look_for_threads(&mut self) {
        if self.source.needs_scans_for_children() && self.threads.any() {
            // What cannot be watched is gone, or is tried again.
            let _ = self.attach_threads();
        }
    }

    /// Watches threads that are new, and says how many.
    fn attach_threads(&mut self) -> Result<usize, Error> {
        let mut attached = 0;
        for index in 0..self.threads.processes.len() {
            let threaded = &self.threads.processes[index];
            let (interpreter, follow) = (threaded.interpreter.clone(), threaded.follow);
            let new: Vec<u32> = threaded
                .process
                .threads()
                .into_iter()
                .filter(|tid| !threaded.seen.contains(tid))
                .collect();
            for tid in new {
                let Ok(thread) = Process::open(tid) else { continue };
                match self.attach_thread(&thread, &interpreter, follow) {
                    Ok(true) => {
                        self.threads.processes[index].seen.insert(tid);
                        attached += 1;
                    }
                    Ok(false) => {}
                    Err(_) if !thread.is_alive() => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(attached)
    }

    /// Watches one thread, and says whether that is done with.
    fn attach_thread(
        &mut self,
        thread: &Process,
        interpreter: &Interpreter,
        follow: bool,
    ) -> Result<bool, Error> {
        match interpreter.of_thread(thread) {
            Ok(Some(own)) => {
                self.threads.hidden.remove(&thread.pid());
                self.attach_one(thread, &own, follow).map(|()| true)
            }
            // The kernel tells when it begins to run PHP; the reader looks again.
            Ok(None) | Err(zend::Error::NoThreadPointer(_)) if !self.source.needs_scans_for_children() => {
                self.source.attach(thread, interpreter, follow).map(|()| true)
            }
            Ok(None) => Ok(false),
            Err(zend::Error::NoThreadPointer(tid)) if thread.is_alive() => {
                // Or it is only just starting.
                self.threads.hidden.insert(tid);
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }
}
