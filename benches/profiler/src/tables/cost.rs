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
        .map(|slopes| median(&totals(slopes)));
    let ratios = Row {
        label: format!("{label}: phpspy's time over it"),
        cells: ratios(&results, phpspy, times),
    };
    let cells = results.into_iter().map(|(profiler, result)| match result {
        Ok(slopes) => {
            let kernel: Vec<_> = slopes.iter().map(|slope| slope.kernel).collect();
            let cell = Cell::figures(totals(&slopes), Unit::Micros);
            if profiler == Profiler::Kernel {
                cell.aside(format!(
                    "{} of it in the kernel",
                    Unit::Micros.format(median(&kernel))
                ))
            } else {
                cell
            }
        }
        Err(why) => Cell::Without(why),
    });
    let figures = Row {
        label,
        cells: cells.collect(),
    };
    vec![figures, ratios]
}

/// Microseconds per sample.
#[derive(Clone, Copy, Debug)]
struct Slope {
    total: f64,
    /// The part of it that programs in the kernel took.
    kernel: f64,
}

fn totals(slopes: &[Slope]) -> Vec<f64> {
    slopes.iter().map(|slope| slope.total).collect()
}

fn ratios(results: &Results<Slope>, phpspy: Option<f64>, times: Option<&Times>) -> Vec<Cell> {
    let cell = |(profiler, result): &(Profiler, Result<Vec<Slope>, String>)| {
        let (Some(phpspy), Ok(slopes)) = (phpspy, result) else {
            return Cell::Without("not measured".into());
        };
        let bound = times.and_then(|times| match profiler {
            Profiler::Kernel => Some(times.kernel),
            Profiler::Reader => Some(times.reader),
            Profiler::Phpspy => None,
        });
        let ratios = slopes.iter().map(|slope| phpspy / slope.total).collect();
        Cell::figures(ratios, Unit::Times).asked(bound.map(Bound::AtLeast))
    };
    results.iter().map(cell).collect()
}

fn slope(bench: &Bench, profiler: Profiler, scripts: &Scripts, hz: u32) -> Result<Slope> {
    let (short, long) = windows(bench);
    let measure = |seconds| {
        let request = Request {
            targets: scripts.targets(),
            hz,
            seconds,
        };
        let recording = bench.record(profiler, &request)?;
        Ok::<_, anyhow::Error>((recording.cpu_ns(), recording.kernel_ns(), recording.taken()?))
    };
    let (cpu_short, kernel_short, taken_short) = measure(short)?;
    let (cpu_long, kernel_long, taken_long) = measure(long)?;
    ensure!(
        taken_long > taken_short,
        "no more samples in {long} s than in {short} s"
    );
    let more = (taken_long - taken_short) * 1000.0;
    Ok(Slope {
        total: (cpu_long - cpu_short) / more,
        kernel: (kernel_long - kernel_short) / more,
    })
}
