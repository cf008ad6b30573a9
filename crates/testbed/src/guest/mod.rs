//! Another Linux: a virtual machine that boots a kernel of another release with a few programs of this machine.

mod boot;
mod files;
mod kernel;

pub use boot::boot;
pub use files::Files;
pub use kernel::Kernel;
