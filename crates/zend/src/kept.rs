//! The stack in memory that does not change any more: that of a process which crashed.

use crate::{
    Error, Interpreter, Stack, read_function,
    stack::name,
    walk::{End, RawFrame, Walker},
};
use remote::{Memory, ReadError};

/// Where the code of a thread stood, as far as its registers tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// The address of the machine instruction.
    pub code: u64,
    /// What GCC's builds of PHP for x86-64 keep their frame in.
    pub frame: u64,
    /// The same of their opline.
    pub opline: u64,
}

/// Reads the stack of a thread that will not run any more. Memory that was damaged ends it where the damage begins.
pub fn stack_kept(
    memory: &impl Memory,
    interpreter: &Interpreter,
    registers: Option<Registers>,
    max_depth: usize,
) -> Result<Stack, Error> {
    let mut frames = Vec::new();
    let mut end = Walker::new(interpreter).walk(memory, max_depth, &mut frames);
    if let (End::Unreadable(error), true) = (end, frames.is_empty()) {
        return Err(error.into());
    }
    if let (Some(registers), Some(leaf)) = (registers, frames.first_mut()) {
        place(memory, interpreter, registers, leaf);
    }
    if let Some((intact, why)) = damage(memory, interpreter, &frames) {
        frames.truncate(intact);
        end = End::Unreadable(why);
    }
    Ok(name(memory, interpreter, &frames, end)?.into_stack(end, true))
}

/// PHP stores the opline of its innermost frame only now and then. The register has it at any time, but in code that
/// the JIT made, and where code in C uses the register for something else.
fn place(memory: &impl Memory, interpreter: &Interpreter, registers: Registers, leaf: &mut RawFrame) {
    if registers.frame == leaf.frame
        && interpreter.text.contains(&registers.code)
        && let Ok(function) = read_function(memory, interpreter.layout, leaf.function)
        && function.contains(interpreter.layout, registers.opline)
    {
        leaf.opline = registers.opline;
    }
}

/// How many frames can be named before one that cannot, if there is one, and why it cannot.
fn damage(
    memory: &impl Memory,
    interpreter: &Interpreter,
    frames: &[RawFrame],
) -> Option<(usize, ReadError)> {
    frames.iter().enumerate().find_map(|(index, frame)| {
        match read_function(memory, interpreter.layout, frame.function) {
            Ok(_) => None,
            Err(Error::Memory(why)) => Some((index, why)),
            Err(_) => Some((index, ReadError::Nonsense(frame.function))),
        }
    })
}
