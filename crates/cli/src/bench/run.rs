//! `phperf bench run`.

use super::{args, given, progress, reports::Reports, store};
use crate::{UsageError, interrupt};
use anyhow::{Context, Result};
use bench::{model::Suite, output, store::Store};
use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

/// Runs a suite, reports it, and keeps it. 1 where a subject failed or an assertion does not hold.
pub fn run(asked: &args::Run) -> Result<u8> {
    let folder = given::folder(&asked.which)?;
    let mut settings = given::run(asked, &folder)?;
    let name = if asked.quiet {
        "none"
    } else {
        settings.progress.as_str()
    };
    let mut progress = progress::view(name).ok_or_else(|| {
        UsageError(format!(
            "there is no progress {name}; there are verbose, dots, plain, none"
        ))
    })?;
    // What cannot be reported, compared with or kept is found out before anything is measured.
    let reports = Reports::new(&asked.report, &asked.output, &mut settings)?;
    let mut json = asked
        .json
        .as_deref()
        .map(|path| open(path, "--json"))
        .transpose()?;
    let file = store::path(&folder, asked.store_file.as_deref());
    let baseline = match &asked.reference {
        Some(reference) => Some(Store::existing(&file)?.find(reference)?),
        None => None,
    };
    let store = (asked.store || asked.tag.is_some())
        .then(|| Store::create(&file))
        .transpose()?;
    let stop = interrupt::flag("nothing was kept".into())?;
    let earlier = baseline.as_ref().map(|run| &run.suite);
    let mut suite = bench::run(&settings, earlier, progress.as_mut(), &stop)?;
    suite.tag.clone_from(&asked.tag);
    if let Some(file) = &mut json {
        output::suite(&suite, file)
            .and_then(|()| file.flush())
            .context("cannot write the file of --json")?;
    }
    reports.write(&suite, &settings)?;
    if let Some(store) = store {
        let id = store.add(&suite)?;
        if !asked.quiet {
            eprintln!("kept as run {id} in {}", file.display());
        }
    }
    Ok(u8::from(
        !asked.tolerate_failure && (has_failed(&suite) || suite.partial),
    ))
}

/// Opens the file that the argument `named` names.
pub fn open(path: &Path, named: &str) -> Result<Box<dyn Write>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(BufWriter::new(io::stdout())));
    }
    let file = File::create(path)
        .with_context(|| format!("cannot write {}; name another file as {named}", path.display()))?;
    Ok(Box::new(BufWriter::new(file)))
}

fn has_failed(suite: &Suite) -> bool {
    let mut assertions = suite.variants().flat_map(|(_, _, variant)| &variant.assertions);
    !suite.failures().is_empty() || assertions.any(|assertion| assertion.verdict.is_broken())
}
