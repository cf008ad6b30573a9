//! Figures and ratios in words.

/// What figures count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nanoseconds.
    Time,
    /// Bytes.
    Memory,
    /// Instructions.
    Instructions,
}

impl Kind {
    /// The unit of the figures themselves, as files name it.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Time => "ns",
            Self::Memory => "bytes",
            Self::Instructions => "instructions",
        }
    }

    /// A figure with four digits and a unit that fits.
    pub fn format(self, figure: f64) -> String {
        let (scale, unit) = self.unit_of(figure);
        format!("{} {unit}", digits(figure / scale)).trim_end().to_owned()
    }

    /// The unit that fits a figure: what the figure is divided by, and the unit's sign.
    pub fn unit_of(self, figure: f64) -> (f64, &'static str) {
        let units: &[(f64, &'static str)] = match self {
            Self::Time => &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")],
            Self::Memory => &[(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")],
            Self::Instructions => &[(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")],
        };
        let smallest = units[units.len() - 1];
        *units
            .iter()
            .find(|unit| figure.abs() >= unit.0)
            .unwrap_or(&smallest)
    }
}

fn digits(value: f64) -> String {
    match value.abs() {
        below if below < 10.0 => format!("{value:.3}"),
        below if below < 100.0 => format!("{value:.2}"),
        _ => format!("{value:.1}"),
    }
}

/// How ratios that are read together are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    /// As a change: `+1.42 %`.
    Change,
    /// As a factor: `2.310 ×`.
    Factor,
}

impl Notation {
    /// From twice and below half on, a change is hard to read.
    fn fitting(ratios: &[f64]) -> Self {
        if ratios.iter().all(|ratio| (0.5..2.0).contains(ratio)) {
            Self::Change
        } else {
            Self::Factor
        }
    }

    fn write(self, ratio: f64) -> String {
        let percent = (ratio - 1.0) * 100.0;
        match self {
            Self::Factor => format!("{} ×", digits(ratio)),
            // Neither +0.00 nor -0.00.
            Self::Change if percent.abs() < 0.005 => "0.00 %".to_owned(),
            Self::Change => format!("{percent:+.2} %"),
        }
    }
}

/// A ratio as a change: `+1.42 %`; from twice and below half on, as a factor: `2.310 ×`.
pub fn change(ratio: f64) -> String {
    Notation::fitting(&[ratio]).write(ratio)
}

/// A ratio and the ends of its interval, in the notation that fits all of them: `+1.42 %` and `+0.50 % to +2.42 %`.
pub fn changes(ratio: f64, low: f64, high: f64) -> (String, String) {
    let notation = Notation::fitting(&[ratio, low, high]);
    let interval = format!("{} to {}", notation.write(low), notation.write(high));
    (notation.write(ratio), interval)
}

/// A share in per cent, without needless zeros: `1 %`, `0.5 %`.
pub fn share(share: f64) -> String {
    let percent = format!("{:.3}", share * 100.0);
    format!("{} %", percent.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_units_that_fit() {
        assert_eq!(Kind::Time.format(21_324_000.0), "21.32 ms");
        assert_eq!(Kind::Time.format(0.25), "0.250 ns");
        assert_eq!(Kind::Time.format(3_600e9), "3600.0 s");
        assert_eq!(Kind::Memory.format(20_480_000.0), "20.48 MB");
        assert_eq!(Kind::Instructions.format(1_234_567.0), "1.235 M");
    }

    #[test]
    fn ratios_are_changes() {
        assert_eq!(change(1.0142), "+1.42 %");
        assert_eq!(change(0.99), "-1.00 %");
        assert_eq!(change(0.999_999), "0.00 %");
        assert_eq!(change(2.5), "2.500 ×");
        let together = |low| changes(0.51, low, 0.52);
        assert_eq!(together(0.5), ("-49.00 %".into(), "-50.00 % to -48.00 %".into()));
        assert_eq!(together(0.4), ("0.510 ×".into(), "0.400 × to 0.520 ×".into()));
        assert_eq!(share(0.01), "1 %");
        assert_eq!(share(0.997), "99.7 %");
        assert_eq!(share(0.0), "0 %");
    }
}
