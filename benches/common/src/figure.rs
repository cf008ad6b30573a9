//! Several values of one figure, and how they are written.

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Per cent.
    Percent,
    /// So many times.
    Times,
    /// Microseconds.
    Micros,
    /// Seconds.
    Seconds,
    /// Megabytes of a million bytes, as disks count.
    Megabytes,
    /// A number from 0 to 1.
    Fraction,
    /// A number of things.
    Count,
    /// A number of things for each of some others.
    Each,
}

impl Unit {
    /// Its name in the CSV.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Percent => "percent",
            Self::Times => "times",
            Self::Micros => "us",
            Self::Seconds => "s",
            Self::Megabytes => "MB",
            Self::Fraction => "fraction",
            Self::Count => "count",
            Self::Each => "each",
        }
    }

    /// A value with as many digits as it is worth.
    pub fn format(self, value: f64) -> String {
        match self {
            Self::Percent => format!("{} %", percent(value)),
            Self::Times => format!("{} ×", significant(value)),
            Self::Micros => format!("{} µs", significant(value)),
            Self::Seconds => format!("{} s", significant(value)),
            Self::Megabytes => format!("{value:.2} MB"),
            Self::Fraction | Self::Each => format!("{value:.3}"),
            Self::Count => format!("{value:.0}"),
        }
    }

    /// The same without its unit.
    pub fn bare(self, value: f64) -> String {
        let text = self.format(value);
        text.split(' ').next().unwrap_or_default().to_owned()
    }
}

/// Near 100 % and near 0 % the second digit behind the point matters.
fn percent(value: f64) -> String {
    if (1.0..98.0).contains(&value.abs()) {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

fn significant(value: f64) -> String {
    match value.abs() {
        small if small < 1.0 => format!("{value:.3}"),
        medium if medium < 10.0 => format!("{value:.2}"),
        _ => format!("{value:.1}"),
    }
}

/// The middle of the values; for an even number of them, between the two middle ones.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        length if length % 2 == 0 => f64::midpoint(sorted[middle - 1], sorted[middle]),
        _ => sorted[middle],
    }
}

/// The least of the values; of none it is not a number, by which no bound is met.
pub fn least(values: &[f64]) -> f64 {
    values.iter().copied().reduce(f64::min).unwrap_or(f64::NAN)
}

/// The median, and the range where there is more than one value.
pub fn describe(values: &[f64], unit: Unit) -> String {
    let text = unit.format(median(values));
    if values.len() < 2 {
        return text;
    }
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{text} ({} to {})", unit.bare(least(values)), unit.bare(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((median(&[4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-9);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn the_least_of_none_meets_no_bound() {
        assert!((least(&[3.0, 1.0, 2.0]) - 1.0).abs() < 1e-9);
        assert!(least(&[]).is_nan());
    }

    #[test]
    fn figures_have_the_digits_that_they_are_worth() {
        assert_eq!(describe(&[99.951], Unit::Percent), "99.95 %");
        assert_eq!(
            describe(&[62.0, 61.0, 99.0], Unit::Percent),
            "62.0 % (61.0 to 99.00)"
        );
        assert_eq!(describe(&[0.4321], Unit::Micros), "0.432 µs");
        assert_eq!(describe(&[38.26, 74.0], Unit::Micros), "56.1 µs (38.3 to 74.0)");
    }
}
