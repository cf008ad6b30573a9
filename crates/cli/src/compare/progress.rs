//! The line that tells how a comparison stands.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};
use trial::{Progress, Stage};

const ON_TERMINAL: Duration = Duration::from_millis(200);
const ELSEWHERE: Duration = Duration::from_secs(10);

/// On a terminal one line that is written over, elsewhere a line now and then. It shows no ratio: whoever sees one
/// is tempted to stop when it is to their liking, and that spoils the answer.
pub struct ProgressLine {
    is_terminal: bool,
    shown: Instant,
    first_pair: Option<Instant>,
}

impl ProgressLine {
    pub fn new() -> Self {
        Self {
            is_terminal: io::stderr().is_terminal(),
            shown: Instant::now(),
            first_pair: None,
        }
    }

    pub fn show(&mut self, progress: &Progress<'_>) {
        let started = match progress.stage {
            Stage::WarmUp => None,
            Stage::Pairs => Some(*self.first_pair.get_or_insert_with(Instant::now)),
        };
        if self.shown.elapsed() < if self.is_terminal { ON_TERMINAL } else { ELSEWHERE } {
            return;
        }
        self.shown = Instant::now();
        let line = text(progress, started.map(|started| started.elapsed()));
        // Nobody reads it any more: no reason to end the comparison.
        let _ = if self.is_terminal {
            write!(io::stderr(), "\r\x1b[K{line}")
        } else {
            writeln!(io::stderr(), "phperf: {line}")
        };
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.is_terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn text(progress: &Progress<'_>, elapsed: Option<Duration>) -> String {
    let Some(elapsed) = elapsed else {
        return "warming up".to_owned();
    };
    let most = progress.pairs + progress.left;
    let left = if progress.pairs == 0 {
        String::new()
    } else {
        let seconds = elapsed.as_secs_f64() / progress.pairs as f64 * progress.left as f64;
        format!(" · {seconds:.0} s left at most")
    };
    format!("{} of at most {most} pairs{left}", progress.pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_how_long_it_takes_at_most() {
        let mut progress = Progress {
            stage: Stage::Pairs,
            name: "A to B",
            pairs: 20,
            left: 40,
            over: 0,
            look: None,
        };
        let elapsed = Some(Duration::from_secs(10));
        assert_eq!(
            text(&progress, elapsed),
            "20 of at most 60 pairs · 20 s left at most"
        );
        (progress.pairs, progress.left) = (0, 60);
        assert_eq!(text(&progress, elapsed), "0 of at most 60 pairs");
        assert_eq!(text(&progress, None), "warming up");
    }
}
