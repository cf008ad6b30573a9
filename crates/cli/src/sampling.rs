//! What commands that sample have in common, besides their arguments: those as the sampler takes them, and the command
//! that they started.

use crate::{
    UsageError,
    args::{Circumstances, End, Sampling, Source, TargetArgs},
};
use anyhow::{Context, Result};
use sampler::{Asked, Choice, Fpm, Peeks, Settings, Targets};
use std::{
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, ExitStatus},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

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

/// A command that cannot be found is a mistake in the arguments.
pub fn find(command: &Path) -> Result<()> {
    let is_there = if command.components().count() > 1 {
        command.exists()
    } else {
        std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(command).exists()))
    };
    if is_there {
        return Ok(());
    }
    Err(UsageError(format!(
        "there is no command {}: give its path, or install it",
        command.display()
    ))
    .into())
}

/// Waits for the command, which may outlive the recording; returns its exit code.
pub fn wait(mut child: Child, stop: &AtomicBool, quiet: bool) -> Result<u8> {
    let mut told = quiet;
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for the command")? {
            return Ok(exit_code(status));
        }
        if !told && !stop.load(Ordering::Relaxed) {
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
