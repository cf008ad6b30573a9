//! Counts while it records, and writes at the end.

use super::{
    message::{
        AnyValue, InstrumentationScope, KeyValue, Profile, ProfilesData, Resource, ResourceProfiles, Sample,
        ScopeProfiles, Value, ValueType,
    },
    table::Dictionary,
};
use crate::{Exporter, Labels, Recording, Seen, counts::Counts};
use profile::{Label, Memory, State, Symbols};
use prost::Message;
use std::io::{self, Write};

/// Counts while it records, and writes at the end.
#[derive(Debug, Default)]
pub struct Otlp {
    counts: Counts,
}

impl Exporter for Otlp {
    fn add(&mut self, _: &Symbols, seen: &Seen, _: &mut dyn Write) -> io::Result<()> {
        self.counts.add(seen);
        Ok(())
    }

    fn finish(&mut self, symbols: &Symbols, recording: &Recording, out: &mut dyn Write) -> io::Result<()> {
        let mut dictionary = Dictionary::new(symbols);
        let profiles = profiles(&self.counts, recording, &mut dictionary);
        let data = ProfilesData {
            resource_profiles: vec![ResourceProfiles {
                resource: Some(resource(recording)),
                scope_profiles: vec![ScopeProfiles {
                    scope: Some(InstrumentationScope {
                        name: "phperf".into(),
                        version: env!("CARGO_PKG_VERSION").into(),
                    }),
                    profiles,
                }],
            }],
            dictionary: Some(dictionary.finish()),
        };
        out.write_all(&data.encode_to_vec())?;
        out.flush()
    }
}

fn resource(recording: &Recording) -> Resource {
    let attribute = |key: &str, value: &str| KeyValue {
        key: key.into(),
        value: Some(AnyValue {
            value: Some(Value::Text(value.into())),
        }),
    };
    // What a collector calls a service that does not name itself.
    let mut attributes = vec![
        attribute("service.name", "unknown_service:php"),
        attribute("process.runtime.name", "php"),
    ];
    // Of several versions none is the resource's.
    if let [version] = &recording.php_versions[..] {
        attributes.push(attribute("process.runtime.version", version));
    }
    Resource { attributes }
}

/// A profile for each type of value: samples; wall and CPU time where they are known.
fn profiles(counts: &Counts, recording: &Recording, dictionary: &mut Dictionary<'_>) -> Vec<Profile> {
    let mut attribute_indices =
        vec![dictionary.attribute("phperf.title", Value::Text(recording.title.clone()))];
    attribute_indices.push(dictionary.attribute("phperf.notes", Value::Text(recording.notes.join("\n"))));
    let wall = dictionary.value_type("wall", "nanoseconds");
    let mut types: Vec<(ValueType, bool, u64)> = vec![(dictionary.value_type("samples", "count"), false, 1)];
    if let Some(period) = recording.period_ns {
        types.push((wall, false, period));
        if counts.tells_states() {
            types.push((dictionary.value_type("cpu", "nanoseconds"), true, period));
        }
    }
    let samples: Vec<(Option<State>, u64, Sample)> = counts
        .iter()
        .map(|(key, periods)| {
            let sample = Sample {
                stack_index: dictionary.stack(key.stack),
                attribute_indices: attributes(key.labels, dictionary),
                values: Vec::new(),
            };
            (key.labels.state, periods, sample)
        })
        .collect();
    let profile = |(sample_type, on_cpu_alone, unit): (ValueType, bool, u64)| Profile {
        sample_type: Some(sample_type),
        samples: samples
            .iter()
            .filter(|(state, ..)| !on_cpu_alone || *state == Some(State::OnCpu))
            .map(|(_, periods, sample)| Sample {
                values: vec![i64::try_from(periods.saturating_mul(unit)).unwrap_or(i64::MAX)],
                ..sample.clone()
            })
            .collect(),
        time_unix_nano: recording.started_ns.unwrap_or(0),
        duration_nano: recording.duration_ns.unwrap_or(0),
        period_type: recording.period_ns.map(|_| wall),
        period: recording
            .period_ns
            .map_or(0, |period| i64::try_from(period).unwrap_or(i64::MAX)),
        attribute_indices: attribute_indices.clone(),
    };
    types.into_iter().map(profile).collect()
}

fn attributes(labels: Labels, dictionary: &mut Dictionary<'_>) -> Vec<i32> {
    let number = |number: u32| Value::Number(i64::from(number));
    let pid = labels
        .pid
        .map(|pid| dictionary.attribute("process.pid", number(pid)));
    let thread = labels
        .thread
        .map(|id| dictionary.attribute("thread.id", number(id)));
    let state = labels
        .state
        .map(|state| dictionary.attribute("phperf.state", Value::Text(state.name().into())));
    let mut all: Vec<i32> = [pid, thread, state].into_iter().flatten().collect();
    if let Some(Memory { used, peak }) = labels.memory {
        for (key, bytes) in [("phperf.memory.used", used), ("phperf.memory.peak", peak)] {
            let bytes = Value::Number(i64::try_from(bytes).unwrap_or(i64::MAX));
            all.push(dictionary.attribute_in(key, bytes, "By"));
        }
    }
    let symbols = dictionary.symbols;
    for (label, text) in symbols.context(labels.context) {
        all.push(dictionary.attribute(key_of(label), Value::Text(text.into())));
    }
    all
}

/// The attribute of a label: OpenTelemetry's own, where there is one.
const fn key_of(label: Label) -> &'static str {
    match label {
        Label::Method => "http.request.method",
        Label::Uri => "url.path",
        Label::Query => "url.query",
        Label::Cookie => "http.request.header.cookie",
        Label::Script => "phperf.script",
        Label::Began => "phperf.began",
        Label::Wait => "phperf.wait",
        Label::Syscall => "phperf.syscall",
        Label::File => "file.path",
        Label::Peer => "phperf.peer",
        Label::Peek => "phperf.peek",
    }
}
