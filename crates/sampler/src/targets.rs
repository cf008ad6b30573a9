//! Which processes are to be watched, and finding those that come.

use remote::Listed;
use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashSet},
    ffi::OsString,
};

/// Which processes the user asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// These processes.
    pub pids: Vec<u32>,
    /// Those whose name is this, or whose command line contains it.
    pub pattern: Option<String>,
    /// The workers of PHP-FPM: of all pools, or of one.
    pub fpm: Option<Fpm>,
    /// What this command becomes, and its children; empty if there is none.
    pub command: Vec<OsString>,
}

/// Which workers of PHP-FPM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fpm {
    /// Of every pool.
    All,
    /// Of the pool with this name.
    Pool(String),
}

/// What a process is to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// To be sampled; of no matter whether it turns out to be PHP if it is only one of those that match.
    Target,
    /// Not to be sampled itself, but its children are: an FPM master.
    Master,
    /// A worker of FPM that still has the title of its master: whether it is a target shows when it has its own.
    Unnamed,
}

const FPM: &str = "php-fpm: ";
const MASTER: &str = "php-fpm: master process";
const WORKER: &str = "php-fpm: pool ";

fn is_master(title: &str) -> bool {
    title.starts_with(MASTER)
}

/// Whether this may be the title of a worker that has not named itself after its pool: at first it has the one of its
/// master. It is erased and written over in steps, and who is moved off its CPU in the middle shows a part of either.
pub fn is_unnamed(title: &str) -> bool {
    match title.strip_prefix(WORKER) {
        Some(pool) => pool.trim_end().is_empty(),
        None => title.starts_with(' ') || title.starts_with(FPM) || FPM.starts_with(title),
    }
}

impl Targets {
    /// Whether processes may join later.
    pub const fn are_open(&self) -> bool {
        self.pattern.is_some() || self.fpm.is_some()
    }

    /// What `process` is to them, by its title alone; `None` if nothing.
    pub fn role(&self, process: &Listed) -> Option<Role> {
        let command = process.command_line.join(" ");
        if let Some(fpm) = &self.fpm {
            if is_master(&command) {
                return Some(Role::Master);
            }
            if fpm.takes(&command) {
                return Some(Role::Target);
            }
        }
        let pattern = self.pattern.as_ref()?;
        (process.name == *pattern || command.contains(pattern.as_str())).then_some(Role::Target)
    }

    /// What each of these is to them, if anything; `known` are masters that are not among them.
    pub fn roles(&self, listed: &[Listed], known: &HashSet<u32>) -> Vec<(u32, Role)> {
        let mut roles: Vec<(&Listed, Role)> = listed
            .iter()
            .filter_map(|process| Some((process, self.role(process)?)))
            .collect();
        let masters: HashSet<u32> = roles
            .iter()
            .filter(|(_, role)| *role == Role::Master)
            .map(|(process, _)| process.pid)
            .chain(known.iter().copied())
            .collect();
        for (process, role) in &mut roles {
            // No master starts another one.
            if *role == Role::Master && masters.contains(&process.parent) {
                *role = Role::Unnamed;
            }
        }
        roles
            .into_iter()
            .map(|(process, role)| (process.pid, role))
            .collect()
    }

    /// Whether a child of an FPM master is one that was asked for, by its title.
    pub fn takes_worker(&self, title: &str) -> bool {
        self.fpm
            .as_ref()
            .is_none_or(|fpm| !title.starts_with(FPM) || fpm.takes(title))
    }
}

/// So many pools are told; a shared server has hundreds.
const POOLS_TOLD: usize = 12;

impl Fpm {
    /// Says in a few words that no such worker runs; of a pool, with those that have some and may be what was meant.
    pub fn nobody(&self) -> String {
        match self {
            Self::All => "no worker of PHP-FPM runs".to_owned(),
            Self::Pool(name) => nobody_of(name, &pools().unwrap_or_default()),
        }
    }

    fn takes(&self, title: &str) -> bool {
        title.strip_prefix(WORKER).is_some_and(|pool| match self {
            Self::All => true,
            Self::Pool(name) => pool.trim_end() == name,
        })
    }
}

/// The pools of PHP-FPM that have workers now.
fn pools() -> Result<BTreeSet<String>, remote::Error> {
    let titles = remote::processes()?.map(|process| title(&process.command_line));
    Ok(titles
        .filter_map(|title| Some(title.strip_prefix(WORKER)?.to_owned()))
        .collect())
}

fn nobody_of(name: &str, others: &BTreeSet<String>) -> String {
    let alike = |pool: &str| pool.chars().zip(name.chars()).take_while(|(a, b)| a == b).count();
    let mut told: Vec<&str> = others.iter().map(String::as_str).collect();
    told.sort_by_key(|pool| Reverse(alike(pool)));
    let untold = told.len().saturating_sub(POOLS_TOLD);
    told.truncate(POOLS_TOLD);
    let more = if untold > 0 {
        format!(" and {untold} more")
    } else {
        String::new()
    };
    match told.join(", ") {
        some if some.is_empty() => format!("no worker of pool {name} runs, nor of any other pool"),
        some => format!("no worker of pool {name} runs, these pools have some: {some}{more}"),
    }
}

/// What a process is called in the account: its arguments, or its title, shortened.
pub fn title(command_line: &[String]) -> String {
    const LONGEST: usize = 60;
    let line: String = command_line
        .join(" ")
        .trim_end()
        .chars()
        .filter(|c| !c.is_control())
        .collect();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(name: &str, command: &str) -> Listed {
        Listed {
            pid: 9,
            parent: 1,
            name: name.into(),
            command_line: vec![command.into()],
        }
    }

    #[test]
    fn workers_are_told_from_their_master_and_by_pool() {
        let targets = Targets {
            fpm: Some(Fpm::Pool("www".into())),
            ..Targets::default()
        };
        let role = |command: &str| targets.role(&listed("php-fpm8.2", command));
        assert_eq!(
            role("php-fpm: master process (/etc/php/8.2/fpm/php-fpm.conf)"),
            Some(Role::Master)
        );
        assert_eq!(role("php-fpm: pool www"), Some(Role::Target));
        assert_eq!(role("php-fpm: pool www2"), None);
        assert_eq!(role("php worker.php"), None);
        assert!(targets.takes_worker("php-fpm: pool www"));
        assert!(!targets.takes_worker("php-fpm: pool api"));
    }

    #[test]
    fn a_pool_without_workers_is_told_with_those_that_have_some_the_most_alike_first() {
        let pools = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(
            nobody_of("shop", &pools(&["api", "shop2", "www"])),
            "no worker of pool shop runs, these pools have some: shop2, api, www"
        );
        assert_eq!(
            nobody_of("shop", &pools(&[])),
            "no worker of pool shop runs, nor of any other pool"
        );
        let many: Vec<String> = (10..30).map(|number| format!("p{number}")).collect();
        let told = nobody_of("p29", &many.into_iter().collect());
        assert!(
            told.contains("some: p29, p20") && told.ends_with(" and 8 more"),
            "{told}"
        );
    }

    #[test]
    fn the_child_of_a_master_is_none_whatever_its_title() {
        let title = "php-fpm: master process (/etc/php/8.2/fpm/php-fpm.conf)";
        let process = |pid, parent| Listed {
            pid,
            parent,
            ..listed("php-fpm8.2", title)
        };
        let targets = Targets {
            fpm: Some(Fpm::All),
            ..Targets::default()
        };
        let roles = targets.roles(
            &[process(30, 20), process(20, 1), process(40, 2)],
            &HashSet::new(),
        );
        assert_eq!(
            roles,
            [(30, Role::Unnamed), (20, Role::Master), (40, Role::Master)]
        );
        // The title of a worker while it is being erased and written, and afterwards.
        let parts = [
            "php-fpm: mast",
            "   aster process (/etc",
            "",
            "php-fpm: ",
            "php-fpm: po",
            "php-fpm: pool ",
        ];
        for title in [title].into_iter().chain(parts) {
            assert!(is_unnamed(title), "{title}");
        }
        assert!(!is_unnamed("php-fpm: pool www") && !is_unnamed("php worker.php"));
    }

    #[test]
    fn a_pattern_is_the_name_or_part_of_the_command_line() {
        let targets = Targets {
            pattern: Some("artisan".into()),
            ..Targets::default()
        };
        assert_eq!(
            targets.role(&listed("php", "php artisan queue:work")),
            Some(Role::Target)
        );
        assert_eq!(targets.role(&listed("artisan", "x")), Some(Role::Target));
        assert_eq!(targets.role(&listed("php", "php x.php")), None);
    }

    #[test]
    fn titles_are_short_and_have_no_control_characters() {
        assert_eq!(title(&["php".into(), "a\u{1b}[31m.php".into()]), "php a[31m.php");
        assert_eq!(title(&["x".repeat(100)]).chars().count(), 61);
    }
}
