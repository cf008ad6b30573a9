//! `phperf record`.

use crate::{
    FAILURE, UsageError, args, interrupt,
    output::{Output, Written, is_streaming},
    sampling, saved,
    status::StatusLine,
    summary,
    wanted::Wanted,
};
use anyhow::{Context, Result};
use export::{Filter, Format, Matcher, Recording};
use profile::{Sample, Source, Symbols};
use sampler::{Settings, Status, Watcher};
use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::SystemTime,
};

/// Records, writes the profile and the summary; returns the command's exit code, or 0.
pub fn run(asked: &args::Record) -> Result<u8> {
    let targets = sampling::targets(&asked.targets);
    let settings = Settings {
        asked: sampler::Asked {
            native: asked.in_c.is_asked(),
            ..sampling::circumstances(&asked.circumstances)
        },
        peeks: asked.variables.peeks(),
        labels_values: true,
        ..sampling::settings(&asked.sampling, asked.end)
    };
    let started = SystemTime::now();
    let title = title(asked);
    let (path, format) = place(asked, started)?;
    sampling::find_command(&asked.targets)?;
    let filter = saved::filter(&asked.filter)?;
    let mut output = Output::open(&path, format)?;
    let json = asked.summary_json.as_deref();
    if json == Some(&path) && !path.starts_with("/dev") {
        return Err(UsageError("-o and --summary-json name the same file: give them two".into()).into());
    }
    let json = json
        .map(|file| Wanted::open(file, "--summary-json"))
        .transpose()?;
    let now = Arc::new(Mutex::new(if is_streaming(format) {
        format!("the samples so far are in {}", path.display())
    } else {
        format!("{} was not written", path.display())
    }));
    let kept = Arc::clone(&now);
    let stop =
        interrupt::flag_telling(move || kept.lock().map_or_else(|_| String::new(), |kept| kept.clone()))
            .context("cannot wait for signals")?;

    let mut symbols = Symbols::default();
    let mut watcher = Watch {
        output: &mut output,
        kept: Kept::new(filter.clone()),
        status: StatusLine::new(asked.sampling.rate),
        asked,
    };
    let recorded = sampler::record(&targets, &settings, &mut symbols, &stop, &mut watcher);
    watcher.status.clear();
    let kept = watcher.kept.periods;
    let recorded = recorded?;

    let mut account = recorded.account;
    if !filter.is_empty() {
        account.notes.push(filter.note(kept, account.total().taken()));
    }
    let recording = Recording::new(title, started, &account);
    if !asked.quiet {
        summary::print(&account, asked.sampling.rate);
    }
    // What becomes of the profile is told first.
    let told = json.map(|file| file.write(|out| summary::write_json(&account, out)));
    let written = match recorded.refused {
        None => output.finish(&symbols, &recording)?,
        Some(why) => output.rescue(why, &symbols, &recording)?,
    };
    if let (Written::File(path), Ok(mut now)) = (&written, now.lock()) {
        *now = format!("{} is written", path.display());
    }
    let failed = tell(&written, asked, format);
    told.transpose()?;
    if account.total().taken() == 0 {
        let is_command = !asked.targets.command.is_empty();
        eprintln!("phperf: {}", summary::why_empty(&account, is_command));
    }
    let code = recorded
        .child
        .map_or(Ok(0), |child| sampling::wait(child, &stop, asked.quiet))?;
    Ok(if failed { FAILURE } else { code })
}

/// Says where the profile is; whether that is not where it was to be.
fn tell(written: &Written, asked: &args::Record, format: Format) -> bool {
    match written {
        Written::Stream => false,
        Written::File(path) => {
            if !asked.quiet {
                eprintln!("wrote {} ({format})", path.display());
            }
            false
        }
        Written::Elsewhere { path, why } => {
            eprintln!(
                "phperf: {why}: what was recorded until then is in {}; make room, then copy it",
                path.display()
            );
            true
        }
        Written::Broken(why) if why.kind() == io::ErrorKind::BrokenPipe => false,
        Written::Broken(why) => {
            eprintln!("phperf: {why}: not all of the profile was written; make room, then record again");
            true
        }
    }
}

/// Which samples are written, and how many were.
struct Kept {
    /// None if all are.
    matcher: Option<Matcher>,
    periods: u64,
}

impl Kept {
    fn new(filter: Filter) -> Self {
        Self {
            matcher: (!filter.is_empty()).then(|| Matcher::new(filter)),
            periods: 0,
        }
    }

    fn takes(&mut self, symbols: &Symbols, sample: &Sample) -> bool {
        let takes = |matcher: &mut Matcher| matcher.takes(symbols, sample.stack);
        let is_taken = self.matcher.as_mut().is_none_or(takes);
        self.periods += if is_taken { u64::from(sample.weight) } else { 0 };
        is_taken
    }
}

/// Hands samples to the output and the status to the terminal.
struct Watch<'a> {
    output: &'a mut Output,
    kept: Kept,
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
        let until = self.asked.end.duration.map_or_else(
            || "until it ends or Ctrl-C".to_owned(),
            |duration| format!("for {} s", duration.as_secs_f64()),
        );
        eprintln!(
            "phperf: recording {what} at {} Hz {until} ({source} source)",
            self.asked.sampling.rate
        );
    }

    fn sample(&mut self, symbols: &Symbols, sample: &Sample) -> io::Result<()> {
        if self.kept.takes(symbols, sample) {
            self.output.add(symbols, &sample.into())?;
        }
        Ok(())
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

/// What is recorded, for the title of a picture.
fn title(asked: &args::Record) -> String {
    let mut parts = Vec::new();
    if !asked.targets.command.is_empty() {
        let words: Vec<_> = asked
            .targets
            .command
            .iter()
            .map(|word| word.to_string_lossy())
            .collect();
        parts.push(words.join(" "));
    }
    match &asked.targets.fpm {
        Some(Some(pool)) => parts.push(format!("PHP-FPM pool {pool}")),
        Some(None) => parts.push("PHP-FPM".into()),
        None => {}
    }
    if let Some(pattern) = &asked.targets.pattern {
        parts.push(pattern.clone());
    }
    parts.extend(asked.targets.pids.iter().map(|pid| {
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
    let what = if let Some(first) = asked.targets.command.first() {
        // Of `php -d x=y bin/console import` the script says most.
        let script = asked.targets.command.iter().skip(1).find(|word| {
            let word = word.to_string_lossy();
            !word.starts_with('-')
                && (word.ends_with(".php") || word.ends_with(".phar") || word.contains('/'))
        });
        name_of(script.unwrap_or(first))
    } else if let Some(pool) = &asked.targets.fpm {
        pool.as_ref()
            .map_or_else(|| "fpm".to_owned(), |pool| format!("fpm-{pool}"))
    } else if let Some(pattern) = &asked.targets.pattern {
        pattern.clone()
    } else {
        asked
            .targets
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
