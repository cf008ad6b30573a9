//! Which frames of C each frame of PHP has called.

use crate::{
    binary::Part,
    parts::{self, Group},
};
use std::ops::Range;

/// What a frame of PHP runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// A function that is written in PHP.
    User,
    /// One that is written in C, and where its code begins, if that is known.
    Internal(Option<u64>),
    /// Nothing: it waits for a generator to which it delegates, and is not on the stack of C.
    Nothing,
    /// The outermost frame of a fiber, at which the fiber's own stack of C begins.
    Fiber,
}

/// A frame of PHP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfPhp {
    pub runs: Runs,
    /// C has called it, and not an instruction of PHP.
    pub by_c: bool,
}

/// A frame of C, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfC {
    /// Where its function begins.
    pub start: u64,
    pub part: Part,
}

/// Frames of C that a frame of PHP has called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// The frame of PHP.
    pub by: usize,
    /// The frames of C.
    pub frames: Range<usize>,
}

/// How far the two stacks agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// All of PHP's frames stand between those of C.
    Whole,
    /// The outermost frames of C are missing.
    Cut,
    /// Only what PHP's innermost frame has called is known for sure.
    Innermost,
}

/// Joins the two stacks, both with the innermost frame first. `is_lost`: the stack of C goes on, nobody knows how.
///
/// The interpreter runs as often as C has called functions that are written in PHP. So each stretch between two of its frames
/// belongs where PHP has such a call. Shortly before and after a call PHP's innermost frame is the callee, though the
/// interpreter does not run it: then the stretch that comes first is that between the callee and its caller.
pub fn join(of_c: &[OfC], of_php: &[OfPhp], is_lost: bool) -> (Vec<Called>, Fit) {
    let groups = parts::groups(of_php);
    let stretches = parts::stretches(of_c);
    let first = of_php.first();
    let may_be_outside = first.is_some_and(|first| first.by_c && first.runs == Runs::User)
        && parts::calls(of_c, &stretches[0]).next().is_some();
    if (!may_be_outside || stretches.len() > groups.known.len())
        && let Some(joined) = agree(of_c, of_php, &stretches, &groups, is_lost)
    {
        return joined;
    }
    if may_be_outside && !is_lost {
        let stretches = parts::before_entry(of_c, &stretches);
        if let Some(joined) = agree(of_c, of_php, &stretches, &groups, is_lost) {
            return joined;
        }
    }
    let own = 0..innermost(of_c, of_php, &stretches[0]);
    let fit = if is_lost && own.len() == of_c.len() {
        Fit::Cut
    } else {
        Fit::Innermost
    };
    (vec![Called { by: 0, frames: own }], fit)
}

/// The frames up to the code of PHP's innermost function, if that is written in C and on the stack.
pub fn own(of_c: &[OfC], of_php: &[OfPhp]) -> Option<Called> {
    let Runs::Internal(Some(code)) = of_php.first()?.runs else {
        return None;
    };
    let own = of_c.iter().position(|frame| frame.start == code)?;
    Some(Called {
        by: 0,
        frames: 0..own + 1,
    })
}

/// Joins stretch by stretch; `None` where the stacks do not agree.
fn agree(
    of_c: &[OfC],
    of_php: &[OfPhp],
    stretches: &[Range<usize>],
    groups: &parts::Groups,
    is_lost: bool,
) -> Option<(Vec<Called>, Fit)> {
    let entries = stretches.len() - 1;
    let needed = groups.known.len() + usize::from(groups.rest.is_some());
    let is_whole = entries == needed || (entries > needed && groups.rest.is_some());
    let is_cut = is_lost && entries < needed;
    if !is_whole && !is_cut {
        return None;
    }
    let mut called = Vec::new();
    for (index, (stretch, group)) in stretches.iter().zip(groups.all()).enumerate() {
        let is_partial = is_lost && index == entries;
        called.extend(within(of_c, of_php, stretch, group, index == 0, is_partial)?);
    }
    Some((called, if is_whole { Fit::Whole } else { Fit::Cut }))
}

/// Which frames of a group have called those of a stretch. More than one has where C has called functions in C.
fn within(
    of_c: &[OfC],
    of_php: &[OfPhp],
    stretch: &Range<usize>,
    group: &Group,
    is_innermost: bool,
    is_partial: bool,
) -> Option<Vec<Called>> {
    let callers: Vec<usize> = group.internal.iter().copied().chain(group.user).collect();
    let by_c = group
        .internal
        .iter()
        .take_while(|&&frame| of_php[frame].by_c)
        .count();
    // A function in C is called by an instruction only where no other one is outside of it.
    if by_c + 1 < group.internal.len() {
        return None;
    }
    if by_c == 0 {
        let by = *callers.first()?;
        return Some(vec![Called {
            by,
            frames: stretch.clone(),
        }]);
    }
    if is_partial {
        return Some(Vec::new());
    }
    let splits = if is_innermost {
        let calls_after = |own: usize| parts::calls(of_c, &(stretch.start + own..stretch.end)).collect();
        let after_own = innermost(of_c, of_php, stretch);
        [after_own, 0]
            .map(calls_after)
            .into_iter()
            .find(|calls: &Vec<usize>| calls.len() == by_c)?
    } else {
        // The first is the call of the inner group's outermost frame.
        parts::calls(of_c, stretch).skip(1).collect()
    };
    if splits.len() != by_c {
        return None;
    }
    let starts = std::iter::once(stretch.start).chain(splits.iter().copied());
    let ends = splits.iter().copied().chain([stretch.end]);
    let called = callers.into_iter().zip(starts.zip(ends));
    Some(
        called
            .map(|(by, (start, end))| Called {
                by,
                frames: start..end,
            })
            .collect(),
    )
}

/// How many frames of the innermost stretch were called by PHP's innermost frame for sure.
///
/// `zend_call_function` is on the stack before PHP has made the callee its innermost frame, and after. So what lies inwards of
/// it belongs to the innermost frame in any case, and what lies outwards only where that frame's own code is found there, or
/// where it was called by PHP itself. (The code of a function often goes on in another one, and is not on the stack any
/// more.)
fn innermost(of_c: &[OfC], of_php: &[OfPhp], stretch: &Range<usize>) -> usize {
    let frames = &of_c[stretch.clone()];
    if let Some(own) = own(frames, of_php) {
        return own.frames.len();
    }
    if of_php.first().is_some_and(|first| !first.by_c) {
        return frames.len();
    }
    frames
        .iter()
        .position(|frame| frame.part == Part::Call)
        .unwrap_or(frames.len())
}

#[cfg(test)]
mod tests;
