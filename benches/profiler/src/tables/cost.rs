//! CPU time per sample, as a slope.

use crate::{
    bench::Bench,
    figure::{Unit, median},
    load::Scripts,
    profiler::{Profiler, Request},
    rounds::{Results, columns, rounds},
    table::{Bound, Cell, Row, Table},
};
use anyhow::{Result, ensure};

pub const NAME: &str = "cost";

/// The two windows, in seconds.
const WINDOWS: (f64, f64) = (2.0, 8.0);

/// How many times cheaper than phpspy the kernel and the reader are asked to be.
struct Times {
    kernel: f64,
    reader: f64,
}

pub fn run(bench: &Bench) -> Table {
    let fast = Times {
        kernel: 25.0,
        reader: 4.0,
    };
    let waiting = Times {
        kernel: 5.0,
        reader: 4.0,
    };
    let mut rows = Vec::new();
    for (name, count, hz, times) in [
        ("framework", 1, 999, Some(&fast)),
        ("wordpress", 1, 999, Some(&fast)),
        ("synthetic", 1, 999, Some(&waiting)),
        ("framework", 1, 99, None),
        ("framework", 1, 9999, None),
        ("framework", 4, 999, None),
    ] {
        rows.extend(row(bench, name, count, hz, times));
    }
    let (short, long) = windows(bench);
    Table {
        name: NAME,
        title: "CPU time per sample",
        method: format!(
            "User and system time of the profiler and its children, and the run time of its programs in the \
             kernel. A slope: what a window of {long} s cost more than one of {short} s, over the samples that \
             it has more; start-up is not in it. A waiting target's samples count like others. The second line \
             of each workload is phpspy's time over the column's, both from the same rounds."
        ),
        columns: columns(bench),
        rows,
        notes: bench.take_notes(),
    }
}

fn windows(bench: &Bench) -> (f64, f64) {
    (bench.settings.window(WINDOWS.0), bench.settings.window(WINDOWS.1))
}

fn row(bench: &Bench, name: &str, count: usize, hz: u32, times: Option<&Times>) -> Vec<Row> {
    let label = if count == 1 {
        format!("{name}, {hz} Hz")
    } else {
        format!("{count} × {name}, {hz} Hz")
    };
    let scripts = Scripts::start(bench, name, count);
    let results = rounds(bench, &label, |profiler| {
        let scripts = scripts.as_ref().map_err(|error| anyhow::anyhow!("{error:#}"))?;
        slope(bench, profiler, scripts, hz)
    });
    let phpspy = results
        .iter()
        .find(|(profiler, _)| *profiler == Profiler::Phpspy)
        .and_then(|(_, result)| result.as_ref().ok())
        .map(|values| median(values));
    let ratios = Row {
        label: format!("{label}: phpspy's time over it"),
        cells: ratios(&results, phpspy, times),
    };
    let cells = results.into_iter().map(|(_, result)| match result {
        Ok(values) => Cell::figures(values, Unit::Micros),
        Err(why) => Cell::Without(why),
    });
    let figures = Row {
        label,
        cells: cells.collect(),
    };
    vec![figures, ratios]
}

fn ratios(results: &Results<f64>, phpspy: Option<f64>, times: Option<&Times>) -> Vec<Cell> {
    let cell = |(profiler, result): &(Profiler, Result<Vec<f64>, String>)| {
        let (Some(phpspy), Ok(values)) = (phpspy, result) else {
            return Cell::Without("not measured".into());
        };
        let bound = times.and_then(|times| match profiler {
            Profiler::Kernel => Some(times.kernel),
            Profiler::Reader => Some(times.reader),
            Profiler::Phpspy => None,
        });
        let ratios = values.iter().map(|value| phpspy / value).collect();
        Cell::figures(ratios, Unit::Times).asked(bound.map(Bound::AtLeast))
    };
    results.iter().map(cell).collect()
}

/// Microseconds per sample.
fn slope(bench: &Bench, profiler: Profiler, scripts: &Scripts, hz: u32) -> Result<f64> {
    let (short, long) = windows(bench);
    let measure = |seconds| {
        let request = Request {
            targets: scripts.targets(),
            hz,
            seconds,
        };
        let recording = bench.record(profiler, &request)?;
        Ok::<_, anyhow::Error>((recording.cpu_ns(), recording.taken()?))
    };
    let (cpu_short, taken_short) = measure(short)?;
    let (cpu_long, taken_long) = measure(long)?;
    ensure!(
        taken_long > taken_short,
        "no more samples in {long} s than in {short} s"
    );
    Ok((cpu_long - cpu_short) / (taken_long - taken_short) / 1000.0)
}
