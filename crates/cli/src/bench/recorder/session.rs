//! A recording of one process, in a thread of its own.

use super::subject::{Collector, Samples};
use profile::{Account, Symbols};
use sampler::{Choice, Peeks, Settings, Targets};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Samples a second: the loop takes some seconds, and a thousand stacks and more tell a per cent apart.
pub const RATE: u32 = 999;
/// Frames that are kept of a stack.
pub const MAX_DEPTH: u16 = 512;

/// A recording that goes on.
pub struct Session {
    thread: JoinHandle<(Result<Account, String>, Samples)>,
    stop: Arc<AtomicBool>,
    began: Instant,
}

impl Session {
    /// Records `pid`, and adds what `method` does to `samples`. It returns when stacks are taken.
    pub fn start(pid: u32, method: &str, offset: Duration, samples: Samples) -> Result<Self, String> {
        let (ready, is_ready) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let (flag, method) = (Arc::clone(&stop), method.to_owned());
        let record = move || {
            let offset_ns = offset.as_nanos() as u64;
            let mut collector = Collector::new(samples, method, MAX_DEPTH, offset_ns, ready);
            let recorded = sampler::record(
                &Targets {
                    pids: vec![pid],
                    ..Targets::default()
                },
                &Settings {
                    period: Duration::from_nanos(1_000_000_000 / u64::from(RATE)),
                    duration: None,
                    limit: None,
                    max_depth: MAX_DEPTH,
                    source: Choice::Auto,
                    asked: sampler::Asked::default(),
                    waits: false,
                    peeks: Peeks::default(),
                    labels_values: false,
                },
                &mut Symbols::default(),
                &flag,
                &mut collector,
            );
            let account = recorded.map(|recorded| recorded.account);
            (account.map_err(|error| error.to_string()), collector.samples)
        };
        let thread = thread::Builder::new().name("recorder".into()).spawn(record);
        let thread = thread.map_err(|error| format!("cannot start a thread to record: {error}"))?;
        if is_ready.recv().is_err() {
            // It ended before it began.
            let why = thread.join().ok().and_then(|(account, _)| account.err());
            return Err(why.unwrap_or_else(|| "the recording ended before it began".into()));
        }
        Ok(Self {
            thread,
            stop,
            began: Instant::now(),
        })
    }

    /// Ends it: its account, how long the loop took, and all samples so far.
    pub fn end(self) -> Result<(Account, Duration, Samples), String> {
        let took = self.began.elapsed();
        self.stop.store(true, Ordering::Relaxed);
        let (account, samples) = self
            .thread
            .join()
            .map_err(|_| "the recording broke off".to_owned())?;
        Ok((account?, took, samples))
    }
}
