//! What the tests and the example share: PHP as a child, and records as names.

use remote::Process;
use sampler::{
    reader::{Reader, ReaderTally},
    record::{self, Frame, FunctionHeader, SampleHeader},
};
use std::{
    collections::HashMap,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use zerocopy::FromBytes;

/// A PHP that ends with the test.
pub struct Php(Child);

impl Php {
    /// Runs a file of `tests/php`, and waits until it prints that it is ready.
    pub fn start(script: &str, arguments: &[&str]) -> Self {
        let mut php = Self::spawn(&[&[script], arguments].concat());
        let mut line = String::new();
        BufReader::new(php.0.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert_eq!(line, "ready\n");
        php
    }

    /// Runs PHP with these arguments; it reads from a pipe that stays open.
    pub fn spawn(arguments: &[&str]) -> Self {
        let name = std::env::var("PHPERF_PHP").unwrap_or("php8.2".into());
        let child = Command::new(&name)
            .args(
                std::env::var("PHPERF_PHP_OPTIONS")
                    .unwrap_or_default()
                    .split_whitespace(),
            )
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{name}: {error}: install PHP 8.2 or set PHPERF_PHP"));
        Self(child)
    }

    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    pub fn end(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    pub fn attach(&self, reader: &mut Reader) {
        let process = Process::open(self.pid()).unwrap();
        let interpreter = zend::Interpreter::find(&process).unwrap();
        reader.attach(&process, &interpreter).unwrap();
    }
}

impl Drop for Php {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A frame: `Class::method`, and its line.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shown {
    pub name: String,
    pub line: u32,
    pub exact: bool,
}

/// A sample, with its frames from the outermost to the innermost.
#[derive(Clone, Debug)]
pub struct Sample {
    pub header: SampleHeader,
    pub frames: Vec<Shown>,
}

impl Sample {
    pub fn stack(&self) -> String {
        let names: Vec<_> = self.frames.iter().map(|frame| &*frame.name).collect();
        names.join(";")
    }
}

/// Makes samples of records.
#[derive(Default)]
pub struct Decoder {
    functions: HashMap<(u32, u64), String>,
    pub announced: u64,
}

impl Decoder {
    pub fn record(&mut self, record: &[u8]) -> Option<Sample> {
        if record[0] == record::FUNCTION {
            let (header, names) = FunctionHeader::read_from_prefix(record).unwrap();
            let (name, names) = names.split_at(header.name_len.into());
            let (class, file) = names.split_at(header.class_len.into());
            assert_eq!(file.len(), usize::from(header.file_len));
            let file = String::from_utf8_lossy(file);
            let name = match (class, name) {
                ([], []) => format!("<{}>", file.rsplit('/').next().unwrap()),
                ([], name) => String::from_utf8_lossy(name).into_owned(),
                (class, name) => {
                    format!(
                        "{}::{}",
                        String::from_utf8_lossy(class),
                        String::from_utf8_lossy(name)
                    )
                }
            };
            let name = match &*name {
                "{closure}" => format!("{{closure:{}}}", header.first_line),
                _ => name,
            };
            let old = self.functions.insert((header.pid, header.id), name);
            assert_eq!(old, None, "an id means one function");
            self.announced += 1;
            return None;
        }
        assert_eq!(record[0], record::SAMPLE);
        let (header, frames) = SampleHeader::read_from_prefix(record).unwrap();
        assert_eq!(frames.len(), header.depth as usize * size_of::<Frame>());
        let mut frames: Vec<_> = frames
            .chunks(size_of::<Frame>())
            .map(|bytes| {
                let frame = Frame::read_from_bytes(bytes).unwrap();
                Shown {
                    name: self.functions[&(header.pid, frame.function)].clone(),
                    line: frame.line,
                    exact: frame.flags & record::FIRST_LINE == 0,
                }
            })
            .collect();
        frames.reverse();
        Some(Sample { header, frames })
    }
}

/// Drains until `enough` of the samples so far, or for a minute, which means that something is wrong.
pub fn drain_until(
    reader: &mut Reader,
    decoder: &mut Decoder,
    mut enough: impl FnMut(&[Sample]) -> bool,
) -> Vec<Sample> {
    let mut samples = Vec::new();
    let end = Instant::now() + Duration::from_secs(60);
    while !enough(&samples) {
        assert!(
            Instant::now() < end,
            "only {} samples: {:?}",
            samples.len(),
            reader.tallies()
        );
        reader.wait(Duration::from_millis(20));
        reader.drain(&mut |record| samples.extend(decoder.record(record)));
    }
    samples
}

/// Stops, and takes what is left. Every tick must be accounted for.
pub fn finish(mut reader: Reader, decoder: &mut Decoder, samples: &mut Vec<Sample>) -> Vec<ReaderTally> {
    reader.stop();
    reader.drain(&mut |record| samples.extend(decoder.record(record)));
    let tallies = reader.tallies();
    for tally in &tallies {
        let taken: u64 = samples
            .iter()
            .filter(|sample| sample.header.pid == tally.pid)
            .map(|sample| u64::from(sample.header.weight))
            .sum();
        let seen = taken + tally.idle + tally.lost + tally.unreadable;
        assert_eq!(tally.due, seen + tally.missed, "{tally:?}");
    }
    tallies
}
