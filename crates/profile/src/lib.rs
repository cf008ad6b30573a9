//! What a profile is made of: functions, locations, stacks, samples and the account of every tick.
//!
//! A leaf: no I/O, no process, no format. The sources of samples (`sampler`) fill these types, the
//! exporters and views read them. It must not know where a stack came from, nor what will show it.

mod account;
mod frame;
mod sample;
mod symbols;

pub use account::{Account, Source, Tally, TargetAccount};
pub use frame::{Function, Kind, Line, Location};
pub use sample::{Sample, State};
pub use symbols::{FunctionId, LocationId, StackId, Symbols};
