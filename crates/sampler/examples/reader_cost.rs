//! What the reader costs, and what it sees.
//!
//! `reader_cost SCRIPT [RATE [SECONDS [TARGETS]]]` samples that many `php SCRIPT`, which print `ready`. It
//! prints the most and the least frequent stacks, reads per sample, and CPU time per sample without start-up.

#[path = "../tests/common/mod.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod common;

use common::{Decoder, Php};
use sampler::{
    Peeks,
    reader::{Reader, ReaderSettings},
    record,
};
use std::{
    collections::BTreeMap,
    fs,
    time::{Duration, Instant},
};

#[derive(Default)]
struct Seen {
    stacks: BTreeMap<String, u64>,
    states: [u64; 3],
    retried: u64,
    inexact: u64,
    frames: usize,
    samples: u64,
    /// The longest time for which nobody drained.
    longest: Duration,
}

/// CPU time of the sampling threads so far: what this example does with the samples is no part of the cost.
fn cpu() -> Duration {
    let threads = fs::read_dir("/proc/self/task")
        .unwrap()
        .map(|thread| thread.unwrap().path());
    let run_ns = threads
        .filter(|thread| {
            fs::read_to_string(thread.join("comm")).is_ok_and(|name| name.starts_with("sampler/"))
        })
        .map(|thread| {
            let line = fs::read_to_string(thread.join("schedstat")).unwrap();
            line.split(' ').next().unwrap().parse::<u64>().unwrap()
        });
    Duration::from_nanos(run_ns.sum())
}

fn drain(reader: &mut Reader, decoder: &mut Decoder, seen: &mut Seen) {
    reader.drain(&mut |record| {
        let Some(sample) = decoder.record(record) else {
            return;
        };
        seen.samples += 1;
        seen.frames += sample.frames.len();
        seen.states[usize::from(sample.header.state)] += 1;
        seen.retried += u64::from(sample.header.flags & record::RETRIED != 0);
        seen.inexact += u64::from(sample.frames.last().is_some_and(|leaf| !leaf.exact));
        *seen.stacks.entry(sample.stack()).or_default() += 1;
    });
}

fn main() {
    let arguments: Vec<_> = std::env::args().collect();
    let number = |index: usize, default: f64| -> f64 {
        arguments
            .get(index)
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    };
    let (rate, seconds, targets) = (number(2, 999.0), number(3, 5.0), number(4, 1.0) as usize);
    let children: Vec<_> = (0..targets).map(|_| Php::start(&arguments[1], &[])).collect();
    let mut reader = Reader::start(ReaderSettings {
        period: Duration::from_secs_f64(1.0 / rate),
        max_depth: 512,
        asked: sampler::Asked::default(),
        peeks: Peeks::default(),
    })
    .unwrap();
    for php in &children {
        php.attach(&mut reader);
    }
    reader.begin(0, None).unwrap();
    let (mut decoder, mut seen) = (Decoder::default(), Seen::default());
    let mut run = |reader: &mut Reader, seconds: f64| {
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        while Instant::now() < end {
            let began = Instant::now();
            reader.wait(Duration::from_millis(100));
            seen.longest = seen.longest.max(began.elapsed());
            drain(reader, &mut decoder, &mut seen);
        }
        (cpu(), seen.samples)
    };
    let (early, early_samples) = run(&mut reader, 0.5);
    let (late, late_samples) = run(&mut reader, seconds);
    reader.stop();
    drain(&mut reader, &mut decoder, &mut seen);

    let mut stacks: Vec<_> = seen.stacks.iter().collect();
    stacks.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let last = stacks.len().saturating_sub(12).max(8);
    for (stack, count) in stacks.iter().take(8).chain(stacks.iter().skip(last)) {
        println!("{count:8} {stack}");
    }
    let tallies = reader.tallies();
    for tally in tallies.iter().take(4) {
        println!("{tally:?}");
    }
    for note in reader.notes() {
        println!("note: {note}");
    }
    let per_sample = |count: f64| count / seen.samples as f64;
    println!(
        "{} stacks of {:.1} frames; on, runnable, blocked {:?}; {} retried; leaf without line {:.1} %; longest wait {:?}",
        seen.stacks.len(),
        per_sample(seen.frames as f64),
        seen.states,
        seen.retried,
        per_sample(100.0 * seen.inexact as f64),
        seen.longest,
    );
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let memory = status
        .lines()
        .filter(|line| line.starts_with("VmHWM") || line.starts_with("RssAnon"));
    println!("{}", memory.collect::<Vec<_>>().join(" "));
    println!(
        "{} of {} due; {:.2} µs of CPU and {:.3} reads per sample",
        seen.samples,
        tallies.iter().map(|tally| tally.due).sum::<u64>(),
        late.saturating_sub(early).as_nanos() as f64 / 1000.0 / (late_samples - early_samples) as f64,
        per_sample(tallies.iter().map(|tally| tally.reads).sum::<u64>() as f64),
    );
}
