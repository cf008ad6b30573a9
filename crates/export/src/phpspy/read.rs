//! Reads what phpspy prints, in lines or one line a sample, by the rule of its own collapse script: a sample
//! begins at frame 0, and lines that are neither frames nor `# field` lines are skipped.

use super::{Shape, label_of, write::reserved_in};
use crate::{
    Format,
    escape::{Reserved, unescape},
    folded::NO_FRAMES,
    labels::{MEMORY, MEMORY_PEAK, Told},
    native,
    read::{Builder, Lines, MAX_DEPTH, ReadError, Saved},
};
use profile::{Function, Kind, Line, Location, LocationId};
use std::{io::BufRead, sync::Arc};

/// Reads to the end.
pub fn read(shape: Shape, input: &mut dyn BufRead) -> Result<Saved, ReadError> {
    let format = match shape {
        Shape::Lines => Format::Phpspy,
        Shape::OneLine => Format::PhpspyLine,
    };
    let mut reader = Reader {
        builder: Builder::new(format),
        sample: Sample::default(),
    };
    let mut lines = Lines::new(input);
    while let Some(read) = lines.next_line()? {
        let line = read.text;
        let fits = match shape {
            Shape::Lines => reader.line(line),
            Shape::OneLine => {
                let fits = line.split('\t').all(|part| reader.line(part));
                reader.end();
                fits
            }
        };
        if !fits {
            return Err(read.error("its stack is too deep"));
        }
    }
    reader.end();
    Ok(reader.builder.finish())
}

/// Whether a line is the first frame of a sample.
pub fn starts_a_sample(line: &str) -> bool {
    matches!(
        frame(line.split('\t').next().unwrap_or_default()),
        Some((0, _, _))
    )
}

#[derive(Default)]
struct Sample {
    /// Name and place of each frame, still to be interned: which lines are exact is told after the frames.
    frames: Vec<(Function, Line)>,
    labels: Told,
}

struct Reader {
    builder: Builder,
    sample: Sample,
}

impl Reader {
    /// Takes a line; whether the stack is still within bounds.
    fn line(&mut self, line: &str) -> bool {
        if let Some(comment) = line.strip_prefix("# ") {
            if let Some((field, value)) = comment.split_once(" = ") {
                self.field(field, value);
            } else if let Some((used, peak)) =
                comment.strip_prefix("mem ").and_then(|mem| mem.split_once(' '))
            {
                self.sample.labels.set(MEMORY, used);
                self.sample.labels.set(MEMORY_PEAK, peak);
            }
        } else if let Some((number, name, place)) = frame(line) {
            if number == 0 {
                self.end();
            }
            if self.sample.frames.len() >= MAX_DEPTH {
                return false;
            }
            self.sample.frames.push(parse(name, place));
        }
        true
    }

    fn field(&mut self, field: &str, value: &str) {
        match field {
            "pid" | "thread" | "state" => self.sample.labels.set(field, value),
            "first_line" => {
                for number in value.split(' ').filter_map(|number| number.parse::<usize>().ok()) {
                    if let Some((_, line)) = self.sample.frames.get_mut(number) {
                        *line = Line::FunctionStart(line.number());
                    }
                }
            }
            _ => {
                if let Some(label) = label_of(field) {
                    self.sample
                        .labels
                        .set_text(label, unescape(value, Reserved::Rest));
                }
            }
        }
    }

    /// Counts the sample that was read, if one was.
    fn end(&mut self) {
        let Sample { mut frames, labels } = std::mem::take(&mut self.sample);
        if frames.is_empty() {
            return;
        }
        if matches!(&frames[..], [(function, _)] if &*function.name == NO_FRAMES) {
            frames.clear();
        }
        let symbols = &mut self.builder.symbols;
        let mut labels = labels.labels(symbols);
        labels.thread = labels.thread.or(labels.pid);
        let stack: Vec<LocationId> = frames
            .into_iter()
            .map(|(function, line)| {
                let function = symbols.intern_function(function);
                symbols.intern_location(Location { function, line })
            })
            .collect();
        self.builder.add(labels, &stack, 1, None, None);
    }
}

/// Number, name and place of a frame's line.
fn frame(line: &str) -> Option<(u32, &str, &str)> {
    let (number, rest) = line.split_once(' ')?;
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Names as phperf writes them have no blank; phpspy's own may, and then the place is what is last.
    let (name, place) = match rest.split_once(' ') {
        Some((name, place)) if place.starts_with(['/', '<']) => (name, place),
        _ => rest.rsplit_once(' ')?,
    };
    let (_, line) = place.rsplit_once(':')?;
    line.parse::<i64>().ok()?;
    Some((number.parse().ok()?, name, place))
}

fn parse(name: &str, place: &str) -> (Function, Line) {
    let name = unescape(name, Reserved::PhpspyName);
    let (file, line) = place.rsplit_once(':').unwrap_or((place, "0"));
    let in_brackets = file.strip_prefix('<').and_then(|file| file.strip_suffix('>'));
    // Whatever a file of PHP is called, it has lines.
    if let Some(file) = in_brackets.filter(|&file| file != "internal" && line == "-1") {
        let file = unescape(file, Reserved::PhpspyName);
        let (kind, file) = native::kind(&file);
        let function = Function {
            name: name.into(),
            file: Some(file.into()),
            first_line: 0,
            kind,
        };
        return (function, Line::None);
    }
    let file: Option<Arc<str>> = (file != "<internal>").then(|| unescape(file, reserved_in(file)).into());
    let kind = match &*name {
        "<main>" => Kind::Main,
        "include" | "include_once" | "require" | "require_once" | "eval" if file.is_some() => Kind::Include,
        _ if file.is_none() => Kind::Internal,
        _ => Kind::User,
    };
    let line = match line.parse::<u32>() {
        Ok(line) if line > 0 => Line::Exact(line),
        _ => Line::None,
    };
    (
        Function {
            name: name.into(),
            file,
            first_line: 0,
            kind,
        },
        line,
    )
}
