//! What targets wait for, read from `/proc` while they wait.
//!
//! A sample of a wait comes when the wait is over, and what it waited for cannot be seen any more. So a thread looks at
//! those that wait now and then, and a sample is told what was seen in that very wait. Of what was over before anybody
//! looked, the kernel source tells the system call; the reader tells nothing, which is counted.

mod history;

pub use history::Span;

use crate::clock;
use history::History;
use profile::{ContextId, Label, Sample, Symbols};
use remote::{
    Process,
    wait::{Entered, Target, Wait, Waits},
};
use std::{
    collections::HashMap,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// How often is looked, at most and at least: a look takes some twenty microseconds for a wait that is new.
const FASTEST: Duration = Duration::from_millis(2);
const SLOWEST: Duration = Duration::from_millis(20);

/// Looks at what targets wait for, until it is dropped.
#[derive(Debug)]
pub struct Looker {
    seen: Arc<Mutex<Seen>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    told: u64,
    untold: u64,
}

#[derive(Debug, Default)]
struct Seen {
    waits: Waits,
    threads: HashMap<u32, Thread>,
    /// Why one of them cannot be looked at.
    refused: Option<String>,
}

#[derive(Debug)]
struct Thread {
    process: Process,
    history: History,
    has_ended: bool,
}

impl Looker {
    /// Looks as often as samples are taken, within reason.
    pub fn start(period: Duration) -> io::Result<Self> {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let stop = Arc::new(AtomicBool::new(false));
        let every = period.clamp(FASTEST, SLOWEST);
        let thread = thread::Builder::new().name("waits".into()).spawn({
            let (seen, stop) = (Arc::clone(&seen), Arc::clone(&stop));
            move || {
                while !stop.load(Ordering::Relaxed) {
                    lock(&seen).look();
                    thread::park_timeout(every);
                }
            }
        })?;
        Ok(Self {
            seen,
            stop,
            thread: Some(thread),
            told: 0,
            untold: 0,
        })
    }

    /// Looks at a thread from now on.
    pub fn watch(&self, process: &Process) {
        let thread = Thread {
            process: process.clone(),
            history: History::default(),
            has_ended: false,
        };
        let mut seen = lock(&self.seen);
        // The same number may have been that of another one.
        seen.waits.forget(process.pid());
        seen.waits.learn(process);
        seen.threads.insert(process.pid(), thread);
    }

    /// Looks once more, now: what still waits is known up to this moment.
    pub fn look(&self) {
        lock(&self.seen).look();
    }

    /// The context of a sample of a wait: its own, and what it waited for if that was seen, or else what the call that it was
    /// in, where that is known, tells of it.
    pub fn tell(
        &mut self,
        symbols: &mut Symbols,
        sample: &Sample,
        span: Option<Span>,
        entered: Option<Entered>,
    ) -> ContextId {
        let mut seen = lock(&self.seen);
        let Some(wait) = span.and_then(|span| seen.wait(sample.tid, span, entered)) else {
            self.untold += u64::from(sample.weight);
            return sample.context;
        };
        self.told += u64::from(sample.weight);
        label(symbols, sample.context, &wait)
    }

    /// What the user should know.
    pub fn note(&self) -> Option<String> {
        let blocked = self.told + self.untold;
        let refused = lock(&self.seen).refused.take();
        (blocked > 0).then(|| {
            format!(
                "{} of {blocked} blocked samples say what they waited for; {} were over before it was seen{}",
                self.told,
                self.untold,
                refused.map_or_else(String::new, |why| format!(", or could not be looked at: {why}"))
            )
        })
    }
}

impl Drop for Looker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Seen {
    fn wait(&mut self, tid: u32, span: Span, entered: Option<Entered>) -> Option<Arc<Wait>> {
        let thread = self.threads.get(&tid)?;
        if let Some(seen) = thread.history.find(span) {
            return Some(Arc::clone(seen));
        }
        let (Span::Wait(from_ns, to_ns), Some(entered)) = (span, entered) else {
            return None;
        };
        Some(Arc::new(self.waits.entered(
            &thread.process,
            entered,
            from_ns,
            to_ns,
        )))
    }

    fn look(&mut self) {
        let Self {
            waits,
            threads,
            refused,
        } = self;
        for thread in threads.values_mut().filter(|thread| !thread.has_ended) {
            // Its last samples may still come.
            if let Err(error) = thread.look(waits) {
                if thread.process.is_alive() {
                    refused.get_or_insert_with(|| error.to_string());
                }
                thread.has_ended = true;
                waits.forget(thread.process.pid());
            }
        }
    }
}

impl Thread {
    fn look(&mut self, waits: &mut Waits) -> Result<(), remote::Error> {
        let at_ns = clock::monotonic_ns();
        if let Some(last) = self.history.last()
            && waits.is_same(&self.process, last)?
        {
            self.history.extend(at_ns);
        } else if let Some(look) = waits.look(&self.process)? {
            self.history.add(look);
        }
        Ok(())
    }
}

/// Nothing that could be left half done is done under the lock.
fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

fn label(symbols: &mut Symbols, context: ContextId, wait: &Wait) -> ContextId {
    let joined = |is_peer: bool| {
        let targets = wait.targets.iter();
        let mut names: Vec<&str> = targets
            .filter(|target| matches!(target, Target::Peer(_)) == is_peer)
            .map(Target::name)
            .collect();
        if wait.more > 0 && !names.is_empty() {
            names.push("…");
        }
        names.join(", ")
    };
    let (file, peer) = (joined(false), joined(true));
    let labels = [
        (Label::Wait, wait.kind.name()),
        (Label::Syscall, &wait.call),
        (Label::File, &file),
        (Label::Peer, &peer),
    ];
    symbols.extend_context(context, &labels)
}
