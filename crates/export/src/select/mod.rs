//! Which samples count.

mod by;
mod filter;
mod focus;

pub use by::By;
pub use filter::{Filter, FilterError, Matcher};
pub(crate) use focus::told;
pub use focus::{Focus, FocusError};

use crate::Saved;
use thiserror::Error;

/// The longest expression, in bytes.
const LONGEST: usize = 10_000;

/// Which samples of a profile count: those with the labels, in stacks that the filter takes.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Labels; of several with one label, any will do.
    pub focus: Vec<Focus>,
    /// What has to be, or must not be, on the stack.
    pub filter: Filter,
}

/// Why nothing would be left.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SelectError {
    /// By its labels.
    #[error(transparent)]
    Focus(#[from] FocusError),
    /// By its stacks.
    #[error(transparent)]
    Filter(#[from] FilterError),
}

impl Selection {
    /// Drops the samples that do not count, if any are left then. What was dropped by its stack is told in a note.
    pub fn apply(&self, saved: &mut Saved) -> Result<(), SelectError> {
        focus::check(saved, &self.focus)?;
        let symbols = &saved.symbols;
        saved
            .rows
            .retain(|row| focus::selects(&self.focus, row.labels, symbols));
        if self.filter.is_empty() {
            return Ok(());
        }
        let all = saved.samples();
        let mut matcher = Matcher::new(self.filter.clone());
        saved.rows.retain(|row| matcher.takes(symbols, row.stack));
        if saved.rows.is_empty() {
            return Err(self.filter.takes_nothing().into());
        }
        saved.notes.push(self.filter.note(saved.samples(), all));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Report, read_from, testing};

    fn samples(focus: &[&str], filter: [&str; 3]) -> Result<u64, SelectError> {
        let bytes = testing::bytes(Format::Phpspy, &testing::profile());
        let mut saved = read_from(&bytes[..]).unwrap();
        let [function, file, ignore] = filter.map(|text| Some(text).filter(|text| !text.is_empty()));
        let selection = Selection {
            focus: focus.iter().map(|focus| focus.parse().unwrap()).collect(),
            filter: Filter::new(function, file, ignore).unwrap(),
        };
        selection.apply(&mut saved)?;
        assert_eq!(saved.samples(), Report::new(&saved).all.samples);
        Ok(saved.samples())
    }

    #[test]
    fn labels_select() {
        let by = |focus: &[&str]| samples(focus, [""; 3]);
        assert_eq!(by(&["pid=202"]), Ok(4));
        assert_eq!(by(&["thread=203", "state=runnable"]), Ok(2));
        assert_eq!(by(&["state=waiting"]), Ok(6));
        assert_eq!(by(&["pid=101", "pid=202", "state=blocked"]), Ok(4));
        assert_eq!(by(&["uri=/"]), Ok(3));
        assert_eq!(by(&["uri~^/c", "uri=/", "state=waiting"]), Ok(6));
        assert_eq!(by(&["peer~5432$"]), Ok(4));
        let error = by(&["cookie=a"]).unwrap_err().to_string();
        assert!(error.contains("record with --request=cookie"), "{error}");
        let error = by(&["pid=7"]).unwrap_err().to_string();
        assert_eq!(error, "no sample has pid=7; the profile has pid 101, 202");
    }

    #[test]
    fn functions_and_files_anywhere_on_the_stack_select() {
        let by = |filter| samples(&[], filter);
        assert_eq!(by(["", "", ""]), Ok(12));
        assert_eq!(by(["Foo::bar$", "", ""]), Ok(7));
        assert_eq!(by(["^usleep$|array_map", "", ""]), Ok(7));
        assert_eq!(by(["", r"Foo\.php$", ""]), Ok(7));
        assert_eq!(by(["", "", "usleep"]), Ok(8));
        assert_eq!(by(["", "", "my lib"]), Ok(8), "a file is ignored, too");
        assert_eq!(by(["bar", "", "usleep"]), Ok(3));
        assert_eq!(by(["require_once /srv", "", ""]), Ok(3), "as the report names it");
        assert_eq!(samples(&["pid=202"], ["<main>", "", ""]), Ok(4));
        let error = by(["usleep", "", "usleep"]).unwrap_err().to_string();
        assert_eq!(
            error,
            "no sample is left of --function 'usleep' --ignore 'usleep'; `phperf report` without them shows which functions there are"
        );
    }
}
