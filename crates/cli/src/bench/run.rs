//! `phperf bench run`.

use super::{
    args, files, given,
    pages::{Pages, Past},
    progress,
    recorder::Recorder,
    reports::Reports,
    store,
};
use crate::{UsageError, interrupt, wanted::Wanted};
use anyhow::Result;
use bench::{history::Entry, model::Suite, output, store::Store};
use std::{cell::RefCell, io};

/// Runs a suite, reports it, and keeps it. 1 where a subject failed or an assertion does not hold.
pub fn run(asked: &args::Run) -> Result<u8> {
    let folder = given::folder(&asked.which.base)?;
    let mut settings = given::run(asked, &folder)?;
    let name = if asked.quiet {
        "none"
    } else {
        settings.progress.as_str()
    };
    let mut progress = progress::view(name).ok_or_else(|| {
        UsageError(format!(
            "there is no progress {name}; there are {}",
            progress::NAMES
        ))
    })?;
    // What cannot be reported, compared with or kept is found out before anything is measured.
    let (pages, outputs) = Pages::new(asked.html.as_deref(), &asked.output, &settings)?;
    let reports = Reports::new(&asked.report, &outputs, &mut settings)?;
    let wanted = |path: &Option<_>, named| path.as_deref().map(|path| Wanted::open(path, named)).transpose();
    let json = wanted(&asked.json, "--json")?;
    let dump = wanted(&asked.dump_file, "--dump-file")?;
    let for_tools = [&json, &dump]
        .into_iter()
        .flatten()
        .any(Wanted::is_standard_output);
    let place = store::place(&folder, &asked.store_at, &settings)?;
    let baseline = match (&asked.reference, &asked.file) {
        (Some(reference), _) => Some(Store::existing(&place)?.find(reference)?.suite),
        (None, Some(file)) => Some(files::one(file)?),
        (None, None) => None,
    };
    let store = (asked.store || asked.tag.is_some())
        .then(|| Store::create(&place))
        .transpose()?;
    let stop = interrupt::flag("nothing was kept".into())?;
    let recorder = RefCell::new(Recorder::new(&asked.record_to, &asked.record_format));
    let mut suite = bench::run(
        &settings,
        baseline.as_ref(),
        Some(&recorder),
        progress.as_mut(),
        &stop,
    )?;
    suite.tag.clone_from(&asked.tag);
    // First of all: whoever reads the reports may go away, and a disk may be full.
    let kept = store.map(|mut store| store::keep(&mut store, &suite)).transpose();
    match &kept {
        Ok(Some(id)) if !asked.quiet => eprintln!("kept as run {id} in {place}"),
        Ok(_) => {}
        // What cannot be kept is no reason to show nothing.
        Err(error) => eprintln!("phperf: {error:#}"),
    }
    if let Some(file) = json {
        file.write(|out| output::suite(&suite, out))?;
    }
    if let Some(file) = dump {
        files::dump(&suite, file)?;
    }
    reports.write(&suite, &settings)?;
    // What is written for other tools is not mixed with it.
    if for_tools {
        recorder.borrow().print(&mut io::stderr().lock())?;
    } else {
        recorder.borrow().print(&mut io::stdout().lock())?;
    }
    if !pages.is_empty() {
        let past = Past::of(&place);
        past.notes.iter().for_each(|note| eprintln!("note: {note}"));
        let id = kept.as_ref().ok().copied().flatten();
        pages.write(Entry { id, suite: &suite }, &past)?;
    }
    let is_well = kept.is_ok() && (asked.tolerate_failure || !has_failed(&suite) && !suite.partial);
    Ok(u8::from(!is_well))
}

fn has_failed(suite: &Suite) -> bool {
    let mut assertions = suite.variants().flat_map(|(_, _, variant)| &variant.assertions);
    !suite.failures().is_empty() || assertions.any(|assertion| assertion.verdict.is_broken())
}
