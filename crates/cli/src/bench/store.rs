//! `phperf bench log` and `phperf bench show`.

use super::{args, reports::Reports, run};
use anyhow::{Context, Result};
use bench::{
    Settings,
    model::Suite,
    output,
    store::{FILE, Run, Store},
};
use std::{
    env,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// Where runs are kept.
pub fn path(folder: &Path, named: Option<&Path>) -> PathBuf {
    folder.join(named.unwrap_or(Path::new(FILE)))
}

/// Lists runs, the newest first.
pub fn log(asked: &args::Log) -> Result<u8> {
    let store = Store::existing(&path(&current()?, asked.store_file.as_deref()))?;
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(
        out,
        "{:>5}  {:20}  {:10}  {:>8}  {:8}  tag",
        "run", "started", "revision", "variants", "PHP"
    )?;
    for run in store.last(asked.limit)? {
        line(&run, &mut out)?;
    }
    out.flush()?;
    Ok(0)
}

fn line(run: &Run, out: &mut impl Write) -> io::Result<()> {
    let suite = &run.suite;
    let started = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(suite.started));
    let started = started.map_or_else(String::new, |time| {
        humantime::format_rfc3339_seconds(time).to_string()
    });
    writeln!(
        out,
        "{:>5}  {started:20}  {:10.10}  {:>8}  {:8}  {}{}",
        run.id,
        suite
            .environment
            .commit()
            .map_or("-".into(), |commit| commit.short()),
        suite.variants().count(),
        suite.environment.value("php", "version").unwrap_or("-"),
        suite.tag.as_deref().unwrap_or("-"),
        if suite.partial { " (interrupted)" } else { "" }
    )
}

/// Reports a run.
pub fn show(asked: &args::Show) -> Result<u8> {
    let folder = current()?;
    let run = Store::existing(&path(&folder, asked.store_file.as_deref()))?.find(&asked.reference)?;
    let mut settings = Settings::load(&folder, asked.config.as_deref(), None, Vec::new())?;
    settings.notes.clear();
    let usual = ["aggregate".to_owned()];
    let names = if asked.report.is_empty() && asked.json.is_none() {
        &usual
    } else {
        asked.report.as_slice()
    };
    let reports = Reports::new(names, &asked.output, &mut settings)?;
    if let Some(path) = &asked.json {
        let mut file = run::open(path, "--json")?;
        output::suite(&run.suite, &mut file)
            .and_then(|()| file.flush())
            .context("cannot write the file of --json")?;
    }
    reports.write(&run.suite, &settings)?;
    for note in run.suite.notes.iter().chain(&settings.notes) {
        eprintln!("note: {note}");
    }
    Ok(0)
}

/// The folder that phperf was started in.
pub fn current() -> Result<PathBuf> {
    env::current_dir().context("cannot find the current folder")
}
