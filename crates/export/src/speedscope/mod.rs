//! JSON for speedscope: a profile for each thread, its samples in the order of time.

mod read;
mod track;
mod write;

pub use read::read;
pub use write::Speedscope;

/// What tells speedscope that the file is its own.
const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

/// The letter of a state that is not told.
const NOT_TOLD: char = '-';

/// A state as one letter, in the text that has one for each sample.
const STATES: [(char, profile::State); 3] = [
    ('c', profile::State::OnCpu),
    ('r', profile::State::Runnable),
    ('b', profile::State::Blocked),
];

#[cfg(test)]
mod tests {
    use crate::{Format, testing};

    #[test]
    fn json() {
        let text = testing::export(Format::Speedscope);
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
        insta::assert_snapshot!(text);
    }

    #[test]
    fn no_sample_is_still_a_file() {
        let text = testing::export_empty(Format::Speedscope);
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
        insta::assert_snapshot!(text);
    }
}
