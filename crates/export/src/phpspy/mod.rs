//! Samples as phpspy prints them: a line for each frame, the innermost first and numbered from 0.

mod read;
mod write;

pub use read::{read, starts_a_sample};
pub use write::{Notes, Phpspy, Shape, print, print_frames, print_labels, print_memory, print_notes};

use profile::Label;

/// The field of a label: phpspy's own name for it, where it has one.
const fn field_of(label: Label) -> &'static str {
    match label {
        Label::Script => "path",
        Label::Query => "qstring",
        Label::Began => "ts",
        _ => label.name(),
    }
}

/// The label of a field.
fn label_of(field: &str) -> Option<Label> {
    Label::ALL.into_iter().find(|&label| field_of(label) == field)
}

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
