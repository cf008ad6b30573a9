//! PHP's code on huge pages: real PHP, real FPM, the kernel's own word for it.

#[path = "../support/mod.rs"]
mod support;

mod applied;
mod changes;
mod copies;
mod elsewhere;
mod fpm;
mod interrupted;
mod perf_map;
mod trouble;
mod units;
mod verified;
