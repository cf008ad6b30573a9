//! The terminal, taken and given back as it was.

use ratatui::{
    Terminal,
    backend::CrosstermBackend,
    crossterm::{
        cursor::Show,
        execute,
        terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode},
    },
};
use std::{
    fs::File,
    io::{self, BufWriter, Write},
    panic,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
};

/// The terminal of this process, whatever its standard streams are.
const TERMINAL: &str = "/dev/tty";

/// There is none.
#[derive(Debug, thiserror::Error)]
#[error(
    "a live view needs a terminal ({0}): use `phperf record -o FILE`, or `phperf trace` for text as it comes"
)]
pub struct NoTerminal(io::Error);

/// The message has it already, so that it is no source.
impl From<io::Error> for NoTerminal {
    fn from(error: io::Error) -> Self {
        Self(error)
    }
}

/// Whether the terminal is ours and has to be given back.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The whole terminal, without echo and lines; given back when it is dropped, and before a panic tells of itself.
#[derive(Debug)]
pub struct Screen {
    /// What is drawn on.
    pub terminal: Terminal<CrosstermBackend<BufWriter<File>>>,
}

impl Screen {
    /// Takes the terminal.
    pub fn open() -> Result<Self, NoTerminal> {
        let tty = File::options().read(true).write(true).open(TERMINAL)?;
        let mut out = BufWriter::new(tty);
        give_back_on_panic();
        enable_raw_mode()?;
        IS_TAKEN.store(true, Ordering::SeqCst);
        let taken =
            execute!(out, EnterAlternateScreen).and_then(|()| Terminal::new(CrosstermBackend::new(out)));
        let terminal = taken.inspect_err(|_| give_back())?;
        Ok(Self { terminal })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn give_back_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let tell = panic::take_hook();
        panic::set_hook(Box::new(move |panicked| {
            give_back();
            tell(panicked);
        }));
    });
}

fn give_back() {
    if !IS_TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // A terminal that is gone need not be given back.
    let _ = disable_raw_mode();
    if let Ok(mut tty) = File::options().write(true).open(TERMINAL) {
        let _ = execute!(tty, LeaveAlternateScreen, Show).and_then(|()| tty.flush());
    }
}
