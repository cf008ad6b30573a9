//! Where records become samples, and are counted.

use super::{
    Watcher,
    doubts::Doubts,
    known::{Known, Whose},
    missing::Missing,
};
use crate::{
    Observed, Settings, Values, clock,
    meaning::{Meaning, Told, Whole},
    record::TaskHeader,
    resolve::{MOST_CONTEXTS, Resolver, request_context},
    waits::Looker,
};
use foldhash::HashMap;
use profile::{Label, Sample, State, Symbols, Tally, TargetAccount};
use remote::Process;
use std::{io, time::SystemTime};
use zend::Interpreter;

/// So many different stacks are kept for a watcher that does not look them up again.
const MOST_STACKS: usize = 64 * 1024;

/// Takes records in.
pub struct Intake<'a> {
    pub settings: &'a Settings,
    resolver: Resolver,
    /// Who looks at what targets wait for, where that was asked.
    pub waits: Option<Looker>,
    pub start_ns: u64,
    /// What happened before does not count.
    pub from_ns: u64,
    /// What happens from then on does not count either, however late the end is noticed.
    pub until_ns: u64,
    pub symbols: &'a mut Symbols,
    pub watcher: &'a mut dyn Watcher,
    /// By thread; without threads, by process.
    pub known: HashMap<u32, Known>,
    /// The targets in the order in which they were found.
    pub order: Vec<u32>,
    /// What happened to tasks and nobody acted on yet.
    pub pending: Vec<TaskHeader>,
    /// Samples so far.
    pub taken: u64,
    /// Of them, those on a CPU.
    pub on_cpu: u64,
    without_request: u64,
    without_memory: u64,
    /// Of stacks whose outermost frames could not be read, or are not linked.
    broken: u64,
    /// The watcher's error; nothing is handed to it after that.
    pub refused: Option<io::Error>,
    /// Of the values of variables.
    pub missing: Missing,
    /// Where one pool was asked for.
    pub doubts: Option<Doubts>,
}

impl<'a> Intake<'a> {
    pub fn new(settings: &'a Settings, symbols: &'a mut Symbols, watcher: &'a mut dyn Watcher) -> Self {
        let start_ns = clock::monotonic_ns();
        watcher.zero(SystemTime::now());
        #[cfg_attr(not(feature = "native"), expect(unused_mut))]
        let mut resolver = Resolver::new(start_ns);
        #[cfg(feature = "native")]
        if settings.asked.native {
            resolver.joiner = Some(Box::default());
        }
        Self {
            settings,
            resolver,
            waits: None,
            start_ns,
            from_ns: start_ns,
            until_ns: u64::MAX,
            symbols,
            watcher,
            known: HashMap::default(),
            order: Vec::new(),
            pending: Vec::new(),
            taken: 0,
            on_cpu: 0,
            without_request: 0,
            without_memory: 0,
            broken: 0,
            refused: None,
            missing: Missing::default(),
            doubts: None,
        }
    }

    /// Reads one record.
    pub fn read(&mut self, bytes: &[u8]) {
        if self.symbols.stack_count() >= MOST_STACKS && !self.watcher.keeps_stacks() {
            self.forget_stacks();
        }
        if self.symbols.context_count() >= MOST_STACKS && !self.watcher.keeps_stacks() {
            self.forget_contexts();
        }
        match self.resolver.read(self.symbols, bytes) {
            Meaning::Sample(told) => self.take(told),
            Meaning::Task(task) => self.pending.push(task),
            Meaning::Nothing => {}
        }
    }

    /// What was asked for and could not be read, a sentence each.
    pub fn notes(&self) -> Vec<String> {
        let counts = [
            (
                self.without_request,
                "the request that they served, which could not be read",
            ),
            (
                self.without_memory,
                "memory: PHP did not use its own allocator (USE_ZEND_ALLOC=0), or it was not found",
            ),
            (
                self.broken,
                "their outermost frames, which could not be read, or of fibers that go back to who resumed them (they count as cut)",
            ),
            (
                self.doubts.as_ref().map_or(0, |doubts| doubts.lost),
                "a known pool, left out: their workers ended before they had a name",
            ),
        ];
        let counts = counts.into_iter().filter(|&(count, _)| count > 0);
        let missing = counts.map(|(count, what)| format!("{count} samples without {what}"));
        #[cfg(feature = "native")]
        let missing = missing.chain(self.resolver.joiner.as_ref().map(|joiner| joiner.note()));
        missing.collect()
    }

    /// Counts a sample and hands it on, if it is wanted; holds it where that is not known yet.
    pub fn take(&mut self, mut told: Told) {
        let left = self
            .settings
            .limit
            .map_or(u64::MAX, |limit| limit.saturating_sub(self.taken));
        let sample = &mut told.sample;
        sample.weight = sample.weight.min(left.try_into().unwrap_or(u32::MAX));
        let known = self.known.entry(sample.tid).or_default();
        if sample.weight == 0 || known.whose == Whose::Foreign || self.refused.is_some() {
            return;
        }
        if let Some(doubts) = self.doubts.as_mut().filter(|_| !known.is_ours()) {
            doubts.hold(told);
            return;
        }
        known.count(&told);
        let sample = &mut told.sample;
        let weight = u64::from(sample.weight);
        if told.whole == Whole::Broken {
            self.broken += weight;
        }
        self.taken += weight;
        if sample.state == State::OnCpu {
            self.on_cpu += weight;
        }
        if !self.settings.asked.request.is_empty() && !told.has_request {
            self.without_request += weight;
        }
        if self.settings.asked.memory && sample.memory.is_none() {
            self.without_memory += weight;
        }
        if let Some(waits) = self.waits.as_mut().filter(|_| sample.state == State::Blocked) {
            sample.context = waits.tell(self.symbols, sample, told.span, told.entered);
        }
        let mut sample = told.sample;
        if let Some(values) = &told.values {
            self.missing.count(values);
            self.label(&mut sample, values);
            self.watcher.values(values);
        }
        self.refused = self.watcher.sample(self.symbols, &sample).err();
    }

    /// Labels a sample with what was seen in variables, where that is asked for.
    fn label(&mut self, sample: &mut Sample, values: &Values) {
        if !self.settings.labels_values || values.read.is_empty() {
            return;
        }
        if self.symbols.context_count() >= MOST_CONTEXTS {
            self.missing.unlabelled += u64::from(sample.weight);
            return;
        }
        let text = values.text(&self.settings.peeks);
        sample.context = self
            .symbols
            .extend_context(sample.context, &[(Label::Peek, &text)]);
    }

    /// Forgets all stacks but those of targets that sleep.
    fn forget_stacks(&mut self) {
        if let Some(doubts) = &mut self.doubts {
            doubts.lose_all();
        }
        let seen = self.known.values_mut().flat_map(Known::seen_mut);
        let stacks = seen.filter_map(|seen| seen.stack.as_mut());
        let kept: Vec<_> = stacks.map(|id| (self.symbols.stack(*id).to_vec(), id)).collect();
        self.symbols.forget_stacks();
        self.resolver.forget_stacks();
        for (stack, id) in kept {
            *id = self.symbols.intern_stack(&stack);
        }
    }

    /// Forgets all contexts but those of requests that are served, and of targets that sleep.
    fn forget_contexts(&mut self) {
        if let Some(doubts) = &mut self.doubts {
            doubts.lose_all();
        }
        let seen = self.known.values_mut().flat_map(Known::seen_mut);
        let kept: Vec<_> = seen
            .map(|seen| &mut seen.context)
            .map(|id| {
                let labels = self.symbols.context(*id);
                let labels: Vec<_> = labels.map(|(label, text)| (label, text.to_owned())).collect();
                (labels, id)
            })
            .collect();
        self.resolver.forget_contexts(self.symbols);
        for (labels, id) in kept {
            *id = request_context(self.symbols, &labels);
        }
    }

    /// Notes what a target is.
    pub fn describe(&mut self, process: &Process, interpreter: &Interpreter) -> &mut Known {
        let known = self.known.entry(process.pid()).or_default();
        if !known.is_described() {
            self.order.push(process.pid());
        }
        known.describe(process, interpreter);
        if let Some(waits) = &self.waits {
            waits.watch(process);
        }
        #[cfg(feature = "native")]
        if let Some(joiner) = &mut self.resolver.joiner {
            joiner.look(process.group());
        }
        self.release(process.pid());
        self.known.entry(process.pid()).or_default()
    }

    /// Looks again at what may have changed in targets that just started: libraries.
    #[cfg(feature = "native")]
    pub fn refresh(&mut self) {
        if let Some(joiner) = &mut self.resolver.joiner {
            joiner.refresh();
        }
    }

    /// A process ended or became another program: ids that it announced mean nothing any more.
    pub fn forget(&mut self, pid: u32) {
        self.resolver.forget(pid);
    }

    /// The sum over all targets, while they are still watched.
    pub fn tally_so_far(&self, observed: &[Observed]) -> Tally {
        let mut total = Tally::default();
        for observed in observed {
            if let Some(known) = self.known.get(&observed.tid).filter(|known| known.is_described()) {
                total += known.so_far(observed, self.period_ns());
            }
        }
        total
    }

    /// How many targets have not ended.
    pub fn alive(&self, observed: &[Observed]) -> usize {
        let is_target = |tid| {
            let known = self.known.get(tid);
            known.is_some_and(|known: &Known| known.is_described() && known.whose != Whose::Foreign)
        };
        let alive = observed.iter().filter(|observed| !observed.ended);
        alive.filter(|observed| is_target(&observed.tid)).count()
    }

    pub fn period_ns(&self) -> u64 {
        (self.settings.period.as_nanos() as u64).max(1)
    }

    /// The account of each target.
    pub fn close(&mut self, observed: &[Observed]) -> Vec<TargetAccount> {
        if let Some(doubts) = &mut self.doubts {
            doubts.lose_all();
        }
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

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{Nobody, settings, told},
        *,
    };

    #[test]
    fn stacks_without_their_outermost_frames_are_told() {
        let settings = settings();
        let (mut symbols, mut watcher) = (Symbols::default(), Nobody);
        let mut intake = Intake::new(&settings, &mut symbols, &mut watcher);
        let stack = intake.symbols.intern_stack(&[]);
        for (whole, weight) in [(Whole::Yes, 1), (Whole::Cut, 2), (Whole::Broken, 4)] {
            intake.take(Told {
                whole,
                ..told(7, weight, stack)
            });
        }
        assert_eq!((intake.taken, intake.known[&7].tally.cut), (7, 6));
        let told = "4 samples without their outermost frames, which could not be read, or of fibers that go back to who resumed them (they count as cut)";
        assert_eq!(intake.notes(), [told]);
    }
}
