//! A terminal, for tests of what is drawn on one: tmux, with a server of the test's own.
//!
//! Without tmux these tests are skipped, and say so; with `PHPERF_REQUIRE_TOOLS` set they fail.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Far more than anything takes on the slowest machine; then it hangs.
const WITHIN: Duration = Duration::from_secs(120);

/// A terminal in which a shell runs a command, between two looks at the terminal's settings.
pub struct Terminal {
    folder: tempfile::TempDir,
}

impl Terminal {
    /// A terminal that runs `command`, of the shell; `None`, with a message, where there is no tmux.
    pub fn open(width: u16, height: u16, command: &str) -> Option<Self> {
        if Command::new("tmux")
            .arg("-V")
            .stdout(Stdio::null())
            .status()
            .is_err()
        {
            assert!(
                env::var_os("PHPERF_REQUIRE_TOOLS").is_none(),
                "there is no tmux: scripts/setup.sh test installs it"
            );
            eprintln!("not tested: there is no tmux");
            return None;
        }
        let terminal = Self {
            folder: tempfile::tempdir().expect("a folder"),
        };
        let script = terminal.file("run.sh");
        // What is written last is there as a whole.
        let text = format!(
            "cd '{}'\nstty -a >before\n{command}\necho $? >code\nstty -a >after.part\nmv after.part after\nexec cat\n",
            terminal.folder.path().display()
        );
        fs::write(&script, text).expect("a script");
        let (width, height) = (width.to_string(), height.to_string());
        let script = script.display().to_string();
        let started = terminal.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &width,
            "-y",
            &height,
            "sh",
            &script,
        ]);
        assert!(
            started.status.success(),
            "{}",
            String::from_utf8_lossy(&started.stderr)
        );
        Some(terminal)
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        Command::new("tmux")
            .arg("-S")
            .arg(self.file("socket"))
            .args(arguments)
            .env_remove("TMUX")
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .output()
            .expect("tmux runs")
    }

    /// A file in the folder in which the command runs.
    pub fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Types keys, each by its name in tmux.
    pub fn press(&self, keys: &[&str]) {
        for key in keys {
            assert!(self.tmux(&["send-keys", key]).status.success());
        }
    }

    /// Types a text.
    pub fn write(&self, text: &str) {
        assert!(self.tmux(&["send-keys", "-l", text]).status.success());
    }

    pub fn resize(&self, width: u16, height: u16) {
        let (width, height) = (width.to_string(), height.to_string());
        assert!(
            self.tmux(&["resize-window", "-x", &width, "-y", &height])
                .status
                .success()
        );
    }

    /// What it shows.
    pub fn text(&self) -> String {
        String::from_utf8(self.tmux(&["capture-pane", "-p"]).stdout).expect("a terminal shows text")
    }

    /// The same, with the sequences that make colours.
    pub fn coloured(&self) -> String {
        String::from_utf8(self.tmux(&["capture-pane", "-p", "-e"]).stdout).expect("a terminal shows text")
    }

    /// Waits until it shows what is meant.
    #[track_caller]
    pub fn until(&self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let text = self.text();
            if is_there(&text) {
                return text;
            }
            assert!(began.elapsed() < WITHIN, "{what} does not come:\n{text}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until the command has ended, which must have left the terminal as it was; its exit code.
    #[track_caller]
    pub fn end(&self) -> i32 {
        let began = Instant::now();
        while !self.file("after").exists() {
            assert!(began.elapsed() < WITHIN, "it does not end:\n{}", self.text());
            thread::sleep(Duration::from_millis(20));
        }
        let read = |name: &str| fs::read_to_string(self.file(name)).expect("the shell wrote it");
        let [before, after] = ["before", "after"].map(|name| {
            let settings = read(name);
            // A resize is none of the command's doing.
            settings
                .split_once("line =")
                .map_or(settings.clone(), |(_, rest)| rest.to_owned())
        });
        assert_eq!(before, after, "the terminal is not as it was");
        let shows = self.tmux(&["display-message", "-p", "#{alternate_on} #{cursor_flag}"]);
        assert_eq!(
            String::from_utf8_lossy(&shows.stdout).trim(),
            "0 1",
            "the screen was given back, and the cursor shows"
        );
        read("code").trim().parse().expect("an exit code")
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
