//! The size of the binary.

use super::Asked;
use crate::{
    bench::Bench,
    figure::Unit,
    profiler::Profiler,
    rounds::columns,
    table::{Cell, Row, Table},
};
use anyhow::{Context, Result, ensure};
use std::{fs, path::Path, process::Command};

pub const NAME: &str = "binary";

pub fn run(bench: &Bench) -> Table {
    let cell = |profiler: Profiler| match bench.program(profiler) {
        Ok(path) => match stripped(&path) {
            Ok(bytes) => Cell::figures(vec![bytes as f64 / 1e6], Unit::Megabytes)
                .asked(Asked::at_most(3.5, 3.5).of(profiler)),
            Err(error) => Cell::Without(format!("{error:#}")),
        },
        Err(why) => Cell::Without(why),
    };
    Table {
        name: NAME,
        title: "Size of the binary",
        method:
            "As a file, stripped. phpspy calls objdump, readelf, awk, grep and pgrep of the system; phperf \
                 calls nothing."
                .into(),
        columns: columns(bench),
        rows: vec![Row {
            label: "stripped".into(),
            cells: bench.profilers().into_iter().map(cell).collect(),
        }],
        notes: bench.take_notes(),
    }
}

fn stripped(path: &Path) -> Result<u64> {
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("stripped");
    let status = Command::new("strip")
        .arg("-o")
        .arg(&copy)
        .arg(path)
        .status()
        .context("cannot strip: is binutils installed?")?;
    ensure!(status.success(), "strip failed");
    Ok(fs::metadata(copy)?.len())
}
