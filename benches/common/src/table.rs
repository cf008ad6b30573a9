//! A table of figures: one column per profiler, one row per thing measured.

use crate::figure::{Unit, describe, median};
use std::fmt::Write;

/// The first line of the CSV.
pub const CSV_HEADER: &str = "table,row,column,unit,run,value\n";

/// What a figure has to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// At least so much.
    AtLeast(f64),
    /// At most so much.
    AtMost(f64),
    /// At least the first and at most the second.
    Between(f64, f64),
    /// Just so much.
    Exactly(f64),
}

impl Bound {
    fn holds(self, value: f64) -> bool {
        match self {
            Self::AtLeast(least) => value >= least,
            Self::AtMost(most) => value <= most,
            Self::Between(least, most) => (least..=most).contains(&value),
            // But for what reckoning with fractions adds.
            Self::Exactly(due) => (value - due).abs() < 1e-9,
        }
    }

    fn text(self, unit: Unit) -> String {
        match self {
            Self::AtLeast(least) => format!("≥ {}", unit.format(least)),
            Self::AtMost(most) => format!("≤ {}", unit.format(most)),
            Self::Between(least, most) => format!("{} to {}", unit.bare(least), unit.format(most)),
            Self::Exactly(due) => format!("= {}", unit.format(due)),
        }
    }
}

/// What one profiler did in one row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Its figures, one per run.
    Figures {
        /// One per run.
        values: Vec<f64>,
        /// What they count.
        unit: Unit,
        /// What their median has to reach.
        asked: Option<Bound>,
        /// More to say, in a few words.
        aside: String,
    },
    /// Why there is none.
    Without(String),
}

impl Cell {
    /// Figures without a bound.
    pub const fn figures(values: Vec<f64>, unit: Unit) -> Self {
        Self::Figures {
            values,
            unit,
            asked: None,
            aside: String::new(),
        }
    }

    /// With a bound.
    #[must_use]
    pub fn asked(mut self, bound: Option<Bound>) -> Self {
        if let Self::Figures { asked, .. } = &mut self {
            *asked = bound;
        }
        self
    }

    /// With more to say.
    #[must_use]
    pub fn aside(mut self, text: impl Into<String>) -> Self {
        if let Self::Figures { aside, .. } = &mut self {
            *aside = text.into();
        }
        self
    }

    fn text(&self) -> String {
        match self {
            Self::Without(why) => format!("– {why}"),
            Self::Figures {
                values,
                unit,
                asked,
                aside,
            } => {
                let mut text = describe(values, *unit);
                if !aside.is_empty() {
                    let _ = write!(text, ", {aside}");
                }
                if let Some(bound) = asked {
                    let mark = if bound.holds(median(values)) { "✓" } else { "✗" };
                    let _ = write!(text, " {mark} {}", bound.text(*unit));
                }
                text
            }
        }
    }
}

/// One thing measured.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was measured.
    pub label: String,
    /// One cell per column.
    pub cells: Vec<Cell>,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name for `--only` and the CSV.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What the reader must know of how it was taken.
    pub method: String,
    /// The heads of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
    /// What went otherwise than it should.
    pub notes: Vec<String>,
}

impl Table {
    /// The table as Markdown, with its title and notes.
    pub fn markdown(&self) -> String {
        let mut text = format!("\n## {}\n\n{}\n\n| |", self.title, self.method);
        for column in &self.columns {
            let _ = write!(text, " {column} |");
        }
        let _ = writeln!(text, "\n|{}", "---|".repeat(self.columns.len() + 1));
        for row in &self.rows {
            let _ = write!(text, "| {} |", row.label);
            for cell in &row.cells {
                let _ = write!(text, " {} |", cell.text().replace('|', "/").replace('\n', " "));
            }
            text.push('\n');
        }
        for note in &self.notes {
            let _ = write!(text, "\nNote: {note}\n");
        }
        text
    }

    /// Every single value, one per line.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            for (column, cell) in self.columns.iter().zip(&row.cells) {
                if let Cell::Figures { values, unit, .. } = cell {
                    for (run, value) in values.iter().enumerate() {
                        let (name, label, unit) = (self.name, quoted(&row.label), unit.name());
                        let _ = writeln!(
                            text,
                            "{name},{label},{},{unit},{},{value}",
                            quoted(column),
                            run + 1
                        );
                    }
                }
            }
        }
        text
    }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let figures = Cell::figures(vec![99.95, 99.0, 99.99], Unit::Percent);
        Table {
            name: "due",
            title: "Samples",
            method: "A method.".into(),
            columns: vec!["phperf kernel".into(), "phpspy".into()],
            rows: vec![Row {
                label: "framework, 999 Hz".into(),
                cells: vec![
                    figures.asked(Some(Bound::AtLeast(99.9))),
                    Cell::Without("PHPSPY is not set".into()),
                ],
            }],
            notes: vec!["Something.".into()],
        }
    }

    #[test]
    fn a_cell_says_its_spread_and_whether_it_is_enough() {
        assert_eq!(
            table().markdown(),
            "\n## Samples\n\nA method.\n\n| | phperf kernel | phpspy |\n|---|---|---|\n\
             | framework, 999 Hz | 99.95 % (99.00 to 99.99) ✓ ≥ 99.90 % | – PHPSPY is not set |\n\
             \nNote: Something.\n"
        );
    }

    #[test]
    fn the_csv_has_each_value() {
        let csv = table().csv();
        assert_eq!(csv.lines().count(), 3);
        assert_eq!(
            csv.lines().next(),
            Some("due,\"framework, 999 Hz\",phperf kernel,percent,1,99.95")
        );
    }

    #[test]
    fn a_bound_that_is_missed_is_marked() {
        let cell = Cell::figures(vec![5.0], Unit::Count).asked(Some(Bound::AtMost(0.0)));
        assert_eq!(cell.text(), "5 ✗ ≤ 0");
    }
}
