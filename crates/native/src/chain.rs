//! The chain of calls from where a thread was in C outwards to PHP's interpreter.

use crate::{
    binary::Part,
    space::{Made, Place, Regs, Space, Step},
};
use framehop::FrameAddress;

/// So many frames of C are looked at; the interpreter is nearly always met within twenty.
const MOST_FRAMES: usize = 128;
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
    /// At the interpreter, or the code of PHP's JIT: all that lies inwards was called by the functions of PHP that it runs.
    Interpreter,
    /// Where threads and processes begin.
    Root,
    /// Nobody knows how it goes on: the copy of the stack ends, or there are no tables.
    Lost,
}

/// The chain of calls, the innermost first, without the frame that ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    pub places: Vec<Place>,
    pub end: End,
    /// An address was met at which nothing is known to lie.
    pub met_unknown: bool,
}

/// Unwinds from `registers` on.
pub fn unwind(space: &mut Space, made: &Made, registers: Registers, stack: Stack<'_>) -> Chain {
    let mut walk = Walk {
        space,
        made,
        stack,
        met_unknown: false,
    };
    let mut places = Vec::new();
    let regs = machine(registers.ip, registers);
    let end = walk.follow(
        FrameAddress::InstructionPointer(registers.ip),
        regs,
        &mut places,
        true,
    );
    Chain {
        places,
        end,
        met_unknown: walk.met_unknown,
    }
}

struct Walk<'a> {
    space: &'a mut Space,
    made: &'a Made,
    stack: Stack<'a>,
    met_unknown: bool,
}

impl Walk<'_> {
    /// Adds frames from `address` on to `places`. `may_search` where code without tables is met.
    fn follow(
        &mut self,
        mut address: FrameAddress,
        mut regs: Regs,
        places: &mut Vec<Place>,
        may_search: bool,
    ) -> End {
        while places.len() < MOST_FRAMES {
            let place = self.space.place(self.made, address.address_for_lookup());
            if place == Place::Nowhere {
                self.met_unknown = true;
                return End::Lost;
            }
            if self.space.part(place) == Part::Interpreter {
                return End::Interpreter;
            }
            places.push(place);
            if !self.space.is_covered(place) {
                return if may_search {
                    self.search(&regs, places)
                } else {
                    End::Lost
                };
            }
            let stack = self.stack;
            let before = regs.sp();
            let mut read = |address| stack.word(address).ok_or(());
            match self.space.unwind(address, &mut regs, &mut read) {
                Step::To(_) if regs.sp() < before => return End::Lost,
                Step::To(next) => address = next,
                Step::Root => return End::Root,
                Step::Lost => return End::Lost,
            }
        }
        End::Lost
    }

    /// Finds out who called code without tables, such as that of PCRE's JIT: the first word on the stack that is a return
    /// address, and from which the tables lead to the interpreter. What merely was left there does not lead so far.
    fn search(&mut self, regs: &Regs, places: &mut Vec<Place>) -> End {
        let mut tries = 0;
        for word in 0..MOST_WORDS {
            let slot = regs.sp().wrapping_add(word * WORD) & !(WORD - 1);
            let Some(value) = self.stack.word(slot) else { break };
            let Some(caller) = FrameAddress::from_return_address(value) else {
                continue;
            };
            if !self.is_return(caller) {
                continue;
            }
            if tries == MOST_TRIES {
                break;
            }
            tries += 1;
            let mut outer = Vec::new();
            let after = Registers {
                ip: value,
                sp: slot.wrapping_add(WORD),
                fp: frame_pointer(regs),
                lr: value,
            };
            if self.follow(caller, machine(value, after), &mut outer, false) == End::Interpreter
                && !outer.is_empty()
            {
                places.append(&mut outer);
                return End::Interpreter;
            }
        }
        End::Lost
    }

    /// Whether code might return there: into the middle of a function that can be unwound.
    fn is_return(&self, caller: FrameAddress) -> bool {
        let place = self.space.place(self.made, caller.address_for_lookup());
        let Place::Code { module, address } = place else {
            return false;
        };
        let covered = self.space.binary(module).covered(address);
        covered.is_some_and(|range| range.start < address && self.space.part(place) != Part::Interpreter)
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
