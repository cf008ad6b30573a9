//! `phperf bench`, from end to end: real suites, real PHP.

mod discovery;
mod reports;
mod sampling;
mod suite;
mod suites;
mod trouble;

#[path = "../support/mod.rs"]
mod support;
