//! `phperf swap`.

use crate::{UsageError, args, interrupt};
use anyhow::Result;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use trained::{
    Error, Stage, Watch,
    swap::{self, Master},
};

/// Swaps, or goes back.
pub fn run(asked: &args::Swap) -> Result<u8> {
    let watch = Stop(interrupt::flag("see what PHP-FPM runs".into())?);
    let swapped = Master::find(asked.pid).and_then(|master| {
        if let Some(new) = &asked.new {
            let kept = swap::swap(&master, new, &watch)?;
            eprintln!(
                "phperf: PHP-FPM {} runs {}; the old one is {}",
                asked.pid,
                new.display(),
                kept.display()
            );
        } else {
            swap::back(&master, &watch)?;
            eprintln!("phperf: PHP-FPM {} runs its old program again", asked.pid);
        }
        Ok(())
    });
    match swapped {
        Ok(()) => Ok(0),
        Err(Error::Asked(why)) => Err(UsageError(why).into()),
        Err(error) => Err(error.into()),
    }
}

/// Only whether to stop.
struct Stop(Arc<AtomicBool>);

impl Watch for Stop {
    fn stage(&mut self, _: Stage, _: bool) {}
    fn progress(&mut self, _: usize, _: usize) {}
    fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
