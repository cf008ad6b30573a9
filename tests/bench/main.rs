//! `phperf bench`, from end to end: real suites, real PHP.

mod compare;
mod discovery;
mod files;
mod kept;
mod pages;
#[cfg(feature = "postgres")]
mod postgres;
mod profile;
mod reports;
mod sampling;
mod store;
mod suite;
mod suites;
mod trouble;

#[path = "../support/chromium.rs"]
mod chromium;
#[path = "../support/mod.rs"]
mod support;
