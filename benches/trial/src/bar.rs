//! What has to be reached.

use crate::layout::Layout;

/// A share of comparisons that may, or has to, claim a change.
pub struct Bar {
    /// Its name on the command line.
    pub key: &'static str,
    /// How much more work B does, as a share.
    pub more: f64,
    /// Where.
    pub layout: Layout,
    /// At most (of the same work) or at least (of more work) so many are claimed.
    pub share: f64,
    /// Comparisons to run.
    pub comparisons: usize,
    /// Pairs of each at most. A comparison of the same code may be wrong with any number.
    pub pairs: usize,
    /// The margin, as phperf takes it. Where the work differs it is half of the least difference, so that what is
    /// found is not called the same.
    pub margin: &'static str,
}

/// Those of the project.
pub const ALL: [Bar; 4] = [
    Bar {
        key: "same-pinned",
        more: 0.0,
        layout: Layout::Pinned,
        share: 0.01,
        comparisons: 200,
        pairs: 20,
        margin: "1",
    },
    Bar {
        key: "same-busy",
        more: 0.0,
        layout: Layout::Busy,
        share: 0.01,
        comparisons: 200,
        pairs: 20,
        margin: "1",
    },
    Bar {
        key: "one",
        more: 0.01,
        layout: Layout::Pinned,
        share: 0.9,
        comparisons: 40,
        pairs: 60,
        margin: "0.5",
    },
    Bar {
        key: "two",
        more: 0.02,
        layout: Layout::Pinned,
        share: 0.99,
        comparisons: 40,
        pairs: 60,
        margin: "0.5",
    },
];

impl Bar {
    /// Whether so many claims reach it.
    pub fn holds(&self, claimed: usize, count: usize) -> bool {
        let share = claimed as f64 / count as f64;
        if self.more > 0.0 {
            share >= self.share
        } else {
            share <= self.share
        }
    }

    /// In words.
    pub fn text(&self) -> String {
        let percent = self.share * 100.0;
        if self.more > 0.0 {
            format!("{percent:.0} % slower or more")
        } else {
            format!("{percent:.0} % claimed or fewer")
        }
    }
}
