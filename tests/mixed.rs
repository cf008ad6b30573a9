//! Several versions of PHP under one recording, each in a root of its own: other files, other mounts, one kernel.
//!
//! The roots are made once, in minutes, and kept in the user's cache: `make test-php-versions`.

#[path = "support/core.rs"]
mod core;
mod support;

use php::{Binary, Launch, Sapi, Script, workload};
use std::path::Path;
use support::{Recording, SOURCES, number, run, running};
use testbed::{Cache, Release, Toolchain, door};

const SECONDS: &str = "3";
const RATE: &str = "499";

fn started(folder: &Path, release: Release, version: &str) -> Script {
    let cache = Cache::of_user().unwrap();
    let toolchain = Toolchain::of_release(&cache, release, version).unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let script = folder.join(format!("php{version}"));
    door(
        toolchain.place(),
        toolchain.php(),
        &[here.canonicalize().unwrap()],
        &script,
    )
    .unwrap();
    let binary = Binary::describe(&script, Sapi::Cli).unwrap();
    assert!(binary.version.starts_with(version), "{}", binary.version);
    Launch::new(&binary, workload("chains.php")).ready().unwrap()
}

fn recorded(source: &str, targets: &[&Script]) -> Recording {
    let pids = targets.iter().map(|target| target.pid().to_string());
    let named = pids.flat_map(|pid| ["-p".to_owned(), pid]);
    let how = ["-d", SECONDS, "-H", RATE, "--source", source].map(str::to_owned);
    Recording::take("folded", how.into_iter().chain(named))
}

#[test]
#[ignore = "makes roots of other releases: make test-php-versions"]
fn versions_at_once_get_as_many_samples_as_alone() {
    let folder = tempfile::tempdir().unwrap();
    let scripts = [
        started(folder.path(), Release::Bullseye, "7.4"),
        running("chains.php"),
        started(folder.path(), Release::Trixie, "8.4"),
        started(folder.path(), Release::Experimental, "8.6"),
    ];
    for source in SOURCES {
        let together = recorded(source, &scripts.iter().collect::<Vec<_>>());
        let targets = together.account["targets"].as_array().unwrap();
        assert_eq!(targets.len(), scripts.len());
        for (target, script) in targets.iter().zip(&scripts) {
            let alone = recorded(source, &[script]);
            let tally = &target["tally"];
            let (taken, due) = (number(tally, "taken"), number(tally, "due"));
            let share = taken as f64 / due as f64;
            let share_alone = alone.total("taken") as f64 / alone.total("due") as f64;
            assert!(due > 1000, "{source}: {target}");
            assert!(
                share > share_alone - 0.05,
                "{source}: {target}\nalone: {}",
                alone.account
            );
        }
        let versions: Vec<&str> = targets
            .iter()
            .filter_map(|target| target["php"].as_str())
            .collect();
        for (version, expected) in versions.iter().zip(["7.4.", "8.", "8.4.", "8.6."]) {
            assert!(version.starts_with(expected), "{versions:?}");
        }
    }
}

#[test]
#[ignore = "makes roots of other releases: make test-php-versions"]
fn core_files_of_other_versions() {
    let folder = tempfile::tempdir().unwrap();
    for (release, version) in [
        (Release::Bullseye, "7.4"),
        (Release::Trixie, "8.4"),
        (Release::Experimental, "8.6"),
    ] {
        let target = started(folder.path(), release, version);
        let core = core::kept(target.pid(), folder.path()).unwrap();
        let ran = run(["dump", "--core", core.to_str().unwrap()]);
        assert_eq!(ran.code, 0, "{version}: {}", ran.stderr);
        assert!(ran.stdout.contains(&format!("(PHP {version}.")), "{}", ran.stdout);
        assert!(ran.stdout.contains("<main> "), "{}", ran.stdout);
    }
}
