//! PHP as tests and benchmarks need it: finds its binaries, describes them, starts scripts and FPM pools, and
//! sends requests to them.
//!
//! Whatever is started here ends when its handle is dropped, and is ended by that handle, never by its name.
//! This crate must not know the profiler: it looks at PHP from the outside, as a user's shell does.

mod apache;
mod binary;
mod cgi;
mod daemon;
mod error;
mod fastcgi;
mod fpm;
mod http;
mod info;
mod ini;
mod lines;
mod load;
mod script;

pub use apache::{Apache, Served};
pub use binary::{Binary, Sapi};
pub use cgi::Cgi;
pub use daemon::Owner;
pub use error::Error;
pub use fastcgi::{Request, Response};
pub use fpm::{Fpm, Manager, Pool};
pub use info::Info;
pub use ini::Ini;
pub use lines::Lines;
pub use load::Load;
pub use script::{Launch, Script};

use std::path::PathBuf;

/// The path of a program in `workloads/`, such as `framework.php` or `fpm/busy.php`, of the source tree from
/// which this was built.
pub fn workload(name: &str) -> PathBuf {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../workloads")).join(name);
    path.canonicalize().unwrap_or(path)
}
