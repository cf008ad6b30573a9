//! Paired, interleaved A/B trials of anything that yields a figure: do A and B differ, by how much, how sure is it?
//!
//! A [`Comparison`] has two [`Subject`]s, or one [`Pair`] that measures both sides; [`run`] measures any number of comparisons pair by pair, the order within each
//! pair drawn at random, and stops each as soon as it is decided. [`Trial`] is the same without the measuring. A [`Report`]
//! is written as text, JSON, Markdown, HTML or `JUnit`. The crate does no I/O and has no clock: it must not know what is measured.
//!
//! Lower figures are better, as with time, memory and instructions: B is slower where its figures are higher.

mod comparison;
mod error;
mod look;
mod outcome;
mod pair;
mod plan;
mod report;
mod run;
mod subject;
mod trial;
mod verdict;

pub use comparison::Comparison;
pub use error::TrialError;
pub use look::Look;
pub use outcome::{Outcome, Stopped};
pub use pair::{Pair, first_then, in_turns};
pub use plan::Plan;
pub use report::{
    Entry, Kind, Report, Side, bars, cells, change, is_comparison, read_json, write_html, write_json,
    write_junit, write_markdown, write_text,
};
pub use run::{Progress, Signal, Stage, run};
pub use subject::{Measured, Subject};
pub use trial::{Order, Trial};
pub use verdict::Verdict;
