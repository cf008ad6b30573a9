//! What a profile is made of: functions, locations, stacks, labels, samples and the account of every tick.
//!
//! A leaf: no I/O, no process, no format. The sources of samples (`sampler`) fill these types, the
//! exporters and views read them. It must not know where a stack came from, nor what will show it.

mod account;
mod context;
mod frame;
mod label;
mod memory;
mod sample;
mod symbols;
mod text;

pub use account::{Account, Source, Tally, TargetAccount};
pub use context::ContextId;
pub use frame::{Function, Kind, Line, Location};
pub use label::{LONGEST_TEXT, Label};
pub use memory::Memory;
pub use sample::{Sample, State};
pub use symbols::{FunctionId, LocationId, StackId, Symbols};
pub use text::{harmless, is_unprintable, shorten_name};
