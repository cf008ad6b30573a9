//! php-cgi that answers over `FastCGI`.

use crate::{
    Error, Ini, Request, Response,
    daemon::{Daemon, Owner},
    fastcgi::connect,
};
use rustix::process::Signal;
use std::{
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
    time::Duration,
};

/// One process that listens on a socket. It is ended when this is dropped.
#[derive(Debug)]
pub struct Cgi {
    daemon: Daemon,
    socket: PathBuf,
}

impl Cgi {
    /// Starts the program at a path as its owner, and waits until it takes requests.
    pub fn start(program: &Path, ini: &Ini, owner: Option<Owner>) -> Result<Self, Error> {
        let folder = Daemon::folder("cgi-", owner)?;
        let socket = folder.path().join("cgi.sock");
        let mut command = Command::new(program);
        command
            .args(ini.arguments())
            .arg("-b")
            .arg(&socket)
            .env_remove("PHP_FCGI_CHILDREN")
            // It would end after 500.
            .env("PHP_FCGI_MAX_REQUESTS", "0");
        let mut daemon = Daemon::start("php-cgi", command, owner, folder)?;
        daemon.wait_for("the socket", |_| connect(&socket).ok())?;
        Ok(Self { daemon, socket })
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.daemon.pid()
    }

    /// Sends a request, and waits for the answer.
    pub fn request(&self, request: &Request) -> Result<Response, Error> {
        request.send(&self.socket)
    }

    /// Asks it to end, which it does as a program does: whatever it writes at exit is written.
    pub fn quit(self, within: Duration) -> Result<ExitStatus, Error> {
        self.daemon.quit(Signal::TERM, within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Binary, workload};

    #[test]
    fn answers_more_than_500_requests_and_ends_in_peace() {
        let cgi = match Binary::cgi() {
            Ok(cgi) => cgi,
            Err(error) if std::env::var_os("PHPERF_REQUIRE_TOOLS").is_none() => {
                eprintln!("skipped: {error}");
                return;
            }
            Err(error) => panic!("{error}"),
        };
        let server = Cgi::start(&cgi.path, &Ini::new(), None).unwrap();
        let request = Request::get(workload("fpm/hello.php"), "name=php");
        for _ in 0..600 {
            assert_eq!(server.request(&request).unwrap().body(), "Hello, Php!\n");
        }
        assert!(server.quit(Duration::from_secs(30)).unwrap().success());
    }
}
