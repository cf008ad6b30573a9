//! Where the libraries of a program lie in memory: the same for A and B of a pair, and elsewhere in the next one.

use fastrand::Rng;
use nix::sys::personality::{self, Persona};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::ops::Range;

/// A page: Linux moves what it lays out by whole ones.
const STEP: u64 = 4096;
/// The limits of the stack from which one is drawn, in pages. Linux lays out libraries, and memory that is asked for in
/// large pieces, below the room for the stack; less than 128 MB make no difference.
const STACK: Range<u64> = (256 << 20) / STEP..(768 << 20) / STEP;

/// How the programs that this process starts are laid out.
pub(super) enum Layout {
    /// Alike, and anew for each pair.
    Drawn(Rng, Range<u64>),
    /// Alike in all pairs, for the stack may not have more than so many bytes.
    One(u64),
    /// Each by itself: containers may forbid anything else.
    Own,
}

impl Layout {
    /// Programs that are started from now on are not laid out at random by Linux.
    pub(super) fn fix(seed: u64) -> Self {
        let fixed = personality::get().and_then(|now| personality::set(now | Persona::ADDR_NO_RANDOMIZE));
        if fixed.is_err() {
            return Self::Own;
        }
        match getrlimit(Resource::Stack).maximum {
            Some(hard) if hard / STEP <= STACK.start => Self::One(hard),
            hard => {
                let end = hard.map_or(STACK.end, |hard| STACK.end.min(hard / STEP));
                Self::Drawn(Rng::with_seed(seed), STACK.start..end)
            }
        }
    }

    /// Draws another one for the programs that are started from now on.
    pub(super) fn draw(&mut self) {
        let Self::Drawn(rng, pages) = self else { return };
        let limit = Rlimit {
            current: Some(rng.u64(pages.clone()) * STEP),
            ..getrlimit(Resource::Stack)
        };
        // The hard limit is not lowered by anybody else meanwhile.
        let _ = setrlimit(Resource::Stack, limit);
    }

    /// For the reader: how A and B of a pair were laid out.
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Drawn(..) => "their libraries laid out in memory alike, and anew for each pair".into(),
            Self::One(hard) => format!(
                "laid out in memory alike, and in all pairs the same, which may favour one of them: to move libraries the \
                 stack needs a limit of {} MB and more, and its hard limit is {} MB (ulimit -Hs)",
                (STACK.start * STEP) >> 20,
                hard >> 20
            ),
            Self::Own => {
                "laid out in memory each by itself, for the kernel does not let phperf choose".into()
            }
        }
    }
}
