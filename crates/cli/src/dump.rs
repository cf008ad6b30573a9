//! `phperf dump`.

mod core;
mod fibers;

use crate::{FAILURE, args, sampling};
use anyhow::Result;
use profile::{Kind, Line};
use remote::{
    Memory, Process, ReadError,
    wait::{Target, Wait, Waits},
};
use sampler::Asked;
use std::io::{self, BufWriter, Write};
use zend::{Fibers, Finder, Interpreter, Stack, walk::End};

/// Prints the stack of each process as it is now. One that cannot be read does not keep back the others.
pub fn run(asked: &args::Dump) -> Result<u8> {
    if let Some(file) = &asked.core {
        return core::run(file, asked);
    }
    let mut finder = Finder::default();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut failed = false;
    let mut first = true;
    for &pid in &asked.pids {
        let threads = match threads(&mut finder, pid) {
            Ok(threads) => threads,
            Err(error) if asked.pids.len() == 1 => return Err(error),
            Err(error) => {
                failed = true;
                eprintln!("phperf: {error:#}");
                continue;
            }
        };
        let circumstances = sampling::circumstances(&asked.circumstances);
        let is_all = asked.pids.len() == 1 && threads.len() == 1;
        for (thread, interpreter) in threads {
            match look(&thread, &interpreter, asked.max_depth, circumstances) {
                Ok(Some(shown)) => {
                    if !std::mem::take(&mut first) {
                        writeln!(out)?;
                    }
                    print(&mut out, &shown)?;
                }
                // A thread that has nothing to do with PHP, or has just ended.
                Ok(None) => {}
                Err(error) if is_all => return Err(error),
                Err(error) => {
                    failed = true;
                    eprintln!("phperf: {error:#}");
                }
            }
        }
    }
    out.flush()?;
    Ok(if failed { FAILURE } else { 0 })
}

/// The threads of a process in which PHP may run: itself, where PHP is built without threads.
pub fn threads(finder: &mut Finder, pid: u32) -> Result<Vec<(Process, Interpreter)>> {
    let process = Process::open(pid)?;
    let interpreter = finder.find_started(&process)?;
    if interpreter.threads.is_none() {
        return Ok(vec![(process, interpreter)]);
    }
    // One that has ended meanwhile has no stack.
    Ok(process
        .threads()
        .into_iter()
        .filter_map(|tid| Some((Process::open(tid).ok()?, interpreter.clone())))
        .collect())
}

/// What is shown of a thread.
pub struct Shown {
    /// What the thread is.
    pub header: String,
    /// What it waits for, where it waits and that is known.
    pub wait: Option<Wait>,
    /// Its stack.
    pub stack: Stack,
    /// Its fibers, where they are asked for.
    pub fibers: Result<Fibers, ReadError>,
    /// What else was asked for, a line each.
    pub circumstances: Vec<String>,
}

/// What a thread does now; `None` where it has nothing to do with PHP, or has ended.
pub fn stack(thread: &Process, interpreter: &Interpreter, max_depth: u16) -> Result<Option<Shown>> {
    let look = || -> Result<Option<Shown>> {
        let Some(own) = interpreter.of_thread(thread)? else {
            return Ok(None);
        };
        let mut waits = Waits::default();
        // What cannot be told of the wait is no reason to keep back the stack.
        let before = waits.look(thread).ok().flatten();
        let stack = zend::stack_now(thread, &own, max_depth.into())?;
        // If it is still the same wait, the stack is that which waits.
        let wait = before.filter(|before| {
            let after = waits.look(thread).ok().flatten();
            after.is_some_and(|after| after.times == before.times)
        });
        let command = sampler::title(&thread.command_line()?);
        let number = if interpreter.threads.is_some() {
            format!("{}/{}", thread.group(), thread.pid())
        } else {
            thread.pid().to_string()
        };
        Ok(Some(Shown {
            header: format!("{number} {command} (PHP {})", own.described()),
            wait: wait.map(|look| look.wait),
            stack,
            fibers: Ok(Fibers::default()),
            circumstances: Vec::new(),
        }))
    };
    match look() {
        Err(_) if interpreter.threads.is_some() && !thread.is_alive() => Ok(None),
        looked => looked,
    }
}

/// How often it is looked again, where one request ended and another began meanwhile.
const LOOKS: u32 = 5;

/// The same with what else was asked for: what was so before and after the stack was read.
fn look(thread: &Process, interpreter: &Interpreter, max_depth: u16, asked: Asked) -> Result<Option<Shown>> {
    let is_fastcgi = interpreter.is_fastcgi(thread);
    let Some(own) = interpreter.of_thread(thread)? else {
        return Ok(None);
    };
    let memory = thread.memory();
    let read = || zend::request::read(&memory, &own, is_fastcgi, asked.request);
    for look in 1.. {
        let before = read();
        let Some(mut shown) = stack(thread, interpreter, max_depth)? else {
            return Ok(None);
        };
        let is_same = before == read();
        if !is_same && look < LOOKS {
            continue;
        }
        let lines = &mut shown.circumstances;
        match before {
            // Between two requests there is what is left of the last one.
            _ if asked.request.is_empty() || shown.stack.frames.is_empty() => {}
            Ok(texts) if is_same => lines.extend(request_lines(&texts)),
            Ok(_) => lines.push("(its request changed each time it was read)".into()),
            Err(error) => lines.push(format!("(its request cannot be read: {error})")),
        }
        if asked.memory {
            lines.push(memory_line(&memory, &own));
        }
        if !shown.stack.frames.is_empty() {
            shown.fibers = zend::fibers(&memory, &own, max_depth.into());
        }
        return Ok(Some(shown));
    }
    Ok(None)
}

/// The same of what does not move.
fn kept(memory: &impl Memory, own: &Interpreter, is_fastcgi: bool, asked: Asked) -> Vec<String> {
    let mut lines = Vec::new();
    if !asked.request.is_empty() {
        match zend::request::read(memory, own, is_fastcgi, asked.request) {
            Ok(texts) => lines.extend(request_lines(&texts)),
            Err(error) => lines.push(format!("(its request cannot be read: {error})")),
        }
    }
    if asked.memory {
        lines.push(memory_line(memory, own));
    }
    lines
}

fn request_lines(texts: &[Vec<u8>]) -> impl Iterator<Item = String> {
    let labels = zend::request::labels(texts.iter().map(Vec::as_slice));
    let shown = |(label, text): (profile::Label, String)| {
        format!("{} {}", label.name(), text.replace(char::is_control, "?"))
    };
    labels.into_iter().map(shown)
}

fn memory_line(memory: &impl Memory, own: &Interpreter) -> String {
    match zend::heap::memory(memory, own) {
        Ok(Some(held)) => format!("memory {} bytes, at most {}", held.used, held.peak),
        Ok(None) => "(memory is not known: PHP does not use its own allocator, or it was not found)".into(),
        Err(error) => format!("(memory cannot be read: {error})"),
    }
}

/// Prints a stack, a line for each frame after the first, and after what the innermost one waits for.
pub fn print(out: &mut dyn Write, shown: &Shown) -> io::Result<()> {
    let Shown {
        header,
        wait,
        stack,
        fibers,
        circumstances,
    } = shown;
    writeln!(out, "{header}")?;
    if let Some(wait) = wait {
        writeln!(
            out,
            "  waits in {}",
            described(wait).replace(char::is_control, " ")
        )?;
    }
    if stack.frames.is_empty() {
        return writeln!(out, "  no PHP code runs");
    }
    frames(out, "  ", stack)?;
    for line in circumstances {
        writeln!(out, "  {line}")?;
    }
    match fibers {
        Ok(fibers) => fibers::print(out, fibers),
        Err(error) => writeln!(out, "  (its fibers cannot be read: {error})"),
    }
}

/// A line for each frame, and what is to be said of all of them.
fn frames(out: &mut dyn Write, indent: &str, stack: &Stack) -> io::Result<()> {
    for (depth, (function, line)) in stack.frames.iter().enumerate() {
        write!(out, "{indent}#{depth} {}", function.name)?;
        match (function.kind, &function.file, line) {
            (Kind::Internal, _, _) | (_, None, _) => writeln!(out)?,
            (_, Some(file), Line::Exact(line)) => writeln!(out, " {file}:{line}")?,
            (_, Some(file), Line::FunctionStart(line)) => writeln!(out, " {file}:{line} (where it begins)")?,
            (_, Some(file), Line::None) => writeln!(out, " {file}")?,
        }
    }
    match stack.end {
        End::Outermost => {}
        End::Cut => writeln!(out, "{indent}… more frames: raise --max-depth")?,
        End::Unreadable(error) => writeln!(out, "{indent}… the rest cannot be read: {error}")?,
    }
    if !stack.is_stable {
        writeln!(
            out,
            "{indent}(it moved each time it was read: frames of different moments may stand side by side)"
        )?;
    }
    Ok(())
}

/// `recvfrom for tcp 127.0.0.1:5432`.
fn described(wait: &Wait) -> String {
    let names: Vec<&str> = wait.targets.iter().map(Target::name).collect();
    match (names.is_empty(), wait.more) {
        (true, _) => wait.call.clone(),
        (false, 0) => format!("{} for {}", wait.call, names.join(", ")),
        (false, more) => format!("{} for {} and {more} more", wait.call, names.join(", ")),
    }
}
