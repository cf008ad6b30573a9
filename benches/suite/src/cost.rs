//! The fixed cost of an iteration, and of a whole suite.

use crate::tool::{Tool, median};
use anyhow::Result;
use std::{fmt::Write, fs, time::Duration};

const SUBJECTS: usize = 50;
const ITERATIONS: usize = 10;
/// Iterations of the two runs whose difference is the cost of an iteration.
const SLOPE: (usize, usize) = (10, 210);

/// Prints medians of so many rounds; in a round every program has its turn.
pub fn print(tool: &Tool, rounds: usize) -> Result<()> {
    let suite = tool.scratch.join("FiftyBench.php");
    let mut code = String::from("<?php\nclass FiftyBench\n{\n");
    for number in 0..SUBJECTS {
        writeln!(
            code,
            "    public function bench{number}() {{ return md5('phperf'); }}"
        )?;
    }
    fs::write(&suite, code + "}\n")?;
    let one = tool.scratch.join("OneBench.php");
    fs::write(
        &one,
        "<?php\nclass OneBench\n{\n    public function benchOne() { return md5('phperf'); }\n}\n",
    )?;

    let mut columns: [(&str, Vec<Duration>, Vec<Duration>); 3] = [
        ("phperf, forks", vec![], vec![]),
        ("phperf, a PHP each", vec![], vec![]),
        ("PHPBench", vec![], vec![]),
    ];
    for _ in 0..rounds {
        for (name, whole, slope) in &mut columns {
            let run = |suite, iterations: usize| {
                let iterations = format!("--iterations={iterations}");
                let arguments = ["--revs=1", &iterations];
                match *name {
                    "phperf, forks" => tool.phperf(suite, &arguments).map(Some),
                    "PHPBench" => tool.phpbench(suite, &arguments),
                    _ => tool
                        .phperf(suite, &[arguments[0], arguments[1], "--isolation=process"])
                        .map(Some),
                }
            };
            let (Some(all), Some(few), Some(many)) =
                (run(&suite, ITERATIONS)?, run(&one, SLOPE.0)?, run(&one, SLOPE.1)?)
            else {
                continue;
            };
            whole.push(all);
            slope.push(many.saturating_sub(few) / (SLOPE.1 - SLOPE.0) as u32);
        }
    }
    println!("| | an iteration | {SUBJECTS} subjects of {ITERATIONS} iterations, whole |\n|---|---|---|");
    for (name, whole, slope) in columns {
        if whole.is_empty() {
            println!("| {name} | skipped: PHPBENCH does not name it | |");
        } else {
            let milliseconds = |values| median(values).as_secs_f64() * 1e3;
            println!(
                "| {name} | {:.2} ms | {:.0} ms |",
                milliseconds(slope),
                milliseconds(whole)
            );
        }
    }
    println!(
        "\nMedians of {rounds} rounds. An iteration: the difference between runs of {} and {}.\n",
        SLOPE.1, SLOPE.0
    );
    Ok(())
}
