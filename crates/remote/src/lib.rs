//! A process seen from outside: what `/proc` says of it, the ELF files mapped into it, and its memory. Or what a core file
//! kept of all this.
//!
//! Nothing here stops, signals or writes into a process; [`huge`] alone asks the kernel to place its pages anew. Everything read from one is hostile: every read is
//! bounded. It must not know of PHP.

mod core_file;
pub mod elf;
mod error;
#[cfg(any(test, feature = "fake"))]
mod fake;
pub mod huge;
mod image;
mod list;
mod live;
mod maps;
mod memory;
mod process;
mod procfs;
mod smaps;
pub mod task;
mod tls;
pub mod wait;

pub use core_file::{CoreFile, CoreThread};
pub use error::Error;
#[cfg(any(test, feature = "fake"))]
pub use fake::FakeMemory;
pub use image::Image;
pub use list::{Listed, process_ids, processes};
pub use live::LiveMemory;
pub use maps::Mapping;
pub use memory::{Memory, ReadError};
pub use process::Process;
pub use smaps::Usage;
pub use tls::{own_thread_pointer, thread_pointer};
