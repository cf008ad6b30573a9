//! `phperf top`: samples on a thread of its own, and shows what was seen until the user leaves.

use crate::{
    args::{self, TargetArgs},
    dump, interrupt, sampling,
    stdio::Diverted,
    summary,
};
use anyhow::{Context, Result, bail};
use profile::{Sample, Source, Symbols};
use remote::Process;
use sampler::{Parts, Status, Watcher};
use std::{
    fs::File,
    io::{self, IsTerminal},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use top::{Feed, NoTerminal, Screen, Shown, Standing};
use zend::Finder;

/// How often the account is told.
const ACCOUNT: Duration = Duration::from_secs(1);

/// Shows what the targets do until the user leaves or they end; returns the command's exit code, or 0.
pub fn run(asked: &args::Top) -> Result<u8> {
    sampling::find_command(&asked.targets)?;
    let shown = Shown {
        rate: asked.sampling.rate,
        window: asked.window,
        requests: asked.request,
        // https://no-color.org: set, and not empty.
        colour: std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    let why_not = if std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
        Some("this one is dumb, says TERM")
    } else if asked.targets.command.is_empty() && !io::stdout().is_terminal() {
        Some("standard output is none")
    } else {
        None
    };
    if let Some(why_not) = why_not {
        return Err(NoTerminal::from(io::Error::other(why_not)).into());
    }
    let interrupted =
        interrupt::flag_on_terminal("nothing was to be kept".into()).context("cannot wait for signals")?;
    let mut settings = sampling::settings(&asked.sampling, args::End::default());
    settings.asked.native = asked.in_c.is_asked();
    if asked.request {
        settings.asked.request = Parts::PLAIN;
    }
    let feed = Feed::new(settings.period);
    let mut screen = Screen::open()?;
    let (stop, over) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let sampler = thread::Builder::new().name("sampler".into()).spawn({
        let targets = sampling::targets(&asked.targets);
        let (stop, over) = (Arc::clone(&stop), SetWhenDropped(Arc::clone(&over)));
        let mut watch = Watch {
            feed: feed.clone(),
            told: Instant::now(),
            muted: muted_for_command(&asked.targets)?,
        };
        move || {
            let _over = over;
            sampler::record(&targets, &settings, &mut Symbols::default(), &stop, &mut watch)
        }
    })?;
    let is_over = || over.load(Ordering::Relaxed) || interrupted.load(Ordering::Relaxed);
    let left = top::run(
        &mut screen,
        &feed,
        &shown,
        &mut look(asked.sampling.max_depth),
        &is_over,
    );
    stop.store(true, Ordering::Relaxed);
    drop(screen);
    let Ok(recorded) = sampler.join() else {
        bail!("the sampler failed; please report it with what stands above");
    };
    let recorded = recorded?;
    left.context("cannot draw on the terminal")?;
    if !asked.quiet {
        summary::print_total(&recorded.account, asked.sampling.rate);
    }
    recorded
        .child
        .map_or(Ok(0), |child| sampling::wait(child, &interrupted, asked.quiet))
}

/// Tells the stacks of a process, a line for each frame; of one with threads, each thread's after a line with its number.
fn look(max_depth: u16) -> impl FnMut(u32) -> Result<Vec<String>, String> {
    let mut finder = Finder::default();
    move |pid| stacks(&mut finder, pid, max_depth).map_err(|error| format!("{error:#}"))
}

fn stacks(finder: &mut Finder, pid: u32, max_depth: u16) -> Result<Vec<String>> {
    let mut text = Vec::new();
    for (thread, interpreter) in dump::threads(finder, pid)? {
        if let Some(shown) = dump::stack(&thread, &interpreter, max_depth)? {
            dump::print(&mut text, &shown)?;
        }
    }
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<_> = text.lines().map(|line| line.trim_start().to_owned()).collect();
    let headers = text.lines().filter(|line| !line.starts_with(' ')).count();
    // The view names a process without threads already.
    Ok(lines.into_iter().skip(usize::from(headers == 1)).collect())
}

/// Hands samples to the view.
struct Watch {
    feed: Feed,
    /// When the account was told last.
    told: Instant,
    muted: Option<Diverted>,
}

impl Watcher for Watch {
    fn started(&mut self, source: Source, _: usize) {
        self.muted = None;
        self.feed.started(source);
    }

    fn sample(&mut self, symbols: &Symbols, sample: &Sample) -> io::Result<()> {
        self.feed.sample(symbols, sample, title);
        Ok(())
    }

    fn wants_status(&mut self) -> bool {
        self.told.elapsed() >= ACCOUNT
    }

    fn status(&mut self, status: &Status) {
        self.told = Instant::now();
        self.feed.standing(Standing {
            elapsed: status.elapsed,
            idle: status.idle,
            missed: status.missed,
            lost: status.lost,
            targets: status.targets,
            own_cpu: status.own_cpu,
        });
    }

    fn wants_open_waits(&self) -> bool {
        true
    }

    fn open_waits(&mut self, symbols: &Symbols, waits: &[Sample]) {
        self.feed.open_waits(symbols, waits, title);
    }

    fn warn(&mut self, warning: &str) {
        self.feed.warn(warning);
    }

    fn keeps_stacks(&self) -> bool {
        false
    }
}

fn title(pid: u32) -> String {
    let line = Process::open(pid).and_then(|process| process.command_line());
    line.map_or_else(|_| "(ended)".to_owned(), |line| sampler::title(&line))
}

/// The flag is set however the thread ends that holds this.
struct SetWhenDropped(Arc<AtomicBool>);

impl Drop for SetWhenDropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Standard streams that are the terminal lead nowhere while a command is started: it would write over the view and take
/// its keys.
fn muted_for_command(targets: &TargetArgs) -> Result<Option<Diverted>> {
    if targets.command.is_empty() {
        return Ok(None);
    }
    let null = File::options().read(true).write(true).open("/dev/null")?;
    let muted = |is_terminal: bool| is_terminal.then_some(&null);
    Ok(Some(Diverted::to([
        muted(io::stdin().is_terminal()),
        muted(io::stdout().is_terminal()),
        muted(io::stderr().is_terminal()),
    ])?))
}
