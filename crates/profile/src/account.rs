//! The account of a recording: what became of every tick that was due.

use std::{fmt, ops::AddAssign, time::Duration};

/// Where stacks came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An eBPF program walked the stack on the target's own CPU.
    Kernel,
    /// This process read the target's memory from the target's CPU.
    Reader,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kernel => "kernel",
            Self::Reader => "reader",
        })
    }
}

/// What became of the ticks of one target or of all. Each unit is one sampling period.
///
/// `due = on_cpu + runnable + blocked + idle + missed + lost + unreadable`, but for the ticks that the
/// edges of the recording split: then `missed` is 0 and not below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Ticks that should have been seen: the time for which the target was observed, over the period.
    pub due: u64,
    /// Seen while it ran PHP code on a CPU.
    pub on_cpu: u64,
    /// Seen in PHP code, ready to run, with no CPU to run on.
    pub runnable: u64,
    /// Seen in PHP code, waiting.
    pub blocked: u64,
    /// Seen with no PHP code running, as between two requests.
    pub idle: u64,
    /// Due, but nobody looked: a late timer or an overloaded machine.
    pub missed: u64,
    /// Seen, but dropped since a buffer was full.
    pub lost: u64,
    /// Seen, but the stack's memory could not be read.
    pub unreadable: u64,
    /// Seen and kept without the outermost frames: there are more than the depth limit, they could not be read, or a fiber goes back.
    pub cut: u64,
    /// Read again since the target moved while it was read; the second reading was kept.
    pub retried: u64,
    /// On a CPU, but the timer gave no tick of their own (short bursts, a machine that was stopped): the next
    /// sample stands for them too.
    pub carried: u64,
}

impl Tally {
    /// Ticks that gave a stack.
    pub const fn taken(&self) -> u64 {
        self.on_cpu + self.runnable + self.blocked
    }

    /// Ticks that gave a stack while the target waited.
    pub const fn waiting(&self) -> u64 {
        self.runnable + self.blocked
    }

    /// Ticks that were seen, whatever became of them.
    pub const fn seen(&self) -> u64 {
        self.taken() + self.idle + self.lost + self.unreadable
    }

    /// Sets what was due, and derives what was missed from it.
    pub const fn close(&mut self, due: u64) {
        self.due = due;
        self.missed = due.saturating_sub(self.seen());
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.due += other.due;
        self.on_cpu += other.on_cpu;
        self.runnable += other.runnable;
        self.blocked += other.blocked;
        self.idle += other.idle;
        self.missed += other.missed;
        self.lost += other.lost;
        self.unreadable += other.unreadable;
        self.cut += other.cut;
        self.retried += other.retried;
        self.carried += other.carried;
    }
}

/// One target's part of the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetAccount {
    /// The process.
    pub pid: u32,
    /// The thread, each of which is a target of its own; equal to `pid` in PHP without threads.
    pub tid: u32,
    /// What it is, for people: its command line, shortened, or its FPM pool.
    pub name: String,
    /// The version of its PHP, such as `8.2.29 NTS`.
    pub php: String,
    /// What became of its ticks.
    pub tally: Tally,
    /// Whether it ended while it was recorded.
    pub ended: bool,
}

/// The account of a whole recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Which source took the stacks.
    pub source: Source,
    /// Where `source` is not the kernel: why not, and what would allow it.
    pub why_not_kernel: Option<String>,
    /// What the user should know of how the samples were taken, a sentence each.
    pub notes: Vec<String>,
    /// The sampling period.
    pub period: Duration,
    /// How long the recording took.
    pub duration: Duration,
    /// CPU time of phperf itself.
    pub own_cpu: Duration,
    /// CPU time of the programs in the kernel, where the kernel counts it (sysctl `kernel.bpf_stats_enabled`).
    pub kernel_cpu: Option<Duration>,
    /// Each target, in the order in which they were found.
    pub targets: Vec<TargetAccount>,
}

impl Account {
    /// The sum over all targets.
    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        for target in &self.targets {
            total += target.tally;
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_derives_what_was_missed() {
        let mut tally = Tally {
            on_cpu: 5,
            blocked: 2,
            idle: 1,
            lost: 1,
            ..Tally::default()
        };
        tally.close(10);
        assert_eq!(tally.missed, 1);
        tally.close(8);
        assert_eq!(
            tally.missed, 0,
            "a tick too many at the edge is not a negative miss"
        );
    }
}
