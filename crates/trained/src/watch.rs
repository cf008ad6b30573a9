//! Whoever looks on while something is built.

use crate::{Level, Stage, Step};

/// Sees how far a build is, and may end it.
pub trait Watch {
    /// A stage begins; `done` where an earlier build did it already.
    fn stage(&mut self, stage: Stage, done: bool);
    /// So much of so much of the stage is done, such as files that are compiled.
    fn progress(&mut self, done: usize, of: usize);
    /// Whether to stop. Asked several times a second.
    fn is_stopped(&self) -> bool;
    /// Of several levels, this one is built and measured next.
    fn tries(&mut self, _level: Level) {}
    /// What came of one of several levels.
    fn tried(&mut self, _step: &Step) {}
}
