//! Reads a profile of phperf or of anybody: stacks, labels and values.

use super::{
    message::{Function, Label, Location, Mapping, Sample, ValueType},
    wire::{Field, Fields},
};
use crate::{
    Format, Labels, folded,
    labels::Told,
    read::{Builder, MAX_DEPTH, MAX_WHOLE, ReadError, Saved},
};
use profile::{FunctionId, Line, LocationId, Symbols};
use prost::Message;
use std::{
    collections::HashMap,
    io::{BufRead, Read},
};

/// Reads to the end.
pub fn read(input: &mut dyn BufRead) -> Result<Saved, ReadError> {
    let mut bytes = Vec::new();
    if input.take(MAX_WHOLE + 1).read_to_end(&mut bytes)? as u64 > MAX_WHOLE {
        return Err(ReadError::TooLarge(MAX_WHOLE));
    }
    parse(&bytes)
}

fn malformed(why: impl Into<String>) -> ReadError {
    ReadError::Malformed {
        format: Format::Pprof,
        why: why.into(),
    }
}

fn fields(bytes: &[u8]) -> impl Iterator<Item = Result<Field<'_>, ReadError>> {
    Fields(bytes).map(|field| field.map_err(|_| malformed("its bytes are no protobuf message")))
}

fn decode<M: Message + Default>(bytes: &[u8]) -> Result<M, ReadError> {
    M::decode(bytes).map_err(|error| malformed(error.to_string()))
}

/// Everything but the samples, which may come first in the file and need the rest.
#[derive(Default)]
struct Tables<'a> {
    types: Vec<ValueType>,
    strings: Vec<&'a [u8]>,
    functions: HashMap<u64, Function>,
    locations: HashMap<u64, Location>,
    mappings: HashMap<u64, Mapping>,
    comments: Vec<i64>,
    period_type: ValueType,
    period: u64,
}

fn parse(bytes: &[u8]) -> Result<Saved, ReadError> {
    let mut builder = Builder::new(Format::Pprof);
    let tables = read_tables(bytes, &mut builder)?;
    if tables.types.is_empty() {
        return Err(malformed("it names no type of value"));
    }
    let mut comments = tables.comments.iter().map(|&id| tables.text(id));
    builder.saved.title = comments.next();
    comments.for_each(|note| builder.note(note));
    if tables.text(tables.period_type.unit) == "nanoseconds" && tables.period > 0 {
        builder.saved.period_ns = Some(tables.period);
    }
    read_samples(bytes, &tables, &mut builder)?;
    Ok(builder.finish())
}

/// The most functions, locations, texts and mappings that are read together; a message may be two bytes.
const MAX_ENTRIES: usize = 8 << 20;

fn read_tables<'a>(bytes: &'a [u8], builder: &mut Builder) -> Result<Tables<'a>, ReadError> {
    let mut tables = Tables::default();
    for (number, field) in fields(bytes)
        .filter(|field| !matches!(field, Ok(Field::Bytes(2, _))))
        .enumerate()
    {
        if number >= MAX_ENTRIES {
            return Err(malformed("it has too many functions and locations"));
        }
        match field? {
            Field::Bytes(1, bytes) => tables.types.push(decode(bytes)?),
            Field::Bytes(3, bytes) => {
                let mapping: Mapping = decode(bytes)?;
                tables.mappings.insert(mapping.id, mapping);
            }
            Field::Bytes(4, bytes) => {
                let location: Location = decode(bytes)?;
                tables.locations.insert(location.id, location);
            }
            Field::Bytes(5, bytes) => {
                let function: Function = decode(bytes)?;
                tables.functions.insert(function.id, function);
            }
            Field::Bytes(6, bytes) => tables.strings.push(bytes),
            Field::Varint(9, time) => builder.saved.started_ns = Some(time),
            Field::Varint(10, duration) => builder.saved.duration_ns = Some(duration),
            Field::Bytes(11, bytes) => tables.period_type = decode(bytes)?,
            Field::Varint(12, period) => tables.period = period,
            Field::Varint(13, comment) => tables.comments.push(comment.cast_signed()),
            // Packed.
            Field::Bytes(13, bytes) => {
                let packed = Fields(bytes).varints().map(u64::cast_signed);
                tables.comments.extend(packed);
            }
            _ => {}
        }
    }
    Ok(tables)
}

impl Tables<'_> {
    fn text(&self, id: i64) -> String {
        let bytes = usize::try_from(id).ok().and_then(|id| self.strings.get(id));
        String::from_utf8_lossy(bytes.copied().unwrap_or_default()).into_owned()
    }

    /// The place among the values of the one that is called one of `names`.
    fn value(&self, names: &[&str]) -> Option<usize> {
        self.types
            .iter()
            .position(|kind| names.contains(&self.text(kind.r#type).as_str()))
    }

    /// The place among the values of a time that is called one of `names`.
    fn time(&self, names: &[&str]) -> Option<usize> {
        self.value(names)
            .filter(|&at| self.text(self.types[at].unit) == "nanoseconds")
    }
}

fn read_samples(bytes: &[u8], tables: &Tables, builder: &mut Builder) -> Result<(), ReadError> {
    let count_at = tables.value(&["samples", "sample", "events"]).unwrap_or(0);
    let (wall_at, cpu_at) = (tables.time(&["wall", "time"]), tables.time(&["cpu"]));
    let mut known = Known::default();
    let mut stack = Vec::new();
    for field in fields(bytes) {
        let Field::Bytes(2, bytes) = field? else { continue };
        let sample: Sample = decode(bytes)?;
        let value = |at: usize| sample.value.get(at).and_then(|&value| u64::try_from(value).ok());
        stack.clear();
        for id in &sample.location_id {
            known.push(*id, tables, builder, &mut stack);
            if stack.len() > MAX_DEPTH {
                return Err(malformed("a stack is too deep"));
            }
        }
        let labels = labels(&sample.label, tables, &mut builder.symbols);
        let (wall, cpu) = (wall_at.and_then(value), cpu_at.and_then(value));
        builder.add(labels, &stack, value(count_at).unwrap_or(0), wall, cpu);
    }
    Ok(())
}

fn labels(pairs: &[Label], tables: &Tables, symbols: &mut Symbols) -> Labels {
    let mut told = Told::default();
    for label in pairs {
        let name = tables.text(label.key);
        // Numbers may have been written as texts.
        if label.str == 0 {
            told.set(&name, &label.num.to_string());
        } else {
            told.set(&name, &tables.text(label.str));
        }
    }
    told.labels(symbols)
}

/// What was interned already, by its id in the file.
#[derive(Default)]
struct Known {
    locations: HashMap<u64, Vec<LocationId>>,
    functions: HashMap<u64, FunctionId>,
}

impl Known {
    /// Puts the frames of a location on a stack; inlined functions are frames of their own.
    fn push(&mut self, id: u64, tables: &Tables, builder: &mut Builder, stack: &mut Vec<LocationId>) {
        if let Some(frames) = self.locations.get(&id) {
            stack.extend(frames);
            return;
        }
        let Some(location) = tables.locations.get(&id) else {
            return;
        };
        let mapping = tables.mappings.get(&location.mapping_id);
        let exact = mapping.is_none_or(|mapping| mapping.has_line_numbers);
        let mut frames = Vec::new();
        for line in location.line.iter().take(MAX_DEPTH) {
            let function = self.function(line.function_id, tables, builder);
            let line = match u32::try_from(line.line) {
                Ok(number) if number > 0 && exact => Line::Exact(number),
                Ok(number) if number > 0 => Line::FunctionStart(number),
                _ => Line::None,
            };
            frames.push(
                builder
                    .symbols
                    .intern_location(profile::Location { function, line }),
            );
        }
        stack.extend(&frames);
        self.locations.insert(id, frames);
    }

    fn function(&mut self, id: u64, tables: &Tables, builder: &mut Builder) -> FunctionId {
        *self.functions.entry(id).or_insert_with(|| {
            let function = tables.functions.get(&id).copied().unwrap_or_default();
            let name = tables.text(function.name);
            let file = Some(tables.text(function.filename)).filter(|file| !file.is_empty());
            let first_line = u32::try_from(function.start_line).unwrap_or(0);
            builder
                .symbols
                .intern_function(folded::function(&name, file.map(Into::into), first_line))
        })
    }
}
