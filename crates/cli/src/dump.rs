//! `phperf dump`.

use crate::{FAILURE, args};
use anyhow::Result;
use profile::{Kind, Line};
use remote::Process;
use std::io::{self, BufWriter, Write};
use zend::{Finder, Stack, walk::End};

/// Prints the stack of each process as it is now. One that cannot be read does not keep back the others.
pub fn run(asked: &args::Dump) -> Result<u8> {
    let mut finder = Finder::default();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut failed = false;
    for (index, &pid) in asked.pids.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        match stack(&mut finder, pid, asked.max_depth) {
            Ok((header, stack)) => print(&mut out, &header, &stack)?,
            Err(error) if asked.pids.len() == 1 => return Err(error),
            Err(error) => {
                failed = true;
                eprintln!("phperf: {error:#}");
            }
        }
    }
    out.flush()?;
    Ok(if failed { FAILURE } else { 0 })
}

/// The stack of a process as it is now, and what the process is.
pub fn stack(finder: &mut Finder, pid: u32, max_depth: u16) -> Result<(String, Stack)> {
    let process = Process::open(pid)?;
    let interpreter = finder.find_started(&process)?;
    let stack = zend::stack_now(&process, &interpreter, max_depth.into())?;
    let command = sampler::title(&process.command_line()?);
    Ok((format!("{pid} {command} (PHP {})", interpreter.version), stack))
}

/// Prints a stack, a line for each frame after the first.
pub fn print(out: &mut dyn Write, header: &str, stack: &Stack) -> io::Result<()> {
    writeln!(out, "{header}")?;
    if stack.frames.is_empty() {
        return writeln!(out, "  no PHP code runs");
    }
    for (depth, (function, line)) in stack.frames.iter().enumerate() {
        write!(out, "  #{depth} {}", function.name)?;
        match (function.kind, &function.file, line) {
            (Kind::Internal, _, _) | (_, None, _) => writeln!(out)?,
            (_, Some(file), Line::Exact(line)) => writeln!(out, " {file}:{line}")?,
            (_, Some(file), Line::FunctionStart(line)) => writeln!(out, " {file}:{line} (where it begins)")?,
            (_, Some(file), Line::None) => writeln!(out, " {file}")?,
        }
    }
    match stack.end {
        End::Outermost => {}
        End::Cut => writeln!(out, "  … more frames: raise --max-depth")?,
        End::Unreadable(error) => writeln!(out, "  … the rest cannot be read: {error}")?,
    }
    if !stack.is_stable {
        writeln!(
            out,
            "  (it moved each time it was read: frames of different moments may stand side by side)"
        )?;
    }
    Ok(())
}
