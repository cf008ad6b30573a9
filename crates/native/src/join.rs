//! Which frames of C belong to the innermost frame of PHP.

use crate::binary::Part;

/// What runs in PHP's innermost frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// A function that is written in PHP.
    User,
    /// One that is written in C, whose code begins at this address if that is known.
    Internal(Option<u64>),
}

/// A frame of C, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Where its function begins.
    pub start: u64,
    pub part: Part,
}

/// How many of the frames, the innermost of which comes first and the outermost of which was called by the interpreter, were
/// called by PHP's innermost frame for sure.
///
/// Between a function in C and the one of PHP that it calls back, `zend_call_function` is on the stack before PHP has made
/// the callee its innermost frame, and after. So what lies inwards of it belongs to the innermost frame in any case, and what
/// lies outwards only where that frame's own code is found there.
pub fn belong(frames: &[Mark], runs: Runs) -> usize {
    if let Runs::Internal(Some(code)) = runs
        && let Some(own) = frames.iter().position(|frame| frame.start == code)
    {
        return own + 1;
    }
    frames
        .iter()
        .position(|frame| frame.part == Part::Call)
        .unwrap_or(frames.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SORT: u64 = 0x100;
    const LENGTH: u64 = 0x200;
    const CALL: Mark = Mark {
        start: 0x300,
        part: Part::Call,
    };

    const fn function(start: u64) -> Mark {
        Mark {
            start,
            part: Part::Other,
        }
    }

    #[test]
    fn all_that_the_interpreter_called_is_of_its_function() {
        let frames = [function(1), function(2)];
        assert_eq!(belong(&frames, Runs::User), 2);
        assert_eq!(belong(&[], Runs::User), 0);
    }

    #[test]
    fn a_function_in_c_has_what_it_called_and_itself() {
        let frames = [function(1), function(SORT)];
        assert_eq!(belong(&frames, Runs::Internal(Some(SORT))), 2);
        // Its code went on in another function, and has left the stack.
        assert_eq!(belong(&frames, Runs::Internal(Some(LENGTH))), 2);
        assert_eq!(belong(&frames, Runs::Internal(None)), 2);
    }

    #[test]
    fn what_has_called_back_is_of_another_frame() {
        // usort() has called strlen().
        let frames = [function(1), function(LENGTH), CALL, function(SORT)];
        assert_eq!(belong(&frames, Runs::Internal(Some(LENGTH))), 2);
        assert_eq!(belong(&frames, Runs::Internal(None)), 2);
        // It is about to, and strlen() may or may not be PHP's innermost frame.
        assert_eq!(belong(&frames[2..], Runs::Internal(Some(LENGTH))), 0);
        assert_eq!(belong(&frames[2..], Runs::User), 0);
        assert_eq!(belong(&frames[2..], Runs::Internal(Some(SORT))), 2);
    }
}
