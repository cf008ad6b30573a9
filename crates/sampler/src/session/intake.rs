//! Where records become samples, and are counted.

use super::{
    Watcher,
    known::{Known, Seen},
    missing::Missing,
};
use crate::{
    Lasted, Observed, Settings, Values, clock,
    record::TaskHeader,
    resolve::{Meaning, Resolver},
};
use foldhash::HashMap;
use profile::{ContextId, Sample, State, Symbols, Tally, TargetAccount};
use remote::Process;
use std::{io, time::SystemTime};
use zend::Interpreter;

/// So many different stacks are kept for a watcher that does not look them up again.
const MOST_STACKS: usize = 64 * 1024;

/// Takes records in.
pub struct Intake<'a> {
    settings: &'a Settings,
    resolver: Resolver,
    start_ns: u64,
    /// What happened before does not count.
    pub from_ns: u64,
    pub symbols: &'a mut Symbols,
    pub watcher: &'a mut dyn Watcher,
    /// By thread; without threads, by process.
    pub known: HashMap<u32, Known>,
    /// The targets in the order in which they were found.
    order: Vec<u32>,
    /// What happened to tasks and nobody acted on yet.
    pub pending: Vec<TaskHeader>,
    /// Samples so far.
    pub taken: u64,
    /// Of them, those on a CPU.
    pub on_cpu: u64,
    /// The watcher's error; nothing is handed to it after that.
    pub refused: Option<io::Error>,
    /// Of the values of variables.
    pub missing: Missing,
}

impl<'a> Intake<'a> {
    pub fn new(settings: &'a Settings, symbols: &'a mut Symbols, watcher: &'a mut dyn Watcher) -> Self {
        let start_ns = clock::monotonic_ns();
        watcher.zero(SystemTime::now());
        Self {
            settings,
            resolver: Resolver::new(start_ns),
            start_ns,
            from_ns: start_ns,
            symbols,
            watcher,
            known: HashMap::default(),
            order: Vec::new(),
            pending: Vec::new(),
            taken: 0,
            on_cpu: 0,
            refused: None,
            missing: Missing::default(),
        }
    }

    /// Reads one record.
    pub fn read(&mut self, bytes: &[u8]) {
        if self.symbols.stack_count() >= MOST_STACKS && !self.watcher.keeps_stacks() {
            self.forget_stacks();
        }
        match self.resolver.read(self.symbols, bytes) {
            Meaning::Sample {
                sample,
                cut,
                retried,
                values,
                ..
            } => self.take(sample, cut, retried, values.as_ref()),
            Meaning::Task(task) => self.pending.push(task),
            Meaning::Nothing => {}
        }
    }

    fn take(&mut self, mut sample: Sample, cut: bool, retried: bool, values: Option<&Values>) {
        let left = self
            .settings
            .limit
            .map_or(u64::MAX, |limit| limit.saturating_sub(self.taken));
        sample.weight = sample.weight.min(left.try_into().unwrap_or(u32::MAX));
        let known = self.known.entry(sample.tid).or_default();
        if sample.weight == 0 || known.is_foreign || self.refused.is_some() {
            return;
        }
        known.count(&sample, cut, retried);
        self.taken += u64::from(sample.weight);
        if sample.state == State::OnCpu {
            self.on_cpu += u64::from(sample.weight);
        }
        if let Some(values) = values {
            self.missing.count(values);
            self.watcher.values(values);
        }
        self.refused = self.watcher.sample(self.symbols, &sample).err();
    }

    /// Forgets all stacks but those of targets that have slept since they were attached.
    fn forget_stacks(&mut self) {
        let asleep = self
            .known
            .values_mut()
            .filter_map(|known| known.asleep.as_mut()?.seen.stack.as_mut());
        let kept: Vec<_> = asleep.map(|id| (self.symbols.stack(*id).to_vec(), id)).collect();
        self.symbols.forget_stacks();
        self.resolver.forget_stacks();
        for (stack, id) in kept {
            *id = self.symbols.intern_stack(&stack);
        }
    }

    /// Notes what a target is.
    pub fn describe(&mut self, process: &Process, interpreter: &Interpreter) -> &mut Known {
        let known = self.known.entry(process.pid()).or_default();
        if !known.is_described() {
            self.order.push(process.pid());
        }
        known.describe(process, interpreter);
        known
    }

    /// A process turned out not to be one of those that were asked for.
    pub fn disown(&mut self, pid: u32) {
        self.known.entry(pid).or_default().is_foreign = true;
        self.order.retain(|&other| other != pid);
    }

    /// A process ended or became another program: ids that it announced mean nothing any more.
    pub fn forget(&mut self, pid: u32) {
        self.resolver.forget(pid);
    }

    /// The kernel has seen a target for the first time since it was attached.
    pub fn meet(&mut self, tid: u32, now_ns: u64) {
        self.known.entry(tid).or_default().is_met = true;
        self.wake(tid, now_ns);
    }

    /// A target that slept since it was attached is awake or at the end of the recording: what it
    /// did until then is the stack that was read then.
    fn wake(&mut self, tid: u32, now_ns: u64) {
        let period_ns = self.period_ns();
        let Some(asleep) = self.known.get_mut(&tid).and_then(|known| known.asleep.take()) else {
            return;
        };
        let weight = now_ns.saturating_sub(asleep.since_ns.max(self.from_ns)) / period_ns;
        if now_ns <= asleep.read_ns || weight == 0 {
            return;
        }
        self.waited(tid, asleep.seen, weight, now_ns);
    }

    /// Counts so many periods of waiting in one place.
    fn waited(&mut self, tid: u32, seen: Seen, periods: u64, now_ns: u64) {
        let known = self.known.entry(tid).or_default();
        let Some(stack) = seen.stack else {
            known.tally.idle += periods;
            return;
        };
        let sample = Sample {
            at_ns: now_ns.saturating_sub(self.start_ns),
            pid: known.process,
            tid,
            state: State::Blocked,
            weight: periods.try_into().unwrap_or(u32::MAX),
            stack,
            context: ContextId::NONE,
            memory: None,
        };
        self.take(sample, seen.is_cut, false, None);
    }

    /// Reads the stack of a target that waits, and counts as many periods as `lasted` says after that it has waited there
    /// without a break; none where it has come back meanwhile.
    pub fn read_wait(&mut self, tid: u32, lasted: Lasted<'_>) {
        let Some(known) = self.known.get(&tid) else { return };
        let seen = known.read(tid, self.settings.max_depth, self.symbols);
        let Some(periods) = lasted() else { return };
        match seen {
            Some(seen) => self.waited(tid, seen, periods, clock::monotonic_ns()),
            None => self.known.entry(tid).or_default().tally.unreadable += periods,
        }
    }

    /// The same for all that have slept to the end.
    pub fn wake_all(&mut self, now_ns: u64) {
        let asleep: Vec<u32> = self
            .known
            .iter()
            .filter(|(_, known)| known.asleep.is_some())
            .map(|(&pid, _)| pid)
            .collect();
        for pid in asleep {
            self.wake(pid, now_ns);
        }
    }

    /// The sum over all targets, while they are still watched.
    pub fn tally_so_far(&self, observed: &[Observed]) -> Tally {
        let mut total = Tally::default();
        for observed in observed {
            if let Some(known) = self.known.get(&observed.tid).filter(|known| known.is_described()) {
                total += known.closed(observed, self.period_ns());
            }
        }
        total
    }

    fn period_ns(&self) -> u64 {
        (self.settings.period.as_nanos() as u64).max(1)
    }

    /// The account of each target.
    pub fn close(&mut self, observed: &[Observed]) -> Vec<TargetAccount> {
        let period_ns = self.period_ns();
        for observed in observed {
            if let Some(known) = self.known.get_mut(&observed.tid) {
                known.close(observed, period_ns);
            }
        }
        self.order
            .iter()
            .filter_map(|tid| Some(self.known.get(tid)?.account(*tid)))
            .collect()
    }
}
