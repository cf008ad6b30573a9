//! What is said to installers is what is there.

use crate::support::{or_skip, sources};
use nix::unistd::Uid;
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Command, Stdio},
};
use testbed::Error;

fn text(name: &str) -> String {
    let path = sources().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Settings with their defaults, from `NAME = VALUE` behind a semicolon.
fn of_ini() -> BTreeSet<(String, String)> {
    let commented = |line: &str| {
        let (name, value) = line.strip_prefix(";pdo_pool.")?.split_once(" = ")?;
        Some((name.to_owned(), value.to_owned()))
    };
    text("pdo_pool.ini").lines().filter_map(commented).collect()
}

/// Settings with their defaults, from the macros that declare them.
fn of_source() -> BTreeSet<(String, String)> {
    let source = text("pdo_pool.c");
    let declared = |rest: &str| {
        let (name, rest) = rest.split_once("\", \"")?;
        let (value, _) = rest.split_once('"')?;
        Some((name.to_owned(), value.to_owned()))
    };
    source
        .split("(\"pdo_pool.")
        .skip(1)
        .filter_map(declared)
        .collect()
}

#[test]
fn the_ini_file_names_each_setting_with_its_default() {
    let settings = of_source();
    assert!(
        settings.contains(&("stmt_cache_size".into(), "256".into())),
        "{settings:?}"
    );
    assert_eq!(of_ini(), settings);
}

#[test]
fn the_documentation_names_each_setting_with_its_default() {
    let page = sources().join("../../docs/pdo-pool.md");
    let page = fs::read_to_string(page).unwrap();
    for (name, value) in of_source() {
        let row = format!("| `pdo_pool.{name}` | {value} |");
        assert!(page.contains(&row), "no `{row}`");
    }
}

#[test]
fn options_of_the_installer_are_options_of_configure() {
    let composer: Value = serde_json::from_str(&text("composer.json")).unwrap();
    assert_eq!(composer["php-ext"]["extension-name"], "pdo_pool");
    let configure = text("config.m4");
    for option in composer["php-ext"]["configure-options"].as_array().unwrap() {
        let option = option["name"].as_str().unwrap();
        assert!(configure.contains(&format!("--{option}")), "{option}");
    }
}

#[test]
fn the_package_has_each_file_and_the_version() {
    let package = text("package.xml");
    let named: BTreeSet<&str> = package
        .lines()
        .filter_map(|line| line.trim().strip_prefix("<file name=\"")?.split('"').next())
        .collect();
    let mut there = files(&sources());
    // It is about the others.
    there.remove("package.xml");
    let there: BTreeSet<&str> = there.iter().map(String::as_str).collect();
    assert_eq!(named, there);
    let header = text("php_pdo_pool.h");
    let (_, version) = header.split_once("#define PHP_PDO_POOL_VERSION \"").unwrap();
    let version = version.split('"').next().unwrap();
    assert!(
        package.contains(&format!("<release>{version}</release>")),
        "{version}"
    );
}

#[test]
fn pecl_packages_and_installs_it() {
    if or_skip(pecl()).is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("pdo_pool");
    for file in files(&sources()) {
        let to = package.join(&file);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(sources().join(&file), to).unwrap();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/pdo/pecl.sh");
    let output = Command::new("unshare")
        .args(["--mount", "--propagation", "private", "sh"])
        .arg(script)
        .arg(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{errors}");
    let (_, settings) = said
        .split_once("installed\n")
        .unwrap_or_else(|| panic!("{said}{errors}"));
    assert!(
        settings.contains("pdo_pool.stmt_cache_size => 256 => 256"),
        "{settings}"
    );
}

/// Whether it can be tried without a trace.
fn pecl() -> Result<(), Error> {
    let why = if !Uid::effective().is_root() {
        "only root can put a copy in the place of PHP's folder of extensions"
    } else if !Path::new("/usr/bin/pecl").exists() {
        "scripts/setup.sh test installs it"
    } else {
        return Ok(());
    };
    Err(Error::Unavailable {
        what: "pecl".into(),
        why: why.into(),
    })
}

/// Files that are committed: a build in the folder leaves others.
fn files(folder: &Path) -> BTreeSet<String> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(folder)
        .output()
        .expect("git lists the files");
    let listed = String::from_utf8(listed.stdout).unwrap();
    listed.lines().map(str::to_owned).collect()
}
