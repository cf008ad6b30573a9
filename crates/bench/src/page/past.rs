//! A variant over the runs that are kept.

use super::{between, figure, fit};
use crate::{
    history::{self, Entry},
    model::{Subject, Suite, Variant},
    report::date,
};
use ::page::Point;
use maud::{Markup, html};
use std::{collections::HashMap, ptr};

/// The histories of a page: each is put together once.
pub(super) struct Past<'a> {
    /// How many runs there are.
    pub(super) runs: usize,
    current: &'a Suite,
    points: HashMap<*const Variant, Vec<history::Point<'a>>>,
}

impl<'a> Past<'a> {
    /// Those of every variant of `current`, which is one of `runs`.
    pub(super) fn new(runs: &[Entry<'a>], current: Entry<'a>) -> Self {
        let mut points = HashMap::new();
        if runs.len() > 1 {
            for (class, subject, variant) in current.suite.variants() {
                let of_one = history::history(runs, &class.name, subject, variant);
                points.insert(ptr::from_ref(variant), of_one);
            }
        }
        Self {
            runs: runs.len(),
            current: current.suite,
            points,
        }
    }

    /// The runs in which a variant of the page's run was measured, the oldest first.
    pub(super) fn of(&self, variant: &Variant) -> &[history::Point<'a>] {
        let points = self.points.get(&ptr::from_ref(variant));
        points.map_or(&[], Vec::as_slice)
    }

    /// Points for a chart. Where throughput is asked for, the chart is of time all the same, as its intervals are.
    pub(super) fn drawn(&self, points: &[history::Point], subject: &Subject) -> Vec<Point> {
        let is_current = |point: &history::Point| ptr::eq(point.run.suite, self.current);
        let point = |point| point_of(point, subject, is_current(point));
        points.iter().map(point).collect()
    }
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
pub(super) fn key(past: &Past, left_out: u64) -> Markup {
    if past.runs < 2 {
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
pub(super) fn section(past: &Past, subject: &Subject, variant: &Variant) -> Markup {
    let found = past.of(variant);
    if found.len() < 2 {
        return html! {};
    }
    let drawn = past.drawn(found, subject);
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
