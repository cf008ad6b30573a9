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
        assert_eq!(executor(&prefix.join(program)) % 64, 0, "{program}");
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

/// Where PHP's executor begins.
fn executor(program: &Path) -> u64 {
    let said = Command::new("readelf")
        .args(["--dyn-syms", "-W"])
        .arg(program)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let line = said.lines().find(|line| line.ends_with(" execute_ex")).unwrap();
    let address = line.split_ascii_whitespace().nth(1).unwrap();
    u64::from_str_radix(address, 16).unwrap()
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

/// BOLT of LLVM 21 or later is not everywhere, and not on Debian 12.
#[test]
fn bolt_lays_out_what_it_was_trained_on() {
    let Some(place) = Place::get() else { return };
    let prefix = tempfile::tempdir().unwrap();
    let build = || -> Ran {
        place
            .usual()
            .args(["--no-measure", "--bolt", "--verify", "quick", "--install"])
            .arg(prefix.path())
            .output()
            .unwrap()
            .into()
    };
    let ran = build();
    if ran.code == 1 && !lines(&ran, "install bolt-21").is_empty() {
        eprintln!("skipped: {}", ran.stderr);
        return;
    }
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        lines(
            &ran,
            "laid out by BOLT after 41 requests and scripts more, each of which was counted"
        )
        .len(),
        1,
        "{}",
        ran.stderr
    );
    assert_eq!(
        lines(&ran, "2 pages and 1 scripts are answered").len(),
        1,
        "{}",
        ran.stderr
    );
    for program in ["bin/php8.2", "sbin/php-fpm8.2"] {
        let file = prefix.path().join(program);
        let said = Command::new("readelf").arg("-SW").arg(&file).output().unwrap();
        assert!(
            String::from_utf8_lossy(&said.stdout).contains(".bolt.org.text"),
            "{program}"
        );
    }
    let again = build();
    for stage in ["optimise", "bolt", "verify"] {
        let done = format!("{stage}: done before");
        assert_eq!(lines(&again, &done).len(), 1, "{}", again.stderr);
    }
}

/// Pages are so few here that nothing can show a gain: that is what is told.
#[test]
fn levels_are_tried_and_what_shows_no_gain_is_left_out() {
    let Some(place) = Place::get() else { return };
    let scratch = tempfile::tempdir().unwrap();
    let json = scratch.path().join("gain.json");
    let auto = |more: &[&str]| -> Ran {
        place
            .usual()
            .args(["--level", "auto", "--pairs", "2"])
            .args(more)
            .output()
            .unwrap()
            .into()
    };
    let try_huge = ["--try", "huge", "--json", json.to_str().unwrap()];
    let ran = auto(&try_huge);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let rows = |ran: &Ran| {
        let rows = ran.stderr.lines().filter(|line| line.starts_with("  2 pages "));
        rows.map(str::to_owned).collect::<Vec<_>>()
    };
    // When it was measured, and at the end.
    for (level, tried) in [
        ("pgo against the old PHP: kept", "phperf: level pgo"),
        ("+huge against pgo: left out", "phperf: level pgo+huge"),
    ] {
        assert_eq!(lines(&ran, level).len(), 2, "{}", ran.stderr);
        assert!(ran.stderr.lines().any(|line| line == tried), "{}", ran.stderr);
    }
    assert_eq!(rows(&ran).len(), 4, "{}", ran.stderr);
    assert!(
        rows(&ran).iter().all(|row| row.ends_with("inconclusive")),
        "{}",
        ran.stderr
    );
    let report: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    let notes = report["notes"].to_string();
    assert!(notes.contains("chosen: pgo."), "{notes}");
    assert!(
        notes.contains("+huge against pgo: left out. CPU time: 2 pages: "),
        "{notes}"
    );
    assert!(
        report["b"]["label"]
            .to_string()
            .contains("/optimised/sapi/cli/php"),
        "{}",
        report["b"]
    );

    let again = auto(&try_huge);
    assert_eq!(lines(&again, "choose: done before").len(), 2, "{}", again.stderr);
    assert_eq!(rows(&again), rows(&ran));
    let late = auto(&["--try", "huge,lto", "--budget", "1ms"]);
    assert_eq!(late.code, 0, "{}", late.stderr);
    for part in ["+huge", "+lto"] {
        let told = format!("{part} was not tried: the budget of 0 s was over");
        assert_eq!(lines(&late, &told).len(), 2, "{}", late.stderr);
    }
    let without = auto(&["--try", "march"]);
    assert_eq!(
        lines(&without, "no processor was named (--march)").len(),
        2,
        "{}",
        without.stderr
    );
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
