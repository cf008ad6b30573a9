//! Values become places, and an axis its labels.

use maud::{Markup, html};

/// The unit that fits a figure: what the figure is divided by, and the unit's sign.
pub type Fit = fn(f64) -> (f64, &'static str);

/// Room at each end, as a share of the axis, so that no mark is cut.
const PAD: f64 = 0.03;
/// Labels closer to an end than this, in per cent, are moved inwards.
const NEAR: f64 = 4.0;

/// A range of values from the left to the right, or from the bottom to the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    /// Equal distances are equal differences.
    pub fn linear(low: f64, high: f64) -> Self {
        // A single value lies in the middle.
        let room = if high > low {
            (high - low) * PAD
        } else {
            (low.abs() * PAD).max(f64::MIN_POSITIVE)
        };
        Self {
            low: low - room,
            high: high + room,
            logarithmic: false,
        }
    }

    /// Equal distances are equal ratios. Both ends are above 0.
    pub fn logarithmic(low: f64, high: f64) -> Self {
        let axis = Self::linear(low.ln(), high.max(low * 1.01).ln());
        Self {
            logarithmic: true,
            ..axis
        }
    }

    /// Where a value lies, in per cent; what is outside lies at the end.
    pub fn place(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.ln() } else { value };
        let place = (value - self.low) / (self.high - self.low) * 100.0;
        if place.is_finite() {
            place.clamp(0.0, 100.0)
        } else {
            0.0
        }
    }

    /// Round values within, `most` at most.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        if self.logarithmic {
            return self.ratios(most);
        }
        round(self.low, self.high, most)
    }

    fn ratios(&self, most: usize) -> Vec<f64> {
        let (low, high) = (self.low.exp(), self.high.exp());
        if high / low < 2.0 {
            return round(low, high, most);
        }
        let decades = ((self.high - self.low) / std::f64::consts::LN_10) as usize;
        let every = decades.div_ceil(most.max(1)).max(1);
        // No figure has more powers of ten.
        let power = |end: f64| (end as i32).clamp(-307, 308);
        let powers = (power(low.log10().floor())..=power(high.log10().ceil())).step_by(every);
        let of = |digits: &[f64]| -> Vec<f64> {
            let ticks = powers
                .clone()
                .flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)));
            ticks.filter(|tick| (low..=high).contains(tick)).collect()
        };
        let mut all = [&[1.0, 2.0, 5.0][..], &[1.0, 3.0]].into_iter().map(of);
        all.find(|ticks| ticks.len() <= most)
            .unwrap_or_else(|| of(&[1.0]))
    }

    /// Labels below a chart.
    pub fn labels(&self, most: usize, fit: Fit) -> Markup {
        let ticks = self.ticks(most);
        let step = ticks
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .fold(f64::INFINITY, f64::min);
        let largest = ticks
            .iter()
            .fold(0.0_f64, |largest, tick| largest.max(tick.abs()));
        let text = |tick: f64| {
            // One unit for all where their distances are equal, so that they are read as one scale.
            let (scale, sign) = fit(if self.logarithmic { tick } else { largest });
            let step = if self.logarithmic { tick } else { step };
            format!("{} {sign}", decimal(tick / scale, step / scale))
                .trim_end()
                .to_owned()
        };
        html! {
            div class="axis" {
                @for tick in ticks {
                    (label(self.place(tick), &text(tick)))
                }
            }
        }
    }
}

/// A label at a place in per cent.
pub(crate) fn label(place: f64, text: &str) -> Markup {
    let side = match place {
        near if near < NEAR => "left",
        far if far > 100.0 - NEAR => "right",
        _ => "middle",
    };
    html! { span class={ "tick " (side) } style={ "left:" (percent(place)) } { (text) } }
}

/// A place as CSS takes it.
pub(crate) fn percent(place: f64) -> String {
    format!("{place:.2}%")
}

/// The multiples, `most` at most, of 1, 2 or 5 times a power of ten that lie within.
fn round(low: f64, high: f64, most: usize) -> Vec<f64> {
    let power = ((high - low) / most.max(1) as f64).log10().floor();
    if !power.is_finite() {
        return Vec::new();
    }
    let steps = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0].map(|digit| digit * 10_f64.powf(power));
    let mut all = steps.into_iter().map(|step| multiples(step, low, high));
    all.find(|multiples| multiples.len() <= most).unwrap_or_default()
}

fn multiples(step: f64, low: f64, high: f64) -> Vec<f64> {
    let (first, last) = ((low / step).ceil(), (high / step).floor());
    // Values so large that a step is lost in them have no multiples that differ.
    let count = if last >= first {
        (last - first) as usize
    } else {
        return Vec::new();
    };
    (0..=count.min(100))
        .map(|index| (first + index as f64) * step)
        .collect()
}

/// A number with the digits that its step needs.
fn decimal(value: f64, step: f64) -> String {
    let digits = if step.is_finite() && step > 0.0 {
        (-step.log10().floor()).clamp(0.0, 9.0) as usize
    } else {
        3
    };
    let text = format!("{value:.digits$}");
    if text
        .trim_start_matches('-')
        .chars()
        .all(|c| matches!(c, '0' | '.'))
    {
        "0".to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    #[allow(clippy::float_cmp, reason = "ends and middles are exact")]
    fn values_have_places_and_what_is_outside_lies_at_the_end() {
        let axis = Axis::linear(10.0, 20.0);
        assert_eq!(axis.place(15.0), 50.0);
        assert_eq!((axis.place(-1e300), axis.place(1e300)), (0.0, 100.0));
        assert!(axis.place(10.0) > 0.0 && axis.place(20.0) < 100.0);
        assert_eq!(Axis::linear(3.0, 3.0).place(3.0), 50.0);
        assert_eq!(Axis::linear(0.0, 0.0).place(f64::NAN), 0.0);
        assert!((Axis::logarithmic(0.5, 2.0).place(1.0) - 50.0).abs() < 1e-9);
    }

    #[test]
    fn ticks_are_round_and_few() {
        let near = |found: Vec<f64>, wanted: &[f64]| {
            assert!(
                found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9),
                "{found:?}"
            );
        };
        near(Axis::linear(112.0, 147.0).ticks(5), &[120.0, 130.0, 140.0]);
        near(Axis::logarithmic(0.95, 1.1).ticks(4), &[0.95, 1.0, 1.05, 1.1]);
        near(Axis::logarithmic(3.0, 4000.0).ticks(4), &[10.0, 100.0, 1000.0]);
        near(Axis::logarithmic(0.2, 5.0).ticks(4), &[0.3, 1.0, 3.0]);
        near(Axis::logarithmic(0.4, 3.0).ticks(6), &[0.5, 1.0, 2.0]);
        assert!(Axis::linear(1e300, 1e300).ticks(5).len() <= 101);
    }

    #[test]
    fn labels_have_one_unit_and_as_many_digits_as_they_need() {
        let micro: Fit = |_| (1000.0, "µs");
        let labels = Axis::linear(1_200.0, 1_800.0).labels(4, micro).into_string();
        assert!(
            labels.contains(">1.2 µs<") && labels.contains(">1.4 µs<"),
            "{labels}"
        );
        assert!(
            Axis::linear(0.0, 4_000.0)
                .labels(3, micro)
                .into_string()
                .contains(">0 µs<")
        );
    }

    proptest! {
        #[test]
        fn whatever_the_values_are_places_and_ticks_lie_within(low: f64, high: f64, value: f64, most in 0..12_usize) {
            for axis in [Axis::linear(low, high), Axis::logarithmic(low.abs(), high.abs())] {
                prop_assert!((0.0..=100.0).contains(&axis.place(value)));
                prop_assert!(axis.ticks(most).len() <= 101);
                let _ = axis.labels(most, |_| (1.0, "ns"));
            }
        }

        #[test]
        fn ticks_of_usual_figures_are_as_many_as_asked_for(low in 1e-3..1e12_f64, share in 1e-3..1e3_f64, most in 2..12_usize) {
            let axis = Axis::linear(low, low * (1.0 + share));
            let ticks = axis.ticks(most);
            prop_assert!((1..=most).contains(&ticks.len()), "{:?}", ticks);
            prop_assert!(ticks.iter().all(|&tick| axis.low <= tick * (1.0 + 1e-9) && tick <= axis.high * (1.0 + 1e-9)));
        }
    }
}
