//! `phperf hugepages verify`.

use super::size;
use crate::{
    UsageError,
    args::{Compare, Metric, hugepages::Verify},
    compare::{self, pin},
};
use anyhow::{Context, Result, bail};
use rustix::thread::sched_getcpu;
use std::{ffi::OsString, fs, path::Path};
use tempfile::TempDir;
use trial::{Pair, Report, Verdict};
use tune::verify::{FpmPair, MIXED};

/// Requests before those that count: opcache compiles with the first.
const WARM_UP: u16 = 5;

/// Compares both, and says whether there is a gain.
pub fn run(asked: &Verify) -> Result<u8> {
    for binary in [&asked.old, &asked.new] {
        tune::status::Status::of_file(binary)?;
    }
    let [old, new] = [&asked.old, &asked.new].map(|path| is_fpm(path));
    if old != new {
        bail!(UsageError(
            "one of them is a php-fpm and the other is not: give two of a kind".into()
        ));
    }
    let own = Mixed::new()?;
    let arguments = if asked.arguments.is_empty() {
        vec![own.path()]
    } else {
        asked.arguments.clone()
    };
    let compare = settings(asked, &arguments);
    compare::within(&compare, |session| {
        let mut report = if old {
            requests(asked, &arguments, session)?
        } else {
            session.commands()?
        };
        report.notes.extend(conclusion(&report));
        Ok(report)
    })
}

fn requests(asked: &Verify, arguments: &[OsString], session: &mut compare::Session<'_>) -> Result<Report> {
    let (script, query) = match arguments {
        [script] => (script, ""),
        [script, query] => (script, query.to_str().unwrap_or_default()),
        _ => bail!(UsageError(
            "a php-fpm takes a file and a query: give them as -- FILE QUERY".into()
        )),
    };
    let script = fs::canonicalize(script)
        .with_context(|| format!("there is no file {} to ask for", Path::new(script).display()))?;
    // Whatever one CPU does to one side, it does to the other.
    pin::to(sched_getcpu())?;
    let mut both = FpmPair::new([&asked.old, &asked.new], script, query, WARM_UP, asked.requests)?;
    let sides = [&asked.old, &asked.new].map(|path| path.display().to_string());
    let name = format!("CPU time of a request (mean of {})", asked.requests);
    let mut report = session.pair(sides, &name, |order| both.measure(order))?;
    for (name, seen) in [('A', &both.seen[0]), ('B', &both.seen[1])] {
        if let Some(text) = seen {
            report.notes.push(format!(
                "{name}'s worker had {} of {} of its code on huge pages.",
                size(text.huge),
                size(text.text)
            ));
        }
    }
    Ok(report)
}

/// What `compare` would have been asked for.
fn settings(asked: &Verify, arguments: &[OsString]) -> Compare {
    let side = |binary: &Path| {
        // Without a slash it would be looked for in PATH.
        let binary = fs::canonicalize(binary).unwrap_or_else(|_| binary.to_owned());
        [binary.into_os_string()]
            .into_iter()
            .chain(arguments.iter().cloned())
    };
    Compare {
        sides: Vec::new(),
        commands: side(&asked.old)
            .chain([OsString::from("--")])
            .chain(side(&asked.new))
            .collect(),
        metric: Metric::Cpu,
        pairs: asked.pairs,
        margin: asked.margin,
        warm_up: 1,
        least_of: 1,
        together: true,
        pin: None,
        shell: false,
        prepare: None,
        ignore_failure: false,
        requests: asked.requests,
        headers: Vec::new(),
        measuring: asked.measuring.clone(),
    }
}

/// A gain that is not shown is none.
fn conclusion(report: &Report) -> Option<String> {
    let look = report.entries.first()?.outcome.as_ref().ok()?.look;
    let gain = look
        .interval
        .filter(|_| look.verdict == Verdict::Faster && look.beyond_margin);
    Some(match (gain, look.verdict) {
        (Some(interval), _) => format!(
            "Gain: B takes {:.1} % less CPU time, at least {:.1} % and at most {:.1} %.",
            (1.0 - look.ratio) * 100.0,
            (1.0 - interval.high) * 100.0,
            (1.0 - interval.low) * 100.0
        ),
        (None, Verdict::Slower) => "No gain: B is slower.".into(),
        (None, _) => format!(
            "No gain beyond {} % was shown, so that none is claimed.",
            // 0.007 is no binary fraction.
            (report.plan.margin() * 1e5).round() / 1e3
        ),
    })
}

fn is_fpm(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().contains("fpm"))
}

/// A script of phperf's own, for as long as it is measured.
struct Mixed(TempDir);

impl Mixed {
    fn new() -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        fs::write(folder.path().join("mixed.php"), MIXED).context("cannot write a script to measure with")?;
        Ok(Self(folder))
    }

    fn path(&self) -> OsString {
        self.0.path().join("mixed.php").into_os_string()
    }
}
