//! All samples of one or several kinds on one axis: how they are distributed, and in which order they came.

use crate::axis::{Axis, Fit, label, percent};
use maud::{Markup, html};
use stats::{Histogram, Outliers, Sample};
use std::fmt::Write;

/// Width of the drawing, which the browser stretches.
const WIDTH: f64 = 1000.0;
/// Height of the histogram, and of the samples below it.
const BARS: f64 = 46.0;
const DOTS: f64 = 50.0;
/// Bins of the histogram.
const MOST_BINS: usize = 80;
/// What lies further out than so many interquartile ranges is counted at the end of the axis.
const FAR: f64 = 6.0;
/// More samples make a page heavy, and no picture clearer: so many are drawn as dots, evenly picked.
const MOST_DOTS: usize = 5_000;

/// Samples of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// What they are of; may be empty.
    pub label: &'a str,
    /// Its colour: `a`, `b`.
    pub class: &'static str,
    /// The samples, in the order in which they were taken.
    pub sample: &'a Sample,
    /// Which of them were outside a threshold, by their place; none is said of the others.
    pub marked: &'a [bool],
    /// The median's interval.
    pub interval: (f64, f64),
}

/// A histogram and a dot for each sample, from the first one at the top to the last one; the median with its interval,
/// modes where there are several, outliers in a colour of their own. Figures far away are counted at the ends.
pub fn strip(rows: &[Row<'_>], fit: Fit) -> Markup {
    let ends: Vec<(f64, f64)> = rows.iter().map(ends).collect();
    let low = ends.iter().map(|ends| ends.0).fold(f64::INFINITY, f64::min);
    let high = ends.iter().map(|ends| ends.1).fold(f64::NEG_INFINITY, f64::max);
    let axis = Axis::linear(low, high);
    html! {
        div class="strips" {
            @for row in rows { (one(row, low, high, &axis, fit)) }
            (axis.labels(6, fit))
        }
    }
}

fn one(row: &Row<'_>, low: f64, high: f64, axis: &Axis, fit: Fit) -> Markup {
    let dots = Dots::new(row, axis);
    let modes = row.sample.modes();
    let (from, to) = (axis.place(row.interval.0), axis.place(row.interval.1));
    let median = axis.place(row.sample.median());
    let values = row.sample.values();
    let above = values.iter().filter(|&&value| value > high).count();
    let below = values.iter().filter(|&&value| value < low).count();
    html! {
        div class={ "strip " (row.class) } {
            @if !row.label.is_empty() { b { (row.label) } }
            span class="interval" style={ "left:" (percent(from)) ";width:max(1px," (percent(to - from)) ")" } {}
            svg viewBox={ "0 0 " (WIDTH) " " (BARS + DOTS) } preserveAspectRatio="none" role="img"
                aria-label={ (values.len()) " samples" } {
                path class="bars" d=(bars(row.sample, low, high, axis)) {}
                path class="dots" d=(dots.usual) {}
                path class="dots outlier" d=(dots.outliers) {}
                path class="dots marked" d=(dots.marked) {}
            }
            span class="median" style={ "left:" (percent(median)) } {}
            @if modes.len() > 1 {
                @for mode in &modes {
                    span class="mode" style={ "left:" (percent(axis.place(mode.at))) }
                        title={ "a mode: " (format!("{:.0}", mode.share * 100.0)) " % of the samples" } { "▾" }
                }
            }
            @if below > 0 { (beyond(0.0, &format!("◂ {below} below, from {}", shown(row.sample.min(), fit)))) }
            @if above > 0 { (beyond(100.0, &format!("{above} above, to {} ▸", shown(row.sample.max(), fit)))) }
            @if dots.left_out > 0 {
                small { (dots.left_out) " of " (values.len()) " samples are in the histogram and not drawn as dots" }
            }
        }
    }
}

fn beyond(place: f64, text: &str) -> Markup {
    html! { div class="beyond" { (label(place, text)) } }
}

fn shown(value: f64, fit: Fit) -> String {
    let (scale, sign) = fit(value);
    format!("{:.2} {sign}", value / scale)
}

/// The samples that are not far from the others.
fn ends(row: &Row<'_>) -> (f64, f64) {
    let sample = row.sample;
    let (lower, upper) = (sample.quantile(0.25), sample.quantile(0.75));
    let reach = (upper - lower).max(sample.median().abs() * 1e-3) * FAR;
    let sorted = sample.sorted();
    let first = sorted.iter().find(|&&value| value >= lower - reach);
    let last = sorted.iter().rev().find(|&&value| value <= upper + reach);
    (
        first.copied().unwrap_or(lower).min(row.interval.0),
        last.copied().unwrap_or(upper).max(row.interval.1),
    )
}

fn bars(sample: &Sample, low: f64, high: f64, axis: &Axis) -> String {
    let bins = (4 * (sample.len() as f64).sqrt() as usize).clamp(20, MOST_BINS);
    let Histogram { counts, .. } = sample.histogram(low, high, bins);
    let tallest = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let edge = |index: usize| {
        let share = index as f64 / counts.len() as f64;
        axis.place(low + (high - low) * share) / 100.0 * WIDTH
    };
    let mut path = String::new();
    for (index, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (left, mut right) = (edge(index), edge(index + 1));
        if high <= low {
            right = left + WIDTH / 100.0;
        }
        let top = BARS - count as f64 / tallest * (BARS - 6.0);
        let _ = write!(path, "M{left:.1} {BARS}V{top:.1}H{right:.1}V{BARS}Z");
    }
    path
}

/// Paths of points: lines of no length with round ends.
#[derive(Default)]
struct Dots {
    usual: String,
    outliers: String,
    marked: String,
    left_out: usize,
}

impl Dots {
    fn new(row: &Row<'_>, axis: &Axis) -> Self {
        let (lower, upper) = Outliers::fences(row.sample);
        let values = row.sample.values();
        let every = values.len().div_ceil(MOST_DOTS).max(1);
        let mut dots = Self::default();
        let mut drawn = 0;
        for (index, &value) in values.iter().enumerate().step_by(every) {
            let x = axis.place(value) / 100.0 * WIDTH;
            let y = BARS + 7.0 + index as f64 / (values.len() - 1).max(1) as f64 * (DOTS - 11.0);
            let path = if row.marked.get(index).copied().unwrap_or(false) {
                &mut dots.marked
            } else if value < lower || value > upper {
                &mut dots.outliers
            } else {
                &mut dots.usual
            };
            let _ = write!(path, "M{x:.1} {y:.1}h0");
            drawn += 1;
        }
        dots.left_out = values.len() - drawn;
        dots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NANOSECONDS: Fit = |_| (1.0, "ns");

    fn drawn(values: &[f64], marked: &[bool]) -> String {
        let sample = Sample::new(values.to_vec()).unwrap();
        let row = Row {
            label: "<b>",
            class: "a",
            sample: &sample,
            marked,
            interval: (sample.median(), sample.median()),
        };
        strip(&[row], NANOSECONDS).into_string()
    }

    #[test]
    fn every_sample_is_drawn_once_and_far_ones_are_counted() {
        let values = [
            112.0, 112.0, 114.0, 114.0, 116.0, 117.0, 126.0, 147.0, 12_582.0, 45_416.0,
        ];
        let mut marked = [false; 10];
        marked[6] = true;
        let text = drawn(&values, &marked);
        assert_eq!(text.matches("h0").count(), 10, "{text}");
        assert!(text.contains("2 above, to 45416.00 ns ▸"), "{text}");
        let outliers = text
            .split("dots outlier")
            .nth(1)
            .unwrap()
            .split('>')
            .next()
            .unwrap();
        assert_eq!(outliers.matches("h0").count(), 2, "{text}");
        assert!(text.contains("&lt;b&gt;"), "{text}");
    }

    #[test]
    fn equal_samples_and_single_ones_have_a_place() {
        for values in [&[5.0][..], &[5.0; 40], &[0.0, 0.0]] {
            let text = drawn(values, &[]);
            assert!(text.contains("left:50.00%") && !text.contains("NaN"), "{text}");
        }
    }

    #[test]
    fn what_is_not_drawn_is_said() {
        let values: Vec<f64> = (0..12_000).map(f64::from).collect();
        let text = drawn(&values, &[]);
        assert_eq!(text.matches("h0").count(), 4_000);
        assert!(
            text.contains("8000 of 12000 samples are in the histogram"),
            "{}",
            &text[text.len() - 800..]
        );
    }

    proptest! {
        #[test]
        fn any_samples_make_a_drawing(values in prop::collection::vec(proptest::num::f64::NORMAL | proptest::num::f64::ZERO, 1..30)) {
            let text = drawn(&values, &[]);
            prop_assert!(!text.contains("NaN") && !text.contains("d=\"Minf"), "{}", text);
            prop_assert_eq!(text.matches("h0").count(), values.len());
        }
    }
}
