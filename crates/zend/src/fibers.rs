//! All fibers. Nothing links those that wait to the stack that runs: they are found among all objects.

mod objects;

use crate::{
    Error, Interpreter, Layout, Stack,
    stack::name,
    walk::{End, RawFrame, Walker},
};
use objects::Objects;
use remote::{Memory, ReadError};

/// So many are read; a number of those beyond is told.
const FIBERS_MAX: usize = 10_000;
/// How often a fiber is read that moves meanwhile.
const TRIES: u32 = 20;
/// Enough for any `zend_fiber`.
const FIBER_MAX: usize = 512;
/// `ZEND_FIBER_STATUS_INIT` and so on.
const INIT: u8 = 0;
const RUNNING: u8 = 1;
const SUSPENDED: u8 = 2;

/// What a fiber does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// It was made and not started.
    New,
    /// It runs, or waits for another fiber that it runs: its frames are a part of the stack that runs.
    Running,
    /// It waits in `Fiber::suspend()`.
    Suspended,
}

/// A fiber that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fiber {
    /// What `spl_object_id()` says.
    pub id: u32,
    /// What it does.
    pub state: State,
    /// Its own frames; of one that is not started, the function that it will run; of one that runs, none.
    pub stack: Stack,
}

/// The fibers of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fibers {
    /// Those that were read, in the order of their ids.
    pub read: Vec<Fiber>,
    /// Those that are too many to be read.
    pub more: usize,
    /// Those that could not be read.
    pub unreadable: usize,
    /// Objects that are too many to look for fibers among them.
    pub unseen_objects: u32,
    /// Whether the table of objects moved each time it was read, so that fibers may be missing.
    pub moved: bool,
}

/// Finds and reads the fibers of the thread whose globals `interpreter` has; of a PHP without fibers, none.
///
/// Neither stops nor disturbs the process. A fiber that moves is read again, and is not stable if it never stood still.
pub fn fibers(
    memory: &impl Memory,
    interpreter: &Interpreter,
    max_depth: usize,
) -> Result<Fibers, ReadError> {
    let (Some(offsets), Some(class)) = (Offsets::of(interpreter.layout), interpreter.fiber_class) else {
        return Ok(Fibers::default());
    };
    let class = memory.read_u64(class)?;
    if class == 0 {
        // PHP has not come so far.
        return Ok(Fibers::default());
    }
    let objects = Objects {
        memory,
        layout: interpreter.layout,
        table: interpreter.executor_globals.wrapping_add(offsets.objects),
        top: interpreter.executor_globals.wrapping_add(offsets.top),
        class,
    };
    let found = objects.find()?;
    let reader = Reader {
        memory,
        interpreter,
        offsets,
        objects,
        max_depth,
    };
    let mut fibers = Fibers {
        more: found.ids.len().saturating_sub(FIBERS_MAX),
        unseen_objects: found.unseen,
        moved: found.moved,
        ..Fibers::default()
    };
    for &id in found.ids.iter().take(FIBERS_MAX) {
        match reader.read(id) {
            Ok(fiber) => fibers.read.extend(fiber),
            Err(_) => fibers.unreadable += 1,
        }
    }
    Ok(fibers)
}

/// Where things lie, in a PHP that has fibers.
#[derive(Clone, Copy)]
struct Offsets {
    objects: u64,
    top: u64,
    status: usize,
    caller: usize,
    function: usize,
    execute_data: usize,
    size: usize,
}

impl Offsets {
    fn of(layout: &Layout) -> Option<Self> {
        Some(Self {
            objects: layout.eg_objects?.into(),
            top: layout.eg_objects_top?.into(),
            status: layout.fiber_status? as usize,
            caller: layout.fiber_caller? as usize,
            function: layout.fiber_function? as usize,
            execute_data: layout.fiber_execute_data? as usize,
            size: layout.fiber_size? as usize,
        })
    }
}

/// What matters of a `zend_fiber`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Raw {
    status: u8,
    caller: u64,
    function: u64,
    execute_data: u64,
}

struct Reader<'a, M> {
    memory: &'a M,
    interpreter: &'a Interpreter,
    offsets: Offsets,
    objects: Objects<'a, M>,
    max_depth: usize,
}

impl<M: Memory> Reader<'_, M> {
    /// Reads until two readings agree; `None` if it has ended.
    fn read(&self, id: u32) -> Result<Option<Fiber>, Error> {
        let mut last = self.try_read(id);
        for _ in 1..TRIES {
            match &last {
                Ok(None) => break,
                Ok(Some(fiber))
                    if fiber.stack.is_stable && !matches!(fiber.stack.end, End::Unreadable(_)) =>
                {
                    break;
                }
                _ => last = self.try_read(id).or(last),
            }
        }
        last
    }

    fn try_read(&self, id: u32) -> Result<Option<Fiber>, Error> {
        let Some(raw) = self.raw(id)? else {
            return Ok(None);
        };
        let state = match (raw.status, raw.caller) {
            (INIT, _) => State::New,
            (SUSPENDED, 0) => State::Suspended,
            // What resumes another fiber is suspended in PHP's eyes, too.
            (RUNNING | SUSPENDED, _) => State::Running,
            _ => return Ok(None),
        };
        let (mut frames, mut again) = (Vec::new(), Vec::new());
        let end = self.frames(raw, state, &mut frames);
        let named = name(self.memory, self.interpreter, &frames, end);
        let is_same = self.frames(raw, state, &mut again) == end && frames == again;
        let is_stable = is_same && self.raw(id)? == Some(raw);
        let stack = named?.into_stack(end, is_stable);
        Ok(Some(Fiber { id, state, stack }))
    }

    fn frames(&self, raw: Raw, state: State, frames: &mut Vec<RawFrame>) -> End {
        match state {
            State::Suspended => {
                Walker::new(self.interpreter).walk_from(self.memory, raw.execute_data, self.max_depth, frames)
            }
            State::New if raw.function != 0 => {
                frames.clear();
                frames.push(RawFrame {
                    frame: 0,
                    function: raw.function,
                    opline: 0,
                    delegates: false,
                });
                End::Outermost
            }
            State::New | State::Running => End::Outermost,
        }
    }

    /// `None` if there is no fiber of this id any more.
    fn raw(&self, id: u32) -> Result<Option<Raw>, ReadError> {
        let Some(address) = self.objects.fiber(id)? else {
            return Ok(None);
        };
        let mut bytes = [0; FIBER_MAX];
        let bytes = &mut bytes[..self.offsets.size.min(FIBER_MAX)];
        self.memory.read(address, bytes)?;
        let word = |offset: usize| {
            let word = bytes.get(offset..).and_then(|rest| rest.first_chunk());
            word.map_or(0, |word| u64::from_ne_bytes(*word))
        };
        Ok(Some(Raw {
            status: bytes.get(self.offsets.status).copied().unwrap_or_default(),
            caller: word(self.offsets.caller),
            function: word(self.offsets.function),
            execute_data: word(self.offsets.execute_data),
        }))
    }
}

#[cfg(test)]
mod tests;
