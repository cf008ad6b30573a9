//! Places PHP's code better, without changing what it does: says how much of it lies on huge pages, and puts it there.
//!
//! `layout` plans and rewrites ELF files and does no I/O; all else asks the kernel, and says what it found. Nothing
//! changes without being asked for by name. It must not know of command lines, nor of what PHP holds in memory.

pub mod change;
pub mod copy;
mod error;
pub mod gather;
pub mod layout;
pub mod perf_map;
pub mod status;
pub mod verify;

pub use error::Error;
