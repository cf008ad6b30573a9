//! The line that tells how a comparison stands.

use crate::line::Line;
use std::time::{Duration, Instant};
use trial::{Progress, Stage};

const ON_TERMINAL: Duration = Duration::from_millis(200);

/// How many pairs there are, and how many may follow. It shows no ratio: whoever sees one is tempted to stop when it is
/// to their liking, and that spoils the answer.
pub struct ProgressLine {
    line: Line,
    first_pair: Option<Instant>,
}

impl ProgressLine {
    pub fn new() -> Self {
        Self {
            line: Line::new(ON_TERMINAL),
            first_pair: None,
        }
    }

    pub fn show(&mut self, progress: &Progress<'_>) {
        let started = match progress.stage {
            Stage::WarmUp => None,
            Stage::Pairs => Some(*self.first_pair.get_or_insert_with(Instant::now)),
        };
        if self.line.is_due() {
            self.line
                .show(&text(progress, started.map(|started| started.elapsed())));
        }
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        self.line.clear();
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
