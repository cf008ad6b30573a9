//! PHP builds that are trained on the user's own load: sources, an instrumented build, the training, the optimised
//! build, the proof that it answers the same, and the pairs that tell what it gains.
//!
//! [`build`] does all of it in a folder where each stage is done once; [`measure::comparisons`] is what `trial` runs
//! afterwards. Each step is checked, and one that lost something ends the build. The crate writes to that folder alone
//! (and to the prefix that [`install`] is given), prints nothing, and must not know the command line: a [`Watch`] sees
//! how far it is.

mod build;
mod choose;
mod compile;
mod copy;
mod counters;
mod coverage;
mod depends;
mod error;
mod install;
mod like;
mod log;
pub mod measure;
mod missing;
mod outputs;
mod package;
mod pipeline;
mod programs;
mod run;
mod source;
mod stage;
pub mod swap;
#[cfg(test)]
mod testing;
pub mod training;
mod verify;
mod watch;

pub use build::{Built, OnHugePages, Settings, build};
pub use choose::{Choice, Compared, Step, Terms, Tried, choose};
pub use compile::{Level, Part};
pub use coverage::{Coverage, Unit};
pub use error::Error;
pub use install::install;
pub use like::Like;
pub use outputs::{Ignored, Same};
pub use package::package;
pub use stage::Stage;
pub use training::Training;
pub use verify::{Depth, Verified};
pub use watch::Watch;
