//! The workers of FPM masters, for a source that has to look for them: with `pm = ondemand` and few requests each, one lives
//! for a fraction of a second.

use std::{
    collections::{HashMap, HashSet},
    fs::File,
    os::unix::fs::FileExt,
};

/// Looks again and again at what masters started. A look at which nothing is new costs one read for each master.
#[derive(Debug, Default)]
pub struct Workers {
    masters: HashMap<u32, Master>,
}

/// A master, which is one thread.
#[derive(Debug, Default)]
struct Master {
    /// Its `children`; none where the kernel does not tell them (`CONFIG_PROC_CHILDREN`).
    file: Option<File>,
    /// What that said at the last look.
    said: Vec<u8>,
    workers: HashSet<u32>,
}

impl Workers {
    /// Another master, whose workers of now are new.
    pub fn serve(&mut self, pid: u32) {
        self.masters.entry(pid).or_insert_with(|| Master {
            file: File::open(format!("/proc/{pid}/task/{pid}/children")).ok(),
            ..Master::default()
        });
    }

    /// Whether this is a master.
    pub fn serves(&self, pid: u32) -> bool {
        self.masters.contains_key(&pid)
    }

    /// Whether there are masters.
    pub fn any(&self) -> bool {
        !self.masters.is_empty()
    }

    /// Whether the kernel tells what each master starts.
    pub fn are_told(&self) -> bool {
        self.masters.values().all(|master| master.file.is_some())
    }

    /// Those that are new since the last look.
    pub fn arrivals(&mut self) -> Vec<u32> {
        self.masters.values_mut().flat_map(Master::arrivals).collect()
    }
}

impl Master {
    fn arrivals(&mut self) -> Vec<u32> {
        let said = self.file.as_ref().map(read).unwrap_or_default();
        if said == self.said {
            return Vec::new();
        }
        let workers: HashSet<u32> = said
            .split(|&byte| byte == b' ')
            .filter_map(|pid| str::from_utf8(pid).ok()?.parse().ok())
            .collect();
        let new = workers.difference(&self.workers).copied().collect();
        self.said = said;
        self.workers = workers;
        new
    }
}

/// All of the file from its beginning; nothing once its process is gone.
fn read(file: &File) -> Vec<u8> {
    let mut text = vec![0; 512];
    let mut length = 0;
    while let Ok(read @ 1..) = file.read_at(&mut text[length..], length as u64) {
        length += read;
        if length == text.len() {
            text.resize(2 * length, 0);
        }
    }
    text.truncate(length);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::Write,
        process::{Child, Command, Stdio},
    };

    fn waiting() -> Child {
        let mut command = Command::new("cat");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    }

    #[test]
    fn a_worker_is_told_once() {
        let mut workers = Workers::default();
        assert!(!workers.any() && workers.arrivals().is_empty());
        // This thread, as a master has but one.
        workers.serve(rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned());
        assert!(workers.are_told());
        let mut first = waiting();
        assert!(workers.arrivals().contains(&first.id()));
        let mut second = waiting();
        let new = workers.arrivals();
        assert!(new.contains(&second.id()) && !new.contains(&first.id()));
        for child in [&mut first, &mut second] {
            drop(child.stdin.take());
            child.wait().unwrap();
        }
        assert!(workers.arrivals().is_empty());
    }

    #[test]
    fn many_are_read_in_pieces() {
        let mut file = tempfile::tempfile().unwrap();
        let text = "123456 ".repeat(700);
        file.write_all(text.as_bytes()).unwrap();
        assert_eq!(read(&file), text.as_bytes());
    }

    #[test]
    fn a_master_that_is_gone_has_none() {
        let mut workers = Workers::default();
        workers.serve(1 << 23);
        assert!(workers.arrivals().is_empty() && !workers.are_told());
    }
}
