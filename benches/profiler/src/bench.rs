//! One benchmark: the programs to compare, and a recording made with one of them.

use crate::{
    end::{self, End},
    machine::{self, ProgramTimes},
    profiler::{Files, Profiler, Request},
    settings::Settings,
    stacks,
    summary::Summary,
};
use anyhow::{Result, bail};
use common::callgrind;
use php::Binary;
use std::{
    cell::RefCell,
    env,
    fmt::Write as _,
    fs::{self, File},
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;

/// A kernel's figure that is this much above phperf's own is worth a note.
const DISAGREEMENT: f64 = 1.1;

/// What all tables share.
#[derive(Debug)]
pub struct Bench {
    /// What to measure, and how often.
    pub settings: Settings,
    /// The PHP to profile.
    pub php: Binary,
    /// The PHP-FPM to profile, or why there is none.
    pub fpm: Result<Binary, String>,
    phpspy: Option<PathBuf>,
    program_times: ProgramTimes,
    notes: RefCell<Vec<String>>,
}

/// A recording that was made.
#[derive(Debug)]
pub struct Recording {
    /// What it used.
    pub end: End,
    /// phperf's account of it.
    pub summary: Option<Summary>,
    /// Its files.
    pub files: Files,
    /// The folder of the files, which goes with this.
    _folder: TempDir,
}

impl Recording {
    /// How many stacks it has: by its own account, else as counted in its file.
    pub fn taken(&self) -> Result<f64> {
        match &self.summary {
            Some(summary) => Ok(summary.taken()),
            None => Ok(stacks::count(&self.files.stacks)? as f64),
        }
    }

    /// The CPU time that it cost, in nanoseconds, the kernel's programs included.
    pub fn cpu_ns(&self) -> f64 {
        self.end.cpu.as_nanos() as f64 + self.kernel_ns()
    }

    /// The part of it that programs in the kernel took, in nanoseconds.
    pub fn kernel_ns(&self) -> f64 {
        let said = self.summary.as_ref().and_then(|summary| summary.kernel_cpu_ns);
        said.unwrap_or(0.0)
    }
}

impl Bench {
    /// Finds the programs.
    pub fn new(settings: Settings) -> Result<Self> {
        Ok(Self {
            php: Binary::cli()?,
            fpm: Binary::fpm().map_err(|error| error.to_string()),
            phpspy: env::var_os("PHPSPY").map(PathBuf::from),
            program_times: ProgramTimes::on(),
            notes: RefCell::default(),
            settings,
        })
    }

    /// The profilers that have a column.
    pub fn profilers(&self) -> Vec<Profiler> {
        Profiler::ALL
            .into_iter()
            .filter(|&profiler| self.settings.wants_profiler(profiler))
            .collect()
    }

    /// The program behind a profiler, or why there is none.
    pub fn program(&self, profiler: Profiler) -> Result<PathBuf, String> {
        let path = if profiler.is_phperf() {
            self.settings.phperf.clone()
        } else {
            self.phpspy.clone().ok_or("PHPSPY is not set")?
        };
        if path.is_file() {
            Ok(path)
        } else {
            Err(format!("no {}", path.display()))
        }
    }

    /// What is compared on what, as the head of the results.
    pub fn describe(&self) -> String {
        let what = format!(
            "PHP {}. Each figure is the median of {} run(s), with the range.",
            self.php.label(),
            self.settings.runs,
        );
        let mut text = machine::head("phperf and its peers", &what);
        for profiler in self.profilers() {
            if let Err(why) = self.program(profiler) {
                let _ = write!(text, "\nNo figures of {profiler}: {why}.\n");
            }
        }
        if !self.program_times.counted() {
            text += "\nThe kernel does not count its programs' run time (only root can turn that on), so that \
                     the CPU columns of phperf kernel lack it.\n";
        }
        text
    }

    /// Makes a recording.
    pub fn record(&self, profiler: Profiler, request: &Request) -> Result<Recording> {
        let recording = self.run(profiler, request, |command, _| command)?;
        self.check(profiler, request, &recording)?;
        Ok(recording)
    }

    /// Makes a recording under callgrind: the instructions that the profiler executed, and the samples that it took.
    pub fn count(&self, profiler: Profiler, request: &Request) -> Result<(f64, f64)> {
        let program = self.program(profiler).map_err(anyhow::Error::msg)?;
        let recording = self.run(profiler, request, under_callgrind)?;
        let counted = callgrind::read(&recording.files.callgrind, &program)?;
        Ok((counted.total as f64, recording.taken()?))
    }

    fn run(
        &self,
        profiler: Profiler,
        request: &Request,
        wrap: impl FnOnce(Command, &Files) -> Command,
    ) -> Result<Recording> {
        let binary = self.program(profiler).map_err(anyhow::Error::msg)?;
        let folder = TempDir::with_prefix("bench-")?;
        let files = Files::within(folder.path());
        let mut command = wrap(profiler.command(&binary, request, &files), &files);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&files.errors)?);
        let end = end::run(command, Duration::from_secs_f64(request.seconds))?;
        if end.code != Some(0) {
            let said = fs::read_to_string(&files.errors).unwrap_or_default();
            let said = said
                .lines()
                .rfind(|line| !line.trim().is_empty())
                .unwrap_or("nothing");
            bail!("it ended with {:?}: {said}", end.code);
        }
        let summary = profiler
            .is_phperf()
            .then(|| Summary::read(&files.summary))
            .transpose()?;
        Ok(Recording {
            end,
            summary,
            files,
            _folder: folder,
        })
    }

    /// Compares phperf's account with what can be seen from outside.
    fn check(&self, profiler: Profiler, request: &Request, recording: &Recording) -> Result<()> {
        let Some(summary) = &recording.summary else {
            return Ok(());
        };
        if summary.source != profiler.key() {
            bail!("it used the source {}", summary.source);
        }
        let written = stacks::count(&recording.files.stacks)? as f64;
        if (written - summary.taken()).abs() > 0.5 {
            self.note(format!(
                "{profiler} says that it took {} stacks and wrote {written}.",
                summary.taken()
            ));
        }
        if summary.targets != request.targets.count() {
            self.note(format!(
                "{profiler} found {} targets of {}.",
                summary.targets,
                request.targets.count()
            ));
        }
        let due = request.due();
        if (summary.due / due - 1.0).abs() > 0.02 {
            self.note(format!(
                "{profiler} says that {} samples were due; rate, time and targets give {due:.0}.",
                summary.due
            ));
        }
        let programs = recording.end.programs.as_nanos() as f64;
        match summary.kernel_cpu_ns {
            Some(said) if programs > said * DISAGREEMENT => self.note(format!(
                "{profiler} says that its programs ran for {:.1} ms; the kernel says {:.1} ms or more.",
                said / 1e6,
                programs / 1e6
            )),
            None if profiler == Profiler::Kernel && self.program_times.counted() => {
                self.note(format!("{profiler} does not say how long its programs ran."));
            }
            _ => {}
        }
        Ok(())
    }

    /// Keeps something for the notes of the table at work, once.
    pub fn note(&self, text: String) {
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&text) {
            notes.push(text);
        }
    }

    /// The notes of the table that was made; the next one starts without.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.notes.borrow_mut())
    }
}

/// The same command under callgrind.
#[expect(clippy::needless_pass_by_value, reason = "the command is replaced")]
fn under_callgrind(command: Command, files: &Files) -> Command {
    let line = callgrind::under(&files.callgrind);
    let mut wrapped = Command::new(&line[0]);
    wrapped
        .args(&line[1..])
        .arg(command.get_program())
        .args(command.get_args());
    wrapped
}
