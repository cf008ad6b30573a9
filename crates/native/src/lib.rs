//! The frames of C between frames of PHP: unwinds a copy of a thread's stack, names what it finds, and says which of PHP's
//! functions has called what of it.
//!
//! [`Frames`] is asked once for each sample; it reads ELF files and `/proc`, once for each binary and address space. What it
//! is given of a thread is hostile: any bytes are taken, and the work on them has a bound. It must not know where samples
//! come from, nor of PHP's structs beyond the address of a function's code.

mod binaries;
mod binary;
mod chain;
mod frames;
mod join;
mod kernel;
mod names;
mod packed;
mod parts;
mod shared;
mod space;

pub use chain::{Registers, Stack};
pub use frames::{Code, Found, Frames, Outcome, PhpFrame, Seen};
