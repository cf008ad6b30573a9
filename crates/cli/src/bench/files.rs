//! Runs and comparisons in files: `phperf bench export` and `import`, and `--file`.

use super::{args, store};
use crate::wanted::Wanted;
use anyhow::{Context, Result, bail};
use bench::{InFile, model::Suite, output::shown, store::Store, xml};
use std::{fs, path::Path};

/// Writes a run as XML, or a comparison as JSON.
pub fn export(asked: &args::Export) -> Result<u8> {
    let mut store = Store::existing(&store::usual_place(&asked.base, &asked.store_at)?)?;
    if asked.comparison {
        let kept = store.find_comparison(&asked.reference)?;
        Wanted::open(&asked.file, "FILE")?.write(|out| trial::write_json(&kept.report, out))?;
        return Ok(0);
    }
    let run = store.find(&asked.reference)?;
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

/// Keeps what is in files: all of it, or nothing.
pub fn import(asked: &args::Import) -> Result<u8> {
    let read: Vec<InFile> = asked.files.iter().map(|file| read(file)).collect::<Result<_>>()?;
    let place = store::usual_place(&asked.base, &asked.store_at)?;
    let compared = read.iter().any(|it| matches!(it, InFile::Comparison(_)));
    let mut store = if compared {
        Store::create_for_comparisons(&place)?
    } else {
        Store::create(&place)?
    };
    for one in read {
        match one {
            InFile::Runs(suites) => {
                for suite in suites {
                    let id = store.add(&suite)?;
                    println!("run {id}: {}", shown(suite.tag.as_deref().unwrap_or("-")));
                }
            }
            InFile::Comparison(report) => {
                let id = store.add_comparison(&report, None, store::now())?;
                println!(
                    "comparison {id}: A {}  B {}",
                    shown(&report.a.label),
                    shown(&report.b.label)
                );
            }
        }
    }
    Ok(0)
}

/// The run in a file that has one.
pub fn one(file: &Path) -> Result<Suite> {
    let InFile::Runs(mut suites) = read(file)? else {
        bail!(
            "there is a comparison in {}, and no run: `phperf bench import` keeps it, and `phperf bench show --comparison` shows \
             it then",
            file.display()
        );
    };
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

fn read(file: &Path) -> Result<InFile> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    bench::read(&text).with_context(|| file.display().to_string())
}
