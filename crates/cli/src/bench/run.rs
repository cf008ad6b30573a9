//! `phperf bench run`.

use super::{args, given, progress};
use crate::{UsageError, interrupt};
use anyhow::{Context, Result};
use bench::{
    Settings,
    model::{Suite, Verdict},
    output::{self, Output},
    report,
};
use std::{
    env,
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

/// Runs a suite and reports it. 1 where a subject failed or an assertion does not hold.
pub fn run(asked: &args::Run) -> Result<u8> {
    let current = env::current_dir().context("cannot find the current folder")?;
    let working_dir = asked
        .working_dir
        .as_ref()
        .map_or(current.clone(), |folder| current.join(folder));
    let settings = Settings::load(
        &working_dir,
        asked.config.as_deref(),
        asked.profile.as_deref(),
        given::settings(asked)?,
    )?;
    let outputs = outputs(asked, &settings)?;
    let name = if asked.quiet {
        "none"
    } else {
        settings.progress.as_str()
    };
    let mut progress = progress::view(name, asked.progress.is_some()).ok_or_else(|| {
        UsageError(format!(
            "there is no progress {name}; there are verbose, dots, plain, none"
        ))
    })?;
    // What cannot be reported is found out before anything is measured.
    let empty = Suite::default();
    for name in &asked.report {
        report::tables(name, &empty, &settings).map_err(|error| UsageError(error.to_string()))?;
    }
    let mut json = asked.json.as_deref().map(open).transpose()?;
    let stop = interrupt::flag("nothing was kept".into())?;
    let mut suite = bench::run(&settings, progress.as_mut(), &stop)?;
    suite.tag.clone_from(&asked.tag);
    if let Some(file) = &mut json {
        output::suite(&suite, file)
            .and_then(|()| file.flush())
            .context("cannot write the file of --json")?;
    }
    write(asked, &suite, &settings, &outputs)?;
    Ok(u8::from(
        !asked.tolerate_failure && (has_failed(&suite) || suite.partial),
    ))
}

fn outputs(asked: &args::Run, settings: &Settings) -> Result<Vec<Output>> {
    let names = if asked.output.is_empty() {
        vec!["console".to_owned()]
    } else {
        asked.output.clone()
    };
    let output = |name: &String| {
        Output::new(name, &settings.outputs).map_err(|error| UsageError(error.to_string()).into())
    };
    names.iter().map(output).collect()
}

fn open(path: &Path) -> Result<Box<dyn Write>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(BufWriter::new(io::stdout())));
    }
    let file = File::create(path)
        .with_context(|| format!("cannot write {}; name another file with --json", path.display()))?;
    Ok(Box::new(BufWriter::new(file)))
}

fn write(asked: &args::Run, suite: &Suite, settings: &Settings, outputs: &[Output]) -> Result<()> {
    let mut tables = Vec::new();
    for name in &asked.report {
        tables.extend(report::tables(name, suite, settings)?);
    }
    if tables.is_empty() {
        return Ok(());
    }
    let mut out = BufWriter::new(io::stdout().lock());
    for output in outputs {
        output.write(&tables, &mut out)?;
        if let Some(file) = &output.file {
            eprintln!("written: {}", file.display());
        }
    }
    out.flush()?;
    Ok(())
}

fn has_failed(suite: &Suite) -> bool {
    let fails = |verdict| matches!(verdict, Verdict::Failed | Verdict::Error);
    let mut assertions = suite.variants().flat_map(|(_, _, variant)| &variant.assertions);
    !suite.failures().is_empty() || assertions.any(|assertion| fails(assertion.verdict))
}
