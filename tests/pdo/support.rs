//! What these tests share.

use php::{Binary, Ini, Launch};
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};
use testbed::{Cache, Error, Extension, Postgres, Toolchain};

/// What there is, or the reason to skip a test; with `PHPERF_REQUIRE_TOOLS` that reason is a failure.
pub fn or_skip<T>(result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(there) => Some(there),
        Err(why) if why.is_unavailable() => {
            assert!(std::env::var_os("PHPERF_REQUIRE_TOOLS").is_none(), "{why}");
            eprintln!("skipped: {why}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// What is built for tests is kept below `target/`.
pub fn built() -> Cache {
    Cache::at(env!("CARGO_TARGET_TMPDIR"))
}

/// The PHP of this machine, with the extension built for it.
pub fn installed() -> &'static (Toolchain, Extension) {
    static INSTALLED: OnceLock<(Toolchain, Extension)> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let toolchain = Toolchain::installed().expect("there is a PHP: scripts/setup.sh test installs it");
        let extension = build(&toolchain);
        (toolchain, extension)
    })
}

/// The extension for some PHP.
pub fn build(toolchain: &Toolchain) -> Extension {
    Extension::build(&built(), &sources(), toolchain).expect("pdo_pool is built")
}

/// The sources of the extension.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../ext/pdo_pool")
        .canonicalize()
        .expect("ext/pdo_pool is there")
}

pub fn postgres() -> Postgres {
    Postgres::start().expect("there is a PostgreSQL: scripts/setup.sh test installs it")
}

/// Settings with the extension loaded.
pub fn with_pool() -> Ini {
    Ini::new().set("extension", installed().1.module().to_string_lossy())
}

/// A script of these tests.
pub fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/pdo/php")
        .join(name)
}

/// What valgrind finds in PHP itself.
pub fn suppressions() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/pdo/valgrind.supp")
}

/// Runs a script of these tests to its end, which has to be a good one; what it printed.
pub fn run(ini: &Ini, name: &str, arguments: &[&str]) -> String {
    let output = command(ini, name, arguments).output().expect("PHP starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{name} {arguments:?} ended with {}: {said}{errors}",
        output.status
    );
    said
}

/// The same, to be started.
pub fn command(ini: &Ini, name: &str, arguments: &[&str]) -> Command {
    let php = Binary::cli().expect("there is a PHP");
    let line = Launch::new(&php, script(name))
        .ini(ini.clone())
        .args(arguments)
        .command_line();
    let mut command = Command::new(&line[0]);
    command.args(&line[1..]).stdin(Stdio::null());
    command
}
