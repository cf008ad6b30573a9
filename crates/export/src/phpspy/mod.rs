//! Samples as phpspy prints them: a line for each frame, the innermost first and numbered from 0.

mod read;
mod write;

pub use read::{read, starts_a_sample};
pub use write::{Phpspy, Shape, print, print_frames};

#[cfg(test)]
mod tests {
    use crate::{Format, testing};

    #[test]
    fn phpspy_text() {
        insta::assert_snapshot!(testing::export(Format::Phpspy));
    }

    #[test]
    fn phpspy_in_one_line() {
        insta::assert_snapshot!(testing::export(Format::PhpspyLine));
    }
}
