//! The recording in words, for titles, comments and notes inside a file.

use crate::Saved;
use profile::Account;
use std::time::Duration;

/// The program that wrote a file, as files name it.
pub const WRITER: &str = concat!("phperf ", env!("CARGO_PKG_VERSION"));

/// The account in sentences: what a user of the file should know of how it came to be.
pub fn notes(account: &Account) -> Vec<String> {
    let total = account.total();
    let mut notes = vec![
        format!("written by {WRITER}"),
        format!("source: {}", account.source),
    ];
    if let Some(why) = &account.why_not_kernel {
        notes.push(format!("why not the kernel: {why}"));
    }
    notes.push(format!(
        "periods: {} due, {} with a stack ({} on CPU, {} runnable, {} blocked), {} idle, {} missed, {} lost, \
         {} unreadable",
        total.due,
        total.taken(),
        total.on_cpu,
        total.runnable,
        total.blocked,
        total.idle,
        total.missed,
        total.lost,
        total.unreadable
    ));
    if total.cut > 0 {
        notes.push(format!(
            "{} stacks are deeper than the limit: their outermost frames are cut off",
            total.cut
        ));
    }
    for target in &account.targets {
        let ended = if target.ended { ", ended meanwhile" } else { "" };
        notes.push(format!(
            "target: pid {}, {}, PHP {}{ended}",
            target.pid, target.name, target.php
        ));
    }
    notes.extend(account.notes.iter().cloned());
    notes
}

/// The recording in one line: versions, samples, rate, duration, source.
pub fn subtitle(account: &Account, versions: &[String]) -> String {
    let total = account.total();
    let mut parts = Vec::new();
    if !versions.is_empty() {
        parts.push(format!("PHP {}", versions.join(", ")));
    }
    parts.push(format!("{} samples at {}", total.taken(), rate(account.period)));
    parts.push(format!("{:.1} s", account.duration.as_secs_f64()));
    if account.targets.len() > 1 {
        parts.push(format!("{} processes", account.targets.len()));
    }
    if total.lost + total.missed + total.unreadable > 0 {
        parts.push(format!(
            "{} not seen",
            total.lost + total.missed + total.unreadable
        ));
    }
    parts.push(format!("source: {}", account.source));
    parts.push(WRITER.into());
    parts.join(" · ")
}

/// The same of a file, as far as it tells.
pub fn subtitle_of(saved: &Saved) -> String {
    let at = saved.period_ns.map_or_else(String::new, |ns| {
        format!(" at {}", rate(Duration::from_nanos(ns)))
    });
    let mut parts = vec![format!("{} samples{at}", saved.samples())];
    if let Some(ns) = saved.duration_ns {
        parts.push(format!("{:.1} s", ns as f64 / 1e9));
    }
    parts.push(format!("from {}", saved.format));
    parts.push(WRITER.into());
    parts.join(" · ")
}

/// A period as the rate that a user asked for.
pub fn rate(period: Duration) -> String {
    let hz = 1.0 / period.as_secs_f64().max(1e-9);
    if hz < 9.95 {
        format!("{hz:.1} Hz")
    } else {
        format!("{hz:.0} Hz")
    }
}

/// At most `limit` characters of `text`.
pub fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some(_) => text.chars().take(limit.saturating_sub(1)).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn words_for_a_recording() {
        let recording = testing::profile().recording;
        insta::assert_snapshot!(testing::without_version(&format!(
            "{}\n{}",
            recording.subtitle,
            recording.notes.join("\n")
        )));
    }

    #[test]
    fn shortening_counts_characters() {
        assert_eq!(shorten("épée", 4), "épée");
        assert_eq!(shorten("épées", 4), "épé…");
    }
}
