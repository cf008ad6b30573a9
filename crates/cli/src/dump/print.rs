//! A stack as text.

use super::{fibers, look::Shown, rounds, values::Values};
use profile::{Kind, Line};
use remote::{
    Process,
    wait::{Target, Wait},
};
use std::io::{self, Write};
use zend::{Stack, walk::End};

/// Prints a stack, a line for each frame after the first, and after what the innermost one waits for.
pub fn print(out: &mut dyn Write, shown: &Shown) -> io::Result<()> {
    let Shown {
        header,
        wait,
        holder,
        stack,
        fibers,
        values,
        circumstances,
    } = shown;
    writeln!(out, "{header}")?;
    if let Some(wait) = wait {
        let mut what = described(wait);
        if let Some(pid) = holder {
            let holder = Process::open(*pid).and_then(|holder| holder.command_line());
            let command = holder.map_or_else(|_| "ended".to_owned(), |line| sampler::title(&line));
            what = format!("{what}, locked by {pid} ({command})");
        }
        writeln!(out, "  waits in {}", what.replace(char::is_control, " "))?;
    }
    if stack.frames.is_empty() {
        return writeln!(out, "  no PHP code runs");
    }
    frames(out, "  ", stack, values)?;
    values.print_others(out)?;
    for line in circumstances {
        writeln!(out, "  {line}")?;
    }
    match fibers {
        Ok(fibers) => fibers::print(out, fibers),
        Err(error) => writeln!(out, "  (its fibers cannot be read: {error})"),
    }
}

/// A line for each frame with one for each of its values, and what is to be said of all of them. Of a recursion the first and
/// the last round are shown, unless values were asked for.
pub fn frames(out: &mut dyn Write, indent: &str, stack: &Stack, values: &Values) -> io::Result<()> {
    let mut skipped = 0..0;
    for depth in 0..stack.frames.len() {
        if skipped.contains(&depth) {
            continue;
        }
        if depth == skipped.end && !skipped.is_empty() {
            writeln!(out, "{indent}… {} more like these", skipped.len())?;
        }
        frame(out, indent, stack, depth)?;
        for value in values.of_frame(depth) {
            writeln!(out, "{indent}     {value}")?;
        }
        if depth >= skipped.end && values.is_empty() {
            skipped = rounds::alike(&stack.frames, depth).unwrap_or(skipped);
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

fn frame(out: &mut dyn Write, indent: &str, stack: &Stack, depth: usize) -> io::Result<()> {
    let (function, line) = &stack.frames[depth];
    write!(out, "{indent}#{depth} {}", function.name)?;
    match (function.kind, &function.file, line) {
        (Kind::Internal, _, _) | (_, None, _) => writeln!(out),
        (_, Some(file), Line::Exact(line)) => writeln!(out, " {file}:{line}"),
        (_, Some(file), Line::FunctionStart(line)) => writeln!(out, " {file}:{line} (where it begins)"),
        (_, Some(file), Line::None) => writeln!(out, " {file}"),
    }
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
