//! A PHP-FPM of one's own: master, pools and workers in a temporary folder.

use crate::{Binary, Error, Ini, Request, Response, fastcgi::connect, lines::Lines};
use rustix::process::{Pid, Signal, geteuid, kill_process, kill_process_group};
use std::{
    fmt::Write as _,
    fs,
    os::unix::{net::UnixStream, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

const READY_WITHIN: Duration = Duration::from_secs(30);
/// How long a master may take to end in peace. Workers in the middle of an endless request never do.
const QUIT_WITHIN: Duration = Duration::from_millis(300);

/// How a pool keeps its workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manager {
    /// So many, always.
    Static(u32),
    /// From `start` on, between `spare` and `max`, as many as requests ask for.
    Dynamic {
        /// Workers at the start.
        start: u32,
        /// The fewest and the most that may wait for a request.
        spare: (u32, u32),
        /// The most there may be.
        max: u32,
    },
    /// None without a request; gone again after so many seconds without one.
    OnDemand {
        /// The most there may be.
        max: u32,
        /// When a worker without a request ends.
        idle_seconds: u32,
    },
}

/// One pool of workers.
#[derive(Clone, Debug)]
pub struct Pool {
    name: String,
    manager: Manager,
    user: Option<String>,
    max_requests: u32,
}

impl Pool {
    /// A pool. Its workers run as whoever starts it.
    pub fn new(name: impl Into<String>, manager: Manager) -> Self {
        Self {
            name: name.into(),
            manager,
            user: None,
            max_requests: 0,
        }
    }

    /// With workers of another user, such as `www-data`; only root can.
    #[must_use]
    pub fn user(mut self, user: impl Into<String>) -> Self {
        self.user = Some(user.into());
        self
    }

    /// With workers that are replaced after so many requests.
    #[must_use]
    pub const fn max_requests(mut self, requests: u32) -> Self {
        self.max_requests = requests;
        self
    }

    fn configuration(&self, socket: &Path) -> String {
        let mut text = format!("[{}]\nlisten = {}\n", self.name, socket.display());
        let user = self
            .user
            .clone()
            .or_else(|| geteuid().is_root().then(|| "root".into()));
        if let Some(user) = user {
            let _ = writeln!(text, "user = {user}");
        }
        let _ = match self.manager {
            Manager::Static(workers) => writeln!(text, "pm = static\npm.max_children = {workers}"),
            Manager::Dynamic {
                start,
                spare: (fewest, most),
                max,
            } => writeln!(
                text,
                "pm = dynamic\npm.max_children = {max}\npm.start_servers = {start}\n\
                 pm.min_spare_servers = {fewest}\npm.max_spare_servers = {most}"
            ),
            Manager::OnDemand { max, idle_seconds } => writeln!(
                text,
                "pm = ondemand\npm.max_children = {max}\npm.process_idle_timeout = {idle_seconds}s"
            ),
        };
        let _ = writeln!(text, "pm.max_requests = {}", self.max_requests);
        text
    }
}

/// The title of a worker, before its pool's name.
const POOL: &str = "php-fpm: pool ";

/// What a process calls itself; `None` once it is gone.
fn title(pid: u32) -> Option<String> {
    let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
    Some(line.trim_end_matches(['\0', ' ']).to_owned())
}

/// A PHP-FPM that runs. Master and workers are ended when this is dropped.
#[derive(Debug)]
pub struct Fpm {
    master: Child,
    log: Lines,
    folder: TempDir,
}

impl Fpm {
    /// Starts a master with one pool named `www`.
    pub fn www(binary: &Binary, manager: Manager) -> Result<Self, Error> {
        Self::start(binary, &Ini::new(), &[Pool::new("www", manager)])
    }

    /// Starts a master with these pools, and waits until it takes requests.
    pub fn start(binary: &Binary, ini: &Ini, pools: &[Pool]) -> Result<Self, Error> {
        Self::patient(binary, ini, pools, Duration::ZERO)
    }

    /// The same, with a master that lets its workers end what they are doing, for whole seconds
    /// (`process_control_timeout`); 0 is PHP's default, which kills them at once.
    pub fn patient(binary: &Binary, ini: &Ini, pools: &[Pool], patience: Duration) -> Result<Self, Error> {
        let folder = TempDir::with_prefix("fpm-").map_err(Error::io("make a temporary folder"))?;
        let mut text = format!(
            "[global]\ndaemonize = no\nerror_log = /proc/self/fd/2\nprocess_control_timeout = {}\n",
            patience.as_secs()
        );
        for pool in pools {
            text += &pool.configuration(&socket_in(folder.path(), &pool.name));
        }
        let configuration = folder.path().join("php-fpm.conf");
        fs::write(&configuration, text).map_err(Error::io(format!("write {}", configuration.display())))?;

        let mut command = Command::new(&binary.path);
        command
            .arg("--nodaemonize")
            .arg("--fpm-config")
            .arg(&configuration)
            .args(ini.arguments())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            // A group of their own, so that workers end with a master that cannot end them itself.
            .process_group(0);
        if geteuid().is_root() {
            command.arg("--allow-to-run-as-root");
        }
        let mut master = command.spawn().map_err(|source| Error::Start {
            path: binary.path.clone(),
            source,
        })?;
        let log = Lines::of("PHP", master.stderr.take().expect("standard error is piped"));
        let mut fpm = Self { master, log, folder };
        fpm.log.find("the readiness of PHP-FPM", READY_WITHIN, |line| {
            line.contains("ready to handle connections")
        })?;
        fpm.named()?;
        Ok(fpm)
    }

    /// Waits until each worker that was started has named itself after its pool.
    fn named(&self) -> Result<(), Error> {
        let end = Instant::now() + READY_WITHIN;
        while Instant::now() < end {
            let nameless =
                |pid: &u32| title(*pid).is_some_and(|title| !title.is_empty() && !title.starts_with(POOL));
            if !self.workers()?.iter().any(nameless) {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// The master's process.
    pub fn master(&self) -> u32 {
        self.master.id()
    }

    /// The folder of its configuration and sockets, which goes with it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where the pool of that name listens.
    pub fn socket(&self, pool: &str) -> PathBuf {
        socket_in(self.folder.path(), pool)
    }

    /// The workers of all pools.
    pub fn workers(&self) -> Result<Vec<u32>, Error> {
        let path = format!("/proc/{0}/task/{0}/children", self.master());
        let children = fs::read_to_string(&path).map_err(Error::io(format!("read {path}")))?;
        Ok(children
            .split_ascii_whitespace()
            .filter_map(|pid| pid.parse().ok())
            .collect())
    }

    /// The workers of one pool.
    pub fn workers_of(&self, pool: &str) -> Result<Vec<u32>, Error> {
        let wanted = format!("{POOL}{pool}");
        let named = |pid: &u32| title(*pid).is_some_and(|title| title == wanted);
        Ok(self.workers()?.into_iter().filter(named).collect())
    }

    /// Sends a request to the pool of that name, and waits for the answer.
    pub fn request(&self, pool: &str, request: &Request) -> Result<Response, Error> {
        request.send(&self.socket(pool))
    }

    /// A connection to the pool of that name.
    pub fn connect(&self, pool: &str) -> Result<UnixStream, Error> {
        connect(&self.socket(pool))
    }

    /// Waits for a line of the master's log that contains `text`.
    pub fn wait_for_log(&mut self, text: &str, within: Duration) -> Result<String, Error> {
        let what = format!("`{text}` in the log");
        self.log.find(&what, within, |line| line.contains(text))
    }

    /// Asks the master to replace its workers, as after a deployment. The process stays, its program is
    /// executed anew.
    pub fn reload(&mut self) -> Result<(), Error> {
        kill_process(self.group(), Signal::USR2)
            .map_err(|errno| Error::io("signal the master of PHP-FPM")(errno.into()))?;
        self.wait_for_log("ready to handle connections", READY_WITHIN)
            .map(drop)
    }

    /// Asks the master to end when its workers have ended what they are doing, and waits for it: they leave as a program
    /// does, and whatever they write at exit is written. `within` has to be longer than the master's patience.
    pub fn quit(mut self, within: Duration) -> Result<ExitStatus, Error> {
        kill_process(self.group(), Signal::QUIT)
            .map_err(|errno| Error::io("signal the master of PHP-FPM")(errno.into()))?;
        match self.log.find("the end of PHP-FPM", within, |_| false) {
            Err(Error::Ended { .. }) => self.master.wait().map_err(Error::io("wait for PHP-FPM")),
            Err(error) => Err(error),
            Ok(line) => Err(Error::Late {
                what: "the end of PHP-FPM".into(),
                waited: within,
                said: line,
            }),
        }
    }

    /// The master's process and, by the same number, its group.
    fn group(&self) -> Pid {
        Pid::from_child(&self.master)
    }
}

impl Drop for Fpm {
    fn drop(&mut self) {
        if matches!(self.master.try_wait(), Ok(None)) {
            // The master is not waited for yet, so that its number is still its own.
            let _ = kill_process(self.group(), Signal::QUIT);
        }
        // Everybody who could write to the log is gone when it ends.
        let gone = matches!(
            self.log.find("the end of PHP-FPM", QUIT_WITHIN, |_| false),
            Err(Error::Ended { .. })
        );
        if !gone {
            let _ = kill_process_group(self.group(), Signal::KILL);
        }
        let _ = self.master.wait();
    }
}

fn socket_in(folder: &Path, pool: &str) -> PathBuf {
    folder.join(format!("{pool}.sock"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Load, workload};

    fn alive(pid: u32) -> bool {
        // A process that its new parent has not waited for yet is gone too.
        fs::read_to_string(format!("/proc/{pid}/stat"))
            .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().starts_with(" Z"))
    }

    #[test]
    fn two_pools_answer_and_end_with_the_handle() {
        let pools = [
            Pool::new("www", Manager::Static(3)),
            Pool::new(
                "api",
                Manager::Dynamic {
                    start: 1,
                    spare: (1, 2),
                    max: 4,
                },
            ),
        ];
        let fpm = Fpm::start(&Binary::fpm().unwrap(), &Ini::new(), &pools).unwrap();
        let request = Request::get(workload("fpm/hello.php"), "name=php");
        for pool in ["www", "api"] {
            let response = fpm.request(pool, &request).unwrap();
            assert_eq!(
                (response.status(), response.body().as_str()),
                (200, "Hello, Php!\n")
            );
        }
        let missing = fpm.request("www", &Request::get("/nowhere.php", "")).unwrap();
        assert_eq!(missing.status(), 404);

        let workers = fpm.workers().unwrap();
        let master = fpm.master();
        assert_eq!(fpm.workers_of("www").unwrap().len(), 3);
        drop(fpm);
        assert!(!alive(master));
        assert!(!workers.into_iter().any(alive));
    }

    #[test]
    fn workers_in_an_endless_request_end_with_the_handle() {
        let fpm = Fpm::www(&Binary::fpm().unwrap(), Manager::Static(2)).unwrap();
        let load = Load::start(fpm.socket("www"), &Request::get(workload("fpm/busy.php"), ""), 2).unwrap();
        let workers = fpm.workers().unwrap();
        drop(load);
        drop(fpm);
        assert!(!workers.into_iter().any(alive));
    }

    #[test]
    fn a_reload_brings_new_workers() {
        let mut fpm = Fpm::www(&Binary::fpm().unwrap(), Manager::Static(1)).unwrap();
        let before = fpm.workers().unwrap();
        fpm.reload().unwrap();
        assert!(before.iter().all(|pid| !fpm.workers().unwrap().contains(pid)));
        assert_eq!(
            fpm.request("www", &Request::get(workload("fpm/hello.php"), ""))
                .unwrap()
                .status(),
            200
        );
    }
}
