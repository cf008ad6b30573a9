//! The chain of calls from where a thread was in C outwards to PHP's interpreter.

use crate::{
    binary::Part,
    space::{Made, Place, Regs, Space, Step},
};
use framehop::FrameAddress;

/// So many frames of C are looked at: more do not fit the copy of a stack.
const MOST_FRAMES: usize = 256;
/// So many words of the stack are searched for a return address where code has no tables.
const MOST_WORDS: u64 = 1024;
/// So many of them are tried.
const MOST_TRIES: usize = 32;
const WORD: u64 = 8;

/// The registers of a thread in user space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// The program counter.
    pub ip: u64,
    /// The stack pointer.
    pub sp: u64,
    /// What the machine calls its frame pointer: `rbp`, `x29`.
    pub fp: u64,
    /// The link register; 0 where the machine has none.
    pub lr: u64,
}

/// A copy of the innermost part of a thread's stack.
#[derive(Clone, Copy, Debug)]
pub struct Stack<'a> {
    /// The address of the first byte.
    pub start: u64,
    /// The bytes, as many as were kept.
    pub bytes: &'a [u8],
}

impl Stack<'_> {
    /// The word at `address`.
    fn word(&self, address: u64) -> Option<u64> {
        let at = usize::try_from(address.checked_sub(self.start)?).ok()?;
        let bytes = self.bytes.get(at..at.checked_add(WORD as usize)?)?;
        Some(u64::from_ne_bytes(bytes.try_into().ok()?))
    }
}

/// How a chain ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At the interpreter, where no more was asked for.
    Interpreter,
    /// Where threads and processes begin.
    Root,
    /// Nobody knows how it goes on: the copy of the stack ends, or there are no tables.
    Lost,
}

/// The chain of calls, the innermost first. Frames of the interpreter, and of the code of PHP's JIT, are in it: all that lies
/// inwards of one was called by functions of PHP that it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    pub places: Vec<Place>,
    pub end: End,
    /// An address was met at which nothing is known to lie.
    pub met_unknown: bool,
}

/// Unwinds from `registers` on, to the first frame of the interpreter, or else through all of them.
pub fn unwind(
    space: &mut Space,
    made: &Made,
    registers: Registers,
    stack: Stack<'_>,
    to_first: bool,
) -> Chain {
    let mut walk = Walk {
        space,
        made,
        stack,
        met_unknown: false,
    };
    let mut places = Vec::new();
    let end = walk.all(registers, &mut places, to_first);
    Chain {
        places,
        end,
        met_unknown: walk.met_unknown,
    }
}

/// A frame: where it is, and its registers.
#[derive(Clone, Copy)]
struct At {
    address: FrameAddress,
    regs: Regs,
}

struct Walk<'a> {
    space: &'a mut Space,
    made: &'a Made,
    stack: Stack<'a>,
    met_unknown: bool,
}

impl Walk<'_> {
    fn all(&mut self, registers: Registers, places: &mut Vec<Place>, to_first: bool) -> End {
        let mut at = At {
            address: FrameAddress::InstructionPointer(registers.ip),
            regs: machine(registers.ip, registers),
        };
        loop {
            let end = self.follow(&mut at, places, true);
            if end != End::Interpreter || to_first {
                return end;
            }
            if let Err(end) = self.leave(&mut at) {
                return end;
            }
        }
    }

    /// Adds frames from `at` on to `places`, up to one of the interpreter, which is where `at` is then. `may_search` where code
    /// without tables is met.
    fn follow(&mut self, at: &mut At, places: &mut Vec<Place>, may_search: bool) -> End {
        while places.len() < MOST_FRAMES {
            let place = self.place(*at);
            if place == Place::Nowhere {
                self.met_unknown = true;
                return End::Lost;
            }
            places.push(place);
            if self.space.part(place) == Part::Interpreter {
                return End::Interpreter;
            }
            if self.space.is_covered(place) {
                if let Err(end) = self.step(at) {
                    return end;
                }
            } else {
                let caller = may_search.then(|| self.search(&at.regs, Self::leads_to_interpreter));
                let Some(caller) = caller.flatten() else {
                    return End::Lost;
                };
                *at = caller;
            }
        }
        End::Lost
    }

    /// Goes from a frame of the interpreter to what has called it.
    fn leave(&mut self, at: &mut At) -> Result<(), End> {
        if self.space.is_covered(self.place(*at)) {
            return self.step(at);
        }
        // What PHP's JIT made runs in the interpreter's frame, or is called by it.
        *at = self.search(&at.regs, Self::leads_outside).ok_or(End::Lost)?;
        if self.space.part(self.place(*at)) == Part::Interpreter {
            return self.step(at);
        }
        Ok(())
    }

    fn place(&self, at: At) -> Place {
        self.space.place(self.made, at.address.address_for_lookup())
    }

    /// Goes to the frame that has called `at`.
    fn step(&mut self, at: &mut At) -> Result<(), End> {
        let stack = self.stack;
        let before = at.regs.sp();
        let mut read = |address| stack.word(address).ok_or(());
        match self.space.unwind(at.address, &mut at.regs, &mut read) {
            Step::To(_) if at.regs.sp() < before => Err(End::Lost),
            Step::To(next) => {
                at.address = next;
                Ok(())
            }
            Step::Root => Err(End::Root),
            Step::Lost => Err(End::Lost),
        }
    }

    /// Finds out who called code without tables, such as that of PCRE's JIT: the first word on the stack that is a return
    /// address, and from which the tables lead where they should. What merely was left there does not lead so far.
    fn search(&mut self, regs: &Regs, leads: impl Fn(&mut Self, At) -> bool) -> Option<At> {
        let mut tries = 0;
        for word in 0..MOST_WORDS {
            let slot = regs.sp().wrapping_add(word * WORD) & !(WORD - 1);
            let value = self.stack.word(slot)?;
            let Some(address) = FrameAddress::from_return_address(value) else {
                continue;
            };
            let after = Registers {
                ip: value,
                sp: slot.wrapping_add(WORD),
                fp: frame_pointer(regs),
                lr: value,
            };
            let caller = At {
                address,
                regs: machine(value, after),
            };
            if !self.is_return(caller) {
                continue;
            }
            if tries == MOST_TRIES {
                break;
            }
            tries += 1;
            if leads(self, caller) {
                return Some(caller);
            }
        }
        None
    }

    /// Whether code might return there: into the middle of a function that can be unwound.
    fn is_return(&self, caller: At) -> bool {
        let Place::Code { module, address } = self.place(caller) else {
            return false;
        };
        let covered = self.space.binary(module).covered(address);
        covered.is_some_and(|range| range.start < address)
    }

    /// The interpreter has called what has called what is at `caller`.
    fn leads_to_interpreter(&mut self, mut caller: At) -> bool {
        let mut places = Vec::new();
        self.follow(&mut caller, &mut places, false) == End::Interpreter && places.len() > 1
    }

    /// The interpreter is called there, or is there itself.
    fn leads_outside(&mut self, mut caller: At) -> bool {
        let mut places = Vec::new();
        match self.space.part(self.place(caller)) {
            Part::Interpreter => true,
            Part::Call => self.follow(&mut caller, &mut places, false) != End::Lost,
            Part::Other => false,
        }
    }
}

#[cfg(not(target_arch = "aarch64"))]
fn machine(ip: u64, registers: Registers) -> Regs {
    Regs::new(ip, registers.sp, registers.fp)
}

#[cfg(not(target_arch = "aarch64"))]
fn frame_pointer(regs: &Regs) -> u64 {
    regs.bp()
}

#[cfg(target_arch = "aarch64")]
fn frame_pointer(regs: &Regs) -> u64 {
    regs.fp()
}

#[cfg(target_arch = "aarch64")]
fn machine(_: u64, registers: Registers) -> Regs {
    // Return addresses may be signed; user space has 48 bits, or 52.
    let mask = framehop::aarch64::PtrAuthMask(u64::MAX >> 12);
    Regs::new_with_ptr_auth_mask(mask, registers.lr, registers.sp, registers.fp)
}
