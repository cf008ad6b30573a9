//! The workers of FPM masters, for a source that has to look for them: with `pm = ondemand` and few requests each, one lives
//! for a fraction of a second.

use super::family::children;
use std::collections::{HashMap, HashSet};

/// Looks again and again at what masters started.
#[derive(Debug, Default)]
pub struct Workers {
    /// By master.
    seen: HashMap<u32, HashSet<u32>>,
}

impl Workers {
    /// Another master, whose workers of now are new.
    pub fn serve(&mut self, master: u32) {
        self.seen.entry(master).or_default();
    }

    /// Whether this is a master.
    pub fn serves(&self, pid: u32) -> bool {
        self.seen.contains_key(&pid)
    }

    /// Whether there are masters.
    pub fn any(&self) -> bool {
        !self.seen.is_empty()
    }

    /// Those that are new since the last look.
    pub fn arrivals(&mut self) -> Vec<u32> {
        let mut new = Vec::new();
        for (master, seen) in &mut self.seen {
            let now: HashSet<u32> = children(*master).into_iter().collect();
            new.extend(now.difference(seen));
            *seen = now;
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command, Stdio};

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
        workers.serve(std::process::id());
        let mut first = waiting();
        assert!(workers.arrivals().contains(&first.id()));
        let mut second = waiting();
        let new = workers.arrivals();
        assert!(new.contains(&second.id()) && !new.contains(&first.id()));
        for child in [&mut first, &mut second] {
            drop(child.stdin.take());
            child.wait().unwrap();
        }
    }
}
