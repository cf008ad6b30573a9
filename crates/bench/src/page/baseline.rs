//! The run against the one that it was compared with.

use super::figure;
use crate::{
    model::{Class, Subject, Suite, Summary, Variant},
    report::short,
};
use ::page::{Ratio, Ratios};
use maud::{Markup, html};

type Compared<'a> = (&'a Class, &'a Subject, &'a Variant, &'a Summary, &'a Summary);

/// Nothing where there is no baseline. There are no verdicts: the runs were not interleaved.
pub(super) fn section(suite: &Suite) -> Markup {
    let compared: Vec<Compared> = suite
        .variants()
        .filter_map(|(class, subject, variant)| {
            let now = &variant.measurement()?.summary;
            Some((class, subject, variant, variant.baseline.as_ref()?, now))
        })
        .collect();
    if compared.is_empty() {
        return html! {};
    }
    let axis = Ratios::new(
        compared.iter().filter_map(|(.., before, now)| ratio(before, now)),
        0.0,
    );
    html! {
        h2 { "Against the baseline" }
        p class="key" {
            "The two runs were measured at different times, so that no verdict is given: a change may be the machine's. The bar is what "
            "the samples of both alone leave open. phperf bench compare measures both in turn."
        }
        div class="scroll" {
            table class="sort" {
                thead { tr {
                    th { "subject" } th class="number" { "baseline" } th class="number" { "now" }
                    th class="wide fixed" { (axis.labels()) } th class="number" { "change" }
                } }
                tbody { @for one in &compared { (row(one, &axis)) } }
            }
        }
    }
}

/// The ratio of the medians, and the widest that their intervals leave open.
fn ratio(before: &Summary, now: &Summary) -> Option<Ratio> {
    let positive = before.interval.0 > 0.0 && now.interval.0 > 0.0;
    (before.median > 0.0 && now.median > 0.0).then(|| Ratio {
        value: now.median / before.median,
        interval: positive.then(|| {
            (
                now.interval.0 / before.interval.1,
                now.interval.1 / before.interval.0,
            )
        }),
    })
}

fn row((class, subject, variant, before, now): &Compared, axis: &Ratios) -> Markup {
    let ratio = ratio(before, now);
    html! {
        tr {
            td class="name" {
                span class="quiet" title=(class.name) { (short(class)) "::" wbr; }
                (subject.name)
                @if !variant.set.is_empty() { " # " (variant.set) } }
            td class="number" data-value=(before.median) { (figure(before.median, subject)) }
            td class="number" data-value=(now.median) { (figure(now.median, subject)) }
            td class="wide" { (axis.mark(ratio, "")) }
            td class="number" data-value=(ratio.map_or(0.0, |ratio| ratio.value)) {
                @if let Some(ratio) = ratio { (format!("{:+.2} %", (ratio.value - 1.0) * 100.0)) }
            }
        }
    }
}
