//! A `PgBouncer` in front of a `PostgreSQL`.

use super::{Postgres, port::on_a_free_port, postgres::dsn, process::Process, user};
use crate::{Cache, Error, Place, Release, Root, error::output};
use rustix::process::Signal;
use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
};
use tempfile::TempDir;

/// A `PgBouncer` program.
#[derive(Clone, Debug)]
pub struct Pooler {
    place: Place,
    version: String,
}

impl Pooler {
    /// The one that is installed on this machine.
    pub fn installed() -> Result<Self, Error> {
        Self::of(Place::here()).map_err(Error::unavailable("PgBouncer"))
    }

    /// The one of another Debian release, in a root of its own that is kept in `cache`.
    pub fn of_release(cache: &Cache, release: Release) -> Result<Self, Error> {
        let root = Root::get(cache, release, &["pgbouncer"])?;
        Self::of(root.place())
    }

    fn of(place: Place) -> Result<Self, Error> {
        let said = output(place.command("/usr/sbin/pgbouncer").arg("--version"))?;
        let version = said
            .split_ascii_whitespace()
            .nth(1)
            .unwrap_or("of no version")
            .to_owned();
        Ok(Self { place, version })
    }

    /// Its version, such as `1.18.0`.
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// A `PgBouncer` that runs, on a port of the loopback device, in transaction mode.
#[derive(Debug)]
pub struct PgBouncer {
    _process: Process,
    port: u16,
    _folder: TempDir,
}

impl PgBouncer {
    /// Starts it in front of a server, with so many connections to it for each database. `settings` are lines of
    /// its section `[pgbouncer]`.
    pub fn start(
        pooler: &Pooler,
        server: &Postgres,
        connections: u32,
        settings: &str,
    ) -> Result<Self, Error> {
        let place = &pooler.place;
        // It refuses to run as root.
        let user = user::unprivileged("postgres")?;
        let folder = TempDir::with_prefix_in("pgbouncer-", place.temporary())
            .map_err(Error::io("make a temporary folder"))?;
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755))
            .map_err(Error::io("open a folder to PgBouncer"))?;
        let users = folder.path().join("users.txt");
        let configuration = folder.path().join("pgbouncer.ini");
        fs::write(&users, "\"postgres\" \"\"\n").map_err(Error::io("write the users of PgBouncer"))?;
        let (process, port) = on_a_free_port(|port| {
            let text = format!(
                "[databases]\n* = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
                 listen_port = {port}\nunix_socket_dir =\nauth_type = trust\nauth_file = {}\n\
                 pool_mode = transaction\ndefault_pool_size = {connections}\nmax_client_conn = 500\n\
                 ignore_startup_parameters = extra_float_digits\n{settings}\n",
                server.port(),
                place.inside(&users).display(),
            );
            fs::write(&configuration, text).map_err(Error::io("write the settings of PgBouncer"))?;
            let mut command = place.command_as("/usr/sbin/pgbouncer", user);
            command.arg(place.inside(&configuration));
            let process = Process::start("PgBouncer", command, "process up", Signal::QUIT)?;
            Ok((process, port))
        })?;
        Ok(Self {
            _process: process,
            port,
            _folder: folder,
        })
    }

    /// What PDO takes to connect to a database through it.
    pub fn dsn(&self, database: &str) -> String {
        dsn("127.0.0.1", self.port, database)
    }
}
