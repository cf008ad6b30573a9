//! Takes stacks of running PHP: finds targets, samples them from one of two sources, accounts for every tick.
//!
//! Both sources write [`record`]s; one resolver turns them into `profile` samples. It must not know of
//! formats, files or terminals: samples go to whoever started the recording.

pub mod reader;
pub mod record;
