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
    let mut store = Store::existing(&place)?;
    let last = store.last(asked.limit)?;
    let mut compared = store.last_comparisons(asked.limit)?;
    let entries: Vec<Entry> = last.runs.iter().map(Entry::from).collect();
    let lines = if let Some(part) = &asked.subject {
        let lines = history::lines(&entries, part);
        compared.comparisons.retain(|one| history::compares(one, part));
        if lines.is_empty() && compared.comparisons.is_empty() {
            bail!(
                "in the last {} runs and comparisons nothing was measured whose name contains {part}",
                asked.limit
            );
        }
        lines
    } else if asked.json.is_some() {
        history::lines(&entries, "")
    } else {
        Vec::new()
    };
    let out = &mut BufWriter::new(io::stdout().lock());
    match (&asked.json, &asked.subject) {
        (Some(path), _) => {
            let file = Wanted::open(path, "--json")?;
            file.write(|out| history::write_json(&entries, &lines, &compared.comparisons, out))?;
        }
        (None, Some(part)) => {
            history::write_text(&lines, out)?;
            history::write_compared(&compared.comparisons, part, out)?;
        }
        (None, None) => {
            list(&last.runs, out)?;
            history::write_comparisons(&compared.comparisons, out)?;
        }
    }
    out.flush()?;
    for note in last.note().into_iter().chain(compared.note()) {
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
