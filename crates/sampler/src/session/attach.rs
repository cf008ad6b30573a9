//! Who is watched: those that were named, found, launched, or born.

use super::{Session, known};
use crate::{
    Error,
    launch::Held,
    targets::{Role, is_unnamed},
};
use known::{Known, Whose};
use remote::Process;
use std::time::Duration;
use zend::Interpreter;

/// How often new processes are looked for.
pub(super) const SCAN: Duration = Duration::from_millis(500);
/// The same where only a new FPM master could have escaped: workers are seen when their master forks, or soon after.
const SCAN_FOR_MASTERS: Duration = Duration::from_secs(5);

/// The title of a worker of FPM that says nothing of its pool.
const NO_POOL: &str = "php-fpm: ";

impl Session<'_> {
    /// Starts the user's command under watch.
    pub(super) fn launch(&mut self) -> Result<(), Error> {
        let command = &self.targets.command;
        let failed = |source| Error::Launch {
            command: command[0].display().to_string(),
            source,
        };
        let held = Held::start(command).map_err(failed)?;
        // Before the command runs: who looks for its children late may find none alive.
        super::hurry();
        self.roots.insert(held.pid());
        self.source.follow(&Process::open(held.pid())?)?;
        self.set_out()?;
        self.child = Some(held.release().map_err(failed)?);
        Ok(())
    }

    /// Watches those that a scan found. One of many that cannot be watched is a note, not the end.
    pub(super) fn join(&mut self, found: Vec<(u32, Role)>) -> Result<(), Error> {
        let mut first_error = None;
        let mut masters = 0;
        let all = found.len();
        for (pid, role) in found {
            if self.intake.known.get(&pid).is_some_and(Known::is_described) {
                continue;
            }
            let result = match role {
                Role::Master => {
                    masters += 1;
                    self.roots.insert(pid);
                    self.follow_master(pid)
                }
                Role::Target => self.identify(pid, self.targets.fpm.is_some()),
                Role::Unnamed => {
                    self.untitled.push(pid);
                    self.intake.doubt(pid);
                    self.identify(pid, true)
                }
            };
            if let Err(error) = result {
                first_error.get_or_insert(error);
            }
        }
        match first_error {
            // None of those that are there can be watched: say why, it is the same for all.
            Some(error) if self.intake.known.is_empty() && (masters == 0 || all > masters) => Err(error),
            Some(error) if self.intake.known.is_empty() && self.roots.is_empty() => Err(error),
            _ => Ok(()),
        }
    }

    /// Workers that a master starts inherit what is known of it.
    pub(super) fn follow_master(&mut self, pid: u32) -> Result<(), Error> {
        let process = Process::open(pid)?;
        let interpreter = self.finder.find(&process)?;
        self.source.follow_php(&process, &interpreter)?;
        self.workers.serve(pid);
        Ok(())
    }

    /// Watches process `pid` if it is PHP; what only happens to match and is not PHP is left alone.
    pub(super) fn identify(&mut self, pid: u32, follow: bool) -> Result<(), Error> {
        let Ok(process) = Process::open(pid) else {
            return Ok(());
        };
        match self.finder.find(&process) {
            Ok(interpreter) => self.attach(&process, &interpreter, follow),
            Err(zend::Error::NotPhp { .. }) => Ok(()),
            Err(_) if !process.is_alive() => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Watches a process, or one of its threads.
    pub(super) fn attach_one(
        &mut self,
        process: &Process,
        interpreter: &Interpreter,
        follow: bool,
    ) -> Result<(), Error> {
        let pid = process.pid();
        self.source.attach(process, interpreter, follow)?;
        let asleep = if self.source.needs_first_stack() {
            let since_ns = self.source.since_ns(pid);
            known::stack_if_asleep(
                process,
                interpreter,
                since_ns,
                self.settings.max_depth,
                self.settings.asked,
                self.intake.symbols,
            )
        } else {
            None
        };
        self.roots.remove(&pid);
        self.intake.describe(process, interpreter).asleep = asleep;
        Ok(())
    }

    pub(super) fn scan(&mut self) -> Result<(), Error> {
        if self.targets.are_open() {
            let found = self.discovery.scan(self.targets)?;
            // Those that come later and cannot be watched must not end the recording of the others.
            if let Err(error) = self.join(found) {
                self.intake.watcher.warn(&error.to_string());
            }
        }
        Ok(())
    }

    pub(super) fn scan_interval(&self) -> Duration {
        let tells_workers = !self.source.needs_scans_for_children() || self.workers.are_told();
        if self.targets.pattern.is_none() && tells_workers {
            SCAN_FOR_MASTERS
        } else {
            SCAN
        }
    }

    /// For a source that does not see children by itself.
    pub(super) fn look_for_children(&mut self) {
        let Some(child) = self
            .child
            .as_ref()
            .filter(|_| self.source.needs_scans_for_children())
        else {
            return;
        };
        for pid in self.family.changes(child.id()) {
            // What cannot be watched is none of the targets; what is about to start may still become one.
            if self.identify(pid, false).is_err() {
                self.family.look_again(pid);
            }
        }
    }

    /// Workers that masters have started since the last look, for a source that does not see children by itself.
    pub(super) fn look_for_workers(&mut self) {
        if self.source.needs_scans_for_children() {
            for pid in self.workers.arrivals() {
                if !self.intake.known.contains_key(&pid) {
                    self.newcomer(pid);
                }
            }
        }
    }

    /// Workers have the title of their master until they have named themselves after their pool.
    pub(super) fn sort_out(&mut self) {
        let untitled = std::mem::take(&mut self.untitled);
        for pid in untitled {
            let line = Process::open(pid).and_then(|process| process.command_line());
            match line.map(|line| line.join(" ")) {
                Ok(title) if is_unnamed(&title) => self.untitled.push(pid),
                Ok(title) if self.targets.takes_worker(&title) => self.intake.trust(pid),
                // Who ended without a name was of no pool.
                Err(_) if self.targets.takes_worker(NO_POOL) => self.intake.trust(pid),
                Err(_) => self.intake.lose(pid),
                Ok(_) => self.intake.disown(pid),
            }
        }
    }

    /// Says once that none of the workers that were asked for is there; not while there is one that has no name yet.
    pub(super) fn tell_of_nobody(&mut self) {
        let Some(fpm) = self.targets.fpm.as_ref().filter(|_| self.may_lack_workers) else {
            return;
        };
        let known = || self.intake.known.values();
        if known().any(|known| known.whose == Whose::Unnamed) {
            return;
        }
        self.may_lack_workers = false;
        if !known().any(Known::is_ours) {
            self.intake.watcher.warn(&format!(
                "{}; waiting for the first, which pm = ondemand starts with a request",
                fpm.nobody()
            ));
        }
    }

    /// It is over for those that still have no name.
    pub(super) fn leave_unnamed(&mut self) {
        self.sort_out();
        if !self.targets.takes_worker(NO_POOL) {
            for pid in std::mem::take(&mut self.untitled) {
                self.intake.lose(pid);
            }
        }
    }

    /// A child of a target, a thread of it, or a program that another one became.
    pub(super) fn newcomer(&mut self, pid: u32) {
        let Ok(process) = Process::open(pid) else { return };
        if self.workers.serves(pid) {
            // A master that reloads executes its program anew.
            self.take_in(&process);
            return;
        }
        let title = process
            .command_line()
            .map(|line| line.join(" "))
            .unwrap_or_default();
        if is_unnamed(&title) {
            self.untitled.push(pid);
            self.intake.doubt(pid);
        } else if !self.targets.takes_worker(&title) {
            self.intake.disown(pid);
            return;
        } else {
            self.intake.trust(pid);
        }
        self.take_in(&process);
    }

    /// Watches a newcomer, now or when it has started.
    fn take_in(&mut self, process: &Process) {
        let interpreter = match self.finder.find(process) {
            Ok(interpreter) => interpreter,
            // A static program has threads only when its C library has set up the first one.
            Err(zend::Error::Starting(_) | zend::Error::NoThreadPointer(_)) => {
                self.starting.add(process.clone());
                return;
            }
            Err(_) => return,
        };
        if self.workers.serves(process.pid()) {
            // What cannot be watched has ended.
            let _ = self.source.follow_php(process, &interpreter);
            return;
        }
        // Of a thread that is just starting, no more is known than of its process.
        let own = interpreter.of_thread(process).ok().flatten();
        let interpreter = own.unwrap_or(interpreter);
        let follow = !self.targets.command.is_empty();
        if self.source.attach(process, &interpreter, follow).is_ok() {
            self.roots.remove(&process.pid());
            self.intake.describe(process, &interpreter);
        }
    }

    /// Those that had not come as far as PHP when they were met.
    pub(super) fn look_at_starting(&mut self) {
        for process in self.starting.take() {
            self.take_in(&process);
        }
    }
}
