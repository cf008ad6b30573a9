//! A value over runs.

use crate::axis::{Axis, Fit, label, percent};
use maud::{Markup, html};
use std::fmt::Write;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 150.0;
/// More labels than this run into each other.
const MOST_LABELS: usize = 9;

/// A run in a history.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// A few characters for the axis.
    pub label: String,
    /// What it was, for whoever points at it.
    pub title: String,
    /// Its value.
    pub value: f64,
    /// The value's interval.
    pub interval: (f64, f64),
    /// Whether what was measured is not what `label` names.
    pub hollow: bool,
    /// Whether it is the one that the page is about.
    pub current: bool,
    /// Why it cannot be compared with the one before: then no line joins them. A line each.
    pub breaks: Vec<String>,
}

/// A line over runs, each with its interval; broken where two runs cannot be compared.
pub fn history(points: &[Point], fit: Fit) -> Markup {
    let axis = values(points, |point| [point.value, point.interval.0, point.interval.1]);
    let at = |index: usize| place(index, points.len());
    let labelled = points.len().div_ceil(MOST_LABELS).max(1);
    // Counted from the end, so that the last one always has its label.
    let has_label = |index: usize| (points.len() - 1 - index).is_multiple_of(labelled);
    html! {
        div class="history" {
            div class="values" {
                @for tick in axis.ticks(4) {
                    span style={ "bottom:" (percent(axis.place(tick))) } { (shown(tick, fit)) }
                }
            }
            div class="plot" {
                svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img"
                    aria-label={ (points.len()) " runs" } {
                    @for tick in axis.ticks(4) {
                        path class="grid" d={ "M0 " (y(&axis, tick)) "H" (WIDTH) } {}
                    }
                    @for (index, point) in points.iter().enumerate().filter(|(_, point)| !point.breaks.is_empty()) {
                        path class="break" d={ "M" (tenth(f64::midpoint(at(index), at(index.saturating_sub(1))) * WIDTH / 100.0)) " 0V" (HEIGHT) } {
                            title { (point.breaks.join("\n")) }
                        }
                    }
                    path class="line" d=(line(points, &axis)) {}
                    @for (index, point) in points.iter().enumerate() {
                        (mark(point, at(index) * WIDTH / 100.0, &axis))
                    }
                }
                div class="axis" {
                    @for (index, point) in points.iter().enumerate().filter(|(index, _)| has_label(*index)) {
                        (label(at(index), &point.label))
                    }
                }
            }
        }
    }
}

/// The line alone, for a table.
pub fn sparkline(points: &[Point]) -> Markup {
    let axis = values(points, |point| [point.value; 3]);
    html! {
        svg class="spark" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img"
            aria-label={ (points.len()) " runs" } {
            path class="line" d=(line(points, &axis)) {}
            @for (index, point) in points.iter().enumerate().filter(|(_, point)| point.current) {
                path class="point current" d={ "M" (tenth(place(index, points.len()) * WIDTH / 100.0)) " " (y(&axis, point.value)) "h0" } {}
            }
        }
    }
}

fn values(points: &[Point], of: fn(&Point) -> [f64; 3]) -> Axis {
    let ends = points.iter().flat_map(of);
    let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    // A change of a hundredth is not to look like a cliff.
    let room = ((low + high).abs() * 0.025 - (high - low) / 2.0).max(0.0);
    Axis::linear(low - room, high + room)
}

/// Where a run lies from left to right, in per cent.
fn place(index: usize, count: usize) -> f64 {
    if count < 2 {
        return 50.0;
    }
    2.0 + 96.0 * index as f64 / (count - 1) as f64
}

fn y(axis: &Axis, value: f64) -> String {
    tenth(HEIGHT - axis.place(value) / 100.0 * HEIGHT)
}

fn tenth(value: f64) -> String {
    format!("{value:.1}")
}

fn line(points: &[Point], axis: &Axis) -> String {
    let mut path = String::new();
    for (index, point) in points.iter().enumerate() {
        let command = if index == 0 || !point.breaks.is_empty() {
            'M'
        } else {
            'L'
        };
        let x = place(index, points.len()) * WIDTH / 100.0;
        let _ = write!(path, "{command}{x:.1} {}", y(axis, point.value));
    }
    path
}

fn mark(point: &Point, x: f64, axis: &Axis) -> Markup {
    let (low, high) = point.interval;
    let class = match (point.hollow, point.current) {
        (true, true) => "point hollow current",
        (true, false) => "point hollow",
        (false, true) => "point current",
        (false, false) => "point",
    };
    html! {
        g {
            title { (point.title) }
            path class="whisker" d={ "M" (tenth(x)) " " (y(axis, low)) "V" (y(axis, high)) } {}
            path class=(class) d={ "M" (tenth(x)) " " (y(axis, point.value)) "h0" } {}
            @if point.hollow { path class="core" d={ "M" (tenth(x)) " " (y(axis, point.value)) "h0" } {} }
        }
    }
}

fn shown(value: f64, fit: Fit) -> String {
    let (scale, sign) = fit(value);
    let text = format!("{:.3}", value / scale);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} {sign}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NANOSECONDS: Fit = |_| (1.0, "ns");

    fn points(values: &[f64]) -> Vec<Point> {
        let point = |&value: &f64| Point {
            label: format!("<{value}>"),
            title: "it's <run>".into(),
            value,
            interval: (value - 1.0, value + 1.0),
            hollow: false,
            current: false,
            breaks: Vec::new(),
        };
        values.iter().map(point).collect()
    }

    #[test]
    fn a_line_is_broken_where_runs_cannot_be_compared() {
        let mut points = points(&[100.0, 101.0, 250.0, 251.0]);
        points[2].breaks = vec!["php version was 8.1, is 8.2".into()];
        points[3].hollow = true;
        let text = history(&points, NANOSECONDS).into_string();
        let line = text
            .split("class=\"line\" d=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap();
        assert_eq!(
            (line.matches('M').count(), line.matches('L').count()),
            (2, 2),
            "{line}"
        );
        assert!(text.contains("php version was 8.1, is 8.2"), "{text}");
        assert!(text.contains("&lt;251&gt;") && !text.contains("<run>"), "{text}");
        assert_eq!(text.matches("class=\"core\"").count(), 1);
    }

    #[test]
    fn many_runs_have_few_labels_and_the_last_one_always() {
        let points = points(&(0..100).map(f64::from).collect::<Vec<_>>());
        let text = history(&points, NANOSECONDS).into_string();
        let axis = text.split("class=\"axis\"").nth(1).unwrap();
        assert!(axis.matches("class=\"tick").count() <= MOST_LABELS, "{axis}");
        assert!(axis.contains("&lt;99&gt;"), "{axis}");
        assert_eq!(text.matches("<g>").count(), 100);
    }
}
