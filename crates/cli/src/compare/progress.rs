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
    ends: Option<Instant>,
}

impl ProgressLine {
    /// Of a run that may take so long from now on, or for ever.
    pub fn new(time: Option<Duration>) -> Self {
        Self {
            line: Line::new(ON_TERMINAL),
            first_pair: None,
            ends: time.and_then(|time| Instant::now().checked_add(time)),
        }
    }

    pub fn show(&mut self, progress: &Progress<'_>) {
        let started = match progress.stage {
            Stage::WarmUp => None,
            Stage::Pairs => Some(*self.first_pair.get_or_insert_with(Instant::now)),
        };
        if self.line.is_due() {
            let left = self
                .ends
                .map(|ends| ends.saturating_duration_since(Instant::now()));
            self.line
                .show(&text(progress, started.map(|started| started.elapsed()), left));
        }
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        self.line.clear();
    }
}

fn text(progress: &Progress<'_>, elapsed: Option<Duration>, allowed: Option<Duration>) -> String {
    let Some(elapsed) = elapsed else {
        return "warming up".to_owned();
    };
    let most = progress.pairs + progress.left;
    let left = if progress.pairs == 0 {
        String::new()
    } else {
        let wanted = elapsed.as_secs_f64() / progress.pairs as f64 * progress.left as f64;
        let seconds = allowed.map_or(wanted, |allowed| wanted.min(allowed.as_secs_f64()));
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
            text(&progress, elapsed, None),
            "20 of at most 60 pairs · 20 s left at most"
        );
        assert_eq!(
            text(&progress, elapsed, Some(Duration::from_secs(7))),
            "20 of at most 60 pairs · 7 s left at most"
        );
        (progress.pairs, progress.left) = (0, 60);
        assert_eq!(text(&progress, elapsed, None), "0 of at most 60 pairs");
        assert_eq!(text(&progress, None, None), "warming up");
    }
}
