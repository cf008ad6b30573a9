//! A recording: targets are found and watched, records become samples, every tick is accounted for.

mod attach;
mod doubts;
mod family;
mod intake;
mod known;
mod missing;
mod open;
mod sleepers;
mod source;
mod starting;
#[cfg(test)]
mod testing;
mod threads;
mod workers;

use crate::{
    Error, Settings, Values, clock,
    discovery::Discovery,
    record::{BORN, EXEC, EXIT},
    targets::{Fpm, Targets},
    waits::Looker,
};
use doubts::Doubts;
use family::Family;
use intake::Intake;
use known::{Known, Whose};
use profile::{Account, Sample, Source as SourceName, Symbols};
use remote::Process;
use source::Source;
use starting::Starting;
use std::{
    collections::HashSet,
    io,
    process::Child,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant, SystemTime},
};
use threads::Threads;
use workers::Workers;
use zend::{Finder, Interpreter};

/// How often records are fetched, where nothing is urgent.
const POLL: Duration = Duration::from_millis(250);
/// When it is asked again whether a PHP that just started has JIT code, in milliseconds from the start. While code is
/// being compiled, and only then, its memory is not executable and looks like any other.
const LOOKS_FOR_JIT: [u64; 6] = [10, 30, 100, 300, 1000, 2000];
/// How often children of the command are looked for, where they do not make themselves known.
const CHILDREN: Duration = Duration::from_millis(20);
/// How long the first tick waits for targets that are ready and get no CPU.
const FIRST_SIGHT: Duration = Duration::from_secs(1);
/// The nice value of phperf itself, where it may have it.
const URGENCY: i32 = -10;

/// Who wants the samples.
pub trait Watcher {
    /// Sampling begins: from which source, of how many targets.
    fn started(&mut self, source: SourceName, targets: usize);
    /// What [`Sample::at_ns`] counts from.
    fn zero(&mut self, _: SystemTime) {}
    /// What variables held at the sample that comes next, where values were asked for.
    fn values(&mut self, _: &Values) {}
    /// A sample. An error ends the recording, and is kept in [`Recorded::refused`].
    fn sample(&mut self, symbols: &Symbols, sample: &Sample) -> io::Result<()>;
    /// Whether somebody wants to know now how it stands; asked about ten times a second.
    fn wants_status(&mut self) -> bool;
    /// How it stands.
    fn status(&mut self, status: &Status);
    /// Whether it wants to know, whenever it is told how it stands, of waits that go on.
    fn wants_open_waits(&self) -> bool {
        false
    }
    /// All waits that have lasted for a second and go on, as the samples that they would be if they ended now. A source that
    /// takes a sample of a wait whenever one is due tells of none.
    fn open_waits(&mut self, _: &Symbols, _: &[Sample]) {}
    /// Something that the user should know at once.
    fn warn(&mut self, warning: &str);
    /// Whether it looks up stacks of samples that it was given before. Where it does not, those are forgotten from time
    /// to time, so that memory has a bound however long the recording lasts.
    fn keeps_stacks(&self) -> bool {
        true
    }
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
    /// Periods with no PHP code running.
    pub idle: u64,
    /// Periods that were seen and dropped.
    pub lost: u64,
    /// Periods that were due and not seen.
    pub missed: u64,
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
    /// The command, if there was one: it goes on if the recording ended before it.
    pub child: Option<Child>,
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
    Ok(session.finish())
}

/// It has little to do and should do it in time, beside 64 workers that compute too. What is started after this
/// inherits it.
fn hurry() {
    let _ = rustix::process::setpriority_process(None, URGENCY);
}

struct Session<'a> {
    targets: &'a Targets,
    settings: &'a Settings,
    intake: Intake<'a>,
    source: Source,
    why_not_kernel: Option<String>,
    finder: Finder,
    discovery: Discovery,
    family: Family,
    /// Processes that are watched only for their children, or that are not PHP yet.
    roots: HashSet<u32>,
    /// Workers that have not named themselves after their pool yet.
    untitled: Vec<u32>,
    /// Where workers of FPM were asked for: whether it may still have to be said that none is there.
    may_lack_workers: bool,
    starting: Starting,
    workers: Workers,
    /// The processes with threads that run PHP.
    threads: Threads,
    child: Option<Child>,
    began: Instant,
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
                let interpreter = finder.find_started(&process)?;
                Ok((process, interpreter))
            })
            .collect::<Result<_, Error>>()?;
        let mut discovery = Discovery::default();
        let found = if targets.are_open() {
            discovery.scan(targets)?
        } else {
            Vec::new()
        };
        if targets.fpm.is_some() && found.is_empty() {
            return Err(Error::NoFpm);
        }
        if targets.command.is_empty() {
            hurry();
        }
        let tasks: usize = named
            .iter()
            .map(|(process, interpreter)| interpreter.threads.map_or(1, |_| process.threads().len()))
            .sum();
        let (source, why_not_kernel) = Source::start(settings, tasks + found.len())?;
        let mut session = Self {
            targets,
            settings,
            intake: Intake::new(settings, symbols, watcher),
            source,
            why_not_kernel,
            finder,
            discovery,
            family: Family::default(),
            roots: HashSet::new(),
            untitled: Vec::new(),
            may_lack_workers: true,
            starting: Starting::default(),
            workers: Workers::default(),
            threads: Threads::default(),
            child: None,
            began: Instant::now(),
        };
        if matches!(targets.fpm, Some(Fpm::Pool(_))) {
            session.intake.doubts = Some(Doubts::default());
        }
        if settings.waits {
            session.intake.waits = Some(Looker::start(settings.period).map_err(Error::Looker)?);
        }
        for (process, interpreter) in named {
            session.attach(&process, &interpreter, false)?;
        }
        session.join(found)?;
        if let Some(pattern) = &targets.pattern
            && session.intake.known.is_empty()
            && targets.fpm.is_none()
            && targets.command.is_empty()
        {
            return Err(Error::NoMatch(pattern.clone()));
        }
        session.tell_of_nobody();
        if targets.command.is_empty() {
            session.set_out()?;
        } else {
            session.launch()?;
        }
        session
            .intake
            .watcher
            .started(session.source.name(), session.intake.known.len());
        Ok(session)
    }

    /// A target that waits for a CPU when it is attached cannot be read before it has had one, so that the time until
    /// then would be missed. There is no hurry yet.
    fn meet(&mut self) {
        let give_up = Instant::now() + FIRST_SIGHT;
        while self.source.needs_first_stack() && self.intake.known.values().any(Known::is_unseen) {
            let left = give_up.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            self.source.wait(left);
            self.source.drain(&mut |bytes| self.intake.read(bytes));
            self.happenings();
        }
    }

    /// Everything is attached: the time counts from here.
    fn set_out(&mut self) -> Result<(), Error> {
        self.meet();
        self.began = Instant::now();
        let from_ns = clock::monotonic_ns();
        let until_ns = self
            .settings
            .duration
            .map(|duration| from_ns.saturating_add(duration.as_nanos() as u64));
        self.intake.from_ns = from_ns;
        self.intake.until_ns = until_ns.unwrap_or(u64::MAX);
        self.source.begin(from_ns, until_ns)
    }

    fn run(&mut self, stop: &AtomicBool) -> Result<(), Error> {
        // Somebody may have come between the first look and the watch.
        let mut scan_at = Instant::now() + self.scan_interval();
        let mut looks_for_jit = LOOKS_FOR_JIT.map(Duration::from_millis).into_iter().peekable();
        loop {
            let left = self
                .settings
                .duration
                .map(|duration| duration.saturating_sub(self.began.elapsed()));
            let scans = self.source.needs_scans_for_children();
            let poll = if self.starting.any()
                || scans && (self.child.is_some() || self.threads.any() || self.workers.any())
            {
                CHILDREN
            } else {
                POLL
            };
            let look = looks_for_jit
                .peek()
                .map_or(poll, |after| after.saturating_sub(self.began.elapsed()));
            self.source.wait(left.unwrap_or(poll).min(poll).min(look));
            self.look_for_children();
            self.look_for_threads();
            self.look_for_workers();
            self.look_at_waits();
            self.source.drain(&mut |bytes| self.intake.read(bytes));
            self.happenings();
            self.look_at_starting();
            self.sort_out();
            self.tell_of_nobody();
            if Instant::now() >= scan_at {
                scan_at = Instant::now() + self.scan_interval();
                self.scan()?;
            }
            if looks_for_jit
                .next_if(|&after| self.began.elapsed() >= after)
                .is_some()
            {
                self.source.refresh();
                #[cfg(feature = "native")]
                self.intake.refresh();
            }
            if self.intake.watcher.wants_status() {
                let status = self.status();
                self.intake.watcher.status(&status);
                if self.intake.watcher.wants_open_waits() && self.source.needs_first_stack() {
                    let source = &self.source;
                    self.intake.tell_open_waits(&|| source.observed());
                }
            }
            let is_over = self
                .settings
                .duration
                .is_some_and(|duration| self.began.elapsed() >= duration)
                || self
                    .settings
                    .limit
                    .is_some_and(|limit| self.intake.taken >= limit)
                || self.intake.refused.is_some()
                || stop.load(Ordering::Relaxed)
                || self.are_gone();
            if is_over {
                return Ok(());
            }
        }
    }

    fn status(&self) -> Status {
        let observed = self.source.observed();
        let tally = self.intake.tally_so_far(&observed);
        Status {
            elapsed: self.began.elapsed(),
            samples: self.intake.taken,
            on_cpu: self.intake.on_cpu,
            idle: tally.idle,
            lost: tally.lost,
            missed: tally.missed,
            targets: self.intake.alive(&observed),
            own_cpu: clock::own_cpu(),
        }
    }

    /// Whether nothing is left to be watched, and nothing will come.
    fn are_gone(&mut self) -> bool {
        if let Some(child) = &mut self.child {
            return child.try_wait().is_ok_and(|exit| exit.is_some());
        }
        !self.targets.are_open() && self.source.watched() == 0 && !self.threads.are_alive()
    }

    /// Acts on what happened to tasks.
    fn happenings(&mut self) {
        for task in std::mem::take(&mut self.intake.pending) {
            let known = self.intake.known.get(&task.tid);
            let known = known.filter(|known| known.is_described());
            let is_foreign = known.is_none_or(|known| known.whose == Whose::Foreign);
            match task.event {
                BORN if known.is_some() => self.intake.meet(task.tid, task.since_ns),
                // The parent of those that are to be watched is none of them.
                BORN if self.roots.contains(&task.tid) => {}
                BORN => self.newcomer(task.tid),
                EXEC => {
                    self.intake.forget(task.pid);
                    self.threads.forget(task.pid);
                    self.newcomer(task.pid);
                }
                EXIT => {
                    if !is_foreign {
                        self.intake.meet(task.tid, task.at_ns);
                    } else if !self.untitled.contains(&task.tid) {
                        self.intake.forget_stranger(task.tid);
                    }
                    // The functions that a thread knows are those of its process.
                    if task.tid == task.pid {
                        self.intake.forget(task.pid);
                    }
                }
                _ => {}
            }
        }
    }

    /// Before samples are fetched: what waits now is known to have done so until now.
    fn look_at_waits(&self) {
        if let Some(waits) = &self.intake.waits {
            waits.look();
        }
    }

    /// Now, or when it was to end, where that is noticed late.
    fn end_ns(&self) -> u64 {
        let duration = self.settings.duration.map(|duration| duration.as_nanos() as u64);
        let until_ns = duration.map(|duration| self.intake.from_ns.saturating_add(duration));
        clock::monotonic_ns().min(until_ns.unwrap_or(u64::MAX))
    }

    fn finish(mut self) -> Recorded {
        let duration = self.began.elapsed();
        self.leave_unnamed();
        self.look_at_waits();
        self.source.drain(&mut |bytes| self.intake.read(bytes));
        self.happenings();
        self.intake.wake_all(self.end_ns());
        let kernel_cpu = self.source.kernel_cpu();
        self.source
            .close(&mut |tid, lasted| self.intake.read_wait(tid, lasted));
        // The sources keep what else still waits until they are told to end.
        let (observed, mut notes) = self.source.finish(&mut |bytes| self.intake.read(bytes));
        self.happenings();
        self.leave_unnamed();
        let targets = self.intake.close(&observed);
        notes.extend(self.threads.note());
        notes.extend(self.intake.missing.note());
        notes.extend(self.intake.notes());
        notes.extend(self.intake.waits.as_ref().and_then(Looker::note));
        Recorded {
            account: Account {
                source: self.source.name(),
                why_not_kernel: self.why_not_kernel,
                notes,
                period: self.settings.period,
                duration,
                own_cpu: clock::own_cpu(),
                kernel_cpu,
                targets,
            },
            child: self.child,
            refused: self.intake.refused,
        }
    }
}
