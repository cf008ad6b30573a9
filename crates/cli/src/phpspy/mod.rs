//! `phpspy`, by a link of that name: its command line, its text, its ways.

mod args;
mod child;
mod pgrep;
mod posix;

use crate::{
    FAILURE, UsageError, interrupt, is_broken_pipe, line_of, peeks, sampling, stdio::Diverted, stream,
};
use anyhow::{Context, Result, bail};
use args::{Asked, Target, Trace};
use child::Streams;
use export::{Exporter, Format, Recording, Shape};
use pgrep::Pgrep;
use profile::{Account, Label, Sample, Source, Symbols};
use remote::Process;
use sampler::{Choice, Parts, Recorded, Settings, Status, Targets, Values, Watcher};
use std::{
    ffi::{OsStr, OsString},
    io::{self, BufWriter, Write},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant, SystemTime},
};

const HELP: &str = include_str!("help.txt");
/// How long it is waited for processes that are not there yet.
const WAIT: Duration = Duration::from_millis(100);
/// What `-r` prints, whichever parts are asked for, with what stands for one that is not known.
const REQUEST: [(Label, &str); 5] = [
    (Label::Uri, "-"),
    (Label::Script, "-"),
    (Label::Query, "-"),
    (Label::Cookie, "-"),
    (Label::Began, "0.000000"),
];

/// Whether the program was called by phpspy's name.
pub fn is_name(program: &OsStr) -> bool {
    Path::new(program).file_name() == Some(OsStr::new("phpspy"))
}

/// Runs with phpspy's arguments; the exit code is phpspy's: 1 for whatever goes wrong.
pub fn run(arguments: impl Iterator<Item = OsString>) -> u8 {
    let mut is_quiet = false;
    let asked = args::parse(arguments, &mut is_quiet);
    match asked
        .map_err(Into::into)
        .and_then(|asked| answer(asked, is_quiet))
    {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => 0,
        Err(error) => {
            if !is_quiet {
                eprintln!("phpspy: {}", line_of(&error));
            }
            FAILURE
        }
    }
}

fn answer(asked: Asked, is_quiet: bool) -> Result<u8> {
    match asked {
        Asked::Help => print!("{HELP}"),
        // The version whose command line this is, where phpspy has it.
        Asked::Version => println!("phpspy v0.8.0 (phperf {})", env!("CARGO_PKG_VERSION")),
        Asked::Trace(asked) if asked.top => return top(*asked),
        Asked::Trace(asked) => trace(&asked, is_quiet)?,
    }
    Ok(0)
}

#[cfg(feature = "top")]
fn top(asked: Trace) -> Result<u8> {
    let mut targets = crate::args::TargetArgs::default();
    match asked.target {
        Target::Pid(pid) => targets.pids = vec![pid],
        Target::Command(command) => targets.command = command,
        Target::Pgrep(arguments) => targets.pids = Pgrep::new(&arguments)?.found.into_iter().collect(),
    }
    if targets.pids.is_empty() && targets.command.is_empty() {
        return Err(
            UsageError("pgrep finds no PHP process: see phperf top -P, which waits for them".into()).into(),
        );
    }
    crate::top::run(&crate::args::Top {
        request: false,
        targets,
        sampling: crate::args::Sampling {
            rate: (1_000_000_000 / asked.period.as_nanos()).max(1) as u32,
            max_depth: asked.max_depth,
            source: crate::args::Source::Auto,
            waits: false,
        },
        in_c: crate::args::InC::default(),
        window: 10,
        quiet: true,
    })
}

#[cfg(not(feature = "top"))]
fn top(_: Trace) -> Result<u8> {
    Err(
        UsageError("this phperf was built without its live view: build it with `--features top`".into())
            .into(),
    )
}

fn trace(asked: &Trace, is_quiet: bool) -> Result<()> {
    if asked.is_too_fast && !is_quiet {
        eprintln!(
            "phpspy: {} traces a second are the most that are taken",
            sampler::MAX_RATE
        );
    }
    let interrupted =
        interrupt::flag("what came until then was written".into()).context("cannot wait for signals")?;
    let started = SystemTime::now();
    let mut tracer = Tracer {
        asked,
        is_quiet,
        interrupted: &interrupted,
        began: Instant::now(),
        left: asked.limit,
        zero: started,
        out: stream::open(&asked.output)?,
        counting: asked
            .callgrind
            .then(|| Format::Callgrind.exporter())
            .transpose()?,
        text: Vec::new(),
        values: Values::default(),
    };
    let mut symbols = Symbols::default();
    let account = match &asked.target {
        Target::Pid(pid) => {
            let targets = Targets {
                pids: vec![*pid],
                ..Targets::default()
            };
            Some(tracer.record(&targets, &mut symbols, None, None)?.account)
        }
        Target::Command(command) => Some(tracer.command(command, &mut symbols)?),
        Target::Pgrep(arguments) => tracer.pgrep(arguments, &mut symbols)?,
    };
    if let (Some(exporter), Some(account)) = (&mut tracer.counting, account) {
        let recording = Recording::new("phpspy".into(), started, &account);
        exporter.finish(&symbols, &recording, &mut tracer.out)?;
    }
    tracer.out.flush()?;
    Ok(())
}

/// What lasts over several recordings: with `-P` one begins whenever somebody new is there.
struct Tracer<'a> {
    asked: &'a Trace,
    is_quiet: bool,
    interrupted: &'a AtomicBool,
    began: Instant,
    /// Traces that are still to be printed, where there is a limit.
    left: Option<u64>,
    /// What times of samples count from.
    zero: SystemTime,
    out: BufWriter<Box<dyn Write>>,
    /// What counts instead of writing, with `-j callgrind`.
    counting: Option<Box<dyn Exporter>>,
    text: Vec<u8>,
    /// What variables hold at the sample that comes next.
    values: Values,
}

impl Tracer<'_> {
    fn command(&mut self, command: &[OsString], symbols: &mut Symbols) -> Result<Account> {
        sampling::find(Path::new(&command[0]))?;
        let streams = Streams::open(&self.asked.child_stdout, &self.asked.child_stderr)?;
        let targets = Targets {
            command: command.to_vec(),
            ..Targets::default()
        };
        let recorded = self.record(&targets, symbols, None, Some(streams.divert()?))?;
        if let Some(child) = recorded.child {
            streams.name_after(child.id())?;
            sampling::wait(child, self.interrupted, true)?;
        }
        if recorded.account.targets.is_empty() {
            let command = command[0].display();
            bail!(
                "no PHP was seen in {command}, and nothing was traced: give php with its arguments, or -P for what it starts"
            );
        }
        Ok(recorded.account)
    }

    /// Those that pgrep finds, those that come later too.
    fn pgrep(&mut self, arguments: &str, symbols: &mut Symbols) -> Result<Option<Account>> {
        let mut pgrep = Pgrep::new(arguments)?;
        let mut last = None;
        while !self.is_over() {
            if pgrep.found.is_empty() {
                thread::sleep(WAIT);
                pgrep.look()?;
                continue;
            }
            let targets = Targets {
                pids: pgrep.found.iter().copied().collect(),
                ..Targets::default()
            };
            match self.record(&targets, symbols, Some(&mut pgrep), None) {
                Ok(recorded) => last = Some(recorded.account),
                // Somebody left before it was looked at.
                Err(_) if targets.pids.iter().any(|&pid| Process::open(pid).is_err()) => {}
                Err(error) => return Err(error),
            }
            pgrep.look()?;
        }
        Ok(last)
    }

    fn record(
        &mut self,
        targets: &Targets,
        symbols: &mut Symbols,
        pgrep: Option<&mut Pgrep>,
        diverted: Option<Diverted>,
    ) -> Result<Recorded> {
        let settings = Settings {
            period: self.asked.period,
            duration: self.time_left(),
            // Of those that are filtered only what is printed counts.
            limit: self.left.filter(|_| self.asked.filter.is_none()),
            max_depth: self.asked.max_depth,
            source: match self.asked.target {
                // The kernel tells of a wait when it is over; here a trace is to come when it is due.
                Target::Pid(_) | Target::Pgrep(_) => Choice::Reader,
                // It sees a command from its first moment.
                Target::Command(_) => Choice::Auto,
            },
            peeks: self.asked.peeks.as_slice().into(),
            labels_values: false,
            asked: sampler::Asked {
                request: self.parts(),
                memory: self.asked.memory,
                native: false,
            },
            waits: false,
        };
        let stop = AtomicBool::new(false);
        let mut watch = Watch {
            tracer: self,
            pgrep,
            diverted,
            stop: &stop,
        };
        let mut recorded = sampler::record(targets, &settings, symbols, &stop, &mut watch)?;
        match recorded.refused.take() {
            Some(error) => Err(error.into()),
            None => Ok(recorded),
        }
    }

    /// What is read of a request: when it began is told with all of them.
    fn parts(&self) -> Parts {
        let asked = self.asked.request.iter();
        let began = if self.asked.request.is_empty() {
            Parts::NONE
        } else {
            Parts::NONE.and(Label::Began)
        };
        asked.fold(began, |parts, &label| parts.and(label))
    }

    fn is_over(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
            || self.left == Some(0)
            || self.time_left().is_some_and(|left| left.is_zero())
    }

    fn time_left(&self) -> Option<Duration> {
        let time = self.asked.time?;
        Some(time.saturating_sub(self.began.elapsed()))
    }

    /// Prints a sample, unless it is filtered.
    fn write(&mut self, symbols: &Symbols, sample: &Sample) -> io::Result<()> {
        let shape = if self.asked.single_line {
            Shape::OneLine
        } else {
            Shape::Lines
        };
        let text = &mut self.text;
        text.clear();
        let notes = peeks::notes(&self.asked.peeks, &self.values, symbols, sample.stack);
        self.values = Values::default();
        export::print_frames(symbols, sample.stack, shape, &notes, text)?;
        if !self.asked.request.is_empty() {
            export::print_labels(symbols, sample.context, &REQUEST, shape, text)?;
        }
        if self.asked.memory {
            export::print_memory(sample.memory, shape, text)?;
        }
        export::print_notes(&notes, shape, text)?;
        if let Some((filter, negated)) = &self.asked.filter
            && filter.is_match(&String::from_utf8_lossy(text)) == *negated
        {
            return Ok(());
        }
        let end = shape.end();
        if self.asked.has_time {
            let at = self.zero + Duration::from_nanos(sample.at_ns);
            let at = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            write!(
                text,
                "# trace_ts = {}.{:06}{end}",
                at.as_secs(),
                at.subsec_micros()
            )?;
        }
        if self.asked.has_pid {
            write!(text, "# pid = {}{end}", sample.pid)?;
        }
        text.push(b'\n');
        for _ in 0..take(&mut self.left, sample.weight) {
            self.out.write_all(text)?;
        }
        self.out.flush()
    }
}

/// How many of `weight` there are still to be, of which `left` is told.
fn take(left: &mut Option<u64>, weight: u32) -> u32 {
    let Some(left) = left else { return weight };
    let taken = u32::try_from(*left).unwrap_or(u32::MAX).min(weight);
    *left -= u64::from(taken);
    taken
}

/// One recording of a [`Tracer`].
struct Watch<'a, 'b> {
    tracer: &'a mut Tracer<'b>,
    pgrep: Option<&'a mut Pgrep>,
    diverted: Option<Diverted>,
    stop: &'a AtomicBool,
}

impl Watcher for Watch<'_, '_> {
    fn started(&mut self, _: Source, _: usize) {
        self.diverted = None;
    }

    fn zero(&mut self, at: SystemTime) {
        self.tracer.zero = at;
    }

    fn values(&mut self, values: &Values) {
        self.tracer.values.clone_from(values);
    }

    fn sample(&mut self, symbols: &Symbols, sample: &Sample) -> io::Result<()> {
        let tracer = &mut *self.tracer;
        match &mut tracer.counting {
            Some(exporter) => {
                let weight = take(&mut tracer.left, sample.weight);
                exporter.add(symbols, &(&Sample { weight, ..*sample }).into(), &mut tracer.out)
            }
            None => tracer.write(symbols, sample),
        }?;
        if tracer.left == Some(0) {
            self.stop.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    fn wants_status(&mut self) -> bool {
        let is_outdated = self.pgrep.as_mut().is_some_and(|pgrep| pgrep.has_changed());
        if is_outdated || self.tracer.interrupted.load(Ordering::Relaxed) {
            self.stop.store(true, Ordering::Relaxed);
        }
        false
    }

    fn status(&mut self, _: &Status) {}

    fn warn(&mut self, warning: &str) {
        if !self.tracer.is_quiet {
            eprintln!("phpspy: {warning}");
        }
    }

    fn keeps_stacks(&self) -> bool {
        self.tracer.counting.is_some()
    }
}
