//! The processes that descend from the user's command, for a source that has to look for them.

use remote::Process;
use std::{
    collections::{HashMap, HashSet},
    fs,
    path::PathBuf,
};

/// Looks again and again at a process and all that it started.
#[derive(Default)]
pub struct Family {
    /// What each of them ran when it was looked at, so that the same program is not looked at twice.
    seen: HashMap<u32, PathBuf>,
}

impl Family {
    /// The members that are new, or run another program than at the last look.
    pub fn changes(&mut self, root: u32) -> Vec<u32> {
        let members = descendants(root);
        self.seen.retain(|pid, _| members.contains(pid));
        let mut changed = Vec::new();
        for pid in members {
            let Ok((path, _)) = Process::open(pid).and_then(|process| process.executable()) else {
                continue;
            };
            if self.seen.insert(pid, path.clone()) != Some(path) {
                changed.push(pid);
            }
        }
        changed
    }

    /// Nothing was found out about a member: the next look tells it again.
    pub fn look_again(&mut self, pid: u32) {
        self.seen.remove(&pid);
    }
}

/// `root` and all that it started, and what those started.
fn descendants(root: u32) -> HashSet<u32> {
    let mut family = HashSet::from([root]);
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        for child in children(pid) {
            if family.insert(child) {
                open.push(child);
            }
        }
    }
    family
}

/// What a process started, and what came to it when its parent ended.
fn children(pid: u32) -> Vec<u32> {
    // A child belongs to the thread that started it.
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten();
    let children: String = threads
        .filter_map(Result::ok)
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .collect();
    children
        .split_ascii_whitespace()
        .filter_map(|child| child.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_child_is_told_once() {
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut family = Family::default();
        // Until the exec is over it may still be this very program.
        while !family
            .seen
            .get(&child.id())
            .is_some_and(|path| path.ends_with("cat"))
        {
            family.changes(std::process::id());
        }
        assert!(!family.changes(std::process::id()).contains(&child.id()));
        drop(child.stdin.take());
        child.wait().unwrap();
        family.changes(std::process::id());
        assert!(!family.seen.contains_key(&child.id()));
    }
}
