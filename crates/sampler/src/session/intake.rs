//! Where records become samples, and are counted.

use super::{
    Watcher,
    doubts::{Doubts, Held},
    known::{Known, Seen, Whose},
    missing::Missing,
};
use crate::{
    Lasted, Observed, Settings, Values, clock,
    record::TaskHeader,
    resolve::{MOST_CONTEXTS, Meaning, Resolver, request_context},
    waits::{Looker, Span},
};
use foldhash::HashMap;
use profile::{Label, Sample, State, Symbols, Tally, TargetAccount};
use remote::{Process, wait::Entered};
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
    order: Vec<u32>,
    /// What happened to tasks and nobody acted on yet.
    pub pending: Vec<TaskHeader>,
    /// Samples so far.
    pub taken: u64,
    /// Of them, those on a CPU.
    pub on_cpu: u64,
    without_request: u64,
    without_memory: u64,
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
            Meaning::Sample {
                sample,
                cut,
                retried,
                has_request,
                span,
                entered,
                values,
                ..
            } => {
                let when = (span, entered);
                if let Some(weight) = self.take(sample, when, cut, retried, values.as_ref()) {
                    self.count_circumstances(&sample, weight, has_request);
                }
            }
            Meaning::Task(task) => self.pending.push(task),
            Meaning::Nothing => {}
        }
    }

    /// What was asked for and is not there.
    fn count_circumstances(&mut self, sample: &Sample, weight: u64, has_request: bool) {
        let asked = self.settings.asked;
        if !asked.request.is_empty() && !has_request {
            self.without_request += weight;
        }
        if asked.memory && sample.memory.is_none() {
            self.without_memory += weight;
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

    /// Counts a sample and hands it on; for how many periods, if it is wanted.
    fn take(
        &mut self,
        mut sample: Sample,
        when: (Option<Span>, Option<Entered>),
        cut: bool,
        retried: bool,
        values: Option<&Values>,
    ) -> Option<u64> {
        let left = self
            .settings
            .limit
            .map_or(u64::MAX, |limit| limit.saturating_sub(self.taken));
        sample.weight = sample.weight.min(left.try_into().unwrap_or(u32::MAX));
        let known = self.known.entry(sample.tid).or_default();
        if sample.weight == 0 || known.whose == Whose::Foreign || self.refused.is_some() {
            return None;
        }
        if let Some(doubts) = &mut self.doubts
            && (known.whose == Whose::Unnamed || !known.is_described())
        {
            doubts.hold(Held {
                sample,
                when,
                cut,
                retried,
                values: values.cloned(),
            });
            return None;
        }
        let (span, entered) = when;
        known.count(&sample, cut, retried);
        if let Some(waits) = self.waits.as_mut().filter(|_| sample.state == State::Blocked) {
            sample.context = waits.tell(self.symbols, &sample, span, entered);
        }
        self.taken += u64::from(sample.weight);
        if sample.state == State::OnCpu {
            self.on_cpu += u64::from(sample.weight);
        }
        if let Some(values) = values {
            self.missing.count(values);
            self.label(&mut sample, values);
            self.watcher.values(values);
        }
        self.refused = self.watcher.sample(self.symbols, &sample).err();
        Some(u64::from(sample.weight))
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

    /// Whether a worker has named itself. What was seen of it before then counts, if it is one of those that were asked for.
    pub fn name(&mut self, pid: u32, is_named: bool) {
        self.known.entry(pid).or_default().whose = if is_named { Whose::Ours } else { Whose::Unnamed };
        self.release(pid);
    }

    /// Takes what was held of a worker that is known now.
    fn release(&mut self, pid: u32) {
        let is_known = |known: &Known| known.is_described() && known.whose == Whose::Ours;
        let Some(doubts) = &mut self.doubts else { return };
        if !self.known.get(&pid).is_some_and(is_known) {
            return;
        }
        for held in doubts.take(pid) {
            self.take(
                held.sample,
                held.when,
                held.cut,
                held.retried,
                held.values.as_ref(),
            );
        }
    }

    /// A process turned out not to be one of those that were asked for.
    pub fn disown(&mut self, pid: u32) {
        self.known.entry(pid).or_default().whose = Whose::Foreign;
        self.order.retain(|&other| other != pid);
        if let Some(doubts) = &mut self.doubts {
            doubts.take(pid);
        }
    }

    /// A worker ended before it could be asked for its name.
    pub fn lose(&mut self, pid: u32) {
        if let Some(doubts) = &mut self.doubts {
            doubts.lose(pid);
        }
        self.disown(pid);
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
        let now_ns = now_ns.min(self.until_ns);
        let weight = now_ns.saturating_sub(asleep.since_ns.max(self.from_ns)) / period_ns;
        if now_ns <= asleep.read_ns || weight == 0 {
            return;
        }
        // It has not been seen to run since its stack was read.
        let span = Span::Wait(asleep.read_ns, now_ns);
        self.waited(tid, asleep.seen, weight, span, now_ns);
    }

    /// Counts so many periods of waiting in one place.
    fn waited(&mut self, tid: u32, seen: Seen, periods: u64, span: Span, now_ns: u64) {
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
            context: seen.context,
            memory: seen.memory,
        };
        self.take(sample, (Some(span), None), seen.is_cut, false, None);
    }

    /// Reads the stack of a target that waits, and counts as many periods as `lasted` says after that it has waited there
    /// without a break; none where it has come back meanwhile.
    pub fn read_wait(&mut self, tid: u32, lasted: Lasted<'_>) {
        let Some(known) = self.known.get(&tid) else { return };
        let seen = known.read(tid, self.settings.max_depth, self.settings.asked, self.symbols);
        let read_ns = clock::monotonic_ns();
        let Some(periods) = lasted() else { return };
        match seen {
            Some(seen) => {
                // A part of a period may be left over from an earlier wait.
                let whole = periods.saturating_sub(1).saturating_mul(self.period_ns());
                let span = Span::Wait(read_ns.saturating_sub(whole), read_ns);
                self.waited(tid, seen, periods, span, clock::monotonic_ns());
            }
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
    use super::{super::known::Asleep, *};
    use crate::{Asked, Choice, Peeks, Status};
    use profile::{ContextId, Source};
    use std::time::Duration;

    struct Nobody;

    impl Watcher for Nobody {
        fn started(&mut self, _: Source, _: usize) {}
        fn sample(&mut self, _: &Symbols, _: &Sample) -> io::Result<()> {
            Ok(())
        }
        fn wants_status(&mut self) -> bool {
            false
        }
        fn status(&mut self, _: &Status) {}
        fn warn(&mut self, _: &str) {}
    }

    fn settings() -> Settings {
        Settings {
            period: Duration::from_nanos(10),
            duration: None,
            limit: None,
            max_depth: 16,
            source: Choice::Auto,
            waits: false,
            asked: Asked::default(),
            peeks: Peeks::default(),
            labels_values: false,
        }
    }

    #[test]
    fn a_worker_without_a_name_counts_once_it_has_one() {
        let settings = settings();
        let (mut symbols, mut watcher) = (Symbols::default(), Nobody);
        let mut intake = Intake::new(&settings, &mut symbols, &mut watcher);
        intake.doubts = Some(Doubts::default());
        let stack = intake.symbols.intern_stack(&[]);
        let see = |intake: &mut Intake<'_>, tid| {
            let sample = Sample {
                at_ns: 1,
                pid: tid,
                tid,
                state: State::OnCpu,
                weight: 2,
                stack,
                context: ContextId::NONE,
                memory: None,
            };
            intake.take(sample, (None, None), false, false, None);
        };
        // Of the pool that was asked for.
        see(&mut intake, 7);
        intake.known.insert(7, Known::of("8.2"));
        intake.name(7, false);
        see(&mut intake, 7);
        assert_eq!(intake.taken, 0);
        intake.name(7, true);
        assert_eq!(intake.taken, 4);
        see(&mut intake, 7);
        assert_eq!(intake.taken, 6);
        // Of another one; ended without a name.
        see(&mut intake, 8);
        intake.disown(8);
        see(&mut intake, 9);
        intake.lose(9);
        intake.name(9, true);
        assert_eq!((intake.taken, intake.doubts.as_ref().unwrap().lost), (6, 2));
        let left_out = "2 samples without a known pool, left out: their workers ended before they had a name";
        assert_eq!(intake.notes(), [left_out]);
    }

    #[test]
    fn who_sleeps_all_the_time_counts_for_all_of_it_and_no_more() {
        let settings = settings();
        let (mut symbols, mut watcher) = (Symbols::default(), Nobody);
        let mut intake = Intake::new(&settings, &mut symbols, &mut watcher);
        (intake.from_ns, intake.until_ns) = (1_000, 3_000);
        let seen = Seen {
            stack: None,
            is_cut: false,
            context: ContextId::NONE,
            memory: None,
        };
        let asleep = Asleep {
            since_ns: 900,
            read_ns: 950,
            seen,
        };
        intake.known.entry(7).or_default().asleep = Some(asleep);
        intake.wake_all(3_270);
        assert_eq!(intake.known[&7].tally.idle, 200);
    }
}
