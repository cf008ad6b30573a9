//! Reads sampled profiles in speedscope's JSON; what is `phperf`'s own in it tells the labels.

use super::{SCHEMA, STATES};
use crate::{
    Format, Labels, folded,
    labels::Told,
    read::{Builder, MAX_DEPTH, MAX_WHOLE, ReadError, Saved},
};
use profile::{Line, Location, LocationId};
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    io::{BufRead, Read},
};

#[derive(Deserialize)]
struct File {
    #[serde(rename = "$schema")]
    schema: String,
    name: Option<String>,
    phperf: Option<About>,
    shared: Shared,
    profiles: Vec<Profile>,
}

/// What speedscope does not keep of a recording.
#[derive(Deserialize)]
struct About {
    started_ns: Option<u64>,
    period_ns: Option<u64>,
    duration_ns: Option<u64>,
    #[serde(default)]
    notes: Vec<String>,
}

#[derive(Deserialize)]
struct Shared {
    frames: Vec<Frame>,
}

#[derive(Deserialize)]
struct Frame {
    name: String,
    file: Option<String>,
    line: Option<f64>,
}

#[derive(Deserialize)]
struct Profile {
    r#type: String,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    samples: Vec<Vec<u32>>,
    #[serde(default)]
    weights: Vec<f64>,
    phperf: Option<Thread>,
}

/// What speedscope does not keep of a thread.
#[derive(Deserialize)]
struct Thread {
    pid: Option<u32>,
    #[serde(rename = "thread")]
    tid: Option<u32>,
    #[serde(default)]
    states: String,
    /// Sets of labels, by name.
    #[serde(default)]
    labels: Vec<BTreeMap<String, String>>,
    /// The set that each sample has.
    #[serde(default)]
    labels_of: Vec<u32>,
}

fn malformed(why: impl Into<String>) -> ReadError {
    ReadError::Malformed {
        format: Format::Speedscope,
        why: why.into(),
    }
}

/// Reads to the end.
pub fn read(input: &mut dyn BufRead) -> Result<Saved, ReadError> {
    let mut bounded = input.take(MAX_WHOLE);
    let file: Result<File, _> = serde_json::from_reader(&mut bounded);
    if bounded.limit() == 0 {
        return Err(ReadError::TooLarge(MAX_WHOLE));
    }
    convert(file.map_err(|error| malformed(error.to_string()))?)
}

fn convert(file: File) -> Result<Saved, ReadError> {
    if file.schema != SCHEMA {
        return Err(malformed("its $schema is another one"));
    }
    let mut builder = Builder::new(Format::Speedscope);
    builder.saved.title = file.name;
    if let Some(about) = file.phperf {
        builder.saved.started_ns = about.started_ns;
        builder.saved.period_ns = about.period_ns.filter(|&period| period > 0);
        builder.saved.duration_ns = about.duration_ns;
        about.notes.into_iter().for_each(|note| builder.note(note));
    }
    let frames: Vec<LocationId> = file
        .shared
        .frames
        .iter()
        .map(|frame| intern(&mut builder, frame))
        .collect();
    for profile in &file.profiles {
        if profile.r#type != "sampled" {
            return Err(malformed(
                "only sampled profiles can be read, and one of its profiles is not",
            ));
        }
        add(profile, &frames, &mut builder)?;
    }
    Ok(builder.finish())
}

fn intern(builder: &mut Builder, frame: &Frame) -> LocationId {
    let first_line = frame.line.map_or(0, |line| line as u32);
    let function = folded::function(&frame.name, frame.file.as_deref().map(Into::into), first_line);
    let function = builder.symbols.intern_function(function);
    builder.symbols.intern_location(Location {
        function,
        line: Line::None,
    })
}

fn add(profile: &Profile, frames: &[LocationId], builder: &mut Builder) -> Result<(), ReadError> {
    let unit = match profile.unit.as_str() {
        "nanoseconds" => Some(1.0),
        "microseconds" => Some(1e3),
        "milliseconds" => Some(1e6),
        "seconds" => Some(1e9),
        _ => None,
    };
    let thread = profile.phperf.as_ref();
    let mut states = thread.map(|thread| thread.states.chars()).into_iter().flatten();
    let sets: Vec<Labels> = thread.map_or_else(Vec::new, |thread| {
        let sets = thread.labels.iter();
        sets.map(|set| {
            let mut told = Told::default();
            for (name, text) in set {
                told.set(name, text);
            }
            told.labels(&mut builder.symbols)
        })
        .collect()
    });
    let mut stack = Vec::new();
    for (at, sample) in profile.samples.iter().enumerate() {
        if sample.len() > MAX_DEPTH {
            return Err(malformed("a stack is too deep"));
        }
        stack.clear();
        for &frame in sample.iter().rev() {
            stack.push(
                *frames
                    .get(frame as usize)
                    .ok_or_else(|| malformed("a frame is not in its list"))?,
            );
        }
        let letter = states.next();
        let state = STATES
            .iter()
            .find(|&&(of, _)| Some(of) == letter)
            .map(|&(_, state)| state);
        let set = thread.and_then(|thread| thread.labels_of.get(at));
        let set = set.and_then(|&set| sets.get(set as usize));
        let labels = Labels {
            pid: thread.and_then(|thread| thread.pid),
            thread: thread.and_then(|thread| thread.tid),
            state,
            ..set.copied().unwrap_or_default()
        };
        let weight = profile.weights.get(at).copied().unwrap_or(1.0).max(0.0);
        let wall = unit.map(|unit| (weight * unit) as u64);
        let count = match (wall, builder.saved.period_ns) {
            (Some(wall), Some(period)) => (wall.saturating_add(period / 2)) / period,
            (Some(_), None) => 1,
            (None, _) => weight as u64,
        };
        builder.add(labels, &stack, count, wall, None);
    }
    Ok(())
}
