//! What is changed on the machine, after a question, and undone.

use super::{copy, unit};
use crate::{
    UsageError,
    args::hugepages::{Apply, Revert},
};
use anyhow::{Context, Result, bail};
use std::{
    env,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
};
use tune::change::{Change, Journal, Pool, by_memory, by_opcache, by_tmpfs};

/// Sets `opcache.huge_code_pages`.
pub fn opcache(asked: &Apply, binary: &Path) -> Result<u8> {
    let changes = by_opcache(binary, Pool(asked.pool))?;
    show(&changes);
    if !may(asked.dry_run, asked.yes)? {
        return Ok(0);
    }
    Journal::open(&journal()?)?.make(&changes)?;
    println!(
        "Start PHP anew; then `phperf hugepages status` tells what opcache copied, and `phperf hugepages revert` undoes it."
    );
    Ok(0)
}

/// Sets pages aside for opcache's memory.
pub fn memory(asked: &Apply, binary: &Path) -> Result<u8> {
    let changes = by_memory(binary, asked.sysctl.as_deref())?;
    show(&changes);
    println!("The machine has that much less memory for all else, whether PHP runs or not.");
    if !may(asked.dry_run, asked.yes)? {
        return Ok(0);
    }
    Journal::open(&journal()?)?.make(&changes)?;
    println!(
        "Restart PHP: opcache takes these pages when it starts, or none where fewer are free. Then `phperf hugepages status` tells \
         what it has, and `phperf hugepages revert` undoes this."
    );
    Ok(0)
}

/// Mounts a file system in memory, and copies there.
pub fn in_memory(asked: &Apply, binary: &Path, folder: &Path) -> Result<u8> {
    unit::can_be_written(asked)?;
    let to = folder.join(binary.file_name().context("a binary has a name")?);
    let prepared = copy::prepare(asked, binary, &to)?;
    let change = by_tmpfs(folder, prepared.size())?;
    show(std::slice::from_ref(&change));
    copy::announce(asked, binary, &to, &prepared);
    if !may(asked.dry_run, asked.yes)? {
        return Ok(0);
    }
    let mut journal = Journal::open(&journal()?)?;
    journal.make(std::slice::from_ref(&change))?;
    let made = copy::make(prepared, &to).and_then(|code| {
        unit::write(asked, &unit::in_memory(binary, folder)?)?;
        Ok(code)
    });
    match made {
        Ok(code) => {
            println!("`phperf hugepages revert` takes it away; PHP has to run from elsewhere by then.");
            Ok(code)
        }
        Err(error) => {
            journal.undo(&change)?;
            Err(error)
        }
    }
}

/// Undoes everything.
pub fn revert(asked: &Revert) -> Result<u8> {
    let path = journal()?;
    let mut journal = Journal::open(&path)?;
    if journal.changes().is_empty() {
        bail!(tune::Error::NothingToUndo(path));
    }
    for change in journal.changes().iter().rev() {
        println!("undo: {change}");
    }
    if !may(asked.dry_run, asked.yes)? {
        return Ok(0);
    }
    let undone = journal.revert()?;
    println!(
        "undone: {} of {0}; PHP that runs keeps what it has until it is started anew",
        undone.len()
    );
    Ok(0)
}

/// Notes a file that was written beside a copy, so that it is removed again.
pub fn note(change: Change) -> Result<()> {
    Ok(Journal::open(&journal()?)?.make(&[change])?)
}

fn show(changes: &[Change]) {
    for change in changes {
        println!("change: {change}");
    }
}

/// Whether what was shown is to be done.
pub fn may(dry_run: bool, yes: bool) -> Result<bool> {
    if dry_run {
        println!("nothing was changed (--dry-run)");
        return Ok(false);
    }
    if yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() {
        bail!(UsageError(
            "nobody is there to be asked: say --yes, or --dry-run to see only".into()
        ));
    }
    print!("Go on? [y/N] ");
    io::stdout().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    let is_yes = matches!(answer.trim(), "y" | "Y" | "yes");
    if !is_yes {
        println!("nothing was changed");
    }
    Ok(is_yes)
}

/// Where changes are noted.
fn journal() -> Result<PathBuf> {
    let folder = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let state = if let Some(folder) = folder("PHPERF_STATE") {
        folder
    } else if rustix::process::geteuid().is_root() {
        PathBuf::from("/var/lib/phperf")
    } else if let Some(state) = folder("XDG_STATE_HOME") {
        state.join("phperf")
    } else {
        let home =
            folder("HOME").context("there is no HOME to note changes in: set PHPERF_STATE to a folder")?;
        home.join(".local/state/phperf")
    };
    Ok(state.join("hugepages.json"))
}
