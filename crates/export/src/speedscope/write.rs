//! Keeps each sample in a few bytes while it records; writes the JSON as a stream at the end.

use super::{NOT_TOLD, SCHEMA, STATES, track::Track};
use crate::{
    Exporter, Recording, Seen, describe,
    folded::label,
    json::{Json, OrNull},
    labels::{MEMORY, MEMORY_PEAK},
};
use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};
use profile::{ContextId, Function, FunctionId, LocationId, Memory, StackId, Symbols};
use std::io::{self, Write};

/// A process and a thread, as far as they are told.
type Thread = (Option<u32>, Option<u32>);

/// A stack and what is known besides; memory in steps, so that there are not as many as samples.
type Place = (StackId, ContextId, Option<Memory>);

/// Samples of each process and thread, in the order in which they came.
#[derive(Debug, Default)]
pub struct Speedscope {
    places: IndexSet<Place, RandomState>,
    threads: IndexMap<Thread, Track>,
}

impl Exporter for Speedscope {
    fn add(&mut self, _: &Symbols, seen: &Seen, _: &mut dyn Write) -> io::Result<()> {
        let labels = seen.labels.in_steps();
        let place = (seen.stack, labels.context, labels.memory);
        let place = self.places.insert_full(place).0;
        let state = STATES
            .iter()
            .position(|&(_, state)| Some(state) == labels.state)
            .unwrap_or(STATES.len()) as u8;
        self.threads
            .entry((labels.pid, labels.thread))
            .or_default()
            .push((place, state, seen.periods));
        Ok(())
    }

    fn finish(&mut self, symbols: &Symbols, recording: &Recording, out: &mut dyn Write) -> io::Result<()> {
        let title = &recording.title;
        write!(
            out,
            "{{\"$schema\":{},\"exporter\":{}",
            Json(SCHEMA),
            Json(describe::WRITER)
        )?;
        write!(out, ",\"name\":{},\"activeProfileIndex\":0", Json(title))?;
        write!(
            out,
            ",\n\"phperf\":{{\"started_ns\":{},\"period_ns\":{},\"duration_ns\":{},\"notes\":[",
            OrNull(recording.started_ns),
            OrNull(recording.period_ns),
            OrNull(recording.duration_ns)
        )?;
        for (at, note) in recording.notes.iter().enumerate() {
            write!(out, "{}{}", comma(at), Json(note))?;
        }
        write!(out, "]}},\n\"shared\":{{\"frames\":[")?;
        let frames = self.write_frames(symbols, out)?;
        write!(out, "\n]}},\n\"profiles\":[")?;
        for (at, (&thread, track)) in self.threads.iter().enumerate() {
            write!(out, "{}", comma(at))?;
            let period = recording.period_ns;
            let writer = Profile {
                symbols,
                places: &self.places,
                frames: &frames,
                period,
                track,
            };
            writer.write(title, thread, out)?;
        }
        if self.threads.is_empty() {
            // The viewer fails on a file without a profile; one without a sample it shows.
            write!(
                out,
                "\n{{\"type\":\"sampled\",\"name\":\"no samples\",\"unit\":\"nanoseconds\""
            )?;
            write!(
                out,
                ",\"startValue\":0,\"endValue\":0,\"samples\":[],\"weights\":[]}}"
            )?;
        }
        writeln!(out, "\n]}}")?;
        out.flush()
    }
}

impl Speedscope {
    /// Writes the functions that occur; the place of each in the list, by its number in `symbols`.
    fn write_frames(&self, symbols: &Symbols, out: &mut dyn Write) -> io::Result<Vec<Option<u32>>> {
        let mut places = vec![None; symbols.functions().len()];
        let mut next = 0;
        for &(stack, ..) in &self.places {
            for &location in symbols.stack(stack) {
                let id: FunctionId = symbols.location(location).function;
                if places[id.index()].is_some() {
                    continue;
                }
                places[id.index()] = Some(next);
                write!(out, "{}", comma(next as usize))?;
                write_frame(symbols.function(id), out)?;
                next += 1;
            }
        }
        Ok(places)
    }
}

fn write_frame(function: &Function, out: &mut dyn Write) -> io::Result<()> {
    let Some(file) = &function.file else {
        return write!(out, "\n{{\"name\":{}}}", Json(&function.name));
    };
    write!(out, "\n{{\"name\":{}", Json(label(function)))?;
    write!(out, ",\"file\":{}", Json(file))?;
    if function.first_line > 0 {
        write!(out, ",\"line\":{}", function.first_line)?;
    }
    write!(out, "}}")
}

/// One thread's samples on their way out.
struct Profile<'a> {
    symbols: &'a Symbols,
    places: &'a IndexSet<Place, RandomState>,
    frames: &'a [Option<u32>],
    period: Option<u64>,
    track: &'a Track,
}

impl Profile<'_> {
    fn write(&self, title: &str, thread: Thread, out: &mut dyn Write) -> io::Result<()> {
        let title = describe::shorten(title, 60);
        let (pid, tid) = thread;
        let name = match thread {
            (Some(pid), Some(tid)) if pid != tid => format!("{title} (pid {pid}, thread {tid})"),
            (Some(pid), _) => format!("{title} (pid {pid})"),
            (None, Some(tid)) => format!("{title} (thread {tid})"),
            (None, None) => title,
        };
        write!(out, "\n{{\"type\":\"sampled\",\"name\":{}", Json(name))?;
        let (unit, period) = self.period.map_or(("none", 1), |period| ("nanoseconds", period));
        let value = |weight: u64| weight.saturating_mul(period);
        let end = self
            .track
            .iter()
            .fold(0_u64, |sum, (_, _, weight)| sum.saturating_add(value(weight)));
        write!(
            out,
            ",\"unit\":\"{unit}\",\"startValue\":0,\"endValue\":{end},\n\"samples\":["
        )?;
        for (at, (place, _, _)) in self.track.iter().enumerate() {
            write!(out, "{}[", comma(at))?;
            let stack: &[LocationId] = self.symbols.stack(self.places[place].0);
            for (depth, &location) in stack.iter().rev().enumerate() {
                let function = self.symbols.location(location).function;
                let place = self.frames[function.index()].unwrap_or_default();
                write!(out, "{}{place}", comma(depth))?;
            }
            write!(out, "]")?;
        }
        write!(out, "],\n\"weights\":[")?;
        for (at, (_, _, weight)) in self.track.iter().enumerate() {
            write!(out, "{}{}", comma(at), value(weight))?;
        }
        write!(
            out,
            "],\n\"phperf\":{{\"pid\":{},\"thread\":{},\"states\":\"",
            OrNull(pid.map(u64::from)),
            OrNull(tid.map(u64::from))
        )?;
        for (_, state, _) in self.track.iter() {
            let letter = STATES
                .get(usize::from(state))
                .map_or(NOT_TOLD, |&(letter, _)| letter);
            write!(out, "{letter}")?;
        }
        write!(out, "\"")?;
        self.write_labels(out)?;
        write!(out, "}}}}")
    }

    /// The sets of labels that occur, and which of them each sample has; nothing where no sample has any.
    fn write_labels(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut sets: IndexSet<(ContextId, Option<Memory>)> = IndexSet::from([Default::default()]);
        let mut which = Vec::new();
        for (place, _, _) in self.track.iter() {
            let (_, context, memory) = self.places[place];
            which.push(sets.insert_full((context, memory)).0);
        }
        if sets.len() == 1 {
            return Ok(());
        }
        write!(out, ",\n\"labels\":[")?;
        for (at, &(context, memory)) in sets.iter().enumerate() {
            write!(out, "{}{{", comma(at))?;
            let bytes = memory.map(|memory| [(MEMORY, memory.used), (MEMORY_PEAK, memory.peak)]);
            let bytes = bytes.into_iter().flatten();
            let mut members = 0;
            for (name, bytes) in bytes {
                write!(out, "{}\"{name}\":\"{bytes}\"", comma(members))?;
                members += 1;
            }
            for (label, text) in self.symbols.context(context) {
                write!(out, "{}\"{}\":{}", comma(members), label.name(), Json(text))?;
                members += 1;
            }
            write!(out, "}}")?;
        }
        write!(out, "],\n\"labels_of\":[")?;
        for (at, set) in which.iter().enumerate() {
            write!(out, "{}{set}", comma(at))?;
        }
        write!(out, "]")
    }
}

const fn comma(at: usize) -> &'static str {
    if at == 0 { "" } else { "," }
}
