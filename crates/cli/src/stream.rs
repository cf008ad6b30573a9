//! Samples as they come, to whoever reads along.

use crate::replacement::{AtOnce, Replacement, cannot};
use anyhow::{Context, Result};
use profile::{Sample, Source, Symbols};
use sampler::{Status, Values, Watcher};
use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

/// Where samples go: `-` is standard output. A file keeps what it held until the first sample, or the end.
pub fn open(path: &Path) -> Result<BufWriter<Box<dyn Write>>> {
    let out: Box<dyn Write> = if path.as_os_str() == "-" {
        Box::new(io::stdout())
    } else {
        let file = Replacement::open(path).with_context(|| cannot(path, "-o"))?;
        Box::new(AtOnce(file))
    };
    Ok(BufWriter::new(out))
}

/// Has each sample written before the next one is looked at.
pub struct Stream<F> {
    /// Writes a sample, to the end, with what variables held then.
    pub write: F,
    /// Of the sample that comes next.
    pub values: Values,
    /// Whether warnings are kept back.
    pub quiet: bool,
}

impl<F: FnMut(&Symbols, &Sample, &Values) -> io::Result<()>> Watcher for Stream<F> {
    fn started(&mut self, _: Source, _: usize) {}

    fn values(&mut self, values: &Values) {
        self.values.clone_from(values);
    }

    fn sample(&mut self, symbols: &Symbols, sample: &Sample) -> io::Result<()> {
        let written = (self.write)(symbols, sample, &self.values);
        self.values = Values::default();
        written
    }

    fn wants_status(&mut self) -> bool {
        false
    }

    fn status(&mut self, _: &Status) {}

    fn warn(&mut self, warning: &str) {
        if !self.quiet {
            eprintln!("phperf: {warning}");
        }
    }

    fn keeps_stacks(&self) -> bool {
        false
    }
}
