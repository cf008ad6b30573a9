//! A `MariaDB` of one's own.

use super::{process::Process, user};
use crate::{Error, Place, error::output};
use rustix::process::Signal;
use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// The user as whom it runs when tests run as root.
const USER: &str = "mysql";
const DAEMONS: [&str; 2] = ["/usr/sbin/mariadbd", "/usr/libexec/mariadbd"];

/// A `MariaDB` that runs, on a socket alone. Its data goes with this.
#[derive(Debug)]
pub struct MariaDb {
    process: Process,
    folder: TempDir,
}

impl MariaDb {
    /// Starts it.
    pub fn start() -> Result<Self, Error> {
        let daemon = DAEMONS
            .into_iter()
            .find(|daemon| Path::new(daemon).is_file())
            .ok_or_else(|| Error::Unavailable {
                what: "MariaDB".into(),
                why: "scripts/setup.sh test installs it".into(),
            })?;
        let user = user::unprivileged(USER)?;
        let folder = TempDir::with_prefix("maria-").map_err(Error::io("make a temporary folder"))?;
        user::give(folder.path(), user)?;
        // Whoever serves requests connects to the socket in it.
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755))
            .map_err(Error::io("open the folder of MariaDB to users"))?;
        let data = format!("--datadir={}", folder.path().join("data").display());
        let place = Place::here();
        output(
            place
                .command_as("mariadb-install-db", user)
                .args([
                    "--no-defaults",
                    "--auth-root-authentication-method=normal",
                    "--skip-test-db",
                ])
                .arg(&data),
        )?;
        let mut command = place.command_as(daemon, user);
        command
            .args([
                "--no-defaults",
                "--skip-networking",
                "--innodb-flush-log-at-trx-commit=0",
            ])
            .arg(&data)
            .arg(format!("--socket={}", socket_in(folder.path()).display()))
            .arg(format!("--pid-file={}", folder.path().join("pid").display()));
        let process = Process::start("MariaDB", command, "ready for connections", Signal::TERM)?;
        Ok(Self { process, folder })
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Where it listens.
    pub fn socket(&self) -> PathBuf {
        socket_in(self.folder.path())
    }

    /// What PDO takes to connect to a database, as the user `root` without a password.
    pub fn dsn(&self, database: &str) -> String {
        format!("mysql:unix_socket={};dbname={database}", self.socket().display())
    }

    /// Runs SQL, on a connection of its own; the rows, with columns separated by tabs.
    pub fn query(&self, sql: &str) -> Result<Vec<String>, Error> {
        let mut command = Command::new("mariadb");
        command
            .arg("--no-defaults")
            .arg(format!("--socket={}", self.socket().display()))
            .args(["-u", "root", "-N", "-B", "-e", sql]);
        Ok(output(&mut command)?.lines().map(str::to_owned).collect())
    }
}

fn socket_in(folder: &Path) -> PathBuf {
    folder.join("mariadb.sock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_and_ends_with_its_handle() {
        let server = MariaDb::start().unwrap();
        assert_eq!(
            server.query("CREATE DATABASE shop; SELECT 1, 'a'").unwrap(),
            ["1\ta"]
        );
        let (pid, folder) = (server.pid(), server.folder.path().to_owned());
        drop(server);
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
        assert!(!folder.exists());
    }
}
