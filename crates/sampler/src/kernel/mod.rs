//! The source `kernel`: eBPF programs walk the stack of PHP on its own CPU, where nothing can move meanwhile.
//!
//! A cpu-clock event per process samples what runs; a wait becomes one record when it is over, weighted by the periods
//! that passed, which the raw tracepoints `sched_switch` and `sched_exit_tp` tell.
//! Raw tracepoints and map keys by the address of the task need no BTF of the running kernel.

mod claims;
mod config;
mod load;
mod pending;
mod permission;
mod thread_pointer;

pub use load::prepare;
pub use permission::Refusal;

use crate::{
    Asked, Lasted, Observed,
    clock::monotonic_ns,
    jit,
    record::{self, TaskHeader},
};
use aya::{
    Ebpf,
    maps::{Array, HashMap as BpfMap, MapData, RingBuf},
    programs::{
        PerfEvent,
        perf_event::{PerfEventConfig, PerfEventLinkId, PerfEventScope, SamplePolicy, SoftwareEvent},
    },
};
use claims::Claims;
use config::{Counts, CountsBytes, Php, PhpBytes, Settings, SettingsBytes};
use pending::{Tasks, Window};
use remote::Process;
use std::{collections::HashMap, os::fd::AsFd, time::Duration};
use zend::Interpreter;
use zerocopy::{FromBytes, FromZeros, transmute};

/// What the kernel source is asked for.
#[derive(Clone, Copy, Debug)]
pub struct KernelSettings {
    /// The sampling period.
    pub period: Duration,
    /// More frames than this are cut.
    pub max_depth: u16,
    /// How many processes are to be expected; more may come.
    pub targets: usize,
    /// What is read besides each stack.
    pub asked: Asked,
    /// Whether samples of waits tell in which system call they are.
    pub calls: bool,
}

/// Why the kernel source cannot watch a process.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttachError {
    /// The process is gone.
    #[error("process {0} is gone")]
    Gone(u32),
    /// It belongs to somebody else.
    #[error("not permitted to watch process {0}: run as root, or with CAP_SYS_PTRACE")]
    NotPermitted(u32),
    /// It is not known where the kernel keeps what tells threads apart.
    #[error("cannot follow the threads of PHP from the kernel ({0}): use --source reader")]
    Threads(Refusal),
    /// Anything else that the kernel says.
    #[error("cannot watch process {pid}: {reason}")]
    Failed {
        /// The process.
        pid: u32,
        /// What the kernel said.
        reason: String,
    },
}

/// What is known of one task: a process, or a thread of a PHP with threads.
#[derive(Default)]
struct Watched {
    /// The event of a process that was attached; a child inherits its parent's and has none of its own.
    event: Option<PerfEventLinkId>,
    /// Since when it is watched as PHP; 0 while it is not PHP.
    since_ns: u64,
    /// For how long it was another PHP before.
    before_ns: u64,
    /// Its end, with the final counters.
    exit: Option<TaskHeader>,
}

/// The running source.
pub struct Kernel {
    bpf: Ebpf,
    ring: RingBuf<MapData>,
    targets: BpfMap<MapData, u32, PhpBytes>,
    tasks: Tasks,
    settings: Array<MapData, SettingsBytes>,
    counts: Array<MapData, CountsBytes>,
    asked: KernelSettings,
    watched: HashMap<u32, Watched>,
    from_ns: u64,
    until_ns: u64,
    has_thread_pointer: bool,
    claims: Claims,
}

impl Kernel {
    /// Loads and attaches the programs.
    pub fn start(asked: KernelSettings) -> Result<Self, Refusal> {
        permission::check()?;
        let mut bpf = load::programs(&asked)?;
        let mut source = Self {
            ring: load::map(&mut bpf, "RING")?,
            targets: load::map(&mut bpf, "TARGETS")?,
            tasks: load::map(&mut bpf, "TASKS")?,
            settings: load::map(&mut bpf, "SETTINGS")?,
            counts: load::map(&mut bpf, "COUNTS")?,
            bpf,
            asked,
            watched: HashMap::new(),
            from_ns: u64::MAX,
            until_ns: u64::MAX,
            has_thread_pointer: false,
            claims: Claims::default(),
        };
        let settings = Settings {
            period_ns: asked.period.as_nanos() as u64,
            max_depth: u32::from(asked.max_depth).min(config::MAX_FRAMES as u32),
            has_prev_state: permission::kernel_at_least(5, 18).into(),
            from_ns: source.from_ns,
            has_return: load::attach_return(&mut source.bpf)?.into(),
            parts: parts(&asked),
            native: asked.asked.native.into(),
            ..Settings::new_zeroed()
        };
        let settings: SettingsBytes = transmute!(settings);
        source.settings.set(0, settings, 0).map_err(load::refused)?;
        load::attach_tracepoints(&mut source.bpf)?;
        Ok(source)
    }

    /// Watches a task from now on, or from [`Kernel::begin`] on. Without an interpreter, the process is not PHP yet:
    /// only what comes of it (an exec, children) is of interest. `follow` watches its children too, `observe` itself.
    /// Threads that a thread of PHP starts are watched in any case.
    pub fn attach(
        &mut self,
        task: &Process,
        interpreter: Option<&Interpreter>,
        observe: bool,
        follow: bool,
    ) -> Result<(), AttachError> {
        let (pid, tid) = (task.group(), task.pid());
        let has_threads = interpreter.is_some_and(|interpreter| interpreter.threads.is_some());
        if has_threads {
            self.find_threads()?;
        }
        let mut php = interpreter
            .map(|interpreter| Php::new(interpreter, task))
            .unwrap_or_default();
        php.flags |= if observe { config::OBSERVE } else { 0 } | if follow { config::FOLLOW } else { 0 };
        // What runs PHP now; another thread tells when it does.
        let is_php = interpreter
            .is_some_and(|interpreter| interpreter.threads.is_none() || interpreter.executor_globals != 0);
        // What was watched for its children alone is a target from now on.
        let was_observed = self.targets.get(&pid, 0).is_ok_and(|bytes| {
            let before: Php = transmute!(bytes);
            before.flags & config::OBSERVE != 0
        });
        let php: PhpBytes = transmute!(php);
        self.targets
            .insert(pid, php, 0)
            .map_err(|error| AttachError::Failed {
                pid,
                reason: error.to_string(),
            })?;
        let known = self.watched.contains_key(&tid);
        let watched = self.watched.entry(tid).or_default();
        if is_php && (watched.since_ns == 0 || known && observe && !was_observed && watched.event.is_some()) {
            watched.since_ns = monotonic_ns();
        }
        if known {
            return Ok(());
        }
        self.change(|settings| settings.await_process(pid));
        match self.open_event(tid, follow || has_threads) {
            Ok(event) => {
                self.watched.insert(
                    tid,
                    Watched {
                        event: Some(event),
                        since_ns: self.since_ns(tid),
                        ..Watched::default()
                    },
                );
                Ok(())
            }
            Err(error) => {
                self.detach(pid, tid);
                Err(error)
            }
        }
    }

    /// Finds out where the kernel keeps the thread pointers of tasks, once.
    fn find_threads(&mut self) -> Result<(), AttachError> {
        if self.has_thread_pointer {
            return Ok(());
        }
        let place = thread_pointer::place(&mut self.bpf).map_err(AttachError::Threads)?;
        self.change(|settings| settings.thread_pointer = place);
        self.has_thread_pointer = true;
        Ok(())
    }

    /// Watches a task no longer, as if it had never been.
    pub fn detach(&mut self, pid: u32, tid: u32) {
        let event = self.watched.remove(&tid).and_then(|watched| watched.event);
        // Both are gone already if the process is.
        if pid == tid {
            let _ = self.targets.remove(&pid);
        }
        if let (Some(event), Some(program)) = (event, self.on_cpu()) {
            let _ = program.detach(event);
        }
    }

    /// Counts what happens to all that are attached from `from_ns` (`CLOCK_MONOTONIC`) on, and not after `until_ns`,
    /// however late [`Kernel::finish`] comes.
    pub fn begin(&mut self, from_ns: u64, until_ns: Option<u64>) {
        self.from_ns = from_ns;
        self.until_ns = until_ns.unwrap_or(u64::MAX);
        self.change(|settings| {
            settings.from_ns = from_ns;
            settings.until_ns = until_ns.unwrap_or(0);
        });
    }

    /// Since when a task is watched as PHP; 0 if it is not.
    pub fn since_ns(&self, tid: u32) -> u64 {
        self.watched.get(&tid).map_or(0, |watched| watched.since_ns)
    }

    fn on_cpu(&mut self) -> Option<&mut PerfEvent> {
        self.bpf
            .program_mut("on_cpu")
            .and_then(|program| program.try_into().ok())
    }

    fn open_event(&mut self, tid: u32, inherit: bool) -> Result<PerfEventLinkId, AttachError> {
        let period = self.asked.period.as_nanos() as u64;
        let Some(program) = self.on_cpu() else {
            return Err(AttachError::Failed {
                pid: tid,
                reason: "the program is missing".into(),
            });
        };
        program
            .attach(
                PerfEventConfig::Software(SoftwareEvent::CpuClock),
                PerfEventScope::OneProcess { pid: tid, cpu: None },
                SamplePolicy::Period(period),
                inherit,
            )
            .map_err(|error| permission::explain_attach(tid, &error))
    }

    /// How many tasks are watched as PHP and have not ended.
    pub fn watched(&self) -> usize {
        self.watched
            .values()
            .filter(|watched| watched.since_ns != 0 && watched.exit.is_none())
            .count()
    }

    /// Looks again whether the processes have JIT code: one that just started had not made room for it yet.
    pub fn refresh(&mut self) {
        let pids: Vec<u32> = self.targets.keys().filter_map(Result::ok).collect();
        for pid in pids {
            let Ok(bytes) = self.targets.get(&pid, 0) else {
                continue;
            };
            let mut php: Php = transmute!(bytes);
            if php.flags & (config::PHP | config::JIT) == config::PHP
                && Process::open(pid).is_ok_and(|process| jit::may_come(&process) && jit::runs_in(&process))
            {
                php.flags |= config::JIT;
                let bytes: PhpBytes = transmute!(php);
                let _ = self.targets.insert(pid, bytes, 0);
            }
        }
        self.change(|settings| settings.refreshes += 1);
    }

    fn change(&mut self, change: impl FnOnce(&mut Settings)) {
        if let Ok(bytes) = self.settings.get(&0, 0) {
            let mut settings: Settings = transmute!(bytes);
            change(&mut settings);
            let bytes: SettingsBytes = transmute!(settings);
            // It was written at the start, and is written like that.
            let _ = self.settings.set(0, bytes, 0);
        }
    }

    /// The time that counts, until now but not later than the end of the recording.
    fn window(&self) -> Window {
        Window {
            from_ns: self.from_ns,
            until_ns: monotonic_ns().min(self.until_ns),
        }
    }

    /// Waits until there is something urgent, half of the ring is full, or `timeout` has passed.
    pub fn wait(&self, timeout: Duration) {
        crate::clock::wait_readable(self.ring.as_fd(), timeout);
    }

    /// Hands over every record that is there. A child's birth makes it known here; whoever reads the record may
    /// [`Kernel::attach`] it again, with what it turned out to be.
    pub fn drain(&mut self, sink: &mut dyn FnMut(&[u8])) {
        while let Some(item) = self.ring.next() {
            let bytes: &[u8] = &item;
            if bytes.first() == Some(&record::TASK)
                && let Ok((task, _)) = TaskHeader::read_from_prefix(bytes)
            {
                let watched = self.watched.entry(task.tid).or_default();
                match task.event {
                    // A look around may have met it before it told.
                    record::BORN if watched.since_ns == 0 || task.since_ns < watched.since_ns => {
                        watched.since_ns = task.since_ns;
                    }
                    record::EXIT => watched.exit = Some(task),
                    record::EXEC => watched.replace(self.from_ns, task.at_ns),
                    record::IS_PHP => watched.since_ns = task.at_ns,
                    _ => {}
                }
            }
            sink(bytes);
        }
    }

    /// What was counted so far.
    pub fn observed(&self) -> Vec<Observed> {
        let window = self.window();
        let mut observed = self.all_observed(window);
        pending::count(&self.tasks, window, &mut observed);
        observed.into_values().collect()
    }

    /// Nothing that happens from now on counts. Tasks that wait and whose stacks were not kept are handed to `read`,
    /// each with a question: for how many periods it has waited there, `None` if it has come back meanwhile and the
    /// programs tell that themselves. The answer is final, and what was read before the question was true until then.
    pub fn close(&mut self, read: &mut dyn FnMut(u32, Lasted<'_>)) {
        let until_ns = self.until_ns.min(monotonic_ns());
        self.until_ns = until_ns;
        self.change(|settings| settings.until_ns = until_ns);
        let window = self.window();
        for wait in claims::unread(&self.tasks, self.asked.period, window) {
            read(wait.tid, &mut || self.claims.claim(&self.tasks, &wait));
        }
    }

    /// Ends: the stacks of all others that still wait, as records, and the counters of all.
    pub fn finish(&mut self, sink: &mut dyn FnMut(&[u8])) -> (Vec<Observed>, Vec<String>) {
        let window = self.window();
        let claims = std::mem::take(&mut self.claims);
        self.drain(&mut |bytes| {
            if !claims.cover(bytes) {
                sink(bytes);
            }
        });
        let mut observed = self.all_observed(window);
        pending::collect(&self.tasks, self.asked.period, window, &mut observed, sink);
        claims.settle(&mut observed);
        let mut notes = Vec::new();
        let unwatched = self.counts.get(&0, 0).map_or(0, |bytes| {
            let counts: Counts = transmute!(bytes);
            counts.unwatched
        });
        if unwatched > 0 {
            notes.push(format!(
                "{unwatched} child processes were not watched: there was no room for so many at once"
            ));
        }
        (observed.into_values().collect(), notes)
    }

    fn all_observed(&self, window: Window) -> HashMap<u32, Observed> {
        let watched = self.watched.iter().filter(|(_, watched)| watched.was_php());
        watched
            .map(|(&tid, watched)| (tid, watched.observed(tid, window)))
            .collect()
    }

    /// CPU time of the programs in the kernel, where the kernel counts it.
    pub fn kernel_cpu(&self) -> Option<Duration> {
        let times: Vec<Duration> = self
            .bpf
            .programs()
            .filter_map(|(_, program)| program.info().ok())
            .map(|info| info.run_time())
            .collect();
        let total: Duration = times.iter().sum();
        (!total.is_zero()).then_some(total)
    }
}

impl Watched {
    /// It became another program, which is not PHP until it is found to be.
    fn replace(&mut self, from_ns: u64, at_ns: u64) {
        if self.since_ns != 0 {
            self.before_ns += at_ns.saturating_sub(self.since_ns.max(from_ns));
        }
        self.since_ns = 0;
    }

    const fn was_php(&self) -> bool {
        self.since_ns != 0 || self.before_ns != 0
    }

    fn observed(&self, tid: u32, window: Window) -> Observed {
        let now = window.until_ns;
        let since_ns = if self.since_ns == 0 {
            now
        } else {
            self.since_ns.max(window.from_ns)
        };
        let mut observed = Observed {
            tid,
            first_ns: since_ns.saturating_sub(self.before_ns),
            last_ns: now,
            ..Observed::default()
        };
        if let Some(exit) = self.exit {
            // What is no PHP at its end was not watched to its end.
            if self.since_ns != 0 {
                observed.last_ns = exit.at_ns.min(now);
            }
            observed.ended = true;
            (observed.idle, observed.lost, observed.unreadable) = (exit.idle, exit.lost, exit.unreadable);
        }
        observed
    }
}

/// What the programs read besides the stack, as `settings.parts` has it.
fn parts(asked: &KernelSettings) -> u32 {
    let memory = if asked.asked.memory { config::MEMORY } else { 0 };
    let calls = if asked.calls { config::CALLS } else { 0 };
    asked.asked.request.bits() | memory | calls
}
