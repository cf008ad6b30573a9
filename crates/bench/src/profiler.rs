//! Whoever records stacks while a subject runs: this crate says when, and knows no more of it.

/// Records the process of a subject.
///
/// For each variant: `begin` and `end` for each of its iterations, then `keep`, or `discard` where it failed.
pub trait Profiler {
    /// Records `pid` from now on, until [`end`](Self::end): the measured loop of `Class::subject # set` is about to run. It
    /// returns when stacks are taken, or says in one line why that cannot be.
    fn begin(&mut self, name: &str, pid: u32) -> Result<(), String>;

    /// The loop is over.
    fn end(&mut self) -> Result<(), String>;

    /// The variant is over: what was recorded is to be kept.
    fn keep(&mut self, name: &str) -> Result<(), String>;

    /// The variant failed, perhaps between `begin` and `end`: what was recorded is of no use.
    fn discard(&mut self);
}
