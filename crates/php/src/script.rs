//! Starting a script, and ending it with its handle.

use crate::{Binary, Error, Ini, lines::Lines};
use std::{
    ffi::OsString,
    io::Write,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    time::Duration,
};

/// How long a script may take to say that it is ready.
const READY_WITHIN: Duration = Duration::from_secs(120);

/// A script to start.
#[derive(Clone, Debug)]
pub struct Launch {
    binary: PathBuf,
    ini: Ini,
    script: PathBuf,
    arguments: Vec<OsString>,
    before: Vec<OsString>,
    quiet: bool,
}

impl Launch {
    /// `script`, run by `binary`.
    pub fn new(binary: &Binary, script: impl Into<PathBuf>) -> Self {
        Self {
            binary: binary.path.clone(),
            ini: Ini::new(),
            script: script.into(),
            arguments: Vec::new(),
            before: Vec::new(),
            quiet: false,
        }
    }

    /// With PHP's settings.
    #[must_use]
    pub fn ini(mut self, ini: Ini) -> Self {
        self.ini = ini;
        self
    }

    /// With an argument for the script.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// With arguments for the script.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Under a program that replaces itself by what it is given, such as `setpriv` or `taskset`.
    #[must_use]
    pub fn under<A: Into<OsString>>(mut self, program: impl IntoIterator<Item = A>) -> Self {
        self.before = program.into_iter().map(Into::into).collect();
        self
    }

    /// Without its standard error.
    #[must_use]
    pub fn quiet(mut self) -> Self {
        self.quiet = true;
        self
    }

    /// The whole command line.
    pub fn command_line(&self) -> Vec<OsString> {
        let mut line = self.before.clone();
        line.push(self.binary.clone().into());
        line.extend(self.ini.arguments().map(OsString::from));
        line.push(self.script.clone().into());
        line.extend(self.arguments.iter().cloned());
        line
    }

    /// Starts it.
    pub fn spawn(&self) -> Result<Script, Error> {
        let line = self.command_line();
        let mut command = Command::new(&line[0]);
        command
            .args(&line[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        if self.quiet {
            command.stderr(Stdio::null());
        }
        let mut child = command.spawn().map_err(|source| Error::Start {
            path: Path::new(&line[0]).into(),
            source,
        })?;
        let stdin = child.stdin.take();
        let lines = Lines::of("PHP", child.stdout.take().expect("standard output is piped"));
        Ok(Script { child, stdin, lines })
    }

    /// Starts it, and waits until it says `ready`, as every program in `workloads/` does.
    pub fn ready(&self) -> Result<Script, Error> {
        let mut script = self.spawn()?;
        script.wait_for_line("ready", READY_WITHIN)?;
        Ok(script)
    }
}

/// A script that runs. It is killed when this is dropped.
#[derive(Debug)]
pub struct Script {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Lines,
}

impl Script {
    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The next line of its output that equals `wanted`; the ones before it are skipped.
    pub fn wait_for_line(&mut self, wanted: &str, within: Duration) -> Result<(), Error> {
        let what = format!("the line `{wanted}`");
        self.lines.find(&what, within, |line| line == wanted).map(drop)
    }

    /// The rest of the next line of its output that starts with `prefix`; the ones before it are skipped.
    pub fn line_after(&mut self, prefix: &str, within: Duration) -> Result<String, Error> {
        let what = format!("a line that starts with `{prefix}`");
        let line = self.lines.find(&what, within, |line| line.starts_with(prefix))?;
        Ok(line[prefix.len()..].to_owned())
    }

    /// Says a line on its standard input.
    pub fn say(&mut self, line: &str) -> Result<(), Error> {
        let doing = "write to the script's standard input";
        let stdin = self.stdin.as_mut().ok_or_else(|| Error::Ended {
            who: "PHP",
            what: "a line on its standard input".into(),
            said: "it is closed".into(),
        })?;
        writeln!(stdin, "{line}")
            .and_then(|()| stdin.flush())
            .map_err(Error::io(doing))
    }

    /// Closes its standard input.
    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> Result<ExitStatus, Error> {
        self.stdin = None;
        self.child.wait().map_err(Error::io("wait for the script"))
    }

    /// Kills it now, and waits for its end.
    pub fn kill(&mut self) -> Result<ExitStatus, Error> {
        // A child that was waited for already is no longer killed by its number: std remembers.
        self.child.kill().map_err(Error::io("kill the script"))?;
        self.wait()
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        // The other end may be gone already; that is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, io};

    fn launch(code: &str) -> (tempfile::TempDir, Launch) {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script.php");
        fs::write(&script, code).unwrap();
        let launch = Launch::new(&Binary::cli().unwrap(), script);
        (folder, launch)
    }

    #[test]
    fn says_when_it_is_ready_and_dies_with_its_handle() {
        let (_folder, launch) = launch("<?php echo \"warming up\\nready\\n\"; while (true) { sleep(1000); }");
        let script = launch.ready().unwrap();
        let status = format!("/proc/{}/status", script.pid());
        assert!(fs::exists(&status).unwrap());
        drop(script);
        assert_eq!(
            fs::read(&status).map_err(|error| error.kind()),
            Err(io::ErrorKind::NotFound)
        );
    }

    #[test]
    fn arguments_settings_and_lines_pass_both_ways() {
        let (_folder, launch) = launch(
            "<?php echo \"ready\\n\", 'got ', $argv[1], trim(fgets(STDIN)), ini_get('precision'), \"\\n\";",
        );
        let mut script = launch
            .ini(Ini::new().set("precision", "5"))
            .arg("a")
            .ready()
            .unwrap();
        script.say("b").unwrap();
        assert_eq!(script.line_after("got ", READY_WITHIN).unwrap(), "ab5");
        assert!(script.wait().unwrap().success());
    }

    #[test]
    fn an_early_end_is_told_with_what_was_said() {
        let (_folder, launch) = launch("<?php echo \"not today\\n\";");
        let error = launch.ready().unwrap_err();
        assert_eq!(
            error.to_string(),
            "PHP ended while the line `ready` was awaited; it said: not today"
        );
    }

    #[test]
    fn runs_under_another_program() {
        let (_folder, launch) = launch("<?php echo \"ready\\n\", 'got ', getenv('COLOUR'), \"\\n\";");
        let mut script = launch.under(["env", "COLOUR=blue"]).ready().unwrap();
        assert_eq!(script.line_after("got ", READY_WITHIN).unwrap(), "blue");
    }
}
