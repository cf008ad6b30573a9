//! `phperf record`.

use crate::{
    FAILURE, UsageError, args, interrupt,
    output::{Output, Written, is_streaming},
    status::StatusLine,
    summary,
};
use anyhow::{Context, Result};
use export::{Format, Recording};
use profile::{Sample, Source, Symbols};
use sampler::{Choice, Fpm, Settings, Status, Targets, Watcher};
use std::{
    io,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, ExitStatus},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, SystemTime},
};

/// Records, writes the profile and the summary; returns the command's exit code, or 0.
pub fn run(asked: &args::Record) -> Result<u8> {
    let targets = targets(asked);
    let settings = settings(asked);
    let started = SystemTime::now();
    let title = title(asked);
    let (path, format) = place(asked, started)?;
    if let Some(command) = asked.command.first() {
        find_command(command.as_ref())?;
    }
    let mut output = Output::open(&path, format)?;
    let kept = if is_streaming(format) {
        format!("the samples so far are in {}", path.display())
    } else {
        format!("{} was not written", path.display())
    };
    let stop = interrupt::flag(kept).context("cannot wait for signals")?;

    let mut symbols = Symbols::default();
    let mut watcher = Watch {
        output: &mut output,
        status: StatusLine::new(asked.rate),
        asked,
    };
    let recorded = sampler::record(&targets, &settings, &mut symbols, &stop, &mut watcher);
    watcher.status.clear();
    let recorded = match recorded {
        Ok(recorded) => recorded,
        Err(error) => {
            output.discard();
            return Err(error.into());
        }
    };

    let recording = Recording {
        title,
        started,
        account: recorded.account,
    };
    let written = match recorded.refused {
        None => output.finish(&symbols, &recording)?,
        Some(why) => Written::Elsewhere { path, why },
    };
    if !asked.quiet {
        summary::print(&recording.account, asked.rate);
    }
    if let Some(file) = &asked.summary_json {
        summary::write_json(file, &recording.account)?;
    }
    let mut failed = false;
    match written {
        Written::Stream => {}
        Written::File(path) => {
            if !asked.quiet {
                eprintln!("wrote {} ({format})", path.display());
            }
        }
        Written::Elsewhere { why, .. } if why.kind() == io::ErrorKind::BrokenPipe => {}
        Written::Elsewhere { path, why } => {
            eprintln!(
                "phperf: {why}: what was recorded until then is in {}; make room, then copy it",
                path.display()
            );
            failed = true;
        }
    }
    if recording.account.total().taken() == 0 {
        eprintln!("phperf: {}", summary::why_empty(&recording.account));
    }
    let code = recorded
        .child
        .map_or(Ok(0), |child| wait(child, &stop, asked.quiet))?;
    Ok(if failed { FAILURE } else { code })
}

/// Waits for the command, which may outlive the recording; returns its exit code.
fn wait(mut child: Child, stop: &AtomicBool, quiet: bool) -> Result<u8> {
    let mut told = quiet;
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for the command")? {
            return Ok(exit_code(status));
        }
        if !told && !stop.load(Ordering::Relaxed) {
            eprintln!("phperf: waiting for the command to end (Ctrl-C ends both)");
            told = true;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Hands samples to the output and the status to the terminal.
struct Watch<'a> {
    output: &'a mut Output,
    status: StatusLine,
    asked: &'a args::Record,
}

impl Watcher for Watch<'_> {
    fn started(&mut self, source: Source, targets: usize) {
        if self.asked.quiet {
            return;
        }
        let what = match targets {
            0 => "what comes".to_owned(),
            1 => "1 process".to_owned(),
            many => format!("{many} processes or threads"),
        };
        let until = self.asked.duration.map_or_else(
            || "until it ends or Ctrl-C".to_owned(),
            |duration| format!("for {} s", duration.as_secs_f64()),
        );
        eprintln!(
            "phperf: recording {what} at {} Hz {until} ({source} source)",
            self.asked.rate
        );
    }

    fn sample(&mut self, symbols: &Symbols, sample: &Sample) -> io::Result<()> {
        self.output.sample(symbols, sample)
    }

    fn wants_status(&mut self) -> bool {
        !self.asked.quiet && self.status.is_due()
    }

    fn status(&mut self, status: &Status) {
        self.status.show(status);
    }

    fn warn(&mut self, warning: &str) {
        self.status.clear();
        eprintln!("phperf: {warning}");
    }
}

fn targets(asked: &args::Record) -> Targets {
    let mut pids = Vec::new();
    for &pid in &asked.pids {
        if !pids.contains(&pid) {
            pids.push(pid);
        }
    }
    Targets {
        pids,
        pattern: asked.pattern.clone(),
        fpm: asked.fpm.clone().map(|pool| pool.map_or(Fpm::All, Fpm::Pool)),
        command: asked.command.clone(),
    }
}

fn settings(asked: &args::Record) -> Settings {
    Settings {
        period: Duration::from_nanos(1_000_000_000 / u64::from(asked.rate)),
        duration: asked.duration,
        limit: asked.limit,
        max_depth: asked.max_depth,
        source: match asked.source {
            args::Source::Auto => Choice::Auto,
            args::Source::Kernel => Choice::Kernel,
            args::Source::Reader => Choice::Reader,
        },
    }
}

/// What is recorded, for the title of a picture.
fn title(asked: &args::Record) -> String {
    let mut parts = Vec::new();
    if !asked.command.is_empty() {
        let words: Vec<_> = asked.command.iter().map(|word| word.to_string_lossy()).collect();
        parts.push(words.join(" "));
    }
    match &asked.fpm {
        Some(Some(pool)) => parts.push(format!("PHP-FPM pool {pool}")),
        Some(None) => parts.push("PHP-FPM".into()),
        None => {}
    }
    if let Some(pattern) = &asked.pattern {
        parts.push(pattern.clone());
    }
    parts.extend(asked.pids.iter().map(|pid| {
        let line = remote::Process::open(*pid).and_then(|process| process.command_line());
        line.map_or_else(|_| format!("process {pid}"), |line| line.join(" "))
    }));
    parts.join(" + ")
}

/// The file and the format that was asked for, or a name that says what and when.
fn place(asked: &args::Record, started: SystemTime) -> Result<(PathBuf, Format)> {
    let usage = |error: export::FormatError| UsageError(error.to_string());
    let format = match (asked.format, &asked.output) {
        (Some(format), _) => format,
        (None, Some(path)) if path.as_os_str() == "-" => Format::Folded,
        (None, Some(path)) => Format::from_path(path).map_err(usage)?,
        (None, None) => Format::Svg,
    };
    format.exporter().map_err(usage)?;
    let path = asked
        .output
        .clone()
        .unwrap_or_else(|| default_name(asked, format, started));
    Ok((path, format))
}

fn default_name(asked: &args::Record, format: Format, started: SystemTime) -> PathBuf {
    let what = if let Some(first) = asked.command.first() {
        // Of `php -d x=y bin/console import` the script says most.
        let script = asked.command.iter().skip(1).find(|word| {
            let word = word.to_string_lossy();
            !word.starts_with('-')
                && (word.ends_with(".php") || word.ends_with(".phar") || word.contains('/'))
        });
        name_of(script.unwrap_or(first))
    } else if let Some(pool) = &asked.fpm {
        pool.as_ref()
            .map_or_else(|| "fpm".to_owned(), |pool| format!("fpm-{pool}"))
    } else if let Some(pattern) = &asked.pattern {
        pattern.clone()
    } else {
        asked
            .pids
            .iter()
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join("-")
    };
    let what: String = what
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '-'
            }
        })
        .take(40)
        .collect();
    let when: String = humantime::format_rfc3339_seconds(started)
        .to_string()
        .chars()
        .filter(|c| !matches!(c, '-' | ':'))
        .collect();
    PathBuf::from(format!(
        "phperf-{}-{when}.{}",
        what.trim_matches('-'),
        format.extension()
    ))
}

/// `import` of `bin/import.php`, `php8.2` of `/usr/bin/php8.2`.
fn name_of(path: &std::ffi::OsStr) -> String {
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".php").or_else(|| name.strip_suffix(".phar"));
    stem.unwrap_or(&name).to_owned()
}

/// A command that cannot be found is a mistake in the arguments.
fn find_command(command: &Path) -> Result<()> {
    let is_there = if command.components().count() > 1 {
        command.exists()
    } else {
        std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(command).exists()))
    };
    if is_there {
        return Ok(());
    }
    Err(UsageError(format!(
        "there is no command {}: give its path, or install it",
        command.display()
    ))
    .into())
}

/// As shells count: the exit code, or 128 and the signal.
fn exit_code(status: ExitStatus) -> u8 {
    status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .unwrap_or(1) as u8
}
