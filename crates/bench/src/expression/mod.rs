//! `PHPBench`'s expression language: assertions, and the formats of progress lines.
//!
//! `mode(variant.time.avg) as ms <= 10 ms +/- 5%`. Times are in microseconds, memory in bytes, as `PHPBench` has them.

mod evaluate;
mod functions;
mod lexer;
mod parser;
mod scope;
pub mod units;
mod value;

pub use scope::Scope;
pub use value::Value;

use crate::model::Verdict;

/// Why an expression has no value: one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionError {
    /// It cannot be read.
    #[error("it cannot be read at {0}")]
    Syntax(String),
    /// It cannot be evaluated.
    #[error("{0}")]
    Meaning(String),
    /// It speaks of a baseline, and there is none.
    #[error("there is no baseline to compare with: name a stored run with --ref")]
    NoBaseline,
}

/// The value of an expression.
pub fn value(text: &str, scope: &Scope) -> Result<Value, ExpressionError> {
    evaluate::value(&parser::parse(text)?, scope)
}

/// The value of an expression as text.
pub fn text(text: &str, scope: &Scope) -> Result<String, ExpressionError> {
    value(text, scope).map(|value| value.to_string())
}

/// Whether an assertion holds, and its values in words.
pub fn assert(text: &str, scope: &Scope) -> (Verdict, String) {
    let result = parser::parse(text).and_then(|tree| {
        let value = evaluate::value(&tree, scope)?;
        Ok((value, evaluate::shown(&tree, scope)))
    });
    match result {
        Ok((Value::Truth(true), shown)) => (Verdict::Passed, shown),
        Ok((Value::Truth(false), shown)) => (Verdict::Failed, shown),
        Ok((Value::Tolerated, shown)) => (Verdict::Tolerated, shown),
        Ok((_, shown)) => (
            Verdict::Error,
            format!("it is neither true nor false but {shown}"),
        ),
        Err(error @ ExpressionError::NoBaseline) => (Verdict::Unchecked, error.to_string()),
        Err(error) => (Verdict::Error, error.to_string()),
    }
}

#[cfg(test)]
mod tests;
