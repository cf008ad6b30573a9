//! `phperf trace`.

use crate::{
    args, interrupt, sampling, saved,
    stream::{self, Stream},
    summary,
};
use anyhow::{Context, Result};
use export::{Matcher, Shape};
use profile::{Sample, Symbols};
use sampler::Settings;
use std::io::Write;

/// Prints each stack as it comes; returns the command's exit code, or 0.
pub fn run(asked: &args::Trace) -> Result<u8> {
    sampling::find_command(&asked.targets)?;
    let settings = Settings {
        duration: asked.duration,
        limit: asked.limit,
        asked: sampling::circumstances(&asked.circumstances),
        ..sampling::settings(&asked.sampling)
    };
    let shape = if asked.single_line {
        Shape::OneLine
    } else {
        Shape::Lines
    };
    let mut matcher = Matcher::new(saved::filter(&asked.filter)?);
    let mut out = stream::open(&asked.output)?;
    let stop =
        interrupt::flag("what came until then was printed".into()).context("cannot wait for signals")?;
    let mut text = Vec::new();
    let mut stream = Stream {
        write: |symbols: &Symbols, sample: &Sample| {
            if matcher.takes(symbols, sample.stack) {
                text.clear();
                export::print(symbols, &sample.into(), shape, &mut text)?;
                for _ in 0..sample.weight {
                    out.write_all(&text)?;
                }
                out.flush()?;
            }
            Ok(())
        },
        quiet: asked.quiet,
    };
    let targets = sampling::targets(&asked.targets);
    let recorded = sampler::record(&targets, &settings, &mut Symbols::default(), &stop, &mut stream)?;
    if let Some(error) = recorded.refused {
        return Err(error.into());
    }
    out.flush()?;
    if !asked.quiet {
        summary::print_total(&recorded.account, asked.sampling.rate);
    }
    recorded
        .child
        .map_or(Ok(0), |child| sampling::wait(child, &stop, asked.quiet))
}
