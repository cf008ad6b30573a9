//! Counts of stacks as lines of text.

use crate::{
    Exporter, Recording, Seen,
    counts::{self, Counts},
    escape::{Escaped, Reserved},
    native,
};
use profile::{Function, FunctionId, Kind, Symbols};
use std::{
    fmt,
    io::{self, Write},
};

/// Counts while it records, and writes at the end.
#[derive(Debug, Default)]
pub struct Folded {
    counts: Counts,
}

impl Exporter for Folded {
    fn add(&mut self, _: &Symbols, seen: &Seen, _: &mut dyn Write) -> io::Result<()> {
        self.counts.add(seen);
        Ok(())
    }

    fn finish(&mut self, symbols: &Symbols, _: &Recording, out: &mut dyn Write) -> io::Result<()> {
        let counts = self.counts.iter().map(|(key, count)| (key.stack, count));
        for (path, count) in counts::by_path(symbols, counts) {
            writeln!(out, "{} {count}", Stack(symbols, &path))?;
        }
        out.flush()
    }
}

/// A path as folded text.
pub struct Stack<'a>(pub &'a Symbols, pub &'a [FunctionId]);

impl fmt::Display for Stack<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(symbols, path) = self;
        if path.is_empty() {
            return f.write_str(NO_FRAMES);
        }
        for (at, &function) in path.iter().enumerate() {
            if at > 0 {
                f.write_str(";")?;
            }
            Label(symbols.function(function)).fmt(f)?;
        }
        Ok(())
    }
}

/// What stands for a stack without frames, so that its samples stay in the sum.
pub const NO_FRAMES: &str = "[no frames]";

/// A function as people read it: its name; where it is an included file, that file too; of a function of C, its binary.
pub fn label(function: &Function) -> std::borrow::Cow<'_, str> {
    match (&function.file, native::mark(function)) {
        (_, Some(mark)) => format!("{} [{mark}]", function.name).into(),
        (Some(file), _) if function.kind == Kind::Include => format!("{} {file}", function.name).into(),
        _ => (&*function.name).into(),
    }
}

/// The same as one frame of folded text.
pub struct Label<'a>(pub &'a Function);

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(function) = self;
        Escaped(&function.name, Reserved::Folded).fmt(f)?;
        match (&function.file, native::mark(function)) {
            (_, Some(mark)) => write!(f, " [{}]", Escaped(mark, Reserved::Folded)),
            (Some(file), _) if function.kind == Kind::Include => {
                f.write_str(" ")?;
                Escaped(file, Reserved::Folded).fmt(f)
            }
            _ => Ok(()),
        }
    }
}
