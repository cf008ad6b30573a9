//! Units as systemd itself reads them.

use crate::support::{cli, phperf};
use std::{env, fs, path::Path, process::Command};

/// Whether systemd takes a unit; `None` where nobody can be asked.
pub fn taken(unit: &Path) -> Option<Result<(), String>> {
    let said = match Command::new("systemd-analyze").arg("verify").arg(unit).output() {
        Ok(said) => said,
        Err(error) if env::var_os("PHPERF_REQUIRE_TOOLS").is_none() => {
            eprintln!("skipped: systemd-analyze: {error}");
            return None;
        }
        Err(error) => panic!("systemd-analyze: {error}"),
    };
    let words = String::from_utf8_lossy(&said.stderr).into_owned();
    Some(if said.status.success() && words.is_empty() {
        Ok(())
    } else {
        Err(words)
    })
}

#[test]
fn systemd_takes_the_unit_of_a_copy_with_an_odd_name() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("a b%c");
    fs::create_dir(&place).unwrap();
    let output = phperf(["hugepages", "apply", "--unit", "-", "-o"])
        .arg(place.join("php$1"))
        .arg(cli().path)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let (_, text) = said.split_once("[Unit]").unwrap();
    let unit = folder.path().join("php-huge.service");
    let of = |text: &str| {
        fs::write(&unit, format!("[Unit]{text}")).unwrap();
        taken(&unit)
    };
    let Some(verdict) = of(text) else { return };
    assert_eq!(verdict, Ok(()), "{text}");
    // What it would not take is told: a program that is not there.
    let broken = text.replace("ExecStart=", "ExecStart=/nowhere");
    assert!(of(&broken).unwrap().is_err());
}
