//! A `PostgreSQL` of one's own.

use super::{port::on_a_free_port, process::Process, user};
use crate::{Error, Place, error::output};
use rustix::process::Signal;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// The superuser, who needs no password.
const USER: &str = "postgres";

/// A `PostgreSQL` that runs, on a socket and a port of the loopback device. Its data goes with this.
#[derive(Debug)]
pub struct Postgres {
    process: Process,
    port: u16,
    folder: TempDir,
    programs: PathBuf,
}

impl Postgres {
    /// Starts the newest one that is installed. Nothing is safe on its disk: it is there for tests.
    pub fn start() -> Result<Self, Error> {
        let programs = programs()?;
        let user = user::unprivileged(USER)?;
        let folder = TempDir::with_prefix("pg-").map_err(Error::io("make a temporary folder"))?;
        user::give(folder.path(), user)?;
        let data = folder.path().join("data");
        let place = Place::here();
        output(
            place
                .command_as(&text(&programs.join("initdb")), user)
                .arg("-D")
                .arg(&data)
                .args(["-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]),
        )?;
        let (process, port) = on_a_free_port(|port| {
            let mut command = place.command_as(&text(&programs.join("postgres")), user);
            command.arg("-D").arg(&data).arg("-k").arg(folder.path());
            for setting in [
                format!("port={port}"),
                "listen_addresses=127.0.0.1".into(),
                "fsync=off".into(),
                "synchronous_commit=off".into(),
                "full_page_writes=off".into(),
                "max_connections=200".into(),
                // For prepared transactions in php-src's tests, and for runs that compare time.
                "max_prepared_transactions=10".into(),
                "autovacuum=off".into(),
                "log_min_messages=log".into(),
            ] {
                command.arg("-c").arg(setting);
            }
            let ready = "ready to accept connections";
            // PostgreSQL's "immediate" shutdown: nothing of it is kept.
            let process = Process::start("PostgreSQL", command, ready, Signal::QUIT)?;
            Ok((process, port))
        })?;
        Ok(Self {
            process,
            port,
            folder,
            programs,
        })
    }

    /// The process to which all others of it belong.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Its port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The folder of its socket, as libpq's `host` takes it.
    pub fn socket(&self) -> &Path {
        self.folder.path()
    }

    /// What PDO takes to connect to a database over TCP.
    pub fn dsn(&self, database: &str) -> String {
        dsn("127.0.0.1", self.port, database)
    }

    /// What PDO takes to connect to a database through the socket.
    pub fn dsn_of_socket(&self, database: &str) -> String {
        dsn(&self.folder.path().to_string_lossy(), self.port, database)
    }

    /// Makes an empty database.
    pub fn create_database(&self, name: &str) -> Result<(), Error> {
        self.query(
            "postgres",
            &format!("CREATE DATABASE \"{name}\" TEMPLATE template0"),
        )
        .map(drop)
    }

    /// Runs SQL, on a connection of its own; the rows, with columns separated by `|`.
    pub fn query(&self, database: &str, sql: &str) -> Result<Vec<String>, Error> {
        let mut command = Command::new(self.programs.join("psql"));
        command
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", USER])
            .arg("-h")
            .arg(self.folder.path())
            .arg("-p")
            .arg(self.port.to_string())
            .args(["-d", database, "-c", sql]);
        Ok(output(&mut command)?.lines().map(str::to_owned).collect())
    }
}

pub(super) fn dsn(host: &str, port: u16, database: &str) -> String {
    format!("pgsql:host={host};port={port};dbname={database};user={USER}")
}

/// Where Debian keeps the programs of its newest version, else wherever `PATH` says.
fn programs() -> Result<PathBuf, Error> {
    let versions = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let newest = versions
        .filter_map(|entry| {
            Some((
                entry.file_name().to_str()?.parse::<u32>().ok()?,
                entry.path().join("bin"),
            ))
        })
        .filter(|(_, bin)| bin.join("initdb").is_file())
        .max();
    if let Some((_, bin)) = newest {
        return Ok(bin);
    }
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .find(|folder| folder.join("initdb").is_file())
        .ok_or_else(|| Error::Unavailable {
            what: "PostgreSQL".into(),
            why: "scripts/setup.sh test installs it".into(),
        })
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_and_ends_with_its_handle() {
        let server = Postgres::start().unwrap();
        server.create_database("shop").unwrap();
        assert_eq!(
            server.query("shop", "SELECT 1, current_database()").unwrap(),
            ["1|shop"]
        );
        let error = server.query("shop", "SELECT nonsense").unwrap_err();
        assert!(error.to_string().contains("does not exist"), "{error}");
        let (pid, folder) = (server.pid(), server.socket().to_owned());
        drop(server);
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
        assert!(!folder.exists());
    }

    #[test]
    fn two_live_side_by_side() {
        let (one, two) = (Postgres::start().unwrap(), Postgres::start().unwrap());
        assert_ne!(one.port(), two.port());
        for server in [&one, &two] {
            assert_eq!(
                server.query("postgres", "SHOW port").unwrap(),
                [server.port().to_string()]
            );
        }
    }
}
