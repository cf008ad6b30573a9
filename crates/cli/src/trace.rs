//! `phperf trace`.

use crate::{
    args, interrupt, peeks,
    replacement::cannot,
    sampling, saved,
    stream::{self, Stream},
    summary,
};
use anyhow::{Context, Result};
use export::{Matcher, Shape};
use profile::{Sample, Symbols};
use sampler::{Settings, Values};
use std::io::Write;

/// Prints each stack as it comes; returns the command's exit code, or 0.
pub fn run(asked: &args::Trace) -> Result<u8> {
    sampling::find_command(&asked.targets)?;
    let settings = Settings {
        asked: sampler::Asked {
            native: asked.in_c.is_asked(),
            ..sampling::circumstances(&asked.circumstances)
        },
        peeks: asked.variables.peeks(),
        ..sampling::settings(&asked.sampling, asked.end)
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
        write: |symbols: &Symbols, sample: &Sample, values: &Values| {
            if matcher.takes(symbols, sample.stack) {
                text.clear();
                let mut notes = peeks::notes(&settings.peeks, values, symbols, sample.stack);
                if values.are_torn {
                    notes.stack.push("values = torn".into());
                }
                export::print(symbols, &sample.into(), shape, &notes, &mut text)?;
                for _ in 0..sample.weight {
                    out.write_all(&text)?;
                }
                out.flush()?;
            }
            Ok(())
        },
        values: Values::default(),
        quiet: asked.quiet,
    };
    let targets = sampling::targets(&asked.targets);
    let recorded = sampler::record(&targets, &settings, &mut Symbols::default(), &stop, &mut stream)?;
    if !asked.quiet {
        summary::print_total(&recorded.account, asked.sampling.rate);
    }
    let written = recorded.refused.map_or_else(|| out.flush(), Err);
    written.with_context(|| cannot(&asked.output, "-o"))?;
    if !asked.quiet && recorded.account.total().taken() == 0 {
        let is_command = !asked.targets.command.is_empty();
        eprintln!("phperf: {}", summary::why_empty(&recorded.account, is_command));
    }
    recorded
        .child
        .map_or(Ok(0), |child| sampling::wait(child, &stop, asked.quiet))
}
