//! Processes that keep the CPUs busy.

use anyhow::Result;
use php::Binary;
use std::{
    process::{Child, Command, Stdio},
    thread,
};

/// Busy for up to 300 ms, away for up to 100, on memory that does not fit into the near caches; until its standard input
/// ends, as it does when whoever started it has, whatever ended that.
const BURSTS: &str = r"
    $memory = range(0, 200000);
    stream_set_blocking(STDIN, false);
    while (fread(STDIN, 1) !== false && !feof(STDIN)) {
        $end = hrtime(true) + random_int(5, 300) * 1_000_000;
        while (hrtime(true) < $end) for ($i = 0; $i < 1000; $i++) $memory[random_int(0, 199999)]++;
        usleep(random_int(1, 100) * 1000);
    }
";

/// One for each CPU; killed when this is dropped.
pub struct Neighbours(Vec<Child>);

impl Neighbours {
    /// Starts them.
    pub fn start(php: &Binary) -> Result<Self> {
        let mut neighbours = Self(Vec::new());
        for _ in 0..thread::available_parallelism()?.get() {
            let child = Command::new(&php.path)
                .args(["-n", "-r", BURSTS])
                .stdin(Stdio::piped())
                .spawn()?;
            neighbours.0.push(child);
        }
        Ok(neighbours)
    }
}

impl Drop for Neighbours {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
