//! Ratios around 1, each with its interval, on one logarithmic axis.

use crate::axis::{Axis, label, percent};
use maud::{Markup, html};

/// A ratio and what it may be as well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The best guess; above 0.
    pub value: f64,
    /// Its interval, where there is one.
    pub interval: Option<(f64, f64)>,
}

/// The axis that ratios share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratios {
    axis: Axis,
    /// The share within which all is the same.
    margin: f64,
}

impl Ratios {
    /// An axis with room for all of these, the same to both sides of 1.
    pub fn new(ratios: impl IntoIterator<Item = Ratio>, margin: f64) -> Self {
        let reach = |ratio: Ratio| {
            let (low, high) = ratio.interval.unwrap_or((ratio.value, ratio.value));
            [low, high, ratio.value].map(|value| value.ln().abs())
        };
        let widest = ratios
            .into_iter()
            .flat_map(reach)
            .filter(|reach| reach.is_finite())
            .fold((2.0 * margin).ln_1p().max(0.005), f64::max);
        Self {
            axis: Axis::logarithmic((-widest).exp(), widest.exp()),
            margin,
        }
    }

    /// A ratio's dot and interval.
    pub fn mark(&self, ratio: Option<Ratio>, class: &str) -> Markup {
        let place = |value: f64| self.axis.place(value);
        let (from, to) = (place(1.0 / (1.0 + self.margin)), place(1.0 + self.margin));
        html! {
            div class={ "ratio " (class) } {
                span class="margin" style={ "left:" (percent(from)) ";width:" (percent(to - from)) } {}
                span class="one" style={ "left:" (percent(place(1.0))) } {}
                @if let Some(Ratio { value, interval }) = ratio {
                    @if let Some((low, high)) = interval {
                        span class="whisker" style={ "left:" (percent(place(low))) ";width:max(2px,"
                            (percent(place(high) - place(low))) ")" } {}
                    }
                    span class="dot" style={ "left:" (percent(place(value))) } {}
                }
            }
        }
    }

    /// Labels of the axis: changes in per cent, or factors where they are large.
    pub fn labels(&self) -> Markup {
        html! {
            div class="axis" {
                @for tick in self.axis.ticks(5) {
                    (label(self.axis.place(tick), &change(tick)))
                }
            }
        }
    }
}

fn change(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    match percent.abs() {
        none if none < 1e-6 => "same".to_owned(),
        large if large >= 100.0 || ratio <= 0.5 => format!("{} ×", short(ratio)),
        _ => format!(
            "{}{} %",
            if percent > 0.0 { "+" } else { "−" },
            short(percent.abs())
        ),
    }
}

/// Without needless zeros.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_reaches_as_far_to_both_sides() {
        let slower = Ratio {
            value: 1.1,
            interval: Some((1.05, 1.25)),
        };
        let ratios = Ratios::new([slower], 0.01);
        let text = ratios.mark(Some(slower), "slower").into_string();
        assert!(text.contains("class=\"one\" style=\"left:50.00%\""), "{text}");
        let labels = ratios.labels().into_string();
        for wanted in [">same<", ">+10 %<", ">−10 %<"] {
            assert!(labels.contains(wanted), "{labels}");
        }
        assert!(!ratios.mark(None, "").into_string().contains("dot"));
    }

    #[test]
    fn large_ratios_are_factors_and_odd_ones_have_a_place() {
        let odd = [0.05, 20.0, f64::INFINITY, f64::NAN].map(|value| Ratio {
            value,
            interval: None,
        });
        let ratios = Ratios::new(odd, 0.0);
        let labels = ratios.labels().into_string();
        assert!(
            labels.contains(">10 ×<") && labels.contains(">0.1 ×<"),
            "{labels}"
        );
        for ratio in odd {
            assert!(!ratios.mark(Some(ratio), "").into_string().contains("NaN"));
        }
    }
}
