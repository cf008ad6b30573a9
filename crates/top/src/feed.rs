//! Where samples come in, and what the view asks for goes out.

use crate::{
    names::Names,
    open::{OpenWait, OpenWaits},
    requests::Requests,
    snapshot::{Account, Row, Snapshot, Work},
    window::{LONGEST, Window},
};
use foldhash::{HashMap, HashSet};
use profile::{Sample, Source, Symbols, harmless};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// How long samples may be on their way.
const LATE: Duration = Duration::from_millis(500);
/// How long a warning is shown.
const WARNING: Duration = Duration::from_secs(20);

/// The account so far, of all targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Time since sampling began.
    pub elapsed: Duration,
    /// Periods with no PHP code running.
    pub idle: u64,
    /// Periods that were due and not seen.
    pub missed: u64,
    /// Periods that were seen and dropped.
    pub lost: u64,
    /// Processes that are watched now.
    pub targets: usize,
    /// CPU time of this process.
    pub own_cpu: Duration,
}

/// What was seen lately. Clones are the same one: a thread that samples fills it, and the view looks at it.
#[derive(Clone, Debug)]
pub struct Feed(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    window: Window,
    names: Names,
    requests: Requests,
    /// Waits that go on, as they were told last.
    open: OpenWaits,
    period_ns: u64,
    /// What a process is called.
    titles: HashMap<u32, String>,
    /// When the recording began, as far as its samples told.
    began: Instant,
    latest_ns: u64,
    source: Option<Source>,
    /// The account once a second, the latest last.
    standings: VecDeque<Standing>,
    warning: Option<(Instant, String)>,
}

impl Feed {
    /// Nothing yet, of samples that stand for `period` each.
    pub fn new(period: Duration) -> Self {
        Self(Arc::new(Mutex::new(State {
            window: Window::new(period.as_nanos() as u64),
            open: OpenWaits::default(),
            period_ns: period.as_nanos() as u64,
            names: Names::default(),
            requests: Requests::default(),
            titles: HashMap::default(),
            began: Instant::now(),
            latest_ns: 0,
            source: None,
            standings: VecDeque::new(),
            warning: None,
        })))
    }

    /// Sampling begins.
    pub fn started(&self, source: Source) {
        self.state().source = Some(source);
    }

    /// Takes a sample; `title` is asked what a process is called that was not seen lately.
    pub fn sample(&self, symbols: &Symbols, sample: &Sample, title: impl FnOnce(u32) -> String) {
        let mut state = self.state();
        let state = &mut *state;
        state.names.learn(symbols);
        // Its wait is over.
        state.open.remove(&sample.tid);
        if let Some(began) = Instant::now().checked_sub(Duration::from_nanos(sample.at_ns)) {
            state.began = state.began.min(began);
        }
        state.latest_ns = state.latest_ns.max(sample.at_ns);
        state
            .titles
            .entry(sample.pid)
            .or_insert_with(|| harmless(&title(sample.pid)));
        let stack = symbols.stack(sample.stack).iter();
        let request = state.requests.id(symbols, sample.context);
        state
            .window
            .add(sample, request, stack.map(|&id| symbols.location(id)));
    }

    /// Takes all waits that go on, each as the sample that it would be if it ended now.
    pub fn open_waits(&self, symbols: &Symbols, waits: &[Sample], title: impl Fn(u32) -> String) {
        let mut state = self.state();
        let state = &mut *state;
        state.names.learn(symbols);
        state.open.clear();
        for wait in waits {
            state
                .titles
                .entry(wait.pid)
                .or_insert_with(|| harmless(&title(wait.pid)));
            let mut functions: Vec<_> = symbols
                .stack(wait.stack)
                .iter()
                .map(|&location| symbols.location(location).function)
                .collect();
            let mut seen = HashSet::default();
            functions.retain(|&function| seen.insert(function));
            let lasted_ns = u64::from(wait.weight).saturating_mul(state.period_ns);
            let open = OpenWait {
                served: (wait.pid, state.requests.id(symbols, wait.context)),
                since_ns: wait.at_ns.saturating_sub(lasted_ns),
                functions,
            };
            state.open.insert(wait.tid, open);
        }
    }

    /// Takes the account, about once a second.
    pub fn standing(&self, standing: Standing) {
        let mut state = self.state();
        let State {
            standings,
            window,
            titles,
            requests,
            open,
            ..
        } = &mut *state;
        standings.push_back(standing);
        while standings.len() > LONGEST as usize + 1 {
            standings.pop_front();
        }
        let open = open.values().map(|wait| wait.served);
        let (pids, asked): (HashSet<_>, _) = window.served().chain(open).unzip();
        titles.retain(|pid, _| pids.contains(pid));
        requests.keep(&asked);
    }

    /// Takes something that the user should know.
    pub fn warn(&self, warning: &str) {
        self.state().warning = Some((Instant::now(), harmless(warning)));
    }

    /// What was seen in the last `seconds`.
    pub fn snapshot(&self, seconds: u64) -> Snapshot {
        let state = self.state();
        // What was seen in the last moment may still be on its way.
        let now = (state.began.elapsed().saturating_sub(LATE)).max(Duration::from_nanos(state.latest_ns));
        let from = (now.as_secs() + 1).saturating_sub(seconds);
        let sum = state.window.sum(from);
        let rows = sum.functions.iter().map(|(&(served, function), &cell)| Row {
            served,
            function: state.names.get(function),
            cell,
        });
        let mut rows: Vec<_> = rows.collect();
        let work = sum.served.iter().map(|(&served, &doing)| Work { served, doing });
        let mut work: Vec<_> = work.collect();
        let within = (from * 1_000_000_000, now.as_nanos() as u64, state.period_ns);
        for wait in state.open.values() {
            wait.add(&state.names, within, &mut rows, &mut work);
        }
        let requests = work.iter().map(|work| work.served.1).collect();
        Snapshot {
            covered: now.saturating_sub(Duration::from_secs(from)),
            source: state.source,
            rows,
            work,
            titles: state.titles.clone(),
            requests: state.requests.texts(&requests),
            not_kept: sum.not_kept,
            account: state.account(seconds),
            warning: state
                .warning
                .as_ref()
                .filter(|(when, _)| when.elapsed() < WARNING)
                .map(|(_, text)| text.clone()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Counts are whole between any two of them: a thread that panicked leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// What came to the account in the last `seconds`.
    fn account(&self, seconds: u64) -> Option<Account> {
        let last = self.standings.back()?;
        let since = last.elapsed.saturating_sub(Duration::from_secs(seconds));
        let before = self
            .standings
            .iter()
            .rev()
            .find(|standing| standing.elapsed <= since)
            .or_else(|| self.standings.front().filter(|first| *first != last));
        let before = before.copied().unwrap_or_default();
        let elapsed = last.elapsed.saturating_sub(before.elapsed);
        let own_cpu = last.own_cpu.saturating_sub(before.own_cpu);
        Some(Account {
            idle: last.idle.saturating_sub(before.idle),
            missed: last.missed.saturating_sub(before.missed),
            lost: last.lost.saturating_sub(before.lost),
            targets: last.targets,
            own_cpu: own_cpu.as_secs_f64() / elapsed.as_secs_f64().max(0.001),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{Only, Sort};

    #[test]
    fn the_account_is_that_of_the_window() {
        let feed = Feed::new(Duration::from_millis(10));
        assert!(feed.snapshot(10).account.is_none());
        for second in 1..=30 {
            feed.standing(Standing {
                elapsed: Duration::from_secs(second),
                idle: second * 100,
                missed: second,
                lost: 0,
                targets: 3,
                own_cpu: Duration::from_millis(second * 7),
            });
        }
        let account = feed.snapshot(10).account.unwrap();
        assert_eq!((account.idle, account.missed, account.targets), (1000, 10, 3));
        assert!((account.own_cpu - 0.007).abs() < 1e-9, "{account:?}");
        let account = feed.snapshot(60).account.unwrap();
        assert_eq!(account.idle, 2900, "from the first one that is known");
    }
    #[test]
    fn a_wait_that_goes_on_counts_until_it_is_told_as_a_sample() {
        let mut symbols = Symbols::default();
        let function = symbols.intern_function(profile::Function {
            name: "flock".into(),
            file: None,
            first_line: 0,
            kind: profile::Kind::Internal,
        });
        let location = symbols.intern_location(profile::Location {
            function,
            line: profile::Line::None,
        });
        // As of a function that calls itself.
        let stack = symbols.intern_stack(&[location, location]);
        let wait = Sample {
            at_ns: 8_000_000_000,
            pid: 7,
            tid: 7,
            state: profile::State::Blocked,
            weight: 500,
            stack,
            context: profile::ContextId::NONE,
            memory: None,
        };
        let feed = Feed::new(Duration::from_millis(10));
        let shown = |seconds| {
            let snapshot = feed.snapshot(seconds);
            let functions = snapshot.functions(&Only::default(), "", Sort::Own);
            functions
                .iter()
                .map(|(_, cell)| (cell.own, cell.total, cell.waiting))
                .collect::<Vec<_>>()
        };
        feed.state().latest_ns = 8_000_000_000;
        feed.open_waits(&symbols, &[wait], |_| "php".into());
        feed.standing(Standing::default());
        assert_eq!(shown(60), [(500, 500, 500)]);
        assert_eq!(shown(2), [(100, 100, 100)], "the part that lies in the window");
        assert_eq!(feed.snapshot(60).titles[&7], "php");
        feed.sample(&symbols, &wait, |_| String::new());
        assert_eq!(shown(60), [(500, 500, 500)]);
        feed.open_waits(&symbols, &[], |_| String::new());
        assert_eq!(shown(60), [(500, 500, 500)]);
    }
}
