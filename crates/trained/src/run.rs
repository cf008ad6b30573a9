//! Programs that take long: everything they say goes to a log, and they end when nobody wants them any more.

use crate::{Error, Watch, log::Log, missing};
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    collections::VecDeque,
    fs::File,
    io::{self, BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        LazyLock,
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

/// How often whoever watches is asked whether to stop.
const ASK: Duration = Duration::from_millis(100);
/// Of util-linux: executes a program that gets SIGTERM when who started it ends.
const BINDER: [&str; 4] = ["setpriv", "--pdeathsig", "TERM", "--"];
/// How many of the last lines can tell why a program failed.
const REMEMBERED: usize = 2000;

/// Runs a command to its end, which has to be a good one, and adds all that it says to `log`. `line` sees each line.
pub(crate) fn logged(
    step: &'static str,
    command: &mut Command,
    log: &Log<'_>,
    watch: &mut dyn Watch,
    line: impl FnMut(&str, &mut dyn Watch),
) -> Result<(), Error> {
    let (status, last) = followed(command, log, watch, line)?;
    if status.success() {
        return Ok(());
    }
    let said = Vec::from(last).join("\n");
    Err(missing::explain(step, &said, status, &log.path))
}

/// The same, whatever its end is: that, and the last lines that it said.
pub(crate) fn followed(
    command: &mut Command,
    log: &Log<'_>,
    watch: &mut dyn Watch,
    mut line: impl FnMut(&str, &mut dyn Watch),
) -> Result<(ExitStatus, VecDeque<String>), Error> {
    let mut file = File::options()
        .create(true)
        .append(true)
        .open(&log.path)
        .map_err(Error::io(format!("write {}", log.path.display())))?;
    // A full disk takes no log either.
    let mut last: VecDeque<String> = VecDeque::new();
    let (reader, writer) = io::pipe().map_err(Error::io("make a pipe"))?;
    let mut child = {
        // Dropped with its own copies of the pipe, which would keep it open.
        let mut bound = bound(command);
        bound
            .stdin(log.held()?)
            .stdout(writer.try_clone().map_err(Error::io("copy a pipe"))?)
            .stderr(writer);
        Group::spawn(&mut bound)?
    };
    let (sender, receiver) = channel();
    let reading = thread::spawn(move || {
        for line in BufReader::new(reader).split(b'\n') {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    loop {
        match receiver.recv_timeout(ASK) {
            Ok(said) => {
                // A log that cannot be written is no reason to end: a full disk ends the compiler, too.
                let _ = file.write_all(&said).and_then(|()| file.write_all(b"\n"));
                let said = String::from_utf8_lossy(&said).into_owned();
                line(&said, watch);
                if last.len() == REMEMBERED {
                    last.pop_front();
                }
                last.push_back(said);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if watch.is_stopped() {
            // Dropping the group ends it, so that the pipe ends, too.
            drop(child);
            drop(receiver);
            let _ = reading.join();
            return Err(Error::Interrupted);
        }
    }
    let _ = reading.join();
    Ok((child.wait()?, last))
}

/// The same command, bound to the life of this thread: who is killed cannot end what it has started, so that the kernel has
/// to. Where no program can ask it to, the command goes on alone.
fn bound(command: &Command) -> Command {
    static CAN: LazyLock<bool> = LazyLock::new(|| {
        let mut probe = Command::new(BINDER[0]);
        probe.args(&BINDER[1..]).arg("true");
        output(&mut probe).is_ok()
    });
    let own = command.get_program();
    let mut bound = if *CAN {
        let mut bound = Command::new(BINDER[0]);
        bound.args(&BINDER[1..]).arg(own);
        bound
    } else {
        Command::new(own)
    };
    bound.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => bound.env(name, value),
            None => bound.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        bound.current_dir(folder);
    }
    bound
}

/// What a command prints, where it takes no time.
pub(crate) fn output(command: &mut Command) -> Result<String, Error> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| not_started(command, error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Error::Io {
        doing: format!("run {}", command.get_program().to_string_lossy()),
        source: io::Error::other(said.lines().last().unwrap_or("it said nothing").to_owned()),
    })
}

/// Why a program did not start.
pub(crate) fn not_started(command: &Command, error: io::Error) -> Error {
    let program = command.get_program().to_string_lossy().into_owned();
    if error.kind() == io::ErrorKind::NotFound {
        let package = missing::package_of_program(&program);
        return Error::NoProgram { program, package };
    }
    Error::io(format!("start {program}"))(error)
}

/// A process and all that it starts. It is ended when this is dropped.
#[derive(Debug)]
pub(crate) struct Group(Child);

impl Group {
    pub fn spawn(command: &mut Command) -> Result<Self, Error> {
        command
            .process_group(0)
            .spawn()
            .map(Self)
            .map_err(|error| not_started(command, error))
    }

    pub fn wait(&mut self) -> Result<ExitStatus, Error> {
        self.0.wait().map_err(Error::io("wait for a program"))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            // It is not waited for yet, so that its number is still its own. make removes what is half written.
            let _ = kill_process_group(Pid::from_child(&self.0), Signal::TERM);
            let _ = self.0.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Stage,
        stage::{
            Folder,
            tests::{Patient, opened},
        },
    };
    use std::fs;

    fn shell(line: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        command
    }

    #[test]
    fn all_that_is_said_is_kept_and_the_reason_is_told() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path(), None).unwrap();
        let log = folder.log("step");
        let mut lines = Vec::new();
        logged(
            "a step",
            &mut shell("echo one; echo two >&2"),
            &log,
            &mut Patient::default(),
            |line, _| lines.push(line.to_owned()),
        )
        .unwrap();
        assert_eq!(lines, ["one", "two"]);
        let error = logged(
            "a step",
            &mut shell("echo 'configure: error: no luck today'; echo bye; exit 3"),
            &log,
            &mut Patient::default(),
            |_, _| {},
        )
        .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("a step failed: configure: error: no luck today;")
        );
        assert!(
            fs::read_to_string(log.path)
                .unwrap()
                .starts_with("one\ntwo\nconfigure")
        );
    }

    struct Impatient(bool);

    impl Watch for Impatient {
        fn stage(&mut self, _: Stage, _: bool) {}
        fn progress(&mut self, _: usize, _: usize) {
            self.0 = true;
        }
        fn is_stopped(&self) -> bool {
            self.0
        }
    }

    #[test]
    fn what_nobody_wants_any_more_ends_with_all_that_it_started() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path(), None).unwrap();
        let stopped = logged(
            "a step",
            &mut shell("sleep 1000 & echo started; wait"),
            &folder.log("step"),
            &mut Impatient(false),
            |_, watch| watch.progress(1, 2),
        );
        assert!(matches!(stopped, Err(Error::Interrupted)));
    }

    #[test]
    fn a_program_that_is_not_there_is_named_with_its_package() {
        let error = output(Command::new("/nowhere/autoconf").arg("-V")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no /nowhere/autoconf: run apt-get install autoconf, then try again"
        );
    }

    /// The lock is a program's, too: it outlives the folder's own.
    #[test]
    fn a_folder_is_in_use_as_long_as_what_was_started_there_runs() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path(), None).unwrap();
        let (reader, writer) = io::pipe().unwrap();
        let mut program = {
            let mut command = Command::new("cat");
            command.stdin(reader).stdout(folder.log("step").held().unwrap());
            Group::spawn(&mut command).unwrap()
        };
        drop(folder);
        assert!(matches!(Folder::open(place.path(), None), Err(Error::Busy(_))));
        drop(writer);
        program.wait().unwrap();
        opened(place.path(), None);
    }
}
