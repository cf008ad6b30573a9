//! `phperf report`.
use crate::args;
use anyhow::Result;
pub fn run(_asked: &args::Report) -> Result<u8> { anyhow::bail!("not yet") }
