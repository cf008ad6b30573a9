//! What has to be on a stack, or must not be.

use super::LONGEST;
use crate::folded::label;
use profile::{Function, StackId, Symbols};
use regex_lite::Regex;
use std::fmt;
use thiserror::Error;

/// Stacks with a function and a file that match, and with nothing that is to be ignored. Expressions match anywhere in a
/// name and tell upper case from lower, as those of pprof.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    function: Option<Regex>,
    file: Option<Regex>,
    ignore: Option<Regex>,
}

/// Why there is no such filter, or nothing left by it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterError {
    /// Not a regular expression.
    #[error(
        "--{option} {text:?} is no regular expression: {why}; put a backslash before signs that stand for themselves"
    )]
    Expression {
        /// The option.
        option: &'static str,
        /// What was given.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// It takes no sample.
    #[error("no sample is left of {0}; `phperf report` without them shows which functions there are")]
    TakesNothing(String),
}

impl Filter {
    /// Of expressions for a function, a file, and what is to be ignored, which may be either.
    pub fn new(
        function: Option<&str>,
        file: Option<&str>,
        ignore: Option<&str>,
    ) -> Result<Self, FilterError> {
        Ok(Self {
            function: expression("function", function)?,
            file: expression("file", file)?,
            ignore: expression("ignore", ignore)?,
        })
    }

    /// Whether it takes everything.
    pub const fn is_empty(&self) -> bool {
        self.function.is_none() && self.file.is_none() && self.ignore.is_none()
    }

    /// What it left of a profile, for its notes.
    pub fn note(&self, kept: u64, all: u64) -> String {
        format!("filter: {kept} of {all} samples, by {self}")
    }

    pub(super) fn takes_nothing(&self) -> FilterError {
        FilterError::TakesNothing(self.to_string())
    }

    /// What a function is to it.
    fn marks(&self, function: &Function) -> Marks {
        let name = label(function);
        let file = function.file.as_deref().unwrap_or_default();
        let is = |expression: &Option<Regex>, text: &str| {
            expression
                .as_ref()
                .is_some_and(|expression| expression.is_match(text))
        };
        Marks {
            is_function: is(&self.function, &name),
            is_file: is(&self.file, file),
            is_ignored: is(&self.ignore, &name) || is(&self.ignore, file),
        }
    }
}

/// As it was given.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = [
            ("--function", &self.function),
            ("--file", &self.file),
            ("--ignore", &self.ignore),
        ];
        let given = options
            .iter()
            .filter_map(|(option, expression)| Some((option, expression.as_ref()?)));
        for (at, (option, expression)) in given.enumerate() {
            let blank = if at == 0 { "" } else { " " };
            write!(f, "{blank}{option} '{expression}'")?;
        }
        Ok(())
    }
}

fn expression(option: &'static str, text: Option<&str>) -> Result<Option<Regex>, FilterError> {
    let Some(text) = text else { return Ok(None) };
    let wrong = |why: String| FilterError::Expression {
        option,
        text: text.chars().take(80).collect(),
        why,
    };
    if text.len() > LONGEST {
        return Err(wrong(format!("it is longer than {LONGEST} bytes")));
    }
    Regex::new(text)
        .map(Some)
        .map_err(|error| wrong(error.to_string()))
}

#[derive(Clone, Copy)]
struct Marks {
    is_function: bool,
    is_file: bool,
    is_ignored: bool,
}

/// A filter at work on one set of symbols: each function is looked at once.
#[derive(Default)]
pub struct Matcher {
    filter: Filter,
    functions: Vec<Option<Marks>>,
}

impl Matcher {
    /// One that has seen nothing yet.
    pub const fn new(filter: Filter) -> Self {
        Self {
            filter,
            functions: Vec::new(),
        }
    }

    /// Whether a stack is taken.
    pub fn takes(&mut self, symbols: &Symbols, stack: StackId) -> bool {
        let (mut function, mut file) = (self.filter.function.is_none(), self.filter.file.is_none());
        for &location in symbols.stack(stack) {
            let id = symbols.location(location).function;
            if id.index() >= self.functions.len() {
                self.functions.resize(id.index() + 1, None);
            }
            let filter = &self.filter;
            let marks = *self.functions[id.index()].get_or_insert_with(|| filter.marks(symbols.function(id)));
            if marks.is_ignored {
                return false;
            }
            function |= marks.is_function;
            file |= marks.is_file;
        }
        function && file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_expression_says_why() {
        let error = Filter::new(None, None, Some("App\\Foo("))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("--ignore \"App\\\\Foo(\" is no regular expression: "),
            "{error}"
        );
        assert!(!error.contains('\n'), "{error}");
        assert!(Filter::new(Some(&"a".repeat(LONGEST + 1)), None, None).is_err());
        assert!(Filter::new(None, None, None).unwrap().is_empty());
    }
}
