//! What a copy gains: two PHPs, one beside the other.

use crate::{
    Error,
    status::{ProcessStatus, Scan, by_path},
};
use php::{Binary, Fpm, Ini, Manager, Pool, Request, Sapi};
use remote::task::Task;
use std::path::{Path, PathBuf};
use trial::{Measured, Order, Pair, TrialError, first_then, in_turns};

/// A script that goes through much of PHP's code, for those who have none of their own at hand.
pub const MIXED: &str = include_str!("mixed.php");

/// The pool of either side.
const POOL: &str = "www";

/// Two PHP-FPMs that answer the same requests in turns, each by one worker. Both are started anew for each pair.
pub struct FpmPair {
    binaries: [Binary; 2],
    request: Request,
    warm_up: u16,
    requests: u16,
    /// The workers' text after the first pair's requests; A, then B.
    pub seen: [Option<ProcessStatus>; 2],
}

impl FpmPair {
    /// `requests` for `script` are measured, after so many that are not.
    pub fn new(
        binaries: [&Path; 2],
        script: PathBuf,
        query: &str,
        warm_up: u16,
        requests: u16,
    ) -> Result<Self, Error> {
        let describe = |path: &Path| Binary::describe(&by_path(path), Sapi::Fpm).map_err(Error::Php);
        Ok(Self {
            binaries: [describe(binaries[0])?, describe(binaries[1])?],
            request: Request::get(script, query),
            warm_up,
            requests,
            seen: [None, None],
        })
    }

    fn start(&self, side: usize) -> Result<Started, TrialError> {
        Started::new(&self.binaries[side], &self.request, self.warm_up).map_err(|why| TrialError::Measure {
            side: ['A', 'B'][side],
            why,
        })
    }
}

impl Pair for FpmPair {
    fn measure(&mut self, order: Order) -> Result<(f64, f64), TrialError> {
        let (a, b) = first_then(order, || self.start(0), || self.start(1))?;
        let turns = in_turns(
            order,
            self.requests.into(),
            || a.measure(&self.request),
            || b.measure(&self.request),
        )?;
        for (seen, side) in self.seen.iter_mut().zip([&a, &b]) {
            if seen.is_none() {
                *seen = Scan::default().process(side.worker.pid()).ok();
            }
        }
        let mean = |of: fn(&(f64, f64)) -> f64| turns.iter().map(of).sum::<f64>() / turns.len() as f64;
        Ok((mean(|turn| turn.0), mean(|turn| turn.1)))
    }
}

/// A PHP-FPM with one worker that has answered some requests.
struct Started {
    fpm: Fpm,
    worker: Task,
}

type Failed = Box<dyn std::error::Error + Send + Sync>;

impl Started {
    fn new(binary: &Binary, request: &Request, warm_up: u16) -> Result<Self, Failed> {
        let fpm = Fpm::start(binary, &Ini::new(), &[Pool::new(POOL, Manager::Static(1))])?;
        let worker = *fpm.workers()?.first().ok_or("it has no worker")?;
        let started = Self {
            worker: Task::open(worker)?,
            fpm,
        };
        for _ in 0..warm_up {
            started.answer(request)?;
        }
        Ok(started)
    }

    fn answer(&self, request: &Request) -> Result<(), Failed> {
        let answer = self.fpm.request(POOL, request)?;
        if answer.status() == 200 {
            Ok(())
        } else {
            let body: String = answer.body().chars().take(200).collect();
            Err(format!("it answered with status {}: {body}", answer.status()).into())
        }
    }

    /// The CPU time that the worker takes for a request, in nanoseconds.
    fn measure(&self, request: &Request) -> Measured {
        let used = || self.worker.cpu_ns().ok_or("its worker ended");
        let before = used()?;
        self.answer(request)?;
        Ok((used()?.saturating_sub(before)).max(1) as f64)
    }
}
