//! Which processes are to be watched, and finding those that come.

use remote::Listed;
use std::ffi::OsString;

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
}

const MASTER: &str = "php-fpm: master process";
const WORKER: &str = "php-fpm: pool ";

/// Whether a process has the title of an FPM master, which its children have for a moment too.
pub fn is_master(title: &str) -> bool {
    title.starts_with(MASTER)
}

impl Targets {
    /// Whether processes may join later.
    pub const fn are_open(&self) -> bool {
        self.pattern.is_some() || self.fpm.is_some()
    }

    /// What `process` is to them; `None` if nothing.
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

    /// Whether a child of an FPM master is one that was asked for, by its title.
    pub fn takes_worker(&self, title: &str) -> bool {
        self.fpm
            .as_ref()
            .is_none_or(|fpm| !title.starts_with("php-fpm: ") || fpm.takes(title))
    }
}

impl Fpm {
    fn takes(&self, title: &str) -> bool {
        title.strip_prefix(WORKER).is_some_and(|pool| match self {
            Self::All => true,
            Self::Pool(name) => pool.trim_end() == name,
        })
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
