//! Reads folded text, with the `# key = value` lines of [`super::annotated`] where there are any.

use super::NO_FRAMES;
use crate::{
    Format, Labels,
    escape::{Reserved, unescape},
    labels::Told,
    native,
    read::{Builder, Lines, ReadError, Saved},
};
use profile::{Function, Kind, Line, Location, LocationId, Symbols};
use std::{collections::HashMap, io::BufRead, sync::Arc};

/// What `# function` lines told of a frame's label.
type Declared = HashMap<String, (Arc<str>, u32)>;

/// Reads to the end.
pub fn read(format: Format, input: &mut dyn BufRead) -> Result<Saved, ReadError> {
    let mut builder = Builder::new(format);
    let mut declared = Declared::new();
    let mut labels = Labels::default();
    let mut lines = Lines::new(input);
    while let Some(read) = lines.next_line()? {
        let line = read.text;
        if line.trim().is_empty() {
            continue;
        }
        if let Some(comment) = line.strip_prefix("# ") {
            if comment == "stacks =" {
                labels = Labels::default();
            } else if let Some((key, value)) = comment.split_once(" = ") {
                match key {
                    "function" => declare(&mut declared, value),
                    "stacks" => labels = parse_labels(value, &mut builder.symbols),
                    _ => builder.header(key, value),
                }
            }
            continue;
        }
        let (stack, count) = split_count(line).ok_or_else(|| read.error("it does not end in a count"))?;
        let Some(frames) = parse_stack(&mut builder, &declared, stack) else {
            return Err(read.error("its stack is too deep"));
        };
        builder.add(labels, &frames, count, None, None);
    }
    Ok(builder.finish())
}

/// The stack and its count; flame graph tools allow for a fraction, which is dropped.
pub fn split_count(line: &str) -> Option<(&str, u64)> {
    let (stack, count) = line.trim_end().rsplit_once(' ')?;
    let whole = match count.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|byte| byte.is_ascii_digit()) => whole,
        Some(_) => return None,
        None => count,
    };
    Some((stack, whole.parse().ok()?))
}

/// The frames of a stack, the innermost first.
fn parse_stack(builder: &mut Builder, declared: &Declared, stack: &str) -> Option<Vec<LocationId>> {
    if stack == NO_FRAMES {
        return Some(Vec::new());
    }
    let labels = stack.rsplit(';');
    if labels.clone().nth(crate::read::MAX_DEPTH).is_some() {
        return None;
    }
    Some(labels.map(|label| intern(builder, declared, label)).collect())
}

fn intern(builder: &mut Builder, declared: &Declared, label: &str) -> LocationId {
    let name = unescape(label, Reserved::Folded);
    let function = match declared.get(label) {
        Some((file, line)) => function(&name, Some(file.clone()), *line),
        // Where files are told at all, what has none is internal.
        None if !declared.is_empty() => function(&name, None, 0),
        None => unknown_kind(function(&name, None, 0)),
    };
    let function = builder.symbols.intern_function(function);
    builder.symbols.intern_location(Location {
        function,
        line: Line::None,
    })
}

/// A function by the label that a profile shows, its kind told from label and file.
pub fn function(label: &str, file: Option<Arc<str>>, first_line: u32) -> Function {
    let keyword = |keyword: &str| {
        matches!(
            keyword,
            "include" | "include_once" | "require" | "require_once" | "eval"
        )
    };
    if let Some((name, kind, of)) = native::parse(label, file.as_deref()) {
        let of = of.into();
        return Function {
            name: name.into(),
            file: file.or(Some(of)),
            first_line,
            kind,
        };
    }
    let (name, file, kind) = match label.split_once(' ') {
        Some((name, of)) if keyword(name) && !of.is_empty() => {
            (name, Some(file.unwrap_or_else(|| of.into())), Kind::Include)
        }
        _ if label == "<main>" => (label, file, Kind::Main),
        _ if file.is_none() => (label, None, Kind::Internal),
        _ => (label, file, Kind::User),
    };
    Function {
        name: name.into(),
        file,
        first_line,
        kind,
    }
}

/// Plain folded text does not tell internal functions from others.
fn unknown_kind(mut function: Function) -> Function {
    if function.kind == Kind::Internal {
        function.kind = Kind::User;
    }
    function
}

fn declare(declared: &mut Declared, value: &str) {
    let Some((label, place)) = value.split_once('\t') else {
        return;
    };
    let Some((file, line)) = place.rsplit_once(':') else {
        return;
    };
    let Ok(line) = line.parse() else { return };
    declared
        .entry(label.to_owned())
        .or_insert_with(|| (unescape(file, Reserved::Rest).into(), line));
}

/// `pid=1 thread=1 state=on-cpu uri=/a`; what is not known is left out.
fn parse_labels(value: &str, symbols: &mut Symbols) -> Labels {
    let mut told = Told::default();
    for (name, text) in value.split(' ').filter_map(|label| label.split_once('=')) {
        told.set(name, &unescape(text, Reserved::PhpspyName));
    }
    told.labels(symbols)
}
