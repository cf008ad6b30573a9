//! Ctrl-C: the first ends the recording, the second ends phperf.

use signal_hook::{
    consts::{SIGINT, SIGTERM},
    iterator::Signals,
};
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// Exit code of a program that Ctrl-C ended, as shells count.
pub const INTERRUPTED: u8 = 130;

/// Ctrl-C, where nothing is kept of what was begun.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: nothing was written")]
pub struct Interrupted;

/// Sets the flag at the first SIGINT or SIGTERM; at the second ends the process, after saying `kept`.
pub fn flag(kept: String) -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::Builder::new()
        .name("signals".into())
        .stack_size(64 << 10)
        .spawn(move || {
            for _ in signals.forever() {
                if flag.swap(true, Ordering::Relaxed) {
                    eprintln!("\nphperf: interrupted twice: stopped at once; {kept}");
                    std::process::exit(INTERRUPTED.into());
                }
            }
        })?;
    Ok(stop)
}
