//! A variant: its samples, its figures, its history.

use super::{
    between, figure, fit,
    past::{self, Past},
};
use crate::{
    model::{Class, Failure, Measurement, Outcome, Subject, Variant, Verdict},
    report::{deviation, note},
};
use ::page::{Row, strip};
use maud::{Markup, html};
use stats::Sample;
use trial::Kind;

pub(super) fn cards(class: &Class, past: &Past) -> Markup {
    html! {
        @for subject in &class.subjects {
            @for variant in &subject.variants { (card(class, subject, variant, past)) }
        }
    }
}

/// Where a variant is on the page: no part of it is taken from a name.
pub(super) fn anchor(class: &Class, subject: &Subject, variant: &Variant) -> String {
    let names = [&class.name, &subject.name, &variant.set];
    let text = format!(
        "{names:?}{}/{}/{}",
        variant.revolutions, variant.warmup, variant.iterations
    );
    // FNV-1a: the same link in the next page.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("v{hash:016x}")
}

fn card(class: &Class, subject: &Subject, variant: &Variant, past: &Past) -> Markup {
    html! {
        section class="card" id=(anchor(class, subject, variant)) {
            h3 {
                small { (class.name) "::" } (subject.name)
                @if !variant.set.is_empty() { small { " # " } (variant.set) }
            }
            @match &variant.outcome {
                Outcome::Measured(measurement) => (measured(subject, variant, measurement)),
                Outcome::Failed(failure) => (failed(failure)),
            }
            @for assertion in &variant.assertions {
                p {
                    b class=(assertion.verdict.name()) { (assertion.verdict.name()) } " "
                    code { (assertion.expression) }
                    @if assertion.verdict != Verdict::Passed { span class="quiet" { " " (assertion.message) } }
                }
            }
            (past::section(past, subject, variant))
        }
    }
}

fn failed(failure: &Failure) -> Markup {
    html! {
        p class="failed" { b { "failed" } ": " (failure.message) }
        @if let Some(detail) = &failure.detail { details { summary { "more" } pre { (detail) } } }
    }
}

fn measured(subject: &Subject, variant: &Variant, measurement: &Measurement) -> Markup {
    let summary = &measurement.summary;
    let values = measurement
        .samples
        .iter()
        .map(crate::model::Sample::per_revolution)
        .collect();
    let marked: Vec<bool> = measurement.samples.iter().map(|sample| sample.retried).collect();
    let notes = note(variant);
    let figures = [
        ("median", figure(summary.median, subject)),
        ("interval", between(summary, subject)),
        ("MAD", figure(summary.mad, subject)),
        ("mean", figure(summary.mean, subject)),
        ("deviation", deviation(summary.rstdev)),
        ("least", figure(summary.min, subject)),
        ("most", figure(summary.max, subject)),
        ("KDE mode", figure(summary.mode, subject)),
    ];
    let samples = measurement.samples.len();
    let revolutions = if variant.automatic {
        format!("{} (found by a pilot)", variant.revolutions)
    } else {
        variant.revolutions.to_string()
    };
    let how = [
        (
            "samples",
            format!("{samples} of {} asked for", variant.iterations),
        ),
        ("revolutions", revolutions),
        ("warm-up", variant.warmup.to_string()),
        ("executor", subject.executor.clone()),
        (
            "memory",
            measurement
                .peak()
                .map_or_else(|| "-".into(), |peak| Kind::Memory.format(peak as f64)),
        ),
        (
            "subtracted",
            format!(
                "{:.1} ns a revolution, {:.0} ns a sample",
                summary.empty, summary.clock
            ),
        ),
    ];
    html! {
        (list(&figures))
        @if !notes.is_empty() { p class="note" { (notes) } }
        @if let Ok(sample) = Sample::new(values) {
            (strip(&[Row { label: "", class: "a", sample: &sample, marked: &marked, interval: summary.interval }], fit(subject.metric)))
        }
        details {
            summary { "how it was measured" }
            (list(&how))
            @if !subject.groups.is_empty() { p { "groups " (subject.groups.join(", ")) } }
            @if variant.parameters.as_object().is_some_and(|values| !values.is_empty()) {
                p { "parameters " code { (variant.parameters.to_string()) } }
            }
        }
    }
}

fn list(figures: &[(&str, String)]) -> Markup {
    html! {
        dl class="figures" {
            @for (name, value) in figures { div { dt { (name) } dd { (value) } } }
        }
    }
}
