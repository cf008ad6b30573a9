//! Callgrind's text, for `KCachegrind` and `callgrind_annotate`: costs by line, and who called whom at what cost.
//!
//! It has no stacks, so that it cannot be read back.

mod costs;
mod write;

pub use write::Callgrind;

/// What such a file begins with.
pub const MAGIC: &str = "# callgrind format";

#[cfg(test)]
mod tests {
    use crate::{Format, testing};

    #[test]
    fn callgrind_text() {
        insta::assert_snapshot!(testing::export(Format::Callgrind));
    }
}
