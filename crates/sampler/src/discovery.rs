//! Finding the processes that were asked for, again and again, on machines that have many others.

use crate::targets::{Role, Targets};
use remote::Listed;
use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

/// A process that is older than this has long had its program and its title: it is looked at with all others only.
const YOUNG: Duration = Duration::from_secs(2);
/// How often all are looked at: 20 µs each.
const ALL: Duration = Duration::from_secs(5);

/// Looks again and again for processes that match, and tells each one once.
#[derive(Default)]
pub struct Discovery {
    known: HashMap<u32, Known>,
    /// When all were looked at.
    looked_at_all: Option<Instant>,
}

/// A process that was there at the last look.
#[derive(Clone, Copy)]
struct Known {
    since: Instant,
    role: Option<Role>,
}

impl Discovery {
    /// The processes that match and did not at the last look, phperf itself left out. What began to run another program long after it started is found within [`ALL`].
    pub fn scan(&mut self, targets: &Targets) -> Result<Vec<(u32, Role)>, remote::Error> {
        Ok(self.look(targets, Instant::now(), remote::process_ids()?, Listed::look))
    }

    fn look(
        &mut self,
        targets: &Targets,
        now: Instant,
        pids: Vec<u32>,
        mut listed: impl FnMut(u32) -> Option<Listed>,
    ) -> Vec<(u32, Role)> {
        let is_long_ago = |at| now.saturating_duration_since(at) >= ALL;
        let looks_at_all = self.looked_at_all.is_none_or(is_long_ago);
        if looks_at_all {
            self.looked_at_all = Some(now);
        }
        let own = std::process::id();
        // What is gone is forgotten, since its id may be used again.
        let before = std::mem::take(&mut self.known);
        let mut looked_at = Vec::new();
        for pid in pids.into_iter().filter(|&pid| pid != own) {
            let last = before.get(&pid).copied();
            let since = last.map_or(now, |last| last.since);
            let is_settled = !looks_at_all && now.saturating_duration_since(since) >= YOUNG;
            let role = last.and_then(|last| last.role).filter(|_| is_settled);
            self.known.insert(pid, Known { since, role });
            if last.is_none() || !is_settled {
                looked_at.extend(listed(pid));
            }
        }
        let masters = |(pid, known): (&u32, &Known)| (known.role == Some(Role::Master)).then_some(*pid);
        let masters = self.known.iter().filter_map(masters).collect();
        let mut roles = targets.roles(&looked_at, &masters);
        for (pid, role) in &roles {
            if let Some(known) = self.known.get_mut(pid) {
                known.role = Some(*role);
            }
        }
        roles.retain(|(pid, role)| before.get(pid).and_then(|last| last.role) != Some(*role));
        roles
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fpm;

    /// A machine whose processes have these titles.
    #[derive(Default)]
    struct Machine {
        titles: HashMap<u32, &'static str>,
        looked_at: Vec<u32>,
        discovery: Discovery,
    }

    impl Machine {
        fn scan(&mut self, now: Instant) -> Vec<(u32, Role)> {
            let targets = Targets {
                fpm: Some(Fpm::All),
                ..Targets::default()
            };
            let mut pids: Vec<u32> = self.titles.keys().copied().collect();
            pids.sort_unstable();
            self.looked_at.clear();
            self.discovery.look(&targets, now, pids, |pid| {
                self.looked_at.push(pid);
                Some(Listed {
                    pid,
                    parent: 1,
                    name: "php-fpm8.2".into(),
                    command_line: vec![(*self.titles.get(&pid)?).into()],
                })
            })
        }
    }

    const MASTER: &str = "php-fpm: master process (/etc/php-fpm.conf)";
    const WORKER: &str = "php-fpm: pool www";
    // No process has so high a number.
    const ONE: u32 = u32::MAX - 9;

    #[test]
    fn each_is_told_once_and_again_when_it_has_another_role() {
        let mut machine = Machine::default();
        let now = Instant::now();
        machine.titles.insert(ONE, MASTER);
        machine.titles.insert(ONE + 1, "cron");
        assert_eq!(machine.scan(now), [(ONE, Role::Master)]);
        assert_eq!(machine.scan(now), []);
        machine.titles.insert(ONE + 2, MASTER);
        assert_eq!(machine.scan(now), [(ONE + 2, Role::Master)]);
        machine.titles.insert(ONE + 2, WORKER);
        assert_eq!(machine.scan(now), [(ONE + 2, Role::Target)]);
        machine.titles.remove(&(ONE + 2));
        assert_eq!(machine.scan(now), []);
        machine.titles.insert(ONE + 2, WORKER);
        assert_eq!(
            machine.scan(now),
            [(ONE + 2, Role::Target)],
            "its id is used again"
        );
    }

    #[test]
    fn those_that_have_settled_are_looked_at_seldom() {
        let mut machine = Machine::default();
        let start = Instant::now();
        machine.titles.insert(ONE, "sh");
        machine.scan(start);
        assert_eq!(machine.looked_at, [ONE]);
        machine.titles.insert(ONE + 1, WORKER);
        assert_eq!(machine.scan(start + YOUNG), [(ONE + 1, Role::Target)]);
        assert_eq!(machine.looked_at, [ONE + 1]);
        machine.titles.insert(ONE, WORKER);
        assert_eq!(machine.scan(start + ALL.saturating_sub(YOUNG / 4)), []);
        assert_eq!(machine.scan(start + ALL), [(ONE, Role::Target)], "at the latest");
        assert_eq!(machine.looked_at, [ONE, ONE + 1]);
    }
}
