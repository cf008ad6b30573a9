//! The stack of now, once.

use crate::{
    Error, Interpreter, Layout, RawFunctionOwned,
    function::included_by,
    line,
    naming::{self, Place},
    read_function,
    walk::{End, RawFrame, Walker},
};
use profile::{Function, Line};
use remote::{Memory, Process, ReadError};
use std::{
    collections::{HashMap, hash_map::Entry},
    thread,
    time::Duration,
};

/// How often a process that keeps moving is looked at.
const TRIES: u32 = 200;
/// Every so many tries, time passes: a process between two states gets out of them.
const TRIES_IN_A_ROW: u32 = 20;
const PAUSE: Duration = Duration::from_millis(1);

/// A stack with names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Its frames, the innermost first; none if no PHP code runs.
    pub frames: Vec<(Function, Line)>,
    /// Where each of them lies.
    pub raw: Vec<RawFrame>,
    /// Whether it has all frames, and why not.
    pub end: End,
    /// Whether two readings agreed. If they never did, since the process moves too fast, frames of different
    /// moments may stand side by side.
    pub is_stable: bool,
    /// Whether it is one generator and nothing else. PHP makes a generator that it resumes the innermost frame before it
    /// links it to what resumed it, so that most such stacks do not exist.
    pub is_unlinked: bool,
}

/// `ZEND_ACC_GENERATOR`.
const GENERATOR: u32 = 1 << 24;

/// Reads the stack of now, until two readings agree. Neither stops nor disturbs the process.
pub fn stack_now(process: &Process, interpreter: &Interpreter, max_depth: usize) -> Result<Stack, Error> {
    let memory = process.memory();
    stable(&memory, interpreter, max_depth, |attempt| {
        if attempt % TRIES_IN_A_ROW == 0 {
            thread::sleep(PAUSE);
        }
        process.is_alive()
    })
    .map_err(|error| match error {
        Error::Memory(_) if !process.is_alive() => remote::Error::Gone(process.pid()).into(),
        other => other,
    })
}

/// Reads until two readings agree, as long as `go_on` allows.
pub fn stable(
    memory: &impl Memory,
    interpreter: &Interpreter,
    max_depth: usize,
    mut go_on: impl FnMut(u32) -> bool,
) -> Result<Stack, Error> {
    let mut walker = Walker::new(interpreter);
    let (mut frames, mut again) = (Vec::new(), Vec::new());
    let mut last = Err(Error::NotAFunction(0));
    for attempt in 1..=TRIES {
        let end = walker.walk(memory, max_depth, &mut frames);
        let named = name(memory, interpreter, &frames, end);
        let is_stable = walker.walk(memory, max_depth, &mut again) == end && frames == again;
        let failed = named.is_err() || matches!(end, End::Unreadable(_));
        let is_hopeless = matches!(
            end,
            End::Unreadable(ReadError::NotPermitted(_) | ReadError::Gone(_))
        );
        if named.is_ok() || last.is_err() {
            last = named.map(|named| named.into_stack(end, is_stable));
        }
        let is_whole = end != End::Outermost || begins_in_a_file(memory, interpreter.layout, &frames);
        if (is_stable && is_whole && !failed) || is_hopeless || !go_on(attempt) {
            break;
        }
    }
    match last {
        // Not one frame, and not for lack of PHP code: the memory itself cannot be read.
        Ok(Stack {
            end: End::Unreadable(error),
            frames,
            ..
        }) if frames.is_empty() => Err(error.into()),
        other => other,
    }
}

/// Whether the outermost frame runs code of a file, as it does but for functions that PHP calls by itself (at shutdown).
///
/// PHP puts the frame of a call together before it links it to its caller, in the memory of the call before. Who reads
/// in that moment sees a stack that ends there, and may see the same one twice where a loop calls one function.
fn begins_in_a_file(memory: &impl Memory, layout: &Layout, frames: &[RawFrame]) -> bool {
    frames.last().is_none_or(|outermost| {
        read_function(memory, layout, outermost.function).is_ok_and(|function| function.name.is_none())
    })
}

/// Frames with their names; without those that are never shown.
pub struct Named {
    frames: Vec<(Function, Line)>,
    raw: Vec<RawFrame>,
    is_unlinked: bool,
}

impl Named {
    /// The stack that they are.
    pub fn into_stack(self, end: End, is_stable: bool) -> Stack {
        Stack {
            frames: self.frames,
            raw: self.raw,
            end,
            is_stable,
            is_unlinked: self.is_unlinked,
        }
    }
}

/// Names frames and finds their lines.
pub fn name(
    memory: &impl Memory,
    interpreter: &Interpreter,
    frames: &[RawFrame],
    end: End,
) -> Result<Named, Error> {
    let layout = interpreter.layout;
    let mut functions: HashMap<u64, RawFunctionOwned> = HashMap::new();
    for frame in frames {
        if let Entry::Vacant(new) = functions.entry(frame.function) {
            new.insert(read_function(memory, layout, frame.function)?);
        }
    }
    let mut named = Named {
        frames: Vec::with_capacity(frames.len()),
        raw: Vec::with_capacity(frames.len()),
        is_unlinked: matches!(frames, [only] if functions[&only.function].fn_flags & GENERATOR != 0),
    };
    for (index, frame) in frames.iter().enumerate() {
        let function = &functions[&frame.function];
        let place = match frames[index + 1..].first() {
            None if end == End::Outermost => Place::Outermost,
            None => Place::Called,
            Some(caller) => {
                let by = &functions[&caller.function];
                included_by(memory, layout, by, caller.opline)?.map_or(Place::Called, Place::IncludedBy)
            }
        };
        if let Some(shown) = naming::function(&function.as_raw(), place) {
            let line = line(
                memory,
                layout,
                interpreter.executor_globals,
                function,
                frame.opline,
                frame.delegates,
            )?;
            named.frames.push((shown, line));
            named.raw.push(*frame);
        }
    }
    Ok(named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{World, interpreter};
    use remote::FakeMemory;
    use std::cell::Cell;

    /// A process in one moment and in the next.
    struct Moments {
        memories: [FakeMemory; 2],
        now: Cell<usize>,
    }

    impl Memory for Moments {
        fn read_prefix(&self, address: u64, buffer: &mut [u8]) -> usize {
            self.memories[self.now.get()].read_prefix(address, buffer)
        }
    }

    #[test]
    fn a_call_that_is_not_linked_yet_is_looked_at_again() {
        let moment = |is_linked: bool| {
            let mut world = World::new();
            let (main, native) = (world.user("", &[1]), world.internal("crc32"));
            if is_linked {
                world.call(main, 0);
            }
            let frame = world.frame(native, 0);
            world.enter(frame);
            world.memory
        };
        let moments = Moments {
            memories: [moment(false), moment(true)],
            now: Cell::new(0),
        };
        let stack = stable(&moments, &interpreter(), 10, |attempt| {
            moments.now.set(usize::from(attempt > 3));
            true
        })
        .unwrap();
        let names: Vec<_> = stack.frames.iter().map(|(function, _)| &*function.name).collect();
        assert_eq!((names, stack.is_stable), (vec!["crc32", "<main>"], true));
    }
}
