//! `phperf bench log`.

use super::{args, store};
use crate::wanted::Wanted;
use anyhow::{Result, bail};
use bench::{
    history::{self, Entry},
    output::shown,
    report::date,
    store::{Run, Store},
};
use std::io::{self, BufWriter, Write};

/// Lists runs, or variants over them.
pub fn log(asked: &args::Log) -> Result<u8> {
    let runs = Store::existing(&store::usual_place(&asked.store_at)?)?.last(asked.limit)?;
    let entries: Vec<Entry> = runs.iter().map(Entry::from).collect();
    let part = asked.subject.as_deref();
    let lines = history::lines(&entries, part.unwrap_or_default());
    if let Some(part) = part.filter(|_| lines.is_empty()) {
        bail!(
            "in the last {} runs nothing was measured whose name contains {part}",
            runs.len()
        );
    }
    if let Some(path) = &asked.json {
        let file = Wanted::open(path, "--json")?;
        return file
            .write(|out| history::write_json(&entries, &lines, out))
            .map(|()| 0);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    if part.is_some() {
        history::write_text(&lines, &mut out)?;
    } else {
        list(&runs, &mut out)?;
    }
    out.flush()?;
    Ok(0)
}

fn list(runs: &[Run], out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{:>5}  {:20}  {:10}  {:>8}  {:8}  tag",
        "run", "started", "revision", "variants", "PHP"
    )?;
    runs.iter().try_for_each(|run| line(run, out))
}

fn line(run: &Run, out: &mut impl Write) -> io::Result<()> {
    let suite = &run.suite;
    let line = format!(
        "{:>5}  {:20}  {:10}  {:>8}  {:8}  {}{}",
        run.id,
        date(suite.started),
        suite
            .environment
            .commit()
            .map_or("-".into(), |commit| commit.short()),
        suite.variants().count(),
        suite.environment.value("php", "version").unwrap_or("-"),
        suite.tag.as_deref().unwrap_or("-"),
        if suite.partial { " (interrupted)" } else { "" }
    );
    writeln!(out, "{}", shown(&line))
}
