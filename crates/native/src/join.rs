//! Which frames of C belong to the innermost frame of PHP.

use crate::binary::Part;

/// What runs in PHP's innermost frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// A function that is written in PHP.
    User,
    /// One that is written in C.
    Internal {
        /// Where its code begins, if that is known.
        code: Option<u64>,
        /// An instruction of PHP has called it, and not another function in C.
        is_of_php: bool,
    },
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
/// lies outwards only where that frame's own code is found there, or where it was called by PHP itself. (The code of a
/// function often goes on in another one, and is not on the stack any more.)
pub fn belong(frames: &[Mark], runs: Runs) -> usize {
    if let Runs::Internal { code, is_of_php } = runs {
        let own = frames.iter().position(|frame| code == Some(frame.start));
        if let Some(own) = own {
            return own + 1;
        }
        if is_of_php {
            return frames.len();
        }
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

    const fn internal(code: u64) -> Runs {
        Runs::Internal {
            code: Some(code),
            is_of_php: false,
        }
    }

    const NAMELESS: Runs = Runs::Internal {
        code: None,
        is_of_php: false,
    };

    #[test]
    fn a_function_in_c_has_what_it_called_and_itself() {
        let frames = [function(1), function(SORT)];
        assert_eq!(belong(&frames, internal(SORT)), 2);
        // Its code went on in another function, and has left the stack.
        assert_eq!(belong(&frames, internal(LENGTH)), 2);
        assert_eq!(belong(&frames, NAMELESS), 2);
    }

    #[test]
    fn what_has_called_back_is_of_another_frame() {
        // usort() has called strlen().
        let frames = [function(1), function(LENGTH), CALL, function(SORT)];
        assert_eq!(belong(&frames, internal(LENGTH)), 2);
        assert_eq!(belong(&frames, NAMELESS), 2);
        // It is about to, and strlen() may or may not be PHP's innermost frame.
        assert_eq!(belong(&frames[2..], internal(LENGTH)), 0);
        assert_eq!(belong(&frames[2..], Runs::User), 0);
        assert_eq!(belong(&frames[2..], internal(SORT)), 2);
        // It is usort(), though its own code has left the stack.
        let of_php = Runs::Internal {
            code: Some(LENGTH),
            is_of_php: true,
        };
        assert_eq!(belong(&frames[2..], of_php), 2);
    }
}
