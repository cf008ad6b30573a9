//! `phperf hugepages`.

mod apply;
mod change;
mod copy;
mod gather;
mod json;
mod perf_map;
mod status;
mod unit;
mod verify;

use crate::args::hugepages::{Command, Hugepages};
use anyhow::Result;

/// Runs a verb of `hugepages`.
pub fn run(asked: &Hugepages) -> Result<u8> {
    match &asked.command {
        Command::Status(asked) => status::run(asked),
        Command::Apply(asked) => apply::run(asked),
        Command::Verify(asked) => verify::run(asked),
        Command::PerfMap(asked) => perf_map::run(asked),
        Command::Revert(asked) => change::revert(asked),
        Command::Warm(asked) => copy::warm(asked),
    }
}

/// Bytes for people: `3.0 MB`, `512 KB`.
fn size(bytes: u64) -> String {
    match bytes {
        0 => "0".into(),
        1..1_048_576 => format!("{} KB", bytes.div_ceil(1024)),
        _ => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let sizes = [0, 1, 4096, 3_192_861, 128 << 20].map(size);
        assert_eq!(sizes, ["0", "1 KB", "4 KB", "3.0 MB", "128.0 MB"]);
    }
}
