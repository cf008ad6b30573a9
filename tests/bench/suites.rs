//! Public suites, as they are: every row runs. `scripts/suites.sh` fetches them.

use crate::suite::Bench;
use std::{env, path::PathBuf, process::Command};

/// Where `scripts/suites.sh` puts them.
fn suites() -> Option<PathBuf> {
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")))?;
    let folder = env::var_os("PHPERF_SUITES").map_or_else(|| cache.join("phperf/suites"), PathBuf::from);
    folder.join("php-ramsey-uuid").is_dir().then_some(folder)
}

/// Runs one with a revolution and an iteration each, unless they are not there.
fn rows(name: &str) -> Option<Vec<String>> {
    let Some(folder) = suites() else {
        assert!(
            env::var_os("PHPERF_REQUIRE_TOOLS").is_none(),
            "no suites: run scripts/suites.sh"
        );
        eprintln!("skipped: there are no suites; scripts/suites.sh fetches them");
        return None;
    };
    let folder = folder.join(name);
    let bench = Bench::run_in(
        &folder,
        ["--revs", "1", "--iterations", "1", "--retry-threshold", "0"],
    );
    assert_eq!(bench.ran.code, 0, "{}", bench.ran.stderr);
    let mut rows: Vec<String> = Vec::new();
    for (class, subject, set) in names(&bench) {
        rows.push(format!("{class}::{subject} {set}").trim_end().to_owned());
    }
    assert!(
        bench
            .variants()
            .all(|(_, variant)| variant["outcome"].get("measured").is_some())
    );
    if let Some(theirs) = phpbench(&folder) {
        assert_eq!(rows, theirs, "{name}: phperf's rows, PHPBench's rows");
    }
    Some(rows)
}

fn names(bench: &Bench) -> Vec<(String, String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let mut names = Vec::new();
    for class in bench.suite["classes"].as_array().unwrap() {
        for subject in class["subjects"].as_array().unwrap() {
            for variant in subject["variants"].as_array().unwrap() {
                names.push((
                    text(&class["name"]),
                    text(&subject["name"]),
                    text(&variant["set"]),
                ));
            }
        }
    }
    names.sort();
    names
}

/// The rows of `PHPBench`, where `PHPBENCH` names it.
fn phpbench(folder: &std::path::Path) -> Option<Vec<String>> {
    let Some(program) = env::var_os("PHPBENCH") else {
        eprintln!("not compared with PHPBench: PHPBENCH does not name it");
        return None;
    };
    let report = r#"--report={"generator": "bare"}"#;
    let arguments = [
        "run",
        "--revs=1",
        "--iterations=1",
        "--progress=none",
        "--output=csv",
        report,
    ];
    let output = Command::new("php")
        .arg(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("PHPBench starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text
        .lines()
        .skip_while(|line| !line.contains("subject_name"))
        .map(|line| line.split(',').map(|cell| cell.trim_matches('"')));
    let header: Vec<_> = lines
        .next()
        .unwrap_or_else(|| panic!("PHPBench has no table: {text}"))
        .collect();
    let at = |name: &str| header.iter().position(|one| *one == name).expect("a column");
    let columns = [at("benchmark_class"), at("subject_name"), at("variant_name")];
    let mut rows: Vec<_> = lines
        .map(|line| {
            let cells: Vec<_> = line.collect();
            let [class, subject, set] = columns.map(|at| cells[at]);
            format!("{}::{subject} {set}", class.trim_start_matches('\\'))
                .trim_end()
                .to_owned()
        })
        .collect();
    rows.sort();
    Some(rows)
}

#[test]
fn ramsey_uuid() {
    assert!(rows("php-ramsey-uuid").is_none_or(|rows| rows.len() == 46));
}

#[test]
fn doctrine_orm() {
    assert!(rows("doctrine").is_none_or(|rows| rows.len() == 26));
}

#[test]
fn doctrine_instantiator() {
    assert!(rows("php-doctrine-instantiator").is_none_or(|rows| rows.len() == 5));
}
