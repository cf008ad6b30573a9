//! What variables hold, beside a stack.

use super::look::Shown;
use anyhow::Result;
use profile::{Kind, Line};
use remote::{
    Memory, Process,
    task::{Activity, Task, thread},
};
use sampler::Peek;
use std::io::{self, Write};
use zend::{Interpreter, Stack, VALUE_MAX, Variables, naming};

/// The most values that are read, those of the innermost frames.
const MOST: usize = 64;
/// How often a thread that keeps moving is looked at.
const TRIES: u32 = 20;

/// What was read, and what was not.
#[derive(Debug, Default)]
pub struct Values {
    /// Of frames, by their number.
    frames: Vec<(usize, String)>,
    /// Of globals.
    globals: Vec<String>,
    unread: usize,
    left_out: usize,
    /// Nothing of it is sure, so that there is nothing.
    have_moved: bool,
}

impl Values {
    /// Those of a frame, a line each.
    pub fn of_frame(&self, depth: usize) -> impl Iterator<Item = &str> {
        let frames = self.frames.iter();
        frames
            .filter(move |(frame, _)| *frame == depth)
            .map(|(_, value)| &**value)
    }

    /// Whether no frame has any.
    pub const fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The lines that belong to no frame.
    pub fn print_others(&self, out: &mut dyn Write) -> io::Result<()> {
        for value in &self.globals {
            writeln!(out, "  {value}")?;
        }
        if self.unread > 0 {
            writeln!(out, "  … {} values, which could not be read", self.unread)?;
        }
        if self.left_out > 0 {
            writeln!(out, "  … {} more values, which were not read", self.left_out)?;
        }
        if self.have_moved {
            writeln!(out, "  (values are not known: PHP ran each time they were read)")?;
        }
        Ok(())
    }

    /// Those of a process that does not move.
    pub fn read(memory: &impl Memory, own: &Interpreter, stack: &Stack, peeks: &[Peek]) -> Self {
        let mut values = Self::default();
        let variables = Variables::new(memory, own.layout);
        for (depth, ((function, line), raw)) in stack.frames.iter().zip(&stack.raw).enumerate() {
            let (Some(file), Line::Exact(line)) = (&function.file, line) else {
                continue;
            };
            if function.kind == Kind::Internal {
                continue;
            }
            let names: Vec<&[u8]> = peeks
                .iter()
                .filter_map(|peek| peek.variable_at(file.as_bytes(), *line))
                .map(str::as_bytes)
                .collect();
            if names.is_empty() {
                continue;
            }
            if values.is_full() {
                values.left_out += names.len();
                continue;
            }
            let unread = variables.of_frame(raw.frame, raw.function, &names, |which, text| {
                let name = String::from_utf8_lossy(names[which]);
                values.put_in(depth, format!("${name} = {}", naming::printable(text, VALUE_MAX)));
            });
            values.unread += unread.unwrap_or(names.len());
        }
        for peek in peeks {
            let Peek::Global { array, key, asked } = peek else {
                continue;
            };
            let mut text = Vec::new();
            let array = array.map(str::as_bytes);
            match variables.global(own.executor_globals, array, key.as_bytes(), &mut text) {
                Ok(true) if values.is_full() => values.left_out += 1,
                Ok(true) => {
                    let text = naming::printable(&text, VALUE_MAX);
                    values.globals.push(format!("{asked} = {text}"));
                }
                Ok(false) => {}
                Err(_) => values.unread += 1,
            }
        }
        values
    }

    fn put_in(&mut self, depth: usize, value: String) {
        if self.is_full() {
            self.left_out += 1;
        } else {
            self.frames.push((depth, value));
        }
    }

    const fn is_full(&self) -> bool {
        self.frames.len() + self.globals.len() >= MOST
    }
}

/// A stack with values that were read while the thread stood still: it waits, or its CPU is this thread's own.
pub fn with_stack(
    target: &Process,
    own: &Interpreter,
    peeks: &[Peek],
    mut stack: impl FnMut() -> Result<Option<Shown>>,
) -> Result<Option<Shown>> {
    let task = Task::open_thread(target.group(), target.pid())?;
    let memory = target.memory();
    for attempt in 1.. {
        let processor = task.status().processor;
        let is_ours = thread::pin(processor).is_ok();
        let state = || (task.status(), task.scheduled());
        let before = state();
        let Some(mut shown) = stack()? else {
            return Ok(None);
        };
        shown.values = Values::read(&memory, own, &shown.stack, peeks);
        let is_off = before.0.activity == Activity::Waiting || is_ours && before.0.processor == processor;
        if is_off && before == state() {
            return Ok(Some(shown));
        }
        if attempt == TRIES {
            shown.values = Values {
                have_moved: true,
                ..Values::default()
            };
            return Ok(Some(shown));
        }
    }
    Ok(None)
}
