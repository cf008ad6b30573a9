//! A real PHP that runs a script until the test is over.

use profile::{Function, Line};
use remote::Process;
use std::{
    ffi::OsString,
    io::{BufRead, BufReader, ErrorKind},
    path::Path,
    process::{Child, Command, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};
use zend::{Interpreter, stack_now, walk::End};

/// `PHPERF_PHP`, or the first of `php8.2` and `php` in the path.
pub fn php() -> OsString {
    if let Some(php) = std::env::var_os("PHPERF_PHP") {
        return php;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    ["php8.2", "php"]
        .iter()
        .find(|name| std::env::split_paths(&path).any(|folder| folder.join(name).is_file()))
        .map(OsString::from)
        .expect("no PHP is installed: install php8.2-cli, or name one in PHPERF_PHP")
}

/// 804 for PHP 8.4.
pub fn version() -> u32 {
    static VERSION: OnceLock<u32> = OnceLock::new();
    *VERSION.get_or_init(|| {
        let output = Command::new(php())
            .args([
                "-n",
                "-r",
                "echo intdiv(PHP_VERSION_ID, 10000) * 100 + PHP_MINOR_VERSION;",
            ])
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().parse().unwrap()
    })
}

/// Starts a program that may just have been copied: a test beside this one that forks at the wrong moment holds
/// the copy open for writing until its child runs.
pub fn spawn(command: &mut Command) -> Child {
    loop {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => thread::yield_now(),
            result => return result.unwrap(),
        }
    }
}

/// A PHP that runs until it is dropped.
pub struct Php {
    /// What it printed before it was ready, a line each.
    pub told: Vec<String>,
    child: Child,
    folder: tempfile::TempDir,
}

impl Php {
    /// Starts the first of `files`, and returns once it has said that it is ready.
    pub fn start(files: &[(&str, &str)], options: &[&str]) -> Self {
        Self::start_with(php().as_ref(), files, options)
    }

    /// The same with another binary.
    pub fn start_with(php: &Path, files: &[(&str, &str)], options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        let mut child = spawn(
            Command::new(php)
                .args(["-n"])
                .args(options)
                .arg(folder.path().join(files[0].0))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped()),
        );
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut php = Self {
            told: Vec::new(),
            child,
            folder,
        };
        for line in output.lines().map(Result::unwrap) {
            if line == "ready" {
                return php;
            }
            php.told.push(line);
        }
        panic!("it ended before it was ready: {:?}", php.told);
    }

    /// It, seen from outside.
    pub fn process(&self) -> Process {
        Process::open(self.child.id()).unwrap()
    }

    /// Its stack, a line for each frame, once it waits for input; paths begin where the scripts lie.
    pub fn stack(&self) -> Vec<String> {
        let process = self.process();
        let interpreter = Interpreter::find(&process).unwrap();
        let deadline = Instant::now() + Duration::from_secs(120);
        loop {
            let stack = stack_now(&process, &interpreter, 512).unwrap();
            if stack.is_stable
                && stack
                    .frames
                    .first()
                    .is_some_and(|(leaf, _)| &*leaf.name == "fgets")
            {
                assert_eq!(stack.end, End::Outermost);
                return stack.frames.iter().map(|frame| self.describe(frame)).collect();
            }
            assert!(Instant::now() < deadline, "it does not wait: {stack:?}");
        }
    }

    /// A frame in a line, without the folder.
    pub fn describe(&self, (function, line): &(Function, Line)) -> String {
        let place = match (&function.file, line) {
            (Some(file), Line::Exact(line)) => format!(" {file}:{line}"),
            (Some(file), Line::FunctionStart(line)) => format!(" {file}:{line}?"),
            (None, Line::None) => String::new(),
            other => format!(" {other:?}"),
        };
        let folder = format!("{}/", self.folder.path().display());
        format!("{}{place}", function.name).replace(&folder, "")
    }
}

impl Drop for Php {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
