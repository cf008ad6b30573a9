//! All variants in one table, the most expensive first.

use super::{between, figure, note, past::Past, variant::anchor};
use crate::{
    model::{Class, Measurement, Metric, Subject, Suite, Variant},
    report::{deviation, short},
};
use ::page::{Axis, sparkline};
use maud::{Markup, html};
use trial::Kind;

type Listed<'a> = (&'a Class, &'a Subject, &'a Variant);

/// One table for each metric, as their figures have nothing in common.
pub(super) fn table(suite: &Suite, past: &Past) -> Markup {
    let metrics = [
        (Metric::Time, "Time of a revolution"),
        (Metric::Cpu, "CPU time of a revolution"),
        (Metric::Instructions, "Instructions of a revolution"),
    ];
    html! {
        @for (metric, title) in metrics {
            @let mut listed: Vec<Listed> = suite.variants().filter(|(_, subject, _)| subject.metric == metric).collect();
            @if !listed.is_empty() {
                ({
                    listed.sort_by(|a, b| median(b.2).total_cmp(&median(a.2)));
                    of_metric(title, &listed, past)
                })
            }
        }
    }
}

/// What was not measured comes last.
fn median(variant: &Variant) -> f64 {
    variant
        .measurement()
        .map_or(f64::NEG_INFINITY, |measurement| measurement.summary.median)
}

fn of_metric(title: &str, listed: &[Listed], past: &Past) -> Markup {
    let above_zero = || {
        listed
            .iter()
            .map(|(_, _, variant)| median(variant))
            .filter(|median| *median > 0.0)
    };
    let (low, high) = (
        above_zero().fold(f64::INFINITY, f64::min),
        above_zero().fold(0.0, f64::max),
    );
    let axis = (low <= high).then(|| Axis::logarithmic(low, high));
    html! {
        h2 { (title) }
        div class="scroll" {
            table class="sort" {
                thead { tr {
                    th { "subject" }
                    th class="number" aria-sort="descending" { "median" }
                    th class="fixed scale" { @if axis.is_some() { "(log)" } }
                    th class="number" { "99 % interval" }
                    th class="number" { "deviation" }
                    th class="number" { "samples" }
                    th class="number" { "memory" }
                    @if past.runs > 1 { th class="fixed" { "history" } }
                } }
                tbody { @for one in listed { (row(one, axis.as_ref(), past)) } }
            }
        }
    }
}

fn row(listed: &Listed, axis: Option<&Axis>, past: &Past) -> Markup {
    let (class, subject, variant) = listed;
    let measured = variant.measurement();
    let summary = measured.map(|measurement| &measurement.summary);
    let peak = measured.and_then(Measurement::peak);
    let width = |summary: &crate::model::Summary| summary.interval.1 - summary.interval.0;
    html! {
        tr {
            td class="name" {
                span class="quiet" title=(class.name) { (short(class)) "::" wbr; }
                a href={ "#" (anchor(class, subject, variant)) } { (subject.name) }
                @if !variant.set.is_empty() { " # " (variant.set) }
                small class=(if measured.is_some() { "note" } else { "failed" }) { (note(variant)) }
            }
            td class="number" data-value=(summary.map_or(-1.0, |summary| summary.median)) {
                @if let Some(summary) = summary { b { (figure(summary.median, subject)) } }
            }
            td class="scale" {
                @if let (Some(summary), Some(axis)) = (summary, axis) {
                    span class="place" style={ "left:" (format!("{:.1}%", axis.place(summary.median))) } {}
                }
            }
            td class="number" data-value=(summary.map_or(-1.0, width)) {
                @if let Some(summary) = summary { (between(summary, subject)) }
            }
            td class="number" data-value=(summary.map_or(-1.0, |summary| summary.rstdev)) {
                @if let Some(summary) = summary { (deviation(summary.rstdev)) }
            }
            td class="number" data-value=(measured.map_or(0, |measurement| measurement.samples.len())) {
                (measured.map_or(0, |measurement| measurement.samples.len())) " × " (variant.revolutions)
            }
            td class="number" data-value=(peak.unwrap_or(0)) { @if let Some(peak) = peak { (Kind::Memory.format(peak as f64)) } }
            @if past.runs > 1 {
                @let points = past.of(variant);
                td { @if points.len() > 1 { (sparkline(&past.drawn(points, subject))) } }
            }
        }
    }
}
