//! The processes that pgrep finds, asked again and again.

use crate::UsageError;
use anyhow::{Context, Result};
use remote::Process;
use std::{
    collections::BTreeSet,
    process::Command,
    time::{Duration, Instant},
};
use zend::Finder;

/// How often it is asked who is there.
const EVERY: Duration = Duration::from_secs(1);

/// Those PHP processes that pgrep finds.
pub struct Pgrep {
    arguments: Vec<String>,
    finder: Finder,
    asked: Instant,
    pub found: BTreeSet<u32>,
}

impl Pgrep {
    pub fn new(arguments: &str) -> Result<Self> {
        let mut pgrep = Self {
            arguments: words(arguments),
            finder: Finder::default(),
            asked: Instant::now(),
            found: BTreeSet::new(),
        };
        pgrep.look()?;
        Ok(pgrep)
    }

    /// Whether it is time to look, and others are there than before.
    pub fn has_changed(&mut self) -> bool {
        if self.asked.elapsed() < EVERY {
            return false;
        }
        let before = self.found.clone();
        // A look that failed changes nothing; the next one may not.
        self.look().is_ok() && !self.found.is_subset(&before)
    }

    /// Looks who is there.
    pub fn look(&mut self) -> Result<()> {
        self.asked = Instant::now();
        let output = Command::new("pgrep")
            .args(&self.arguments)
            .output()
            .context("-P needs pgrep: install procps, or use phperf trace -P")?;
        // It was interrupted, as phpspy will be, or killed: that says nothing.
        if output.status.code().is_none() {
            return Ok(());
        }
        // 1 is that nobody was found.
        if !matches!(output.status.code(), Some(0 | 1)) {
            let why = String::from_utf8_lossy(&output.stderr);
            return Err(UsageError(format!(
                "pgrep refuses -P: {}",
                why.lines().next().unwrap_or_default()
            ))
            .into());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let pids = text
            .lines()
            .filter_map(|line| line.split_whitespace().next()?.parse().ok());
        let own = std::process::id();
        let finder = &mut self.finder;
        self.found = pids
            .filter(|&pid| pid != own)
            .filter(|&pid| Process::open(pid).is_ok_and(|process| finder.find(&process).is_ok()))
            .collect();
        Ok(())
    }
}

/// Words, of which some may be in quotes; a backslash takes its meaning from what stands behind it.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut is_open, mut quote) = (String::new(), false, None);
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (char, quote) {
            ('\\', None | Some('"')) => word.extend(chars.next()),
            (char, Some(open)) if char == open => quote = None,
            ('\'' | '"', None) => (quote, is_open) = (Some(char), true),
            (char, None) if char.is_whitespace() => {
                if is_open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                is_open = false;
            }
            (char, _) => word.push(char),
        }
    }
    if is_open || !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        assert_eq!(words("-x php"), ["-x", "php"]);
        assert_eq!(
            words(" -f 'php-fpm: pool www' \"a'b\" ''"),
            ["-f", "php-fpm: pool www", "a'b", ""]
        );
        assert_eq!(words(r#"-f pool\ www "\"" '\'"#), ["-f", "pool www", "\"", "\\"]);
        assert_eq!(words(""), [""; 0]);
    }
}
