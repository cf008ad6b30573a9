//! The PHPs that are compared.

use crate::debian::{Debian, run};
use anyhow::{Context, Result};
use std::{env, fs};

/// What `phperf build` works in.
const WORK: &str = "/var/tmp/phperf-build";
/// Where the plain build is.
const PLAIN: &str = "/var/tmp/plain";

/// A PHP-FPM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// Debian's own.
    Debian,
    /// From the same sources with the same options, untrained.
    Plain,
    /// `phperf build`.
    Trained,
    /// `phperf build --lto`.
    TrainedLto,
    /// `phperf build --lto --huge`.
    TrainedLtoHuge,
}

impl Build {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Debian => "Debian",
            Self::Plain => "plain",
            Self::Trained => "trained",
            Self::TrainedLto => "trained, LTO",
            Self::TrainedLtoHuge => "trained, LTO, huge",
        }
    }

    /// Where it is, inside of the root.
    pub const fn program(self) -> &'static str {
        match self {
            Self::Debian => "/usr/sbin/php-fpm8.2",
            Self::Plain => "/var/tmp/plain/sapi/fpm/php-fpm",
            Self::Trained => "/var/tmp/trained/sbin/php-fpm8.2",
            Self::TrainedLto => "/var/tmp/trained-lto/sbin/php-fpm8.2",
            Self::TrainedLtoHuge => "/var/tmp/trained-lto-huge/sbin/php-fpm8.2",
        }
    }
}

/// What they are trained on. What is measured beyond it is told apart.
pub const TRAINING: [&str; 4] = [
    "/wordpress/ 6",
    "/wordpress/?p=5 2",
    "/wordpress/?cat=2 1",
    "/wiki/doku.php?id=wiki:syntax 2",
];

/// The web root.
pub const ROOT: &str = "/srv/www";
/// Who serves it.
pub const USER: &str = "www-data";

/// Builds those that are not there.
pub fn all(debian: &Debian) -> Result<()> {
    let phperf = env::var_os("PHPERF").context("PHPERF has to name phperf: `make bench-build` sets it")?;
    fs::copy(phperf, debian.outside("/usr/local/bin/phperf")).context("cannot copy phperf")?;
    trained(debian, Build::TrainedLto, "/var/tmp/trained-lto", &["--lto"])?;
    let huge = ["--lto", "--huge"];
    trained(debian, Build::TrainedLtoHuge, "/var/tmp/trained-lto-huge", &huge)?;
    trained(debian, Build::Trained, "/var/tmp/trained", &[])?;
    plain(debian)
}

fn trained(debian: &Debian, build: Build, prefix: &str, more: &[&str]) -> Result<()> {
    if debian.outside(build.program()).is_file() {
        return Ok(());
    }
    let mut command = debian.command("/usr/local/bin/phperf");
    command
        .args([
            "build",
            "--like",
            Build::Debian.program(),
            "--root",
            ROOT,
            "--user",
            USER,
        ])
        .args(TRAINING.iter().flat_map(|page| ["--request", page]))
        .args([
            "--requests",
            "120",
            "--yes",
            "--no-measure",
            // The number of a session is drawn.
            "--ignore-output",
            "Set-Cookie: [^\n]*",
            "-o",
            WORK,
            "--install",
            prefix,
        ])
        .args(more);
    run(&mut command)
}

/// Brings what is laid out for huge pages onto them again: memory was short since it was built.
pub fn warm(debian: &Debian) -> Result<()> {
    let program = Build::TrainedLtoHuge.program();
    run(debian
        .command("/usr/local/bin/phperf")
        .args(["hugepages", "warm", program]))
}

/// configure leaves a script that configures the same way.
fn plain(debian: &Debian) -> Result<()> {
    if debian.outside(Build::Plain.program()).is_file() {
        return Ok(());
    }
    let make = format!(
        "rm -rf {PLAIN} && mkdir {PLAIN} && cd {PLAIN} && sh {WORK}/optimised/config.nice >log 2>&1 && \
         make -j$(nproc) sapi/fpm/php-fpm >>log 2>&1"
    );
    run(debian.command("sh").args(["-c", &make]))
}
