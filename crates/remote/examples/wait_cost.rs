//! What a look at a thread that waits costs: `cargo run --release -p phperf-remote --example wait_cost -- PID…`

use remote::{Process, task::thread, wait::Waits};

const LOOKS: u32 = 20_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for pid in std::env::args().skip(1) {
        let process = Process::open(pid.parse()?)?;
        let mut waits = Waits::default();
        let first = waits.look(&process)?;
        let began = thread::own_cpu_ns();
        for _ in 0..LOOKS {
            waits.look(&process)?;
        }
        let each = (thread::own_cpu_ns() - began) as f64 / f64::from(LOOKS) / 1000.0;
        let times = first.as_ref().map_or(0, |look| look.times);
        let began = thread::own_cpu_ns();
        for _ in 0..LOOKS {
            waits.is_same(&process, times)?;
        }
        let again = (thread::own_cpu_ns() - began) as f64 / f64::from(LOOKS) / 1000.0;
        let what = first.map_or_else(|| "runs".to_owned(), |look| format!("{:?}", look.wait));
        println!("{pid}: {each:.1} µs of CPU a look, {again:.1} µs to tell that it still goes on ({what})");
    }
    Ok(())
}
