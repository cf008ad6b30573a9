//! Two subjects to compare.

use crate::Subject;

/// Two subjects under a name.
pub struct Comparison<'a> {
    /// What is compared, such as `HashBench::benchMd5`.
    pub name: String,
    /// The baseline.
    pub a: Box<dyn Subject + 'a>,
    /// What is compared with it.
    pub b: Box<dyn Subject + 'a>,
}

impl<'a> Comparison<'a> {
    /// `b` against `a`.
    pub fn new(name: impl Into<String>, a: impl Subject + 'a, b: impl Subject + 'a) -> Self {
        Self {
            name: name.into(),
            a: Box::new(a),
            b: Box::new(b),
        }
    }
}
