//! From the sources to a PHP that is installed.

use crate::{
    Place, lines,
    support::{Ran, phperf},
};
use nix::unistd::Uid;
use serde_json::Value;
use std::{fs, path::Path, process::Command};

const STAGES: [&str; 4] = ["source", "instrument", "train", "optimise"];

#[test]
fn a_trained_php_is_built_proved_measured_and_installed() {
    let Some(place) = Place::get() else { return };
    let scratch = tempfile::tempdir().unwrap();
    let (json, prefix) = (scratch.path().join("gain.json"), scratch.path().join("prefix"));
    let build = || -> Ran {
        place
            .usual()
            .args(["--pairs", "2", "--json"])
            .arg(&json)
            .arg("--install")
            .arg(&prefix)
            .output()
            .unwrap()
            .into()
    };
    let ran = build();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("trained on 41 requests and scripts, each of which was counted"),
        "{notes}"
    );
    assert!(
        notes.contains("2 pages and 1 scripts are answered byte for byte as before"),
        "{notes}"
    );
    assert!(
        notes.contains("2 of these only without what --ignore-output leaves out"),
        "{notes}"
    );
    assert!(
        notes.contains("no gain was shown, and none is claimed"),
        "{notes}"
    );
    let comparisons = report["comparisons"].as_array().unwrap();
    assert_eq!(comparisons.len(), 2);
    for comparison in comparisons {
        assert_eq!(comparison["pairs"], 2, "{comparison}");
        assert_eq!(comparison["verdict"], "inconclusive");
    }
    assert!(ran.stdout.contains("2 pages"), "{}", ran.stdout);

    for (program, argument) in [("bin/php8.2", "-v"), ("sbin/php-fpm8.2", "-v")] {
        let said = Command::new(prefix.join(program)).arg(argument).output().unwrap();
        assert!(
            String::from_utf8_lossy(&said.stdout).starts_with("PHP 8.2."),
            "{program}"
        );
    }
    let again = build();
    assert_eq!(again.code, 0, "{}", again.stderr);
    for stage in STAGES {
        assert_eq!(
            lines(&again, &format!("{stage}: done before")).len(),
            1,
            "{}",
            again.stderr
        );
    }
    // What is there already is another PHP now.
    fs::write(prefix.join("bin/php8.2"), "").unwrap();
    let refused = build();
    assert_eq!(
        (refused.code, lines(&refused, "phperf replaces no PHP").len()),
        (1, 1),
        "{}",
        refused.stderr
    );
}

#[test]
fn programs_are_linked_for_huge_pages_and_pass_what_the_old_ones_pass() {
    let Some(place) = Place::get() else { return };
    let prefix = tempfile::tempdir().unwrap();
    let deb = prefix.path().join("php.deb");
    let build = || -> Ran {
        place
            .usual()
            .args(["--no-measure", "--huge", "--verify", "quick", "--install"])
            .arg(prefix.path())
            .arg("--deb")
            .arg(&deb)
            .output()
            .unwrap()
            .into()
    };
    let ran = build();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(lines(&ran, " lie on huge pages").len(), 2, "{}", ran.stderr);
    assert_eq!(lines(&ran, "tests of PHP's own").len(), 1, "{}", ran.stderr);
    for program in ["bin/php8.2", "sbin/php-fpm8.2"] {
        let file = prefix.path().join(program);
        let said = phperf(["hugepages", "status", "--format", "json"])
            .arg(&file)
            .output()
            .unwrap();
        let status: Value = serde_json::from_slice(&said.stdout).unwrap();
        assert_eq!(status["files"][0]["laid_out"], true, "{status}");
        // Constants are not executable.
        let said = Command::new("readelf").arg("-lW").arg(&file).output().unwrap();
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let words = |line: &str| {
            line.split_ascii_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let with_code: Vec<_> = said
            .lines()
            .map(words)
            .find(|words| words.contains(&".text".into()))
            .unwrap();
        assert!(!with_code.contains(&".rodata".into()), "{said}");
    }
    packaged(&deb);
    let refused = build();
    assert_eq!(
        lines(&refused, "php.deb is there already").len(),
        1,
        "{}",
        refused.stderr
    );
    fs::remove_file(&deb).unwrap();
    let again = build();
    for stage in ["place", "verify"] {
        assert_eq!(
            lines(&again, &format!("{stage}: done before")).len(),
            1,
            "{}",
            again.stderr
        );
    }
}

/// What dpkg makes of the package, in a root of its own.
fn packaged(deb: &Path) {
    let root = tempfile::tempdir().unwrap();
    let dpkg = |arguments: &[&str]| {
        let said = Command::new("dpkg").args(arguments).output().unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8_lossy(&said.stdout).into_owned()
    };
    let deb = deb.to_str().unwrap();
    assert!(dpkg(&["-f", deb, "Depends"]).contains("libc6"));
    let (name, to) = ("php8.2-trained", root.path().to_str().unwrap());
    assert_eq!(dpkg(&["-f", deb, "Package"]).trim(), name);
    let programs =
        ["bin/php8.2", "sbin/php-fpm8.2"].map(|program| root.path().join("opt").join(name).join(program));
    let run = || {
        for program in &programs {
            let said = Command::new(program).arg("-v").output().unwrap();
            assert!(said.stdout.starts_with(b"PHP 8.2."), "{}", program.display());
        }
    };
    if !Uid::effective().is_root() {
        dpkg(&["-x", deb, to]);
        return run();
    }
    fs::create_dir_all(root.path().join("var/lib/dpkg/updates")).unwrap();
    fs::create_dir_all(root.path().join("var/lib/dpkg/info")).unwrap();
    fs::write(root.path().join("var/lib/dpkg/status"), "").unwrap();
    // The libraries are this machine's.
    dpkg(&["--root", to, "--force-depends", "-i", deb]);
    run();
    assert_eq!(dpkg(&["--root", to, "--verify", name]), "");
    dpkg(&["--root", to, "-r", name]);
    assert!(!root.path().join("opt").join(name).exists());
}

#[test]
fn a_page_that_differs_is_found() {
    let Some(place) = Place::get() else { return };
    fs::write(place.app("differ"), "").unwrap();
    let ran: Ran = place.usual().arg("--no-measure").output().unwrap().into();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let told = lines(&ran, "/ is not the same from the trained PHP: line ");
    assert_eq!(told.len(), 1, "{}", ran.stderr);
    assert!(told[0].contains("/etc/php/8.2/fpm"), "{}", ran.stderr);
}
