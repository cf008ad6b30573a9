//! PHP inside the memory of a process: its version, where its structs lie, its stack, its names.
//!
//! Where something lies comes from [`Layout`], generated from PHP's own headers; a version without a row is
//! refused. It must not know how memory is read (that is `remote`), when, or what becomes of a stack.

mod error;
mod fibers;
mod finder;
mod function;
pub mod heap;
mod interpreter;
mod kept;
mod layout;
pub mod naming;
pub mod request;
mod stack;
mod symbols;
mod threads;
mod unnamed;
mod variables;
mod version;
pub mod walk;
mod window;
#[cfg(test)]
mod world;

pub use error::Error;
pub use fibers::{Fiber, Fibers, State as FiberState, fibers};
pub use finder::Finder;
pub use function::{RawFunctionOwned, line, read_function};
pub use interpreter::Interpreter;
pub use kept::{Registers, stack_kept};
pub use layout::Layout;
pub use stack::{Stack, stable, stack_now};
pub use threads::Threads;
pub use variables::{VALUE_MAX, Variables};
pub use version::Version;
pub use window::Window;
