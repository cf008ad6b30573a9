//! The PHP programs that are profiled.

use crate::{bench::Bench, profiler::Targets};
use anyhow::{Error, Result};
use php::{Fpm, Ini, Launch, Load, Manager, Pool, Request, Script, workload};

/// Scripts that run until this is dropped.
#[derive(Debug)]
pub struct Scripts(pub Vec<Script>);

impl Scripts {
    /// Starts so many of a workload, and waits until all of them work.
    pub fn start(bench: &Bench, name: &str, count: usize) -> Result<Self> {
        let launch = Launch::new(&bench.php, workload(&format!("{name}.php")));
        let scripts: Result<Vec<_>, _> = (0..count).map(|_| launch.ready()).collect();
        Ok(Self(scripts?))
    }

    /// Them as targets.
    pub fn targets(&self) -> Targets {
        Targets::Pids(self.0.iter().map(Script::pid).collect())
    }
}

/// What the workers of a pool do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// No request.
    Nothing,
    /// A request each, which waits most of the time.
    Waiting,
    /// A request each, which computes all the time.
    Computing,
}

impl Doing {
    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "idle",
            Self::Waiting => "waiting",
            Self::Computing => "busy",
        }
    }
}

/// An FPM pool at work until this is dropped.
#[derive(Debug)]
pub struct Workers {
    // Dropped first: a pool with requests in flight does not end in peace.
    _load: Option<Load>,
    fpm: Fpm,
    pool: String,
    count: usize,
}

impl Workers {
    /// Starts so many workers, each of them doing this.
    pub fn start(bench: &Bench, count: usize, doing: Doing) -> Result<Self> {
        let binary = bench.fpm.as_ref().map_err(|why| Error::msg(why.clone()))?;
        // A name that no other pool on the machine has, since phperf finds pools by their names.
        let pool = format!("bench{}", std::process::id());
        let fpm = Fpm::start(
            binary,
            &Ini::new(),
            &[Pool::new(&pool, Manager::Static(count as u32))],
        )?;
        let request = match doing {
            Doing::Nothing => None,
            Doing::Waiting => Some(Request::get(workload("fpm/waiting.php"), "seconds=3600")),
            Doing::Computing => Some(Request::get(workload("fpm/busy.php"), "")),
        };
        let load = request
            .map(|request| Load::start(fpm.socket(&pool), &request, count))
            .transpose()?;
        let workers = Self {
            _load: load,
            fpm,
            pool,
            count,
        };
        if doing != Doing::Nothing {
            workers.wait_until_all_ran()?;
        }
        Ok(workers)
    }

    /// Until each worker has a request, which shows in the CPU time that it used.
    fn wait_until_all_ran(&self) -> Result<()> {
        const A_REQUEST: u64 = 20_000_000;
        let pids = self.fpm.workers()?;
        let idle = |pid: &u32| crate::machine::run_time(*pid).is_some_and(|time| time < A_REQUEST);
        for _ in 0..600 {
            if !pids.iter().any(idle) {
                return Ok(());
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        anyhow::bail!("not every worker got a request within a minute")
    }

    /// Them as targets.
    pub fn targets(&self) -> Targets {
        Targets::Fpm {
            pool: self.pool.clone(),
            master: self.fpm.master(),
            workers: self.count,
        }
    }
}
