//! The line that tells how a build stands.

use super::levels;
use crate::line::Line;
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};
use trained::{Level, Stage, Step, Watch};

const ON_TERMINAL: Duration = Duration::from_millis(200);

/// Which stage it is, how much of it is done, and how long the rest takes at that rate.
pub struct Progress<'a> {
    stop: &'a AtomicBool,
    line: Option<Line>,
    stage: Option<(Stage, Instant)>,
    /// When the first of what is counted began: configure has no part in how fast files are compiled.
    counted: Option<Instant>,
}

impl<'a> Progress<'a> {
    pub fn new(stop: &'a AtomicBool, quiet: bool) -> Self {
        Self {
            stop,
            line: (!quiet).then(|| Line::new(ON_TERMINAL)),
            stage: None,
            counted: None,
        }
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if let Some(line) = &mut self.line {
            line.clear();
        }
    }

    /// Takes the line away, and tells how long the stage took that is done.
    pub fn end(&mut self) {
        self.clear();
        if self.line.is_none() {
            return;
        }
        if let Some((stage, began)) = self.stage.take() {
            eprintln!("phperf: {}: {:.0} s", stage.name(), began.elapsed().as_secs_f64());
        }
    }
}

impl Watch for Progress<'_> {
    fn stage(&mut self, stage: Stage, done: bool) {
        self.end();
        match (&mut self.line, done) {
            (Some(_), true) => eprintln!("phperf: {}: done before", stage.name()),
            (Some(line), false) => {
                self.stage = Some((stage, Instant::now()));
                self.counted = None;
                line.show(stage.name());
            }
            (None, _) => {}
        }
    }

    fn progress(&mut self, done: usize, of: usize) {
        let (Some(line), Some((stage, _))) = (&mut self.line, self.stage) else {
            return;
        };
        let began = match self.counted {
            Some(began) if done > 0 => began,
            _ => *self.counted.insert(Instant::now()),
        };
        if line.is_due() {
            line.show(&text(stage, began.elapsed(), done, of));
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn tries(&mut self, level: Level) {
        self.end();
        if self.line.is_some() {
            eprintln!("phperf: level {level}");
        }
    }

    /// Who interrupts it later has seen what was measured.
    fn tried(&mut self, step: &Step) {
        self.end();
        if self.line.is_some() {
            eprint!("{}", levels::lines(step));
        }
    }
}

fn text(stage: Stage, elapsed: Duration, done: usize, of: usize) -> String {
    let left = if done == 0 {
        String::new()
    } else {
        let seconds = elapsed.as_secs_f64() / done as f64 * of.saturating_sub(done) as f64;
        format!(" · {seconds:.0} s left")
    };
    format!("{}: {done} of {of}{left}", stage.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_it_took_so_far() {
        let second = Duration::from_secs(10);
        assert_eq!(text(Stage::Train, second, 0, 40), "train: 0 of 40");
        assert_eq!(
            text(Stage::Optimise, second, 10, 40),
            "optimise: 10 of 40 · 30 s left"
        );
        assert_eq!(
            text(Stage::Optimise, second, 41, 40),
            "optimise: 41 of 40 · 0 s left"
        );
    }
}
