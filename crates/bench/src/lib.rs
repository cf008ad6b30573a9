//! Benchmark suites for PHP: finds them, samples them, and reports what was measured.
//!
//! It knows `PHPBench`'s classes, settings and options, so that suites run as they are. It must not know the command
//! line, a terminal, or the profiler: settings come in, events and a [`model::Suite`] go out.

mod discover;
mod environment;
mod error;
pub mod executor;
pub mod expression;
pub mod history;
mod launch;
pub mod model;
pub mod output;
pub mod page;
mod profiler;
pub mod progress;
mod read;
pub mod report;
mod run;
pub mod settings;
mod statistics;
pub mod store;
#[cfg(test)]
mod testing;
pub mod xml;

pub use discover::{PhpInfo, Planned};
pub use environment::differences;
pub use error::Error;
pub use profiler::Profiler;
pub use read::{InFile, ReadError, read};
pub use run::{compare, run};
pub use settings::Settings;
