//! What files say of a recording as a whole.

use crate::{Saved, describe};
use profile::Account;
use std::time::SystemTime;

/// What is known of a recording when it is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// What was recorded, for people: a command line, or `php-fpm: pool www`.
    pub title: String,
    /// When it began, in nanoseconds since 1970.
    pub started_ns: Option<u64>,
    /// The sampling period in nanoseconds, at least 1.
    pub period_ns: Option<u64>,
    /// How long it took, in nanoseconds.
    pub duration_ns: Option<u64>,
    /// The PHP versions of the targets, each once, in the order of the targets.
    pub php_versions: Vec<String>,
    /// The recording in one line: versions, samples, rate, duration, source.
    pub subtitle: String,
    /// What a reader of the file should know of how it came to be, a sentence each.
    pub notes: Vec<String>,
    /// What a picture without a sample says.
    pub why_empty: String,
}

impl Recording {
    /// A recording that was just made.
    pub fn new(title: String, started: SystemTime, account: &Account) -> Self {
        let nanoseconds =
            |duration: std::time::Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        // A clock that is set before 1970 is none.
        let since = started.duration_since(SystemTime::UNIX_EPOCH).ok();
        let mut php_versions: Vec<String> = Vec::new();
        for target in &account.targets {
            if !target.php.is_empty() && !php_versions.contains(&target.php) {
                php_versions.push(target.php.clone());
            }
        }
        Self {
            title,
            started_ns: since.map(nanoseconds),
            period_ns: Some(nanoseconds(account.period).max(1)),
            duration_ns: Some(nanoseconds(account.duration)),
            subtitle: describe::subtitle(account, &php_versions),
            php_versions,
            notes: describe::notes(account),
            why_empty: format!(
                "No PHP code was seen running ({} periods idle): nothing to draw.",
                account.total().idle
            ),
        }
    }

    /// The recording that a file tells of.
    pub fn of(saved: &Saved) -> Self {
        let mut notes = saved.notes.clone();
        notes.push(format!("converted from {} by {}", saved.format, describe::WRITER));
        let period_ns = saved.period_ns.or_else(|| {
            let period = mean_period(saved)?;
            notes.push("period: the mean of its samples".into());
            Some(period)
        });
        Self {
            title: saved.title.clone().unwrap_or_else(|| "PHP".into()),
            started_ns: saved.started_ns,
            period_ns,
            duration_ns: saved.duration_ns,
            php_versions: Vec::new(),
            subtitle: describe::subtitle_of(saved),
            notes,
            why_empty: "There is not one sample in it: nothing to draw.".into(),
        }
    }
}

/// The time of a sample, in a file that tells times and no period.
fn mean_period(saved: &Saved) -> Option<u64> {
    let mut wall_ns = 0_u64;
    for row in &saved.rows {
        wall_ns = wall_ns.saturating_add(row.wall_ns?);
    }
    wall_ns.checked_div(saved.samples()).filter(|&period| period > 0)
}
