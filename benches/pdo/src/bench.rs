//! What all tables share: PHP, the extension, a server, and a program that is run in each variant.

use crate::{
    libpq::{Libpq, Waits},
    strace,
    variant::Variant,
};
use anyhow::{Context, Result, bail};
use common::{callgrind, machine, settings::Settings};
use php::{Binary, Ini, Launch, workload};
use std::{
    env, fmt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tempfile::TempDir;
use testbed::{Cache, Extension, Postgres, Toolchain};

/// The way to the server.
#[derive(Clone, Copy, Debug)]
pub enum Line {
    /// The loopback device.
    Tcp,
    /// A socket of the file system.
    Socket,
}

impl Line {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Tcp, Self::Socket];
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tcp => "TCP",
            Self::Socket => "socket",
        })
    }
}

/// What an iteration of the loop asks.
#[derive(Clone, Copy, Debug)]
pub enum Query {
    /// The sum of two numbers.
    Sum,
    /// A join of six tables of the catalogue.
    Join,
}

impl Query {
    const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Join => "join",
        }
    }
}

/// What all tables share.
#[derive(Debug)]
pub struct Bench {
    /// What to measure, and how often.
    pub settings: Settings,
    /// The PHP that is measured.
    pub toolchain: Toolchain,
    /// The extension that is measured.
    pub extension: Extension,
    /// The server that is asked.
    pub server: Postgres,
    /// An extension that does nothing.
    neighbour: Extension,
    php: Binary,
}

impl Bench {
    /// Builds the extension and starts a server.
    pub fn new(settings: Settings) -> Result<Self> {
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
        let toolchain = Toolchain::installed()?;
        let build = |sources: &str| {
            let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join(sources);
            let found = sources
                .canonicalize()
                .with_context(|| format!("cannot find {}", sources.display()))?;
            anyhow::Ok(Extension::build(
                &Cache::at(target.join("tmp")),
                &found,
                &toolchain,
            )?)
        };
        Ok(Self {
            settings,
            extension: build("../../ext/pdo_pool")?,
            neighbour: build("neighbour")?,
            toolchain,
            server: Postgres::start()?,
            php: Binary::cli()?,
        })
    }

    /// What is compared on what, as the head of the results.
    pub fn describe(&self) -> String {
        let version = self.server.query("postgres", "SHOW server_version");
        let what = format!(
            "PHP {}, PostgreSQL {}. Times are the median of {} run(s) with the range, counts of {}.",
            self.toolchain.label(),
            version.map_or_else(|error| error.to_string(), |rows| rows.concat()),
            self.settings.runs,
            self.settings.counts(),
        );
        machine::head("PDO, and PDO under pdo_pool", &what)
    }

    /// Microseconds of one iteration, of PHP that is run under something.
    pub fn time(
        &self,
        variant: Variant,
        query: Query,
        line: Line,
        iterations: u32,
        under: &[String],
    ) -> Result<f64> {
        Ok(took(self.command(variant, query, line, iterations, under))? / 1e3)
    }

    /// The same of the sum by libpq alone.
    pub fn time_of_libpq(
        &self,
        libpq: &Libpq,
        waits: Waits,
        line: Line,
        iterations: u32,
        under: &[String],
    ) -> Result<f64> {
        let dsn = self.dsn(line);
        let conninfo = dsn.trim_start_matches("pgsql:").replace(';', " ");
        Ok(took(libpq.command(waits, &conninfo, iterations, under))? / 1e3)
    }

    /// Seconds until all of these fibers have waited `seconds` each, on so many connections of a pool; 0: without one.
    pub fn fibers(&self, variant: Variant, fibers: u32, seconds: f64, connections: u32) -> Result<f64> {
        let arguments = [
            self.server.dsn("postgres"),
            fibers.to_string(),
            seconds.to_string(),
            connections.to_string(),
        ];
        took(self.program(variant, "pdo/fibers.php", &arguments, &[]))
    }

    /// Sends and receives of a whole run.
    pub fn calls(
        &self,
        variant: Variant,
        query: Query,
        line: Line,
        iterations: u32,
    ) -> Result<strace::Calls> {
        let folder = TempDir::new()?;
        let file = folder.path().join("strace");
        output(self.command(variant, query, line, iterations, &strace::under(&file)))?;
        strace::read(&file)
    }

    /// Instructions of a whole run of the sum, on a heap in which also lies what another extension has: so many settings.
    pub fn instructions(
        &self,
        variant: Variant,
        line: Line,
        iterations: u32,
        settings: u32,
    ) -> Result<callgrind::Instructions> {
        let folder = TempDir::new()?;
        let file = folder.path().join("callgrind");
        let ini = variant
            .ini(&self.extension)
            .set("extension", self.neighbour.module().to_string_lossy());
        let arguments = [self.dsn(line), Query::Sum.name().into(), iterations.to_string()];
        let mut command = self.php(&ini, "pdo/loop.php", &arguments, &callgrind::under(&file));
        command.env("NEIGHBOUR_SETTINGS", settings.to_string());
        output(command)?;
        callgrind::read(&file, self.extension.module())
    }

    fn command(
        &self,
        variant: Variant,
        query: Query,
        line: Line,
        iterations: u32,
        under: &[String],
    ) -> Command {
        let arguments = [self.dsn(line), query.name().into(), iterations.to_string()];
        self.program(variant, "pdo/loop.php", &arguments, under)
    }

    fn dsn(&self, line: Line) -> String {
        match line {
            Line::Tcp => self.server.dsn("postgres"),
            Line::Socket => self.server.dsn_of_socket("postgres"),
        }
    }

    fn program(&self, variant: Variant, name: &str, arguments: &[String], under: &[String]) -> Command {
        self.php(&variant.ini(&self.extension), name, arguments, under)
    }

    fn php(&self, ini: &Ini, name: &str, arguments: &[String], under: &[String]) -> Command {
        let line = Launch::new(&self.php, workload(name))
            .ini(ini.clone())
            .args(arguments)
            .under(under)
            .command_line();
        let mut command = Command::new(&line[0]);
        command.args(&line[1..]);
        command
    }
}

/// The time that a program says it took.
fn took(command: Command) -> Result<f64> {
    let said = output(command)?;
    said.trim()
        .parse()
        .context("the program does not say how long it took")
}

/// What a program printed that has to end well.
fn output(mut command: Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        let last = errors.lines().last().unwrap_or("nothing");
        bail!("it ended with {}: {last}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
