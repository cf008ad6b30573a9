//! Fibers as `dump` shows them: those that stand in the same place together, since there may be thousands.

use super::{print::frames, values::Values};
use std::{
    collections::HashMap,
    io::{self, Write},
};
use zend::{Fiber, FiberState, Fibers};

/// So many of those that stand in one place are named.
const NAMED: usize = 10;

/// Prints what each fiber does, and what is not known of them.
pub fn print(out: &mut dyn Write, fibers: &Fibers) -> io::Result<()> {
    for group in groups(&fibers.read) {
        let first = group[0];
        let (is, has, runs) = match group.len() {
            1 => ("is", "has", "runs"),
            _ => ("are", "have", "run"),
        };
        let does = match first.state {
            FiberState::Running => format!("{runs}, in the stack above"),
            FiberState::Suspended => format!("{is} suspended:"),
            FiberState::New => format!("{has} not been started:"),
        };
        writeln!(out, "  {} {does}", numbers(&group))?;
        frames(out, "    ", &first.stack, &Values::default())?;
    }
    if fibers.more > 0 {
        writeln!(out, "  … {} more fibers, which were not read", fibers.more)?;
    }
    if fibers.unreadable > 0 {
        writeln!(out, "  … {} fibers, which could not be read", fibers.unreadable)?;
    }
    if fibers.unseen_objects > 0 {
        writeln!(
            out,
            "  … and those among {} objects that were not looked at",
            fibers.unseen_objects
        )?;
    }
    if fibers.moved {
        writeln!(
            out,
            "  (objects came each time fibers were looked for: some may be missing)"
        )?;
    }
    Ok(())
}

/// Fibers that stand in the same place, in the order of the first of each; those that run come first.
fn groups(fibers: &[Fiber]) -> Vec<Vec<&Fiber>> {
    let mut groups: Vec<Vec<&Fiber>> = Vec::new();
    let mut places = HashMap::new();
    for fiber in fibers {
        let stack = &fiber.stack;
        let frames: Vec<_> = stack
            .frames
            .iter()
            .map(|(function, line)| (&*function.name, function.file.as_deref(), line))
            .collect();
        let place = (fiber.state, frames, stack.end, stack.is_stable);
        let group = *places.entry(place).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(fiber);
    }
    groups.sort_by_key(|group| group[0].state != FiberState::Running);
    groups
}

/// `fiber 3`, `fibers 3, 4 and 998 more`.
fn numbers(group: &[&Fiber]) -> String {
    let named: Vec<_> = group
        .iter()
        .take(NAMED)
        .map(|fiber| fiber.id.to_string())
        .collect();
    match (&named[..], group.len() - named.len()) {
        ([only], _) => format!("fiber {only}"),
        ([init @ .., last], 0) => format!("fibers {} and {last}", init.join(", ")),
        (_, more) => format!("fibers {} and {more} more", named.join(", ")),
    }
}
