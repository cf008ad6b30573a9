//! The profilers that are compared, each as a command line.

use std::{
    fmt,
    path::{Path, PathBuf},
    process::Command,
};

/// A profiler, or a way to run one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profiler {
    /// phperf with stacks from the kernel.
    Kernel,
    /// phperf with stacks from its own reader.
    Reader,
    /// phpspy.
    Phpspy,
}

/// What is profiled.
#[derive(Clone, Debug)]
pub enum Targets {
    /// These processes, children of this program.
    Pids(Vec<u32>),
    /// All workers of an FPM pool.
    Fpm {
        /// The pool's name, which no other pool on the machine has.
        pool: String,
        /// Its master.
        master: u32,
        /// How many workers it has.
        workers: usize,
    },
}

impl Targets {
    /// How many processes they are.
    pub fn count(&self) -> usize {
        match self {
            Self::Pids(pids) => pids.len(),
            Self::Fpm { workers, .. } => *workers,
        }
    }
}

/// One recording to make.
#[derive(Clone, Debug)]
pub struct Request {
    /// Of whom.
    pub targets: Targets,
    /// How often a second.
    pub hz: u32,
    /// For how long.
    pub seconds: f64,
}

impl Request {
    /// How many samples it should give.
    pub fn due(&self) -> f64 {
        f64::from(self.hz) * self.seconds * self.targets.count() as f64
    }
}

/// Where a recording's results go.
#[derive(Clone, Debug)]
pub struct Files {
    /// The stacks, in phpspy's text format.
    pub stacks: PathBuf,
    /// phperf's summary.
    pub summary: PathBuf,
    /// What it says on its standard error.
    pub errors: PathBuf,
    /// What callgrind counted.
    pub callgrind: PathBuf,
}

impl Files {
    /// In this folder.
    pub fn within(folder: &Path) -> Self {
        Self {
            stacks: folder.join("stacks.phpspy"),
            summary: folder.join("summary.json"),
            errors: folder.join("errors.txt"),
            callgrind: folder.join("callgrind.out"),
        }
    }
}

impl Profiler {
    /// All of them, in the order of the columns.
    pub const ALL: [Self; 3] = [Self::Kernel, Self::Reader, Self::Phpspy];

    /// The name by which `--profiler` knows it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Reader => "reader",
            Self::Phpspy => "phpspy",
        }
    }

    /// Whether it is phperf, and so leaves a summary.
    pub const fn is_phperf(self) -> bool {
        !matches!(self, Self::Phpspy)
    }

    /// The command that makes this recording with `binary`.
    pub fn command(self, binary: &Path, request: &Request, files: &Files) -> Command {
        let mut command = Command::new(binary);
        match self {
            Self::Kernel | Self::Reader => phperf(&mut command, self.key(), request, files),
            Self::Phpspy => phpspy(&mut command, request, files),
        }
        command
    }
}

impl fmt::Display for Profiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kernel => "phperf kernel",
            Self::Reader => "phperf reader",
            Self::Phpspy => "phpspy",
        })
    }
}

fn phperf(command: &mut Command, source: &str, request: &Request, files: &Files) {
    command.args(["record", "--quiet", "--source", source, "--format", "phpspy"]);
    command.arg("--rate").arg(request.hz.to_string());
    command.arg("--duration").arg(request.seconds.to_string());
    command.arg("--output").arg(&files.stacks);
    command.arg("--summary-json").arg(&files.summary);
    match &request.targets {
        Targets::Pids(pids) => {
            for pid in pids {
                command.arg("-p").arg(pid.to_string());
            }
        }
        Targets::Fpm { pool, .. } => {
            command.arg(format!("--fpm={pool}"));
        }
    }
}

fn phpspy(command: &mut Command, request: &Request, files: &Files) {
    command.arg("--quiet");
    command.arg("-H").arg(request.hz.to_string());
    command.arg("-i").arg(format!("{:.0}", request.seconds * 1000.0));
    command.arg("-o").arg(&files.stacks);
    match &request.targets {
        Targets::Pids(pids) if pids.len() == 1 => {
            command.arg("-p").arg(pids[0].to_string());
        }
        // Its way to several processes is pgrep: here, those of our children that are PHP.
        Targets::Pids(pids) => {
            let parent = std::process::id();
            command.arg(format!("--pgrep=-x php.* -P {parent}"));
            command.arg("-T").arg(pids.len().to_string());
        }
        Targets::Fpm { master, workers, .. } => {
            command.arg(format!("--pgrep=-P {master}"));
            command.arg("-T").arg(workers.to_string());
        }
    }
}
