//! Values, and how they are written.

use super::units;
use std::fmt;

/// What an expression may be worth.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, and how to show it.
    Number(f64, Shown),
    /// A text.
    Text(String),
    /// True or false.
    Truth(bool),
    /// True, only because of a tolerance.
    Tolerated,
    /// Several values.
    List(Vec<Value>),
    /// A number, and how far another one may be from it.
    Around(f64, f64, Shown),
    /// Nothing.
    Null,
}

/// How a number is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Shown {
    /// As it is.
    #[default]
    Plain,
    /// In a unit, with so many digits.
    Unit(String, Option<u8>),
    /// As a deviation, `±1.20%`.
    Deviation,
    /// As a difference, `+1.20%`.
    Difference,
}

impl Value {
    /// A number that is shown as it is.
    pub const fn number(number: f64) -> Self {
        Self::Number(number, Shown::Plain)
    }

    /// What to call it in a message.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Number(..) => "a number",
            Self::Text(_) => "a text",
            Self::Truth(_) | Self::Tolerated => "true or false",
            Self::List(_) => "a list",
            Self::Around(..) => "a number with a tolerance",
            Self::Null => "null",
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number, shown) => write_number(f, *number, shown),
            Self::Text(text) => f.write_str(text),
            Self::Truth(truth) => write!(f, "{truth}"),
            Self::Tolerated => f.write_str("~true"),
            Self::List(values) => {
                f.write_str("[")?;
                for (at, value) in values.iter().enumerate() {
                    if at > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{value}")?;
                }
                f.write_str("]")
            }
            Self::Around(middle, distance, shown) => {
                write_number(f, *middle, shown)?;
                f.write_str(" ± ")?;
                write_number(f, *distance, shown)
            }
            Self::Null => f.write_str("null"),
        }
    }
}

fn write_number(f: &mut fmt::Formatter<'_>, number: f64, shown: &Shown) -> fmt::Result {
    match shown {
        Shown::Unit(unit, precision) => f.write_str(&units::show(number, unit, *precision)),
        Shown::Deviation => write!(f, "±{number:.2}%"),
        Shown::Difference => write!(f, "{number:+.2}%"),
        Shown::Plain if number.fract() == 0.0 && number.abs() < 1e15 => write!(f, "{number:.0}"),
        Shown::Plain => write!(f, "{number:.3}"),
    }
}
