//! A run as a page for a browser: what was measured where, each variant's samples, its history over the runs that are
//! kept, and how it compares with a baseline.

mod baseline;
mod past;
mod table;
mod variant;

use crate::{
    history::Entry,
    model::{Metric, Subject, Suite, Summary},
    report::{date, interval, level, note, quantity},
};
use ::page::{Fit, page};
use maud::{Markup, html};
use past::Past;
use std::io::{self, Write};
use trial::Kind;

/// What a page is about.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The run.
    pub run: Entry<'a>,
    /// Others of the same suite, in any order, for its history.
    pub others: &'a [Entry<'a>],
    /// Runs that are kept and not among them.
    pub left_out: u64,
}

/// Writes a page: one file that needs nothing else.
pub fn write(about: &Page, out: &mut dyn Write) -> io::Result<()> {
    let suite = about.run.suite;
    let title = match (&suite.tag, about.run.id) {
        (Some(tag), _) => tag.clone(),
        (None, Some(id)) => format!("run {id}"),
        (None, None) => "phperf bench".into(),
    };
    let mut runs = about.others.to_vec();
    runs.retain(|other| other.id != about.run.id);
    runs.push(about.run);
    let past = Past::new(&runs, about.run);
    let contents = html! {
        h1 { (title) }
        (head(about.run))
        (warnings(suite))
        (table::table(suite, &past))
        (baseline::section(suite))
        h2 { "Samples" }
        p class="key" {
            "Each dot is a sample, from the first one at the top to the last one; above them how many there are. The line is the "
            "median, the band its 99 % interval, ▾ a mode where there are several. Outliers, and samples that were "
            "taken again, have colours of their own."
        }
        (past::key(&past, about.left_out))
        @for class in &suite.classes { (variant::cards(class, &past)) }
        (environment(suite))
    };
    out.write_all(page(&title, &contents).into_string().as_bytes())
}

fn head(run: Entry) -> Markup {
    let suite = run.suite;
    let samples: usize = suite
        .variants()
        .filter_map(|(_, _, variant)| variant.measurement())
        .map(|measurement| measurement.samples.len())
        .sum();
    let value = |group, key| suite.environment.value(group, key);
    html! {
        p class="quiet" {
            (date(suite.started)) " · " (suite.variants().count()) " variants, " (samples) " samples"
            @if let Some(id) = run.id { " · run " (id) }
            @if let Some(php) = value("php", "version") { " · PHP " (php) }
            @match value("opcache", "enabled") {
                Some("true") => " · opcache",
                Some(_) => " · no opcache",
                None => "",
            }
            @if value("opcache", "jit") == Some("true") { " with JIT" }
            @if let Some(host) = value("uname", "host") { " · " (host) }
        }
        @if let Some(commit) = suite.environment.commit() {
            p {
                code title=(commit.hash) { (commit.short()) }
                @if let Some(subject) = commit.subject { " " (subject) }
                span class="quiet" {
                    @if let Some(branch) = commit.branch { " · " (branch) }
                    @if let Some(date) = commit.date { " · " (date) }
                    @if commit.changed { " · with changes that are not committed" }
                }
            }
        }
    }
}

/// What the reader of the figures has to know.
fn warnings(suite: &Suite) -> Markup {
    let failures = suite.failures();
    let asserted = suite.variants().flat_map(|(_, _, variant)| &variant.assertions);
    let broken = asserted.filter(|assertion| assertion.verdict.is_broken()).count();
    let retried = suite
        .variants()
        .filter_map(|(_, _, variant)| variant.measurement())
        .flat_map(|measurement| &measurement.samples)
        .filter(|sample| sample.retried)
        .count();
    if !suite.partial && suite.notes.is_empty() && failures.is_empty() && broken + retried == 0 {
        return html! {};
    }
    html! {
        div class="warnings" {
            ul {
                @if suite.partial { li { b { "Interrupted" } ": this is what was measured until then." } }
                @for (name, failure) in &failures { li { b class="failed" { (name) " failed" } ": " (failure.message) } }
                @if broken > 0 { li { b class="failed" { "Assertions that do not hold: " (broken) } "; see the variants." } }
                @if retried > 0 { li { "Samples outside the retry threshold, so that others were taken: " (retried) ". They count all the same." } }
                @for note in &suite.notes { li { (note) } }
            }
        }
    }
}

fn environment(suite: &Suite) -> Markup {
    html! {
        h2 { "Environment" }
        div class="scroll" {
            table {
                tbody {
                    @for group in &suite.environment.groups {
                        @for (key, value) in &group.values {
                            tr { th { (group.name) " " (key) } td { (value) } }
                        }
                    }
                }
            }
        }
    }
}

/// The unit that fits a figure of this subject.
fn fit(metric: Metric) -> Fit {
    match metric {
        Metric::Time | Metric::Cpu => |figure| Kind::Time.unit_of(figure),
        Metric::Instructions => |figure| Kind::Instructions.unit_of(figure),
    }
}

/// A figure in the unit that the subject asks for, or in one that fits.
fn figure(value: f64, subject: &Subject) -> String {
    if subject.display.unit.is_some() || subject.display.throughput {
        return quantity(value, subject);
    }
    plain(value, subject.metric)
}

fn plain(value: f64, metric: Metric) -> String {
    match metric {
        Metric::Time | Metric::Cpu => Kind::Time.format(value),
        Metric::Instructions => Kind::Instructions.format(value),
    }
}

/// The median's interval, in the same unit.
fn between(summary: &Summary, subject: &Subject) -> String {
    if subject.display.unit.is_some() {
        return interval(summary, subject);
    }
    let level = level(summary);
    let (low, high) = summary.interval;
    let (low, high) = (plain(low, subject.metric), plain(high, subject.metric));
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((low, unit)), Some((_, same))) if unit == same => format!("{low} … {high}{level}"),
        _ => format!("{low} … {high}{level}"),
    }
}

#[cfg(test)]
mod tests;
