//! Copies of programs.

use crate::Error;
use std::{fs, path::Path, sync::atomic::AtomicBool};
use tune::{
    copy::{Prepared, Wanted},
    layout::Reach,
    status::{FileStatus, Kernel},
};

/// Copies a program in one step: nobody starts half of it. One that is laid out for huge pages is written so that they
/// hold it.
pub(crate) fn program(from: &Path, to: &Path) -> Result<(), Error> {
    let writing = || Error::io(format!("write {}", to.display()));
    fs::create_dir_all(to.parent().unwrap_or(to)).map_err(writing())?;
    if FileStatus::open(from, &Kernel::read()).is_ok_and(|status| status.is_laid_out()) {
        return laid_out(from, to);
    }
    let neighbour = to.with_extension("phperf-part");
    fs::copy(from, &neighbour)
        .and_then(|_| fs::rename(&neighbour, to))
        .map_err(writing())
}

/// Writes a copy whose code fits on huge pages, and replaces what is there.
pub(crate) fn laid_out(from: &Path, to: &Path) -> Result<(), Error> {
    let wanted = Wanted {
        from: from.into(),
        to: to.into(),
        reach: Reach::Segments,
        replace: true,
    };
    Prepared::new(wanted)?.make(&AtomicBool::new(false))?;
    Ok(())
}
