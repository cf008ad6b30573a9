//! `phperf bench show`.

use super::{
    args, files,
    given::{self, Given},
    pages::{Pages, Past},
    reports::Reports,
    store,
};
use crate::{compare::Files, wanted::Wanted};
use anyhow::Result;
use bench::{history::Entry, output, output::shown, store::Store};

/// Reports a run.
pub fn show(asked: &args::Show) -> Result<u8> {
    let folder = given::folder(&asked.base)?;
    let mut settings = Given::default().load(&folder, &asked.base)?;
    settings.notes.clear();
    let place = store::place(&folder, &asked.store_at, &settings)?;
    if let Some(reference) = &asked.comparison {
        let kept = Store::existing(&place)?.find_comparison(reference)?;
        return Files::of_kept(asked.json.as_deref(), asked.html.as_deref())?
            .write(&kept.report)
            .map(|()| 0);
    }
    let (id, suite) = if let Some(file) = &asked.file {
        (None, files::one(file)?)
    } else {
        let run = Store::existing(&place)?.find(&asked.reference)?;
        (Some(run.id), run.suite)
    };
    let (pages, outputs) = Pages::new(asked.html.as_deref(), &asked.output, &settings)?;
    let silent = asked.json.is_some() || !pages.is_empty() && outputs.is_empty();
    let usual = ["aggregate".to_owned()];
    let names = if asked.report.is_empty() && !silent {
        &usual
    } else {
        asked.report.as_slice()
    };
    let reports = Reports::new(names, &outputs, &mut settings)?;
    if let Some(path) = &asked.json {
        Wanted::open(path, "--json")?.write(|out| output::suite(&suite, out))?;
    }
    reports.write(&suite, &settings)?;
    let past = if pages.is_empty() {
        Past::default()
    } else {
        Past::of(&place)
    };
    pages.write(Entry { id, suite: &suite }, &past)?;
    for note in suite.notes.iter().chain(&settings.notes).chain(&past.notes) {
        eprintln!("note: {}", shown(note));
    }
    Ok(0)
}
