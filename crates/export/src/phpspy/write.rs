//! Writes samples as they come. The labels follow the frames as phpspy's own `# field = value` lines, so that its tools skip them.

use super::field_of;
use crate::{
    Exporter, Labels, Recording, Seen,
    counts::Key,
    escape::{Escaped, Reserved},
    folded::NO_FRAMES,
    native,
};
use foldhash::HashMap;
use profile::{ContextId, Kind, Label, Line, Memory, StackId, Symbols};
use std::{
    collections::hash_map::Entry,
    io::{self, Write},
};

/// How the lines of a sample are parted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A line each, and an empty line after the sample.
    Lines,
    /// A tab after each, and a line break after the sample.
    OneLine,
}

impl Shape {
    /// What stands after each part of a sample.
    pub const fn end(self) -> char {
        match self {
            Self::Lines => '\n',
            Self::OneLine => '\t',
        }
    }
}

/// Texts are remembered up to so many bytes; beyond, the memory of them starts anew.
const REMEMBERED: usize = 256 << 10;

/// Writes each sample as it comes.
#[derive(Debug)]
pub struct Phpspy {
    shape: Shape,
    /// What samples look like that were met before: most are like one of them.
    texts: HashMap<Key, Box<[u8]>>,
    remembered: usize,
}

impl Phpspy {
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            texts: HashMap::default(),
            remembered: 0,
        }
    }
}

impl Exporter for Phpspy {
    fn add(&mut self, symbols: &Symbols, seen: &Seen, out: &mut dyn Write) -> io::Result<()> {
        let key = Key {
            // Nearly every sample has other bytes: they are written anew.
            labels: Labels {
                memory: None,
                ..seen.labels
            },
            stack: seen.stack,
        };
        if !self.texts.contains_key(&key) && self.remembered > REMEMBERED {
            self.texts.clear();
            self.remembered = 0;
        }
        let text = match self.texts.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let mut text = Vec::new();
                print_known(symbols, seen, self.shape, &Notes::default(), &mut text)?;
                self.remembered += text.len();
                new.insert(text.into())
            }
        };
        for _ in 0..seen.periods {
            out.write_all(text)?;
            print_memory(seen.labels.memory, self.shape, out)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    fn finish(&mut self, _: &Symbols, _: &Recording, out: &mut dyn Write) -> io::Result<()> {
        out.flush()
    }
}

/// What is escaped in a file's name: blanks too, unless its slash shows where it begins.
pub fn reserved_in(file: &str) -> Reserved {
    if file.starts_with('/') {
        Reserved::Rest
    } else {
        Reserved::PhpspyName
    }
}

/// What else is known of a sample: each becomes a line `# field = value` of its own.
#[derive(Debug, Default)]
pub struct Notes {
    /// Before the frame of this number.
    pub frames: Vec<(usize, String)>,
    /// Behind all frames.
    pub stack: Vec<String>,
}

/// Writes a sample, once.
pub fn print(
    symbols: &Symbols,
    seen: &Seen,
    shape: Shape,
    notes: &Notes,
    text: &mut Vec<u8>,
) -> io::Result<()> {
    print_known(symbols, seen, shape, notes, text)?;
    print_memory(seen.labels.memory, shape, text)?;
    print_notes(notes, shape, text)?;
    writeln!(text)
}

/// All but the memory, the notes of the whole stack and the end.
fn print_known(
    symbols: &Symbols,
    seen: &Seen,
    shape: Shape,
    notes: &Notes,
    text: &mut Vec<u8>,
) -> io::Result<()> {
    let end = shape.end();
    print_frames(symbols, seen.stack, shape, notes, text)?;
    print_context(symbols, seen.labels.context, shape, text)?;
    let Labels {
        pid, thread, state, ..
    } = seen.labels;
    if let Some(pid) = pid {
        write!(text, "# pid = {pid}{end}")?;
    }
    if let Some(thread) = thread.filter(|_| thread != pid) {
        write!(text, "# thread = {thread}{end}")?;
    }
    if let Some(state) = state {
        write!(text, "# state = {}{end}", state.name())?;
    }
    print_first_lines(symbols, seen, end, text)
}

/// Writes these labels, each as a field, with what stands for one that is not known.
pub fn print_labels(
    symbols: &Symbols,
    context: ContextId,
    labels: &[(Label, &str)],
    shape: Shape,
    text: &mut Vec<u8>,
) -> io::Result<()> {
    for &(label, unknown) in labels {
        let mut known = symbols.context(context);
        let value = known.find_map(|(known, value)| (known == label).then_some(value));
        let value = Escaped(value.unwrap_or(unknown), Reserved::Rest);
        write!(text, "# {} = {value}{}", field_of(label), shape.end())?;
    }
    Ok(())
}

/// Writes the request and what is waited for, each label as a field.
fn print_context(symbols: &Symbols, context: ContextId, shape: Shape, text: &mut Vec<u8>) -> io::Result<()> {
    for (label, value) in symbols.context(context) {
        let value = Escaped(value, Reserved::Rest);
        write!(text, "# {} = {value}{}", field_of(label), shape.end())?;
    }
    Ok(())
}

/// Writes the memory in bytes, in use and at most.
pub fn print_memory(memory: Option<Memory>, shape: Shape, out: &mut dyn Write) -> io::Result<()> {
    match memory {
        Some(Memory { used, peak }) => write!(out, "# mem {used} {peak}{}", shape.end()),
        None => Ok(()),
    }
}

/// Writes the frames of a stack with their notes, the innermost first.
pub fn print_frames(
    symbols: &Symbols,
    stack: StackId,
    shape: Shape,
    notes: &Notes,
    text: &mut Vec<u8>,
) -> io::Result<()> {
    let end = shape.end();
    let frames = symbols.frames(stack);
    if frames.len() == 0 {
        write!(
            text,
            "0 {} <internal>:-1{end}",
            Escaped(NO_FRAMES, Reserved::PhpspyName)
        )?;
    }
    for (number, (function, location)) in frames.enumerate() {
        for (_, note) in notes.frames.iter().filter(|(frame, _)| *frame == number) {
            write!(text, "# {note}{end}")?;
        }
        write!(
            text,
            "{number} {} ",
            Escaped(&function.name, Reserved::PhpspyName)
        )?;
        let in_brackets = match function.kind {
            Kind::Kernel => native::mark(function),
            Kind::Native => function.file.as_deref(),
            _ => None,
        };
        match (in_brackets, &function.file) {
            (Some(file), _) => write!(text, "<{}>:-1{end}", Escaped(file, Reserved::PhpspyName))?,
            (None, Some(file)) => {
                write!(
                    text,
                    "{}:{}{end}",
                    Escaped(file, reserved_in(file)),
                    location.line.number()
                )?;
            }
            (None, None) => write!(text, "<internal>:-1{end}")?,
        }
    }
    Ok(())
}

/// Writes the notes of the whole stack.
pub fn print_notes(notes: &Notes, shape: Shape, text: &mut Vec<u8>) -> io::Result<()> {
    for note in &notes.stack {
        write!(text, "# {note}{}", shape.end())?;
    }
    Ok(())
}

/// Names the frames whose line is not the current one but the function's first.
fn print_first_lines(symbols: &Symbols, seen: &Seen, end: char, text: &mut Vec<u8>) -> io::Result<()> {
    let frames = symbols.frames(seen.stack).enumerate();
    let mut first = frames
        .filter(|(_, (function, location))| {
            function.file.is_some() && matches!(location.line, Line::FunctionStart(_))
        })
        .map(|(number, _)| number)
        .peekable();
    if first.peek().is_none() {
        return Ok(());
    }
    write!(text, "# first_line =")?;
    for number in first {
        write!(text, " {number}")?;
    }
    write!(text, "{end}")
}
