//! What being watched costs the target.

use super::Asked;
use crate::{
    bench::Bench,
    figure::Unit,
    profiler::{Profiler, Request, Targets},
    rounds::columns,
    table::{Cell, Row, Table},
};
use anyhow::{Result, ensure};
use php::{Launch, Script, workload};
use std::{
    thread,
    time::{Duration, Instant},
};

pub const NAME: &str = "slowdown";

/// How long the fixed work takes, about.
const SECONDS: f64 = 3.0;
/// No work here takes longer.
const LONG: Duration = Duration::from_secs(120);
/// How long a profiler may take to start.
const START: Duration = Duration::from_secs(1);
/// How much longer than by itself the work may take.
const ROOM: f64 = 1.6;
const WORKLOAD: &str = "framework.php";
/// The CPU to which the target is bound.
const CPU: &str = "1";

pub fn run(bench: &Bench) -> Table {
    let mut columns = columns(bench);
    columns.push("nobody".into());
    let seconds = bench.settings.window(SECONDS);
    let iterations = calibrate(bench, seconds);
    let rows = [99, 999].map(|hz| match &iterations {
        Ok(iterations) => row(bench, hz, *iterations, seconds),
        Err(error) => Row {
            label: format!("framework, {hz} Hz"),
            cells: vec![Cell::Without(format!("{error:#}")); columns.len()],
        },
    });
    Table {
        name: NAME,
        title: "Slow-down of the target",
        method: format!(
            "Fixed work of about {seconds} s on CPU {CPU} by itself and watched, one after the other, in turns; \
             how much longer it took when watched. The last column is by itself both times: what is not \
             clearly above its range cannot be told from nothing. Profilers start before the work and outlast \
             it."
        ),
        columns,
        rows: rows.into(),
        notes: bench.take_notes(),
    }
}

/// A profiler, or nobody, and how much longer the work took in each round.
type Column = (Option<Profiler>, Result<Vec<f64>, String>);

fn row(bench: &Bench, hz: u32, iterations: u64, seconds: f64) -> Row {
    let label = format!("framework, {hz} Hz");
    let asked = if hz < 500 {
        Asked::at_most(0.1, 0.3)
    } else {
        Asked::at_most(0.5, 2.0)
    };
    let mut columns: Vec<Column> = bench
        .profilers()
        .into_iter()
        .map(|profiler| (Some(profiler), bench.program(profiler).map(|_| Vec::new())))
        .collect();
    columns.push((None, Ok(Vec::new())));
    for round in 0..bench.settings.runs {
        let count = columns.len();
        for index in 0..count {
            let (profiler, result) = &mut columns[(index + round) % count];
            let Ok(values) = result else { continue };
            let name = profiler.map_or("nobody".into(), |it| it.to_string());
            eprintln!(
                "slowdown, {label}: {name}, {} of {}",
                round + 1,
                bench.settings.runs
            );
            match pair(bench, *profiler, hz, iterations, seconds, round % 2 == 0) {
                Ok(percent) => values.push(percent),
                Err(error) => *result = Err(format!("{error:#}")),
            }
        }
    }
    let cells = columns.into_iter().map(|(profiler, result)| match result {
        Ok(values) => {
            Cell::figures(values, Unit::Percent).asked(profiler.and_then(|profiler| asked.of(profiler)))
        }
        Err(why) => Cell::Without(why),
    });
    Row {
        label,
        cells: cells.collect(),
    }
}

/// How much longer the work takes when it is watched, in per cent.
fn pair(
    bench: &Bench,
    profiler: Option<Profiler>,
    hz: u32,
    iterations: u64,
    seconds: f64,
    alone_first: bool,
) -> Result<f64> {
    let watched = || watched(bench, profiler, hz, iterations, seconds);
    let alone = || Ok::<_, anyhow::Error>(Work::prepare(bench, iterations)?.run()?.as_secs_f64());
    let (alone, watched) = if alone_first {
        let first = alone()?;
        (first, watched()?)
    } else {
        let first = watched()?;
        (alone()?, first)
    };
    Ok(100.0 * (watched / alone - 1.0))
}

fn watched(bench: &Bench, profiler: Option<Profiler>, hz: u32, iterations: u64, seconds: f64) -> Result<f64> {
    let mut work = Work::prepare(bench, iterations)?;
    let Some(profiler) = profiler else {
        return Ok(work.run()?.as_secs_f64());
    };
    let request = Request {
        targets: Targets::Pids(vec![work.script.pid()]),
        hz,
        seconds: 2.0 * START.as_secs_f64() + seconds * ROOM,
    };
    // The bench waits for its profiler on this thread; the work is done on another one.
    thread::scope(|scope| {
        let work = scope.spawn(|| {
            thread::sleep(START);
            work.run()
        });
        bench.record(profiler, &request)?;
        let time = work.join().expect("the thread does not panic")?.as_secs_f64();
        ensure!(
            START.as_secs_f64() + time < request.seconds,
            "the work took {time:.1} s and outlasted the profiler"
        );
        Ok(time)
    })
}

/// How many iterations take about so many seconds here and now.
fn calibrate(bench: &Bench, seconds: f64) -> Result<u64> {
    const TRIAL: u64 = 20_000;
    let time = Work::prepare(bench, TRIAL)?.run()?.as_secs_f64();
    Ok((TRIAL as f64 * seconds / time) as u64)
}

/// A target that waits for the word to go, and stays when it is done.
struct Work {
    script: Script,
}

impl Work {
    fn prepare(bench: &Bench, iterations: u64) -> Result<Self> {
        let script = Launch::new(&bench.php, workload(WORKLOAD))
            .under(["taskset", "-c", CPU])
            .args(["--iterations", &iterations.to_string(), "--wait"])
            .ready()?;
        Ok(Self { script })
    }

    fn run(&mut self) -> Result<Duration> {
        let start = Instant::now();
        self.script.say("go")?;
        self.script.line_after("result ", LONG)?;
        Ok(start.elapsed())
    }
}
