//! `phperf bench`, from end to end: real suites, real PHP.

mod compare;
mod discovery;
#[cfg(feature = "postgres")]
mod postgres;
mod reports;
mod sampling;
mod store;
mod suite;
mod suites;
mod trouble;

#[path = "../support/mod.rs"]
mod support;
