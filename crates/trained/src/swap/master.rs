//! The master of a PHP-FPM that somebody else started.

use super::since;
use crate::{Error, Watch, run};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// How long a reload may take beyond the time that workers have for their requests.
const RELOADED_WITHIN: Duration = Duration::from_secs(30);
/// How often it is looked whether it is over.
const LOOK: Duration = Duration::from_millis(20);

/// A master of PHP-FPM.
#[derive(Debug)]
pub struct Master {
    pid: Pid,
    program: PathBuf,
    configuration: PathBuf,
}

impl Master {
    /// The one with this process number, which says of itself that it is one.
    pub fn find(pid: u32) -> Result<Self, Error> {
        let none = || {
            Error::Asked(format!(
                "{pid} is no master of PHP-FPM: see ps -C php-fpm8.2 or systemctl status"
            ))
        };
        let title = fs::read(format!("/proc/{pid}/cmdline")).map_err(|_| none())?;
        let title = String::from_utf8_lossy(&title)
            .trim_end_matches(['\0', ' '])
            .to_owned();
        let configuration = title
            .strip_prefix("php-fpm: master process (")
            .and_then(|rest| rest.strip_suffix(')'))
            .ok_or_else(none)?;
        let program = fs::read_link(format!("/proc/{pid}/exe")).map_err(Error::io(format!(
            "see the program of {pid} (as root, or its user)"
        )))?;
        // What it runs was replaced already, by an upgrade or by a swap that it does not know of.
        let program = program.to_string_lossy();
        let program = PathBuf::from(program.strip_suffix(" (deleted)").unwrap_or(&program));
        Ok(Self {
            pid: i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or_else(none)?,
            program,
            configuration: configuration.into(),
        })
    }

    /// The path that it executes anew when it reloads.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Whether its workers may end their requests when it reloads; PHP's default is that they are killed. What counts is
    /// what it has read, and not what its configuration says since.
    pub(super) fn is_patient(&self) -> Result<(), Error> {
        let refused = |why: String| Err(Error::Asked(format!("a reload may cut off requests: {why}")));
        if self.patience()? == Duration::ZERO {
            return refused(format!(
                "set process_control_timeout = 10s in {}, reload PHP-FPM once, then try again",
                self.configuration.display()
            ));
        }
        match since::changed(self.pid.as_raw_pid().unsigned_abs(), &self.configuration)? {
            None => Ok(()),
            Some(file) => refused(format!(
                "{} changed after PHP-FPM had read it: reload PHP-FPM once, then try again",
                file.display()
            )),
        }
    }

    fn patience(&self) -> Result<Duration, Error> {
        let said = self.tested(&self.program, "-tt")?;
        let seconds = said
            .lines()
            .find_map(|line| line.split_once("process_control_timeout = "))
            .and_then(|(_, value)| value.trim().trim_end_matches('s').parse().ok());
        Ok(Duration::from_secs(seconds.unwrap_or(0)))
    }

    /// Whether a program takes this master's configuration.
    pub(super) fn can_run(&self, program: &Path) -> Result<(), Error> {
        self.tested(program, "-t").map(drop)
    }

    fn tested(&self, program: &Path, test: &str) -> Result<String, Error> {
        let mut command = Command::new(program);
        command
            .args([test, "--allow-to-run-as-root", "--fpm-config"])
            .arg(&self.configuration);
        let output = command
            .output()
            .map_err(|error| run::not_started(&command, error))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            return Ok(said);
        }
        Err(Error::Asked(format!(
            "{} does not take {}: {}",
            program.display(),
            self.configuration.display(),
            said.lines()
                .find(|line| line.contains("ERROR"))
                .unwrap_or("it does not say why")
        )))
    }

    /// Has it execute what now lies at its path, and waits until it and all of its workers run that.
    pub(super) fn reload(&self, watch: &dyn Watch) -> Result<(), Error> {
        let within = RELOADED_WITHIN + self.patience()?;
        let wanted = inode(&self.program).ok_or_else(|| self.gone("its program is not there"))?;
        kill_process(self.pid, Signal::USR2)
            .map_err(|errno| Error::io("signal the master of PHP-FPM")(errno.into()))?;
        let began = Instant::now();
        while !self.runs(wanted) {
            if test_kill_process(self.pid).is_err() {
                return Err(self.gone(
                    "it ended when it was reloaded; start it again, its old program lies where it was",
                ));
            }
            if began.elapsed() > within || watch.is_stopped() {
                return Err(self.gone(
                    "it did not reload; its old program lies where it was, and is executed when it reloads",
                ));
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }

    fn gone(&self, how: &str) -> Error {
        Error::Swap(format!("PHP-FPM {}: {how}", self.pid))
    }

    /// Whether the master and all of its workers run this file.
    fn runs(&self, wanted: (u64, u64)) -> bool {
        let pid = self.pid;
        let runs = |pid: &str| inode(Path::new(&format!("/proc/{pid}/exe"))) == Some(wanted);
        let title = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        // It names itself when it has read its configuration.
        runs(&pid.to_string())
            && title.starts_with("php-fpm: master process")
            && fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))
                .is_ok_and(|workers| workers.split_ascii_whitespace().all(runs))
    }
}

fn inode(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path)
        .ok()
        .map(|metadata| (metadata.dev(), metadata.ino()))
}
