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
    let place = store::usual_place(&asked.base, &asked.store_at)?;
    let last = Store::existing(&place)?.last(asked.limit)?;
    let entries: Vec<Entry> = last.runs.iter().map(Entry::from).collect();
    let part = asked.subject.as_deref();
    let out = &mut BufWriter::new(io::stdout().lock());
    if part.is_none() && asked.json.is_none() {
        list(&last.runs, out)?;
    } else {
        let lines = history::lines(&entries, part.unwrap_or_default());
        if let Some(part) = part.filter(|_| lines.is_empty()) {
            bail!(
                "in the last {} runs nothing was measured whose name contains {part}",
                entries.len()
            );
        }
        match &asked.json {
            Some(path) => {
                Wanted::open(path, "--json")?.write(|out| history::write_json(&entries, &lines, out))?;
            }
            None => history::write_text(&lines, out)?,
        }
    }
    out.flush()?;
    if let Some(note) = last.note() {
        eprintln!("note: {note}");
    }
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
