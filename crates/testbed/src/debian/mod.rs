//! What Debian and Ubuntu have, beside what this machine has: other releases in roots of their own, and sources.

mod apt;
mod keys;
mod release;
mod root;
mod source;

pub(crate) use apt::Apt;
pub(crate) use keys::keys;
pub use release::Release;
pub use root::Root;
pub use source::source;
