//! Counts while it records; writes the profile piece by piece, so that it never lies in memory as a whole.

use super::message::{Function, Label, Line, Location, Mapping, Profile, Sample, ValueType};
use crate::{
    Exporter, Labels, Recording, Seen,
    counts::{Counts, Key},
    folded::label,
    labels::{MEMORY, MEMORY_PEAK},
    native,
    strings::Strings,
};
use flate2::{Compression, write::GzEncoder};
use indexmap::IndexSet;
use profile::{FunctionId, Line as PhpLine, State, Symbols};
use prost::Message;
use std::io::{self, Write};

/// Mapping of PHP code whose lines are the current ones.
pub const EXACT: u64 = 1;
/// Mapping of PHP code whose lines are the first ones of their functions.
pub const FIRST_LINE: u64 = 2;
/// Mapping of functions that are not PHP code.
pub const INTERNAL: u64 = 3;

/// The first mapping of a binary that functions of C are in; the others follow.
pub const LIBRARIES: u64 = 4;

/// Counts while it records, and writes at the end.
#[derive(Debug, Default)]
pub struct Pprof {
    counts: Counts,
}

impl Exporter for Pprof {
    fn add(&mut self, _: &Symbols, seen: &Seen, _: &mut dyn Write) -> io::Result<()> {
        self.counts.add(seen);
        Ok(())
    }

    fn finish(&mut self, symbols: &Symbols, recording: &Recording, out: &mut dyn Write) -> io::Result<()> {
        let mut pieces = Pieces {
            out: GzEncoder::new(out, Compression::fast()),
            piece: Profile::default(),
            bytes: Vec::new(),
            strings: Strings::new(),
        };
        write(&self.counts, symbols, recording, &mut pieces)?;
        pieces.out.finish()?.flush()
    }
}

fn write<'a, W: Write>(
    counts: &Counts,
    symbols: &'a Symbols,
    recording: &'a Recording,
    pieces: &mut Pieces<'a, W>,
) -> io::Result<()> {
    let mut used = Used::new(symbols);
    write_head(recording, counts.tells_states(), pieces);
    let times = Times {
        period: recording.period_ns,
        tells_cpu: counts.tells_states(),
    };
    for (key, count) in counts.iter() {
        used.see(symbols, key);
        let sample = sample(symbols, key, count, times, &mut pieces.strings);
        pieces.piece.sample.push(sample);
        pieces.flush_at(64)?;
    }
    let mut libraries = IndexSet::new();
    for (at, location) in symbols
        .locations()
        .enumerate()
        .filter(|&(at, _)| used.locations[at])
    {
        let function = symbols.function(location.function);
        let mapping_id = match location.line {
            _ if native::mark(function).is_some() => {
                let (binary, is_new) = libraries.insert_full(function.file.as_deref().unwrap_or_default());
                let id = LIBRARIES + binary as u64;
                if is_new {
                    let filename = pieces.strings.id(libraries[binary]);
                    pieces.piece.mapping.push(Mapping {
                        id,
                        filename,
                        has_functions: true,
                        has_filenames: true,
                        has_line_numbers: false,
                    });
                }
                id
            }
            PhpLine::Exact(_) => EXACT,
            PhpLine::FunctionStart(_) => FIRST_LINE,
            PhpLine::None => INTERNAL,
        };
        let line = Line {
            function_id: location.function.index() as u64 + 1,
            line: i64::from(location.line.number()),
        };
        pieces.piece.location.push(Location {
            id: at as u64 + 1,
            mapping_id,
            line: vec![line],
        });
        pieces.flush_at(64)?;
    }
    for (at, function) in symbols
        .functions()
        .enumerate()
        .filter(|&(at, _)| used.functions[at])
    {
        let file = function.file.as_deref().unwrap_or_default();
        let name = pieces.strings.id(label(function));
        let filename = pieces.strings.id(file);
        pieces.piece.function.push(Function {
            id: at as u64 + 1,
            name,
            // A name equal to the system's would be demangled as C++, and `<main>` has nothing left then.
            system_name: 0,
            filename,
            start_line: i64::from(function.first_line),
        });
        pieces.flush_at(64)?;
    }
    pieces.flush()?;
    pieces.write_strings()
}

/// Value types, mappings, times and comments.
fn write_head<'a, W: Write>(recording: &'a Recording, tells_cpu: bool, pieces: &mut Pieces<'a, W>) {
    let Pieces { strings, piece, .. } = pieces;
    let mut value = |name, unit| ValueType {
        r#type: strings.id(name),
        unit: strings.id(unit),
    };
    let samples = value("samples", "count");
    piece.sample_type.push(samples);
    piece.default_sample_type = samples.r#type;
    if let Some(period) = recording.period_ns {
        let wall = value("wall", "nanoseconds");
        piece.sample_type.push(wall);
        piece.default_sample_type = wall.r#type;
        piece.period_type = Some(wall);
        piece.period = saturate(period);
        if tells_cpu {
            piece.sample_type.push(value("cpu", "nanoseconds"));
        }
    }
    piece.time_nanos = saturate(recording.started_ns.unwrap_or(0));
    piece.duration_nanos = saturate(recording.duration_ns.unwrap_or(0));

    let versions = recording.php_versions.join(", ");
    let mut mapping = |id, filename: String, has_filenames, has_line_numbers| Mapping {
        id,
        filename: strings.id(filename),
        has_functions: true,
        has_filenames,
        has_line_numbers,
    };
    let php = if versions.is_empty() {
        "PHP".to_owned()
    } else {
        format!("PHP {versions}")
    };
    piece.mapping = vec![
        mapping(EXACT, php, true, true),
        mapping(
            FIRST_LINE,
            "[PHP, first line of the function instead of the current one]".into(),
            true,
            false,
        ),
        mapping(INTERNAL, "[PHP, internal functions]".into(), false, false),
    ];
    piece.comment.push(strings.id(&*recording.title));
    for note in &recording.notes {
        piece.comment.push(strings.id(&**note));
    }
}

/// What is known of the time of a sample.
#[derive(Clone, Copy)]
struct Times {
    period: Option<u64>,
    tells_cpu: bool,
}

fn sample<'a>(symbols: &'a Symbols, key: Key, count: u64, times: Times, strings: &mut Strings<'a>) -> Sample {
    let mut value = vec![saturate(count)];
    if let Some(period) = times.period {
        let wall = saturate(count.saturating_mul(period));
        value.push(wall);
        if times.tells_cpu {
            value.push(if key.labels.state == Some(State::OnCpu) {
                wall
            } else {
                0
            });
        }
    }
    Sample {
        location_id: symbols
            .stack(key.stack)
            .iter()
            .map(|location| location.index() as u64 + 1)
            .collect(),
        value,
        label: labels(symbols, key.labels, strings),
    }
}

fn labels<'a>(symbols: &'a Symbols, labels: Labels, strings: &mut Strings<'a>) -> Vec<Label> {
    let mut written = Vec::new();
    let mut number = |name, num, unit| {
        if let Some(num) = num {
            written.push(Label {
                key: strings.id(name),
                num: saturate(num),
                num_unit: strings.id(unit),
                ..Label::default()
            });
        }
    };
    // With a unit that is none, tools do not take ids for amounts.
    number("pid", labels.pid.map(u64::from), "id");
    number("thread", labels.thread.map(u64::from), "id");
    number(MEMORY, labels.memory.map(|memory| memory.used), "bytes");
    number(MEMORY_PEAK, labels.memory.map(|memory| memory.peak), "bytes");
    let state = labels.state.map(|state| ("state", state.name()));
    let context = symbols.context(labels.context);
    let texts = context.map(|(label, text)| (label.name(), text));
    written.extend(state.into_iter().chain(texts).map(|(name, text)| Label {
        key: strings.id(name),
        str: strings.id(text),
        ..Label::default()
    }));
    written
}

fn saturate(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Which locations and functions occur in samples: the others stay out of the file.
struct Used {
    locations: Vec<bool>,
    functions: Vec<bool>,
}

impl Used {
    fn new(symbols: &Symbols) -> Self {
        Self {
            locations: vec![false; symbols.locations().len()],
            functions: vec![false; symbols.functions().len()],
        }
    }

    fn see(&mut self, symbols: &Symbols, key: Key) {
        for &location in symbols.stack(key.stack) {
            let function: FunctionId = symbols.location(location).function;
            self.locations[location.index()] = true;
            self.functions[function.index()] = true;
        }
    }
}

/// The piece that is being filled, and where full ones go.
struct Pieces<'a, W: Write> {
    out: GzEncoder<W>,
    piece: Profile,
    bytes: Vec<u8>,
    strings: Strings<'a>,
}

impl<W: Write> Pieces<'_, W> {
    /// Writes the piece when one of its lists has `limit` entries.
    fn flush_at(&mut self, limit: usize) -> io::Result<()> {
        let Profile {
            sample,
            location,
            function,
            ..
        } = &self.piece;
        if sample.len().max(location.len()).max(function.len()) >= limit {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.bytes.clear();
        self.piece.encode(&mut self.bytes).map_err(io::Error::other)?;
        self.piece.clear();
        self.out.write_all(&self.bytes)
    }

    fn write_strings(&mut self) -> io::Result<()> {
        for text in self.strings.iter() {
            self.bytes.clear();
            // An empty text is written too: places in the table count.
            let piece = Profile {
                string_table: vec![text.to_owned()],
                ..Profile::default()
            };
            piece.encode(&mut self.bytes).map_err(io::Error::other)?;
            self.out.write_all(&self.bytes)?;
        }
        Ok(())
    }
}
