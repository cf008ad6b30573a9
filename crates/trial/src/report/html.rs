//! For a browser.

use super::{
    Entry, Kind, Report,
    figure::{change, changes, share},
    sentence,
};
use crate::{Outcome, Verdict};
use maud::{Markup, html};
use page::{Ratio, Ratios, Row, page, strip};
use stats::Sample;
use std::io::{self, Write};

/// The probability of the medians' intervals.
const LEVEL: f64 = 0.99;

/// For a browser: one file with each ratio and its interval on one axis, and the distributions of both sides.
pub fn write_html(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let title = format!("{} and {}", report.a.label, report.b.label);
    let contents = html! {
        h1 { "Is B faster than A?" }
        p { b { "A" } " " code { (report.a.label) } }
        p { b { "B" } " " code { (report.b.label) } }
        p class="quiet" {
            (report.metric) ", measured in pairs, in an order drawn at random (seed " (report.seed)
            "). Each interval holds with " (share(report.plan.confidence())) "; differences of up to "
            (share(report.plan.margin())) " are the same."
        }
        p { (counts(report)) }
        (warnings(report))
        (ratios(report))
        h2 { "Figures" }
        p class="key" {
            "Each dot is a figure, in the order of the pairs from top to bottom; above them how many there are. "
            "The line is the median, the band its 99 % interval; outliers have a colour of their own."
        }
        @for entry in &report.entries { (figures(report, entry)) }
    };
    out.write_all(page(&title, &contents).into_string().as_bytes())
}

fn counts(report: &Report) -> Markup {
    let counted = |name: &str| {
        report
            .entries
            .iter()
            .filter(|entry| verdict(entry) == name)
            .count()
    };
    let all = ["slower", "faster", "same", "inconclusive", "failed"];
    html! {
        @for (index, (name, count)) in all.iter().map(|name| (name, counted(name))).filter(|(_, count)| *count > 0).enumerate() {
            @if index > 0 { ", " }
            b class=(name) { (count) " " (name) }
        }
    }
}

fn warnings(report: &Report) -> Markup {
    html! {
        @if report.partial.is_some() || !report.notes.is_empty() {
            div class="warnings" {
                ul {
                    @if let Some(why) = &report.partial { li { b { "Partial" } ": " (why) "; this is what was measured until then." } }
                    @for note in &report.notes { li { (note) } }
                }
            }
        }
    }
}

fn ratios(report: &Report) -> Markup {
    let mean = report.geometric_mean().map(|mean| Ratio {
        value: mean.value,
        interval: Some((mean.interval.low, mean.interval.high)),
    });
    let all = report.entries.iter().filter_map(ratio).chain(mean);
    let axis = Ratios::new(all, report.plan.margin());
    html! {
        div class="scroll" {
            table class="sort" {
                thead { tr {
                    th { "comparison" }
                    th { "verdict" }
                    th class="wide fixed" { (axis.labels()) }
                    th class="number" { "B to A" }
                    th class="number" { "A" }
                    th class="number" { "B" }
                    th class="number" { "pairs" }
                } }
                tbody {
                    @for entry in &report.entries { (row(report, entry, &axis)) }
                }
                @if let Some(mean) = mean {
                    tfoot { tr {
                        td class="name" colspan="2" { b { "geometric mean" } }
                        td class="wide" { (axis.mark(Some(mean), "mean")) }
                        (changed(mean))
                        td colspan="3" {}
                    } }
                }
            }
        }
        p class="key" {
            "A dot is the ratio of B to A, the bar around it the interval; right of the line B takes more. "
            "The grey band is the margin."
        }
    }
}

fn row(report: &Report, entry: &Entry, axis: &Ratios) -> Markup {
    let name = verdict(entry);
    let cells = |outcome: &Outcome| {
        let median = |figures: &[f64]| Sample::new(figures.to_vec()).ok().map(|sample| sample.median());
        let look = &outcome.look;
        html! {
            td class=(name) title=(sentence::verdict(look, report.plan)) { b { (name) } }
            td class="wide" { (axis.mark(ratio(entry), name)) }
            @if let Some(ratio) = ratio(entry) { (changed(ratio)) } @else { td {} }
            @for figures in [&outcome.a, &outcome.b] {
                td class="number" data-value=[median(figures)] { (sentence::median(figures, report.kind)) }
            }
            td class="number" data-value=(look.pairs) { (look.pairs) }
        }
    };
    html! {
        tr {
            td class="name" { (named(&entry.name)) }
            @match &entry.outcome {
                Ok(outcome) => (cells(outcome)),
                Err(error) => {
                    td class="failed" { b { "failed" } }
                    td colspan="5" { (error.to_string()) }
                }
            }
        }
    }
}

/// A subject's name takes less room without its namespace, which shows where the pointer is.
fn named(name: &str) -> Markup {
    let Some((class, subject)) = name.split_once("::") else {
        return html! { (name) };
    };
    let short = class.rsplit('\\').next().unwrap_or(class);
    html! { span class="quiet" title=(class) { (short) "::" wbr; } (subject) }
}

/// A ratio as a change, with its interval.
fn changed(ratio: Ratio) -> Markup {
    html! {
        td class="number" data-value=(ratio.value) {
            @match ratio.interval.map(|(low, high)| changes(ratio.value, low, high)) {
                Some((ratio, interval)) => {
                    (ratio) small class="quiet" { (interval) }
                }
                None => (change(ratio.value)),
            }
        }
    }
}

/// The verdict, or that there is none.
fn verdict(entry: &Entry) -> &'static str {
    entry
        .outcome
        .as_ref()
        .map_or("failed", |outcome| outcome.look.verdict.name())
}

fn ratio(entry: &Entry) -> Option<Ratio> {
    let look = &entry.outcome.as_ref().ok()?.look;
    (look.pairs > 0).then(|| Ratio {
        value: look.ratio,
        interval: look.interval.map(|interval| (interval.low, interval.high)),
    })
}

fn figures(report: &Report, entry: &Entry) -> Markup {
    let Ok(outcome) = &entry.outcome else {
        return html! {};
    };
    let (Ok(a), Ok(b)) = (Sample::new(outcome.a.clone()), Sample::new(outcome.b.clone())) else {
        return html! {};
    };
    let rows = [("A", "a", &a), ("B", "b", &b)].map(|(label, class, sample)| {
        let interval = sample.median_interval(LEVEL, report.seed);
        Row {
            label,
            class,
            sample,
            marked: &[],
            interval: (interval.low, interval.high),
        }
    });
    let told = matches!(outcome.look.verdict, Verdict::Faster | Verdict::Slower);
    html! {
        div class="card" {
            h3 { (entry.name) }
            p class=(if told { verdict(entry) } else { "quiet" }) { (sentence::verdict(&outcome.look, report.plan)) }
            p class="quiet" { (sentence::effort(outcome, report.plan)) }
            (strip(&rows, fit(report.kind)))
        }
    }
}

fn fit(kind: Kind) -> page::Fit {
    match kind {
        Kind::Time => |figure| Kind::Time.unit_of(figure),
        Kind::Memory => |figure| Kind::Memory.unit_of(figure),
        Kind::Instructions => |figure| Kind::Instructions.unit_of(figure),
    }
}
