//! A new binary under a PHP-FPM that runs, and the old one back.

mod master;
mod since;

pub use master::Master;

use crate::{Error, Like, Watch, copy};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What the old binary is kept as, beside the path that it has left.
const KEPT: &str = "before-swap";
/// What the new binary is while it is copied.
const COPIED: &str = "swap-part";

/// Puts the program `new` in the place of the one that a master runs, and has the master reload: the same process executes
/// it, with the same sockets, once its workers have ended the requests that they are in. The old file is kept beside it for
/// [`back`]. A master that does not come back gets its old file back.
pub fn swap(master: &Master, new: &Path, watch: &dyn Watch) -> Result<PathBuf, Error> {
    let path = master.program();
    let kept = beside(path, KEPT);
    if kept.exists() {
        return Err(Error::Asked(format!(
            "{} was swapped before, and the old one is {}: go back first (--back), or remove that",
            path.display(),
            kept.display()
        )));
    }
    Like::describe(path)?.is_replaced_by(new)?;
    master.is_patient()?;
    master.can_run(new)?;

    let copied = beside(path, COPIED);
    copy::program(new, &copied)?;
    // Two names for the old file, so that its path is never without one.
    let swapped = fs::hard_link(path, &kept).and_then(|()| fs::rename(&copied, path));
    if let Err(error) = swapped {
        let _ = fs::remove_file(&copied);
        return Err(Error::io(format!(
            "put a program in the place of {}",
            path.display()
        ))(error));
    }
    if let Err(error) = master.reload(watch) {
        // The next start is to be the old one's, whatever became of this.
        fs::rename(&kept, path).map_err(Error::io(format!("put back {}", path.display())))?;
        return Err(error);
    }
    Ok(kept)
}

/// Puts the old program back.
pub fn back(master: &Master, watch: &dyn Watch) -> Result<(), Error> {
    let path = master.program();
    let kept = beside(path, KEPT);
    if !kept.is_file() {
        return Err(Error::Asked(format!(
            "there is no {}: {} was not swapped",
            kept.display(),
            path.display()
        )));
    }
    master.is_patient()?;
    master.can_run(&kept)?;
    fs::rename(&kept, path).map_err(Error::io(format!("put back {}", path.display())))?;
    master.reload(watch)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}
