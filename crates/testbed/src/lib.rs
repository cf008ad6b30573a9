//! The world around PHP, for tests and benchmarks: real databases and poolers, PHP and kernels of other Debian
//! releases, the sources of PHP, and extensions that are built for any of them.
//!
//! Whatever is started here ends when its handle is dropped, and is ended by that handle, never by its name.
//! Servers listen on sockets in temporary folders and on free ports of the loopback device. What is costly to
//! make is kept in a cache outside the source tree, under a name that stands for all it is made of.

mod cache;
mod clients;
mod debian;
mod door;
mod error;
mod extension;
mod guest;
mod place;
mod runtests;
mod servers;
mod toolchain;

pub use cache::{Cache, Workshop};
pub use clients::{Answers, Clients};
pub use debian::{Release, Root, source};
pub use door::door;
pub use error::Error;
pub use extension::Extension;
pub use guest::{Files, Kernel, boot};
pub use place::Place;
pub use runtests::{Outcome, Results, RunTests};
pub use servers::{MariaDb, PgBouncer, Pooler, Postgres, Said, Tap};
pub use toolchain::{Kind, Toolchain};
