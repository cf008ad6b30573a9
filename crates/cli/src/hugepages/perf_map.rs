//! `phperf hugepages perf-map`.

use super::size;
use crate::args::hugepages::PerfMap;
use anyhow::Result;
use tune::perf_map;

/// Writes the map, and says what it holds.
pub fn run(asked: &PerfMap) -> Result<u8> {
    let written = perf_map::write(asked.pid)?;
    println!(
        "{}: {} functions, {} of {} of the code that was copied",
        written.path.display(),
        written.functions,
        size(written.named),
        size(written.copied)
    );
    if !written.has_all_names {
        println!(
            "the binary was stripped: only exported functions have names; the distribution's package of debugging symbols \
             (-dbgsym) brings the others"
        );
    }
    Ok(0)
}
