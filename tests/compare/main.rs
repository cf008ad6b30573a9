//! `phperf compare`, with real PHP and a real web server.

#[path = "../support/mod.rs"]
mod support;

mod addresses;
mod commands;
mod interrupted;
mod together;

use php::Binary;
use serde_json::Value;
use std::fs;
use support::{Ran, cli, phperf};

/// PHP code that does so many rounds of work.
fn rounds(count: u32) -> String {
    format!("for ($i = 0, $s = ''; $i < {count}; $i++) {{ $s = md5($s . $i); }}")
}

/// `-- A -- B`, each PHP with this code.
fn sides(a: &str, b: &str) -> Vec<String> {
    let Binary { path, .. } = cli();
    let php = path.display().to_string();
    ["--", &php, "-n", "-r", a, "--", &php, "-n", "-r", b]
        .map(str::to_owned)
        .to_vec()
}

fn compare(options: &[&str], sides: &[String]) -> (Ran, Value) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("result.json");
    let ran: Ran = phperf(["compare", "--json"])
        .arg(&file)
        .args(options)
        .args(sides)
        .output()
        .unwrap()
        .into();
    let text = fs::read_to_string(&file).unwrap_or_default();
    let json = serde_json::from_str(&text).unwrap_or(Value::Null);
    (ran, json)
}
