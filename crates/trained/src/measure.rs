//! What the trained PHP gains: pairs of the old one and the new one, for `trial`.

use crate::{
    Built, Error, Training,
    programs::Sapis,
    training::{Page, Script, Server, Site},
};
use php::{Ini, Sapi};
use std::{
    cell::Cell,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};
use trial::{Comparison, Measured, Order, Pair, TrialError, first_then, in_turns};
use wait4::Wait4;

/// Requests of each pair: enough that a tick of the clock is nothing beside them, few enough that the machine is the same
/// for both. What varies is the single request, more than the start (10 % and 1 %), and a start costs as much as thirty.
const REQUESTS: usize = 40;
/// Requests before them, at least: the first compiles the pages (`WordPress`: 410 ms, then 50 to 45).
const WARM_UP: usize = 10;
/// The same of a PHP with the JIT. A function that a page calls once is compiled at its 127th call (`opcache.jit_hot_func`):
/// until then requests pay for the JIT, and have little of it (`WordPress`: 38 ms, 33 after the hundredth).
const WARM_UP_OF_JIT: usize = 150;
/// Not even a JIT's takes longer, of pages that are slow.
const WARM_UP_WITHIN: Duration = Duration::from_secs(20);

/// What is measured, in words.
pub const METRIC: &str = "CPU time of a request, or of a script";

/// A PHP that answers requests, and the settings that it is started with beyond those of its php.ini.
#[derive(Clone, Debug)]
pub struct Variant {
    /// What it is.
    pub sapi: Sapi,
    /// Its program.
    pub program: PathBuf,
    /// Settings of PHP.
    pub settings: Ini,
}

/// A comparison of two PHPs by the requests of a site, A first. Figures are nanoseconds of CPU time.
pub fn requests(name: impl Into<String>, sides: [Variant; 2], site: &Site) -> Comparison<'_> {
    Comparison::of(name, Requests::new(sides, site))
}

/// A comparison for all requests together, by each kind of server, and one for each script; the old PHP is A. Figures are
/// nanoseconds of CPU time.
pub fn comparisons<'a>(built: &'a Built, training: &'a Training) -> Vec<Comparison<'a>> {
    between(&built.old, &built.new_programs(), training)
}

/// The same of any two.
pub(crate) fn between<'a>(a: &Sapis, b: &Sapis, training: &'a Training) -> Vec<Comparison<'a>> {
    let mut comparisons = Vec::new();
    if let Some(site) = &training.site {
        let pages = match site.pages.as_slice() {
            [page] => page.to_string(),
            pages => format!("{} pages", pages.len()),
        };
        for (sapi, old) in a.servers() {
            let Some(new) = b.get(sapi) else { continue };
            let sides = [old, new].map(|program| Variant {
                sapi,
                program: program.into(),
                settings: Ini::new(),
            });
            let name = match a.servers().count() {
                1 => pages.clone(),
                _ => format!("{pages}, {}", sapi.name()),
            };
            comparisons.push(requests(name, sides, site));
        }
    }
    if let (Some(a), Some(b)) = (a.get(Sapi::Cli), b.get(Sapi::Cli)) {
        for script in &training.scripts {
            let (a, b) = (a.to_owned(), b.to_owned());
            comparisons.push(Comparison::new(
                script.to_string(),
                move || run(script, &a),
                move || run(script, &b),
            ));
        }
    }
    comparisons
}

fn run(script: &Script, php: &Path) -> Measured {
    let mut child = script
        .command(php)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let usage = child.wait4()?.rusage;
    Ok((usage.utime + usage.stime).as_nanos() as f64)
}

/// Both servers, started anew for each pair, and asked in turns.
struct Requests<'a> {
    sides: [Variant; 2],
    site: &'a Site,
    turns: Vec<&'a Page>,
    next: usize,
}

impl<'a> Requests<'a> {
    fn new(sides: [Variant; 2], site: &'a Site) -> Self {
        Self {
            sides,
            site,
            turns: site.turns(),
            next: 0,
        }
    }

    /// The next pages, in the order of the training, over and over.
    fn pages(&mut self) -> Vec<&'a Page> {
        let first = self.next;
        self.next = (first + REQUESTS) % self.turns.len().max(1);
        self.turns
            .iter()
            .copied()
            .cycle()
            .skip(first)
            .take(REQUESTS)
            .collect()
    }

    fn start(&self, side: usize) -> Result<Side, TrialError> {
        let Variant {
            sapi,
            program,
            settings,
        } = &self.sides[side];
        let started = Server::start(*sapi, program, settings, self.site).and_then(|server| {
            Ok(Side {
                worker: server.worker()?,
                server,
            })
        });
        started.map_err(|error| failed(side, error))
    }
}

impl Pair for Requests<'_> {
    fn measure(&mut self, order: Order) -> Result<(f64, f64), TrialError> {
        let pages = self.pages();
        let (a, b) = first_then(order, || self.start(0), || self.start(1))?;
        let begun = Instant::now();
        ask(order, &a, &b, &first(&pages))?;
        // The code of either may be compiled by now.
        let requests = if a.may_have_jit() || b.may_have_jit() {
            WARM_UP_OF_JIT
        } else {
            WARM_UP
        };
        let more: Vec<&Page> = pages.iter().copied().cycle().take(requests).collect();
        for some in more.chunks(WARM_UP) {
            if begun.elapsed() > WARM_UP_WITHIN {
                break;
            }
            ask(order, &a, &b, some)?;
        }
        let before = [a.cpu(0)?, b.cpu(1)?];
        ask(order, &a, &b, &pages)?;
        let after = [a.cpu(0)?, b.cpu(1)?];
        let of = |side: usize| after[side].saturating_sub(before[side]) as f64 / pages.len() as f64;
        Ok((of(0), of(1)))
    }
}

/// Each of these pages once.
fn first<'a>(pages: &[&'a Page]) -> Vec<&'a Page> {
    let mut first: Vec<&Page> = Vec::new();
    for page in pages {
        if !first.iter().any(|known| std::ptr::eq(*known, *page)) {
            first.push(page);
        }
    }
    first
}

/// Each page from both, one after the other.
fn ask(order: Order, a: &Side, b: &Side, pages: &[&Page]) -> Result<(), TrialError> {
    let turn = [Cell::new(0), Cell::new(0)];
    let next = |side: usize, from: &Side| -> Measured {
        let page = pages[turn[side].replace(turn[side].get() + 1)];
        page.judge(&from.server.ask(page)?)?;
        Ok(1.0)
    };
    in_turns(order, pages.len(), || next(0, a), || next(1, b)).map(drop)
}

/// One of both while it runs.
struct Side {
    server: Server,
    worker: u32,
}

impl Side {
    /// Whether it may have PHP's JIT: then there is code in the memory that workers share. Without the right to trace it,
    /// nobody may look.
    fn may_have_jit(&self) -> bool {
        let maps = fs::read(format!("/proc/{}/maps", self.worker));
        maps.map_or(true, |maps| shares_code(&String::from_utf8_lossy(&maps)))
    }

    /// Nanoseconds that the worker was on a CPU, once it waits for the next request.
    fn cpu(&self, side: usize) -> Result<u64, TrialError> {
        let told = |name: &str| {
            let path = format!("/proc/{}/{name}", self.worker);
            fs::read_to_string(&path).map_err(|error| failed(side, Error::io(format!("read {path}"))(error)))
        };
        while !told("stat")?
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .starts_with(" S")
        {
            thread::yield_now();
        }
        let said = told("schedstat")?;
        let ran = said
            .split_ascii_whitespace()
            .next()
            .and_then(|word| word.parse().ok());
        ran.ok_or_else(|| {
            failed(
                side,
                Error::Asked("the kernel does not count CPU time (schedstat)".into()),
            )
        })
    }
}

/// Whether mappings of a process, as the kernel lists them, are shared and can be executed.
fn shares_code(maps: &str) -> bool {
    let mut rights = maps.lines().filter_map(|line| line.split(' ').nth(1));
    rights.any(|rights| rights.ends_with("xs"))
}

fn failed(side: usize, error: Error) -> TrialError {
    TrialError::Measure {
        side: ['A', 'B'][side],
        why: error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jit_is_seen_in_what_workers_share() {
        let memory = "55c662000000-55c669f00000 rw-s 00000000 00:01 21783 /dev/zero (deleted)\n";
        let program = "55c65f000000-55c65f300000 r-xp 00100000 fe:00 42 /usr/sbin/php-fpm8.2\n";
        let code = "55c669f00000-55c66bf00000 r-xs 07f00000 00:01 21783 /dev/zero (deleted)\n";
        assert!(!shares_code(&format!("{program}{memory}")));
        assert!(shares_code(&format!("{program}{memory}{code}")));
    }
}
