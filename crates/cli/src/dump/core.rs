//! The stacks of a process that crashed.

use super::{
    look::{self, Shown},
    values::Values,
};
use crate::{FAILURE, args, sampling};
use anyhow::{Result, bail};
use remote::{CoreFile, CoreThread, Image};
use signal_hook::low_level::signal_name;
use std::{
    io::{self, BufWriter, Write},
    path::Path,
};
use zend::{Error, Finder, Interpreter, Registers, Stack};

/// Prints the stack of each of its threads, that of the one which crashed first.
pub fn run(file: &Path, asked: &args::Dump) -> Result<u8> {
    let core = CoreFile::open(file, &asked.copies)?;
    let found = print_all(&core, asked);
    for remark in core.remarks() {
        eprintln!("phperf: {}", remark.replace(char::is_control, " "));
    }
    found
}

fn print_all(core: &CoreFile, asked: &args::Dump) -> Result<u8> {
    let interpreter = match Finder::default().find(core) {
        Err(Error::Starting(pid)) => {
            bail!("process {pid} had not come as far as PHP when it crashed: `gdb` shows where it was")
        }
        found => found?,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut failed = false;
    let mut first = true;
    let peeks = asked.variables.peeks();
    // Without threads PHP runs in one: those beside it are a library's.
    let threads = match (interpreter.threads, core.threads()) {
        (None, [first, ..]) => std::slice::from_ref(first),
        (_, all) => all,
    };
    for thread in threads {
        match stack(core, thread, &interpreter, asked.max_depth) {
            Ok(Some((own, stack))) => {
                if !std::mem::take(&mut first) {
                    writeln!(out)?;
                }
                let values = Values::read(&core.memory(), &own, &stack, &peeks);
                let shown = Shown {
                    header: header(core, thread, &own),
                    wait: None,
                    holder: None,
                    stack,
                    values,
                    fibers: zend::fibers(&core.memory(), &own, asked.max_depth.into()),
                    circumstances: look::kept(
                        &core.memory(),
                        &own,
                        own.is_fastcgi(core),
                        sampling::circumstances(&asked.circumstances),
                    ),
                };
                super::print(&mut out, &shown)?;
            }
            // It has nothing to do with PHP.
            Ok(None) => {}
            Err(error) => {
                failed = true;
                eprintln!("phperf: thread {}: {error}", thread.tid);
            }
        }
    }
    out.flush()?;
    if first && !failed {
        bail!(
            "no thread of process {} had anything to do with PHP when it crashed",
            core.pid()
        );
    }
    Ok(if failed { FAILURE } else { 0 })
}

fn stack(
    core: &CoreFile,
    thread: &CoreThread,
    interpreter: &Interpreter,
    max_depth: u16,
) -> Result<Option<(Interpreter, Stack)>, Error> {
    let own = match (interpreter.threads, thread.thread_pointer) {
        (None, _) => Some(interpreter.clone()),
        (Some(_), None) => return Err(Error::NoThreadPointer(thread.tid)),
        (Some(_), Some(pointer)) => interpreter.at_thread_pointer(core, pointer)?,
    };
    own.map(|own| {
        let registers = thread
            .registers
            .map(|[code, frame, opline]| Registers { code, frame, opline });
        let stack = zend::stack_kept(core, &own, registers, max_depth.into())?;
        Ok((own, stack))
    })
    .transpose()
}

/// As of a process that runs, and what ended this one. The thread that got the signal comes first.
fn header(core: &CoreFile, thread: &CoreThread, own: &Interpreter) -> String {
    let number = if own.threads.is_some() {
        format!("{}/{}", core.pid(), thread.tid)
    } else {
        core.pid().to_string()
    };
    let command = sampler::title(&[core.command().to_owned()]);
    let ended_by = core
        .signal()
        .filter(|_| core.threads().first() == Some(thread))
        .map(|signal| {
            let name = i32::try_from(signal).ok().and_then(signal_name);
            name.map_or_else(|| format!(", signal {signal}"), |name| format!(", {name}"))
        });
    format!(
        "{number} {command} (PHP {}){}",
        own.described(),
        ended_by.unwrap_or_default()
    )
}
