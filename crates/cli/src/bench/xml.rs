//! `phperf bench export` and `phperf bench import`.

use super::{args, run, store};
use anyhow::{Context, Result};
use bench::{store::Store, xml};
use std::{fs, io::Write};

/// Writes a run as XML.
pub fn export(asked: &args::Export) -> Result<u8> {
    let path = store::path(&store::current()?, asked.store_file.as_deref());
    let run = Store::existing(&path)?.find(&asked.reference)?;
    let mut file = run::open(&asked.file, "FILE")?;
    let lost = xml::write(&run.suite, &mut file)
        .and_then(|lost| file.flush().map(|()| lost))
        .with_context(|| format!("cannot write {}", asked.file.display()))?;
    if lost > 0 {
        eprintln!("note: {lost} failures of whole classes or subjects have no place in PHPBench's XML");
    }
    Ok(0)
}

/// Keeps the runs of files: all of them, or none.
pub fn import(asked: &args::Import) -> Result<u8> {
    let mut suites = Vec::new();
    for file in &asked.files {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        suites.extend(xml::read(&text).with_context(|| file.display().to_string())?);
    }
    let path = store::path(&store::current()?, asked.store_file.as_deref());
    let store = Store::create(&path)?;
    for suite in suites {
        let id = store.add(&suite)?;
        println!("run {id}: {}", suite.tag.as_deref().unwrap_or("-"));
    }
    Ok(0)
}
