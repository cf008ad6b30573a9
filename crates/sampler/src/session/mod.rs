//! A recording: targets are found and watched, records become samples, every tick is accounted for.

mod known;
mod source;

use crate::{
    Choice, Discovery, Error, Role, Settings, Targets, clock,
    launch::Held,
    record,
    resolve::{Meaning, Resolver},
};
use known::Known;
use profile::{Account, Sample, Source as SourceName, State, Symbols};
use remote::Process;
use source::Source;
use std::{
    collections::{HashMap, HashSet},
    io,
    process::{Child, ExitStatus},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};
use zend::{Finder, Interpreter};

/// How often records are fetched, where nothing is urgent.
const POLL: Duration = Duration::from_millis(100);
/// How often new targets are looked for.
const SCAN: Duration = Duration::from_millis(500);

/// Who wants the samples.
pub trait Watcher {
    /// Sampling begins: from which source, of how many targets.
    fn started(&mut self, source: SourceName, targets: usize);
    /// A sample. An error ends the recording, and is kept in [`Recorded::refused`].
    fn sample(&mut self, symbols: &Symbols, sample: &Sample) -> io::Result<()>;
    /// How it stands, about ten times a second.
    fn status(&mut self, status: &Status);
    /// Something that the user should know at once.
    fn warn(&mut self, warning: &str);
}

/// How a recording stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Time since sampling began.
    pub elapsed: Duration,
    /// Samples so far.
    pub samples: u64,
    /// Of them, those on a CPU.
    pub on_cpu: u64,
    /// Processes that are watched now.
    pub targets: usize,
    /// CPU time of phperf itself.
    pub own_cpu: Duration,
}

/// What a recording gave, besides the samples.
#[derive(Debug)]
pub struct Recorded {
    /// What became of every tick.
    pub account: Account,
    /// How the command ended, if there was one.
    pub exit: Option<ExitStatus>,
    /// The watcher's error that ended it.
    pub refused: Option<io::Error>,
}

/// Records until the duration or the limit is reached, the targets are gone, or `stop` is set.
pub fn record(
    targets: &Targets,
    settings: &Settings,
    symbols: &mut Symbols,
    stop: &AtomicBool,
    watcher: &mut dyn Watcher,
) -> Result<Recorded, Error> {
    let mut session = Session::start(targets, settings, symbols, watcher)?;
    session.run(stop)?;
    session.finish()
}

struct Session<'a> {
    targets: &'a Targets,
    settings: &'a Settings,
    symbols: &'a mut Symbols,
    watcher: &'a mut dyn Watcher,
    source: Source,
    why_not_kernel: Option<String>,
    notes: Vec<String>,
    finder: Finder,
    discovery: Discovery,
    resolver: Resolver,
    known: HashMap<u32, Known>,
    /// Processes that are watched only for their children, or that are not PHP yet.
    roots: HashSet<u32>,
    order: Vec<u32>,
    pending: Vec<record::TaskHeader>,
    child: Option<Child>,
    exit: Option<ExitStatus>,
    refused: Option<io::Error>,
    began: Instant,
    taken: u64,
    on_cpu: u64,
}

impl<'a> Session<'a> {
    fn start(
        targets: &'a Targets,
        settings: &'a Settings,
        symbols: &'a mut Symbols,
        watcher: &'a mut dyn Watcher,
    ) -> Result<Self, Error> {
        let mut finder = Finder::default();
        // What the user named must be there and be PHP before anything is loaded.
        let named: Vec<(Process, Interpreter)> = targets
            .pids
            .iter()
            .map(|&pid| {
                let process = Process::open(pid)?;
                let interpreter = finder.find(&process)?;
                Ok((process, interpreter))
            })
            .collect::<Result<_, Error>>()?;
        let mut discovery = Discovery::default();
        let found = if targets.are_open() { discovery.scan(targets)? } else { Vec::new() };
        if targets.fpm.is_some() && found.is_empty() {
            return Err(Error::NoFpm);
        }
        let (source, why_not_kernel) = Source::start(settings, named.len() + found.len())?;
        let mut session = Self {
            targets,
            settings,
            symbols,
            watcher,
            source,
            why_not_kernel,
            notes: Vec::new(),
            finder,
            discovery,
            resolver: Resolver::new(clock::monotonic_ns()),
            known: HashMap::new(),
            roots: HashSet::new(),
            order: Vec::new(),
            pending: Vec::new(),
            child: None,
            exit: None,
            refused: None,
            began: Instant::now(),
            taken: 0,
            on_cpu: 0,
        };
        for (process, interpreter) in named {
            session.attach(&process, interpreter, false)?;
        }
        session.join(found)?;
        if let Some(pattern) = &targets.pattern
            && session.known.is_empty()
            && targets.fpm.is_none()
            && targets.command.is_empty()
        {
            return Err(Error::NoMatch(pattern.clone()));
        }
        if targets.fpm.is_some() && session.known.is_empty() {
            session.watcher.warn("no FPM worker runs yet: waiting for the first (pm = ondemand starts them with a request)");
        }
        if !targets.command.is_empty() {
            session.launch()?;
        }
        session.watcher.started(session.source.name(), session.known.len());
        Ok(session)
    }

    /// Starts the user's command under watch.
    fn launch(&mut self) -> Result<(), Error> {
        let command = &self.targets.command;
        let failed = |source| Error::Launch { command: command[0].display().to_string(), source };
        let held = Held::start(command).map_err(failed)?;
        self.roots.insert(held.pid());
        self.source.follow(held.pid())?;
        self.child = Some(held.release().map_err(failed)?);
        Ok(())
    }

    /// Watches those that a scan found. One of many that cannot be watched is a note, not the end.
    fn join(&mut self, found: Vec<(u32, Role)>) -> Result<(), Error> {
        let mut first_error = None;
        for (pid, role) in found {
            if self.known.contains_key(&pid) || self.roots.contains(&pid) {
                continue;
            }
            let result = match role {
                Role::Master => {
                    self.roots.insert(pid);
                    self.follow_master(pid)
                }
                Role::Target => self.identify(pid, self.targets.fpm.is_some()),
            };
            if let Err(error) = result {
                first_error.get_or_insert(error);
            }
        }
        match first_error {
            // Nothing at all can be watched: say why, it is the same for all.
            Some(error) if self.known.is_empty() && self.roots.is_empty() => Err(error),
            _ => Ok(()),
        }
    }

    /// Workers that a master starts inherit what is known of it.
    fn follow_master(&mut self, pid: u32) -> Result<(), Error> {
        let process = Process::open(pid)?;
        let interpreter = self.finder.find(&process)?;
        self.source.follow_php(&process, &interpreter)
    }

    /// Watches process `pid` if it is PHP; what only happens to match and is not PHP is left alone.
    fn identify(&mut self, pid: u32, follow: bool) -> Result<(), Error> {
        let Ok(process) = Process::open(pid) else { return Ok(()) };
        match self.finder.find(&process) {
            Ok(interpreter) => self.attach(&process, interpreter, follow),
            Err(zend::Error::NotPhp { .. }) => Ok(()),
            Err(_) if !process.is_alive() => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn attach(&mut self, process: &Process, interpreter: Interpreter, follow: bool) -> Result<(), Error> {
        let pid = process.pid();
        self.source.attach(process, &interpreter, follow)?;
        let asleep = if self.source.needs_first_stack() {
            known::stack_if_asleep(process, &interpreter, self.settings.max_depth, self.symbols)
        } else {
            None
        };
        self.roots.remove(&pid);
        if !self.known.contains_key(&pid) {
            self.order.push(pid);
        }
        let known = self.known.entry(pid).or_default();
        known.describe(process, &interpreter);
        known.asleep = asleep;
        Ok(())
    }

    fn run(&mut self, stop: &AtomicBool) -> Result<(), Error> {
        let mut scanned = Instant::now();
        let mut looked_for_jit = [Duration::from_millis(300), Duration::from_secs(2)].into_iter().peekable();
        loop {
            let left = self.settings.duration.map(|duration| duration.saturating_sub(self.began.elapsed()));
            self.source.wait(left.map_or(POLL, |left| left.min(POLL)));
            self.drain();
            self.happenings()?;
            if scanned.elapsed() >= SCAN {
                scanned = Instant::now();
                self.scan()?;
            }
            if looked_for_jit.next_if(|&after| self.began.elapsed() > after).is_some() {
                self.source.refresh();
            }
            self.watcher.status(&Status {
                elapsed: self.began.elapsed(),
                samples: self.taken,
                on_cpu: self.on_cpu,
                targets: self.source.watched(),
                own_cpu: clock::own_cpu(),
            });
            let is_over = self.settings.duration.is_some_and(|duration| self.began.elapsed() >= duration)
                || self.settings.limit.is_some_and(|limit| self.taken >= limit)
                || self.refused.is_some()
                || stop.load(Ordering::Relaxed)
                || self.are_gone();
            if is_over {
                return Ok(());
            }
        }
    }

    /// Whether nothing is left to be watched, and nothing will come.
    fn are_gone(&mut self) -> bool {
        if let Some(child) = &mut self.child {
            if self.exit.is_none() {
                self.exit = child.try_wait().ok().flatten();
            }
            return self.exit.is_some();
        }
        !self.targets.are_open() && self.source.watched() == 0
    }

    fn scan(&mut self) -> Result<(), Error> {
        if self.targets.are_open() {
            let found = self.discovery.scan(self.targets)?;
            // Those that come later and cannot be watched must not end the recording of the others.
            if let Err(error) = self.join(found) {
                self.watcher.warn(&error.to_string());
            }
        }
        if let Some(child) = &self.child
            && self.source.needs_scans_for_children()
        {
            for pid in source::descendants(child.id())? {
                if !self.known.contains_key(&pid) {
                    let _ = self.identify(pid, false);
                }
            }
        }
        Ok(())
    }

    /// Reads all records that are there.
    fn drain(&mut self) {
        let Self { source, resolver, symbols, watcher, known, settings, pending, refused, taken, on_cpu, .. } = self;
        source.drain(&mut |bytes| match resolver.read(symbols, bytes) {
            Meaning::Sample { mut sample, cut, retried, .. } => {
                let left = settings.limit.map_or(u64::MAX, |limit| limit.saturating_sub(*taken));
                sample.weight = sample.weight.min(left.try_into().unwrap_or(u32::MAX));
                let known = known.entry(sample.pid).or_default();
                if sample.weight == 0 || known.is_foreign || refused.is_some() {
                    return;
                }
                known.count(&sample, cut, retried);
                *taken += u64::from(sample.weight);
                *on_cpu += if sample.state == State::OnCpu { u64::from(sample.weight) } else { 0 };
                *refused = watcher.sample(symbols, &sample).err();
            }
            Meaning::Task(task) => pending.push(task),
            Meaning::Nothing => {}
        });
    }

    /// Acts on what happened to tasks.
    fn happenings(&mut self) -> Result<(), Error> {
        for task in std::mem::take(&mut self.pending) {
            match task.event {
                record::BORN if self.known.get(&task.pid).is_some_and(Known::is_described) => {
                    self.wake(task.pid, task.at_ns);
                }
                record::BORN | record::EXEC if !self.roots.contains(&task.pid) || task.event == record::EXEC => {
                    self.newcomer(task.pid, task.event == record::EXEC);
                }
                record::EXIT => self.resolver.forget(task.pid),
                _ => {}
            }
        }
        Ok(())
    }

    /// A target that slept since it was attached was seen: its stack until then is known.
    fn wake(&mut self, pid: u32, at_ns: u64) {
        let since_ns = self.source.since_ns(pid);
        let Some(known) = self.known.get_mut(&pid) else { return };
        let Some(asleep) = known.asleep.take() else { return };
        if at_ns <= asleep.read_ns {
            return;
        }
        let weight = (at_ns - since_ns.min(at_ns)) / (self.settings.period.as_nanos() as u64).max(1);
        if weight == 0 {
            return;
        }
        let Some(stack) = asleep.stack else {
            known.tally.idle += weight;
            return;
        };
        let sample = Sample {
            at_ns: at_ns.saturating_sub(self.resolver.start_ns()),
            pid,
            tid: pid,
            state: State::Blocked,
            weight: weight.min(u32::MAX.into()) as u32,
            stack,
        };
        known.count(&sample, false, false);
        self.taken += weight;
        if self.refused.is_none() {
            self.refused = self.watcher.sample(self.symbols, &sample).err();
        }
    }

    /// A child of a target, or a program that another one became.
    fn newcomer(&mut self, pid: u32, is_new_program: bool) {
        if is_new_program {
            self.resolver.forget(pid);
        }
        let Ok(process) = Process::open(pid) else { return };
        let title = process.command_line().map(|line| line.join(" ")).unwrap_or_default();
        if !self.targets.takes_worker(&title) {
            self.known.entry(pid).or_default().is_foreign = true;
            return;
        }
        if let Ok(interpreter) = self.finder.find(&process) {
            let follow = !self.targets.command.is_empty();
            if self.source.attach(&process, &interpreter, follow).is_ok() {
                if !self.known.get(&pid).is_some_and(Known::is_described) {
                    self.order.push(pid);
                }
                self.roots.remove(&pid);
                self.known.entry(pid).or_default().describe(&process, &interpreter);
            }
        }
    }

    fn finish(mut self) -> Result<Recorded, Error> {
        let duration = self.began.elapsed();
        self.drain();
        self.happenings()?;
        // Those that slept all the time have left no record.
        let now = clock::monotonic_ns();
        let sleepers: Vec<u32> =
            self.known.iter().filter(|(_, known)| known.asleep.is_some()).map(|(&pid, _)| pid).collect();
        for pid in sleepers {
            self.wake(pid, now);
        }
        let kernel_cpu = self.source.kernel_cpu();
        let observed = {
            // The sources keep what still waits until they are told to end.
            let mut last = Vec::new();
            let (observed, notes) = self.source.finish(&mut |bytes| last.push(bytes.to_vec()));
            self.notes.extend(notes);
            let mut source = Source::Ended(last);
            std::mem::swap(&mut source, &mut self.source);
            self.drain();
            observed
        };
        let period_ns = (self.settings.period.as_nanos() as u64).max(1);
        for observed in observed {
            let Some(known) = self.known.get_mut(&observed.pid) else { continue };
            known.ended = observed.ended;
            known.tally.idle += observed.idle;
            known.tally.lost += observed.lost;
            known.tally.unreadable += observed.unreadable;
            known.tally.retried += observed.retried;
            known.tally.close((observed.last_ns.saturating_sub(observed.first_ns) + period_ns / 2) / period_ns);
        }
        if let Some(mut child) = self.child.take()
            && self.exit.is_none()
        {
            self.exit = child.try_wait().ok().flatten();
        }
        let targets = self
            .order
            .iter()
            .filter_map(|pid| Some(self.known.get(pid)?.account(*pid)))
            .collect();
        Ok(Recorded {
            account: Account {
                source: self.source_name(),
                why_not_kernel: self.why_not_kernel,
                notes: self.notes,
                period: self.settings.period,
                duration,
                own_cpu: clock::own_cpu(),
                kernel_cpu,
                targets,
            },
            exit: self.exit,
            refused: self.refused,
        })
    }
}
