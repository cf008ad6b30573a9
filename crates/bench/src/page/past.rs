//! A variant over the runs that are kept.

use super::{between, figure, fit};
use crate::{
    history::{self, Entry},
    model::{Subject, Variant},
    report::date,
};
use ::page::Point;
use maud::{Markup, html};

/// Its points, for a chart. Where throughput is asked for, the chart is of time all the same, as its intervals are.
pub(super) fn points(runs: &[Entry], class: &str, subject: &Subject, variant: &Variant) -> Vec<Point> {
    // The page's own run is the last of them.
    let current = runs.last();
    history::history(runs, class, subject, variant)
        .iter()
        .map(|point| point_of(point, subject, current == Some(&point.run)))
        .collect()
}

fn point_of(point: &history::Point, subject: &Subject, current: bool) -> Point {
    let suite = point.run.suite;
    let commit = suite.environment.commit();
    let mut lines = vec![
        format!("{}, {}", point.run.name(), date(suite.started)),
        format!(
            "{} ({})",
            figure(point.summary.median, subject),
            between(point.summary, subject)
        ),
    ];
    lines.extend(commit.map(|commit| format!("{} {}", commit.short(), commit.subject.unwrap_or_default())));
    lines.extend(point.breaks.iter().cloned());
    Point {
        label: commit.map_or_else(|| point.run.name(), |commit| commit.short()),
        title: lines.join("\n"),
        value: point.summary.median,
        interval: point.summary.interval,
        hollow: commit.is_some_and(|commit| commit.changed),
        current,
        breaks: point.breaks.clone(),
    }
}

/// What the charts show, once for all of them.
pub(super) fn key(runs: &[Entry], left_out: u64) -> Markup {
    if runs.len() < 2 {
        return html! {};
    }
    html! {
        p class="key" {
            "Below are the medians of the runs that are kept, with their intervals, by commit. A hollow dot, and *: files were "
            "changed since the commit. A dashed line: the environment changed, so that what is left of it cannot be "
            "compared with what is right. Runs of different times differ by some per cent although the code is the "
            "same: phperf bench compare tells whether it did."
            @if left_out > 0 { " Older runs that are kept and not shown: " (left_out) "." }
        }
    }
}

/// The chart, and the same as a table; nothing where there is one run only.
pub(super) fn section(class: &str, subject: &Subject, variant: &Variant, runs: &[Entry]) -> Markup {
    let found = history::history(runs, class, subject, variant);
    if found.len() < 2 {
        return html! {};
    }
    let drawn = points(runs, class, subject, variant);
    html! {
        (::page::history(&drawn, fit(subject.metric)))
        details {
            summary { (found.len()) " runs" }
            div class="scroll" {
                table {
                    thead { tr {
                        th { "run" } th { "measured" } th { "commit" } th { "" } th class="number" { "median" }
                        th class="number" { "99 % interval" } th { "environment" }
                    } }
                    tbody {
                        @for point in found.iter().rev() { (row(point, subject)) }
                    }
                }
            }
        }
    }
}

fn row(point: &history::Point, subject: &Subject) -> Markup {
    let suite = point.run.suite;
    html! {
        tr {
            td { (point.run.name()) @if let Some(tag) = &suite.tag { " " b { (tag) } } }
            td { (date(suite.started)) }
            @if let Some(commit) = suite.environment.commit() {
                td { code title=(commit.hash) { (commit.short()) } }
                td class="name" {
                    (commit.subject.unwrap_or_default())
                    @if let Some(date) = commit.date { small class="quiet" { (date) } }
                }
            } @else {
                td {} td {}
            }
            td class="number" { (figure(point.summary.median, subject)) }
            td class="number" { (between(point.summary, subject)) }
            td class="note" { (point.breaks.join("; ")) }
        }
    }
}
