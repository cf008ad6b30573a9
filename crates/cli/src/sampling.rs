//! What commands that sample have in common, besides their arguments: those as the sampler takes them, and the command
//! that they started.

use crate::{
    UsageError,
    args::{Circumstances, End, Sampling, Source, TargetArgs},
};
use anyhow::{Context, Result};
use rustix::fs::{Access, access};
use sampler::{Asked, Choice, Fpm, Peeks, Settings, Targets};
use std::{
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, ExitStatus},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// A command that minds Ctrl-C ends within this.
const AT_ONCE: Duration = Duration::from_secs(1);

/// The processes that were asked for.
pub fn targets(asked: &TargetArgs) -> Targets {
    let mut pids = Vec::new();
    for &pid in &asked.pids {
        if !pids.contains(&pid) {
            pids.push(pid);
        }
    }
    Targets {
        pids,
        pattern: asked.pattern.clone(),
        fpm: fpm(asked.fpm.as_ref()),
        command: asked.command.clone(),
    }
}

/// The workers of FPM that were asked for.
pub fn fpm(asked: Option<&Option<String>>) -> Option<Fpm> {
    asked.map(|pool| pool.clone().map_or(Fpm::All, Fpm::Pool))
}

/// How they are to be sampled, and until when.
pub fn settings(asked: &Sampling, end: End) -> Settings {
    Settings {
        period: Duration::from_nanos(1_000_000_000 / u64::from(asked.rate)),
        duration: end.duration,
        limit: end.limit,
        max_depth: asked.max_depth,
        source: match asked.source {
            Source::Auto => Choice::Auto,
            Source::Kernel => Choice::Kernel,
            Source::Reader => Choice::Reader,
        },
        asked: Asked::default(),
        waits: asked.waits,
        peeks: Peeks::default(),
        labels_values: false,
    }
}

/// What is to be read besides each stack.
pub fn circumstances(asked: &Circumstances) -> Asked {
    Asked {
        request: asked.request.unwrap_or_default(),
        memory: asked.memory,
        native: false,
    }
}

/// The command, if there is one, has to be there.
pub fn find_command(asked: &TargetArgs) -> Result<()> {
    asked
        .command
        .first()
        .map_or(Ok(()), |command| find(Path::new(command)))
}

/// A command that cannot be found, or not be run, is a mistake in the arguments.
pub fn find(command: &Path) -> Result<()> {
    let runs = |path: &Path| path.is_file() && access(path, Access::EXEC_OK).is_ok();
    let name = command.display();
    let wrong = if command.components().count() > 1 {
        if runs(command) {
            return Ok(());
        }
        if command.is_dir() {
            format!("{name} is a folder and no command")
        } else if command.exists() {
            format!(
                "cannot run {name}: it is not executable; `php {name}` runs a script, `chmod +x` makes it a command"
            )
        } else {
            format!("there is no command {name}: give its path, or install it")
        }
    } else {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        if std::env::split_paths(&folders).any(|folder| runs(&folder.join(command))) {
            return Ok(());
        }
        format!("there is no command {name}: give its path, or install it")
    };
    Err(UsageError(wrong).into())
}

/// Waits for the command, which may outlive the recording; returns its exit code.
pub fn wait(mut child: Child, stop: &AtomicBool, quiet: bool) -> Result<u8> {
    let mut told = quiet;
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for the command")? {
            return Ok(exit_code(status));
        }
        // It may end by the same Ctrl-C.
        if !told && (!stop.load(Ordering::Relaxed) || began.elapsed() > AT_ONCE) {
            eprintln!("phperf: waiting for the command to end (Ctrl-C ends both)");
            told = true;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// As shells count: the exit code, or 128 and the signal.
fn exit_code(status: ExitStatus) -> u8 {
    status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .unwrap_or(1) as u8
}
