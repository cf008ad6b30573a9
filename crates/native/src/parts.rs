//! Both stacks in parts: that of C where the interpreter runs, that of PHP where C has called what the interpreter runs.

use crate::{
    binary::Part,
    join::{OfC, OfPhp, Runs},
};
use std::ops::Range;

/// Frames of PHP that one frame of the interpreter runs, and those that these have called in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Functions in C, the innermost first.
    pub internal: Vec<usize>,
    /// The innermost function that is written in PHP; `None` where the stack of PHP ends before it.
    pub user: Option<usize>,
}

/// The groups of a stack, the innermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    pub known: Vec<Group>,
    /// The outermost, where PHP's stack ends within it: it was not read to its end, or makes no sense.
    pub rest: Option<Group>,
}

impl Groups {
    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Group> {
        self.known.iter().chain(&self.rest)
    }
}

/// Parts PHP's stack.
pub fn groups(of_php: &[OfPhp]) -> Groups {
    let mut groups = Groups::default();
    let mut internal = Vec::new();
    let mut user = None;
    for (index, frame) in of_php.iter().enumerate() {
        match frame.runs {
            Runs::Nothing => {}
            Runs::Fiber => return groups,
            Runs::Internal(_) if user.is_some() => break,
            Runs::Internal(_) => internal.push(index),
            Runs::User => {
                let innermost = *user.get_or_insert(index);
                if frame.by_c {
                    groups.known.push(Group {
                        internal: std::mem::take(&mut internal),
                        user: Some(innermost),
                    });
                    user = None;
                }
            }
        }
    }
    let has_rest = user.is_some() || !internal.is_empty();
    groups.rest = has_rest.then_some(Group { internal, user });
    groups
}

/// What lies between the frames of the interpreter: one stretch more than there are such frames.
pub fn stretches(of_c: &[OfC]) -> Vec<Range<usize>> {
    let entries = of_c
        .iter()
        .enumerate()
        .filter(|(_, frame)| frame.part == Part::Interpreter);
    let mut stretches = Vec::new();
    let mut start = 0;
    for (entry, _) in entries {
        stretches.push(start..entry);
        start = entry + 1;
    }
    stretches.push(start..of_c.len());
    stretches
}

/// The same where the interpreter does not yet run the innermost function, or no more: the first stretch ends where that was
/// called.
pub fn before_entry(of_c: &[OfC], stretches: &[Range<usize>]) -> Vec<Range<usize>> {
    let Some(call) = calls(of_c, &stretches[0]).next() else {
        return stretches.to_vec();
    };
    let first = [stretches[0].start..call, call..stretches[0].end];
    first.into_iter().chain(stretches[1..].iter().cloned()).collect()
}

/// Where in a stretch C calls PHP.
pub fn calls(of_c: &[OfC], stretch: &Range<usize>) -> impl Iterator<Item = usize> {
    stretch.clone().filter(|&frame| of_c[frame].part == Part::Call)
}
