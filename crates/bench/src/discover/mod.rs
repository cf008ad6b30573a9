//! Finds benchmarks: files by their names, and what is in them by PHP's own reflection, in one process for all.

mod answer;
mod files;
mod plan;

pub use plan::{Planned, PlannedClass, PlannedSet, PlannedSubject};

use crate::{
    Error,
    launch::{End, Launcher},
    model::Failure,
    settings::Settings,
};
use answer::Answer;
use serde::Deserialize;
use serde_json::json;
use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    time::Duration,
};

const SCRIPTS: [(&str, &str); 5] = [
    ("discover.php", include_str!("discover.php")),
    ("annotations.php", include_str!("annotations.php")),
    ("directive.php", include_str!("directive.php")),
    ("benchmark.php", include_str!("benchmark.php")),
    ("parameters.php", include_str!("parameters.php")),
];

/// How long the files of a suite may take to load, their providers included.
const LIMIT: Duration = Duration::from_secs(120);

/// What PHP says of itself.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct PhpInfo {
    /// Such as `8.2.29`.
    pub version: String,
    /// The binary.
    pub binary: String,
    /// The ini file that was loaded; empty for none.
    pub ini: String,
    /// Whether it is built with threads.
    pub zts: bool,
    /// Whether it is a debug build.
    pub debug: bool,
    /// Whether Xdebug is loaded.
    pub xdebug: bool,
    /// Extensions that are loaded.
    pub extensions: Vec<String>,
    /// Whether opcache works.
    pub opcache: bool,
    /// Whether its JIT works.
    pub jit: bool,
    /// Whether it can fork as a warm process has to.
    pub fork: bool,
    /// Whether it has a clock with nanoseconds.
    pub hrtime: bool,
}

/// Lists the benchmarks that `settings` ask for. Scratch files go to `scratch`.
pub(crate) fn discover(
    settings: &Settings,
    launcher: &Launcher,
    scratch: &Path,
    stop: &AtomicBool,
) -> Result<Planned, Error> {
    let mut files: VecDeque<PathBuf> = files::find(settings)?.into();
    for (name, text) in SCRIPTS {
        fs::write(scratch.join(name), text).map_err(Error::io("write the scripts"))?;
    }
    let mut planned = Planned::default();
    loop {
        let answer = ask(settings, launcher, scratch, &files, stop)?;
        if planned.php.version.is_empty() {
            planned.php = answer.php.clone();
        }
        for (file, found) in answer.files {
            files.retain(|one| *one != file);
            planned.add(file, found);
        }
        match (answer.culprit, answer.complete) {
            (_, true) => return Ok(planned),
            // A fatal error ends PHP: the files after the one that made it are asked for again.
            (Some(file), false) => {
                files.retain(|one| *one != file);
                planned.fail(file, Failure::new(answer.why));
            }
            (None, false) => return Err(Error::Discovery(answer.why)),
        }
    }
}

fn ask(
    settings: &Settings,
    launcher: &Launcher,
    scratch: &Path,
    files: &VecDeque<PathBuf>,
    stop: &AtomicBool,
) -> Result<Answer, Error> {
    let find = &settings.find;
    let question = json!({
        "files": files,
        "bootstrap": settings.bootstrap,
        "annotations": find.annotations,
        "annotation_import_use": find.import_use,
        "attributes": find.attributes,
        "subject_pattern": find.subject_pattern,
        "filters": find.filters,
        "variants": find.variants,
        "groups": find.groups,
        "parameters": find.parameters,
    });
    let (asked, answered) = (scratch.join("question.json"), scratch.join("answer.jsonl"));
    fs::write(&asked, question.to_string()).map_err(Error::io("write the question for PHP"))?;
    fs::write(&answered, "").map_err(Error::io("make a file for PHP's answer"))?;
    let mut child = launcher.start(&scratch.join("discover.php"), &[&asked, &answered])?;
    let end = child.wait(LIMIT, stop).map_err(Error::io("wait for PHP"))?;
    let lines = fs::read(&answered).map_err(Error::io("read PHP's answer"))?;
    let why = match end {
        End::Interrupted => return Err(Error::Discovery("interrupted".into())),
        End::TimedOut => format!("its code took longer than {} s to load", LIMIT.as_secs()),
        End::Exited(status) => {
            let said = child
                .output()
                .first_line()
                .map(|line| format!("; it said: {line}"))
                .unwrap_or_default();
            format!(
                "its code ended PHP ({}){said}",
                crate::launch::status_in_words(status)
            )
        }
    };
    Ok(answer::read(&String::from_utf8_lossy(&lines), why))
}
