//! One process.

use crate::{
    Error, Image, LiveMemory, Mapping, Memory, Usage, maps,
    procfs::{self, Stat},
    smaps, thread_pointer,
};
use std::{
    fs::{self, File},
    io::{self, BufReader},
    path::{Path, PathBuf},
};

/// A process or one of its threads, named by its id and the time at which it started, since ids are used again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pid: u32,
    group: u32,
    uid: u32,
    start_time: u64,
}

impl Process {
    /// Looks at process or thread `pid`, for which nothing is needed but that it exists.
    pub fn open(pid: u32) -> Result<Self, Error> {
        let missing = |error: io::Error| match procfs::explain(error, pid, 0, "stat") {
            Error::Gone(pid) => Error::NoSuchProcess(pid),
            other => other,
        };
        let stat = Stat::read(pid)
            .map_err(missing)?
            .ok_or(Error::Procfs { pid, file: "stat" })?;
        if stat.has_ended() {
            return Err(Error::NoSuchProcess(pid));
        }
        let status = procfs::Status::read(pid)
            .map_err(missing)?
            .ok_or(Error::Procfs { pid, file: "status" })?;
        Ok(Self {
            pid,
            group: status.group,
            uid: status.uid,
            start_time: stat.start_time,
        })
    }

    /// Its id.
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// The process that it is a thread of; for the first thread, which stands for the process, its own id.
    pub const fn group(&self) -> u32 {
        self.group
    }

    /// Its number as it knows it itself, in its own PID namespace.
    pub fn own_number(&self) -> Option<u32> {
        procfs::Status::read(self.pid)
            .ok()?
            .map(|status| status.own_number)
    }

    /// The ids of the threads of the process, its own first. Empty if it is gone.
    pub fn threads(&self) -> Vec<u32> {
        let mut threads: Vec<u32> = fs::read_dir(format!("/proc/{}/task", self.pid))
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .collect();
        threads.sort_unstable_by_key(|&thread| (thread != self.group, thread));
        threads
    }

    /// Its real user.
    pub const fn uid(&self) -> u32 {
        self.uid
    }

    /// When it started, in clock ticks since the machine did: with the id, this is one process for good.
    pub const fn start_time(&self) -> u64 {
        self.start_time
    }

    /// Its memory.
    pub const fn memory(&self) -> LiveMemory {
        LiveMemory::new(self.pid)
    }

    /// Whether it still runs, and the id was not given to another one.
    pub fn is_alive(&self) -> bool {
        self.stat().is_ok()
    }

    /// Whether it waits for something, so that its stack stays as it is until it is woken.
    pub fn is_asleep(&self) -> bool {
        self.stat().is_ok_and(|stat| matches!(stat.state, b'S' | b'D'))
    }

    /// The process that started it, or took it over.
    pub fn parent(&self) -> Result<u32, Error> {
        Ok(self.stat()?.parent)
    }

    /// The name of its command: up to 15 bytes.
    pub fn name(&self) -> Result<String, Error> {
        Ok(self.stat()?.name)
    }

    /// Its arguments, the command first. FPM puts a title there.
    pub fn command_line(&self) -> Result<Vec<String>, Error> {
        procfs::command_line(self.pid).map_err(|error| self.explain(error, "cmdline"))
    }

    /// Its mappings, in the order of their addresses.
    pub fn maps(&self) -> Result<Vec<Mapping>, Error> {
        let file =
            File::open(format!("/proc/{}/maps", self.pid)).map_err(|error| self.explain(error, "maps"))?;
        maps::parse(BufReader::new(file))
            .map_err(|error| self.explain(error, "maps"))?
            .ok_or(Error::Procfs {
                pid: self.pid,
                file: "maps",
            })
    }

    /// Its mappings, and what each holds of memory. The kernel walks all its pages for this, some milliseconds.
    pub fn usage(&self) -> Result<Vec<Usage>, Error> {
        let file =
            File::open(format!("/proc/{}/smaps", self.pid)).map_err(|error| self.explain(error, "smaps"))?;
        smaps::parse(BufReader::new(file)).map_err(|error| self.explain(error, "smaps"))
    }

    /// The path of its main program, as it was when it started, and whether that file was deleted since.
    pub fn executable(&self) -> Result<(PathBuf, bool), Error> {
        let path =
            fs::read_link(format!("/proc/{}/exe", self.pid)).map_err(|error| self.explain(error, "exe"))?;
        let text = path.as_os_str().as_encoded_bytes();
        Ok(match text.strip_suffix(b" (deleted)") {
            Some(before) => {
                use std::os::unix::ffi::OsStrExt;
                (Path::new(std::ffi::OsStr::from_bytes(before)).to_owned(), true)
            }
            None => (path, false),
        })
    }

    /// Opens the very file behind a mapping, even if it was deleted or lies in another root or mount namespace.
    pub fn open_mapped(&self, mapping: &Mapping) -> Result<File, Error> {
        let Some(path) = mapping.path.as_deref().filter(|_| mapping.is_file()) else {
            return Err(Error::Elf("there is no file behind this mapping"));
        };
        let pid = self.pid;
        // Needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE; the others need no more than reading the memory does.
        let ranges = format!("/proc/{pid}/map_files/{:x}-{:x}", mapping.start, mapping.end);
        if let Ok(file) = File::open(ranges) {
            return Ok(file);
        }
        if self.executable()? == (path.to_owned(), mapping.deleted) {
            return File::open(format!("/proc/{pid}/exe")).map_err(|error| self.explain(error, "exe"));
        }
        if mapping.deleted {
            // Another file may have the path now.
            return Err(Error::Deleted {
                pid,
                path: path.display().to_string(),
            });
        }
        let inside = Path::new("/proc")
            .join(pid.to_string())
            .join("root")
            .join(path.strip_prefix("/").unwrap_or(path));
        File::open(inside).map_err(|error| self.explain(error, "root"))
    }

    fn stat(&self) -> Result<Stat, Error> {
        let stat = Stat::read(self.pid)
            .map_err(|error| self.explain(error, "stat"))?
            .ok_or(Error::Procfs {
                pid: self.pid,
                file: "stat",
            })?;
        if stat.start_time != self.start_time || stat.has_ended() {
            return Err(Error::Gone(self.pid));
        }
        Ok(stat)
    }

    fn explain(&self, error: io::Error, file: &str) -> Error {
        procfs::explain(error, self.pid, self.uid, file)
    }
}

impl Image for Process {
    fn pid(&self) -> u32 {
        self.pid
    }

    fn program(&self) -> Result<PathBuf, Error> {
        Ok(self.executable()?.0)
    }

    fn maps(&self) -> Result<Vec<Mapping>, Error> {
        self.maps()
    }

    fn open_mapped(&self, mapping: &Mapping) -> Result<File, Error> {
        self.open_mapped(mapping)
    }

    fn thread_pointers(&self) -> impl Iterator<Item = u64> {
        let threads = self.threads().into_iter().filter_map(|tid| Self::open(tid).ok());
        threads.filter_map(|thread| thread_pointer(&thread))
    }

    fn memory(&self) -> impl Memory {
        self.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    struct Sleeper(Child);

    impl Sleeper {
        fn start() -> Self {
            Self(Command::new("sleep").arg("600").spawn().unwrap())
        }
    }

    impl Drop for Sleeper {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    fn sees_a_child() {
        let child = Sleeper::start();
        let process = Process::open(child.0.id()).unwrap();
        assert_eq!(process.parent().unwrap(), std::process::id());
        assert!(process.is_alive());
        let maps = process.maps().unwrap();
        assert!(maps.is_sorted_by_key(|mapping| mapping.start));
    }

    #[test]
    fn sees_itself() {
        let process = Process::open(std::process::id()).unwrap();
        let arguments: Vec<_> = std::env::args().collect();
        assert_eq!(process.command_line().unwrap(), arguments);
        let (path, deleted) = process.executable().unwrap();
        assert_eq!(path, std::env::current_exe().unwrap());
        assert!(!deleted);
        let maps = process.maps().unwrap();
        let own = maps
            .iter()
            .find(|mapping| mapping.path.as_ref() == Some(&path))
            .unwrap();
        let mut magic = [0; 4];
        io::Read::read_exact(&mut process.open_mapped(own).unwrap(), &mut magic).unwrap();
        assert_eq!(&magic, b"\x7fELF");
    }

    #[test]
    fn an_ended_child_is_gone_even_before_it_is_reaped() {
        let mut child = Sleeper::start();
        let process = Process::open(child.0.id()).unwrap();
        child.0.kill().unwrap();
        while process.is_alive() {
            std::thread::yield_now();
        }
        assert!(matches!(
            Process::open(child.0.id()),
            Err(Error::NoSuchProcess(_))
        ));
        child.0.wait().unwrap();
        assert!(matches!(process.name(), Err(Error::Gone(_))));
        assert!(matches!(process.maps(), Err(Error::Gone(_))));
    }

    #[test]
    fn no_such_process() {
        assert!(matches!(
            Process::open(1 << 23),
            Err(Error::NoSuchProcess(8_388_608))
        ));
    }
}
