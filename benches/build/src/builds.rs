//! The PHPs that are compared.

use crate::debian::{Debian, run};
use anyhow::{Context, Result};
use std::{env, fs, os::unix::fs::PermissionsExt, process::Stdio};

/// phperf, inside of the root.
const PHPERF: &str = "/usr/local/bin/phperf";
/// What `phperf build` works in.
const WORK: &str = "/var/tmp/phperf-build";
/// Where the plain build is.
const PLAIN: &str = "/var/tmp/plain";

/// Where the plain build is linked once more for huge pages, and its copy.
const PLAIN_HUGE: &str = "/var/tmp/plain-huge";

/// A PHP-FPM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// Debian's own.
    Debian,
    /// From the same sources with the same options, untrained.
    Plain,
    /// The same objects, linked for huge pages.
    PlainHuge,
    /// `phperf build`.
    Trained,
    /// `phperf build --lto`.
    TrainedLto,
    /// `phperf build --lto --huge`.
    TrainedLtoHuge,
    /// `phperf build --lto --bolt`.
    TrainedLtoBolt,
}

impl Build {
    /// All of them, each after those that it is made from.
    const ALL: [Self; 7] = [
        Self::Debian,
        Self::TrainedLto,
        Self::TrainedLtoHuge,
        Self::TrainedLtoBolt,
        Self::Trained,
        Self::Plain,
        Self::PlainHuge,
    ];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Debian => "Debian",
            Self::Plain => "plain",
            Self::PlainHuge => "plain, huge",
            Self::Trained => "trained",
            Self::TrainedLto => "trained, LTO",
            Self::TrainedLtoHuge => "trained, LTO, huge",
            Self::TrainedLtoBolt => "trained, LTO, BOLT",
        }
    }

    /// Where it is, inside of the root.
    pub const fn program(self) -> &'static str {
        match self {
            Self::Debian => "/usr/sbin/php-fpm8.2",
            Self::Plain => "/var/tmp/plain/sapi/fpm/php-fpm",
            Self::PlainHuge => "/var/tmp/plain-huge/php-fpm",
            Self::Trained => "/var/tmp/trained/sbin/php-fpm8.2",
            Self::TrainedLto => "/var/tmp/trained-lto/sbin/php-fpm8.2",
            Self::TrainedLtoHuge => "/var/tmp/trained-lto-huge/sbin/php-fpm8.2",
            Self::TrainedLtoBolt => "/var/tmp/trained-lto-bolt/sbin/php-fpm8.2",
        }
    }

    /// The program that is started for it with its heap on huge pages.
    pub fn with_huge_heap(self) -> String {
        let name = self.name().replace(", ", "-").to_lowercase();
        format!("/var/tmp/{name}-heap")
    }

    /// What it is made from.
    const fn from(self) -> Option<Self> {
        match self {
            Self::Plain => Some(Self::Trained),
            Self::PlainHuge => Some(Self::Plain),
            _ => None,
        }
    }

    const fn is_huge(self) -> bool {
        matches!(self, Self::PlainHuge | Self::TrainedLtoHuge)
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

/// Builds those that are wanted and not there, and brings those for huge pages onto them again: memory was short since they
/// were built.
pub fn make(debian: &Debian, wanted: &[Build]) -> Result<()> {
    let phperf = env::var_os("PHPERF").context("PHPERF has to name phperf: `make bench-build` sets it")?;
    fs::copy(phperf, debian.outside(PHPERF)).context("cannot copy phperf")?;
    for build in Build::ALL {
        let is_needed = |wanted: &Build| {
            let mut chain = std::iter::successors(Some(*wanted), |build| build.from());
            chain.any(|needed| needed == build)
        };
        if !wanted.iter().any(is_needed) {
            continue;
        }
        if !debian.outside(build.program()).is_file() {
            eprintln!("building: {}", build.name());
            match build {
                Build::Debian => {}
                Build::Plain => plain(debian)?,
                Build::PlainHuge => plain_huge(debian)?,
                Build::Trained => trained(debian, "/var/tmp/trained", &[])?,
                Build::TrainedLto => trained(debian, "/var/tmp/trained-lto", &["--lto"])?,
                Build::TrainedLtoHuge => {
                    trained(debian, "/var/tmp/trained-lto-huge", &["--lto", "--huge"])?;
                }
                Build::TrainedLtoBolt if has_bolt(debian)? => {
                    trained(debian, "/var/tmp/trained-lto-bolt", &["--lto", "--bolt"])?;
                }
                Build::TrainedLtoBolt => eprintln!(
                    "not built: there is no llvm-bolt in {}",
                    debian.outside("/").display()
                ),
            }
        }
        huge_heap(debian, build)?;
        if build.is_huge() {
            run(debian
                .command(PHPERF)
                .args(["hugepages", "warm", build.program()]))?;
        }
    }
    Ok(())
}

/// Debian 12's is too old for PHP: who wants it measured puts one there.
fn has_bolt(debian: &Debian) -> Result<bool> {
    let mut look = debian.command("sh");
    look.args(["-c", "command -v llvm-bolt"]).stdout(Stdio::null());
    Ok(look.status().context("cannot look for llvm-bolt")?.success())
}

fn trained(debian: &Debian, prefix: &str, more: &[&str]) -> Result<()> {
    let mut command = debian.command(PHPERF);
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

/// configure leaves a script that configures the same way.
fn plain(debian: &Debian) -> Result<()> {
    let make = format!(
        "rm -rf {PLAIN} && mkdir {PLAIN} && cd {PLAIN} && sh {WORK}/optimised/config.nice >log 2>&1 && \
         make -j$(nproc) sapi/fpm/php-fpm >>log 2>&1"
    );
    run(debian.command("sh").args(["-c", &make]))
}

/// As `phperf build --huge` links it.
fn plain_huge(debian: &Debian) -> Result<()> {
    let make = format!(
        "mkdir -p {PLAIN_HUGE} && cd {PLAIN} && make SAPI_FPM_PATH={PLAIN_HUGE}/linked PROF_FLAGS='-Wl,-z,max-page-size=2097152 \
         -Wl,-z,common-page-size=2097152 -Wl,-z,separate-code' fpm >>log 2>&1 && \
         {PHPERF} hugepages apply {PLAIN_HUGE}/linked -o {} --force",
        Build::PlainHuge.program()
    );
    run(debian.command("sh").args(["-c", &make]))
}

/// Another name for the same program, which has what PHP reads in its environment when it starts.
fn huge_heap(debian: &Debian, build: Build) -> Result<()> {
    let script = debian.outside(&build.with_huge_heap());
    let text = format!(
        "#!/bin/sh\nUSE_ZEND_ALLOC_HUGE_PAGES=1 exec {} \"$@\"\n",
        build.program()
    );
    fs::write(&script, text)
        .and_then(|()| fs::set_permissions(&script, fs::Permissions::from_mode(0o755)))
        .with_context(|| format!("cannot write {}", script.display()))
}
