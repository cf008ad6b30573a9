//! Runs in files: `phperf bench export` and `import`, and `--file`.

use super::{args, store};
use crate::wanted::Wanted;
use anyhow::{Context, Result, bail};
use bench::{model::Suite, output::shown, store::Store, xml};
use std::{fs, path::Path};

/// Writes a run as XML.
pub fn export(asked: &args::Export) -> Result<u8> {
    let run = Store::existing(&store::usual_place(&asked.base, &asked.store_at)?)?.find(&asked.reference)?;
    dump(&run.suite, Wanted::open(&asked.file, "FILE")?)?;
    Ok(0)
}

/// Writes a run as XML, and says what is lost.
pub fn dump(suite: &Suite, file: Wanted) -> Result<()> {
    let lost = file.write(|out| xml::write(suite, out))?;
    if lost > 0 {
        eprintln!("note: {lost} failures of whole classes or subjects have no place in PHPBench's XML");
    }
    Ok(())
}

/// Keeps the runs of files: all of them, or none.
pub fn import(asked: &args::Import) -> Result<u8> {
    let mut suites = Vec::new();
    for file in &asked.files {
        suites.extend(all(file)?);
    }
    let mut store = Store::create(&store::usual_place(&asked.base, &asked.store_at)?)?;
    for suite in suites {
        let id = store.add(&suite)?;
        println!("run {id}: {}", shown(suite.tag.as_deref().unwrap_or("-")));
    }
    Ok(0)
}

/// The run in a file that has one.
pub fn one(file: &Path) -> Result<Suite> {
    let mut suites = all(file)?;
    match (suites.pop(), suites.len()) {
        (Some(suite), 0) => Ok(suite),
        (None, _) => bail!("there is no run in {}", file.display()),
        (Some(_), more) => bail!(
            "there are {} runs in {}: `phperf bench import` keeps them, and each has a number then",
            more + 1,
            file.display()
        ),
    }
}

fn all(file: &Path) -> Result<Vec<Suite>> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    bench::read(&text).with_context(|| file.display().to_string())
}
