//! `phperf dump`.
use crate::args;
use anyhow::Result;
pub fn run(_asked: &args::Dump) -> Result<u8> { anyhow::bail!("not yet") }
