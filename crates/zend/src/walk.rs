//! From the innermost frame outwards, as PHP itself links them.

use crate::{Interpreter, Layout};
use remote::{Memory, ReadError};

/// Frames that are passed over, beyond as many as are kept. PHP links at most one between two that are.
const SPARE_STEPS: usize = 16;
/// Enough for any `zend_execute_data`.
pub(crate) const FRAME_MAX: usize = 128;

/// A frame as it lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawFrame {
    /// The address of its `zend_execute_data`.
    pub frame: u64,
    /// The address of its `zend_function`.
    pub function: u64,
    /// The address of the `zend_op` that it runs, or ran when it called; means nothing in internal functions.
    pub opline: u64,
    /// Whether it is a generator that waits in a `yield from`.
    pub delegates: bool,
}

/// Why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// It came to the outermost frame; without any frame, no PHP code runs.
    Outermost,
    /// There are more frames than the limit: the outermost ones are missing.
    Cut,
    /// A frame could not be read: it and those outside of it are missing.
    Unreadable(ReadError),
}

/// Walks over the stack of one process, any number of times.
#[derive(Clone, Debug)]
pub struct Walker {
    layout: &'static Layout,
    executor_globals: u64,
    generator_variable: Option<u64>,
    generator_class: u64,
}

impl Walker {
    /// For the process in which `interpreter` was found.
    pub const fn new(interpreter: &Interpreter) -> Self {
        Self {
            layout: interpreter.layout,
            executor_globals: interpreter.executor_globals,
            generator_variable: interpreter.generator_class,
            generator_class: 0,
        }
    }

    /// The globals lie elsewhere from now on: the thread has others.
    pub const fn move_to(&mut self, executor_globals: u64) {
        self.executor_globals = executor_globals;
    }

    /// Replaces the content of `frames` by the stack of now, the innermost frame first: at most `max_depth`
    /// frames, whatever lies in the memory. Allocates only while `frames` has not yet its full size.
    pub fn walk(&mut self, memory: &impl Memory, max_depth: usize, frames: &mut Vec<RawFrame>) -> End {
        let current = u64::from(self.layout.eg_current_execute_data);
        match memory.read_u64(self.executor_globals.wrapping_add(current)) {
            Ok(leaf) => self.walk_from(memory, leaf, max_depth, frames),
            Err(error) => {
                frames.clear();
                End::Unreadable(error)
            }
        }
    }

    /// The same from the frame at `leaf` on, such as that in which a fiber waits.
    pub fn walk_from(
        &mut self,
        memory: &impl Memory,
        leaf: u64,
        max_depth: usize,
        frames: &mut Vec<RawFrame>,
    ) -> End {
        frames.clear();
        self.try_walk(memory, leaf, max_depth, frames)
            .unwrap_or_else(End::Unreadable)
    }

    fn try_walk(
        &mut self,
        memory: &impl Memory,
        leaf: u64,
        max_depth: usize,
        frames: &mut Vec<RawFrame>,
    ) -> Result<End, ReadError> {
        let mut address = leaf;
        let mut steps = max_depth.saturating_mul(2).saturating_add(SPARE_STEPS);
        while address != 0 {
            if frames.len() >= max_depth || steps == 0 {
                return Ok(End::Cut);
            }
            steps -= 1;
            let frame = Frame::read(memory, self.layout, address)?;
            if frame.function != 0 {
                frames.push(frame.raw(address, false));
            } else if let Some(object) = frame.object
                && self.is_generator(memory, object)?
            {
                let room = steps.min(max_depth - frames.len());
                let kept = frames.len();
                match self.delegation(memory, object, room, frames) {
                    Ok(Some(used)) => {
                        frames[kept..].reverse();
                        steps -= used;
                    }
                    failed => {
                        // Those that were met are the outermost ones, which must not stay without the others.
                        frames.truncate(kept);
                        return failed.map(|_| End::Cut);
                    }
                }
            }
            address = frame.previous;
        }
        Ok(End::Outermost)
    }

    fn is_generator(&mut self, memory: &impl Memory, object: u64) -> Result<bool, ReadError> {
        if self.generator_class == 0
            && let Some(variable) = self.generator_variable
        {
            // Set once, while PHP starts.
            self.generator_class = memory.read_u64(variable)?;
        }
        let class = memory.read_u64(object.wrapping_add(u64::from(self.layout.object_ce)))?;
        Ok(class != 0 && class == self.generator_class)
    }

    /// Adds the generators that a placeholder stands for, the outermost first, and says how many were visited;
    /// `None` if they are more than `room`.
    ///
    /// While a generator runs that others delegate to, PHP links it to a placeholder in the outermost of them,
    /// from which `node.parent` leads inwards. The innermost of all is the one that runs and stands there
    /// already. `zend_generator_check_placeholder_frame` does the same for PHP's own backtraces.
    fn delegation(
        &self,
        memory: &impl Memory,
        outermost: u64,
        room: usize,
        frames: &mut Vec<RawFrame>,
    ) -> Result<Option<usize>, ReadError> {
        let parent_of =
            |generator: u64| memory.read_u64(generator.wrapping_add(u64::from(self.layout.generator_parent)));
        let mut generator = outermost;
        let mut parent = parent_of(generator)?;
        let mut steps = 0;
        while parent != 0 {
            if steps == room {
                return Ok(None);
            }
            steps += 1;
            let field = generator.wrapping_add(u64::from(self.layout.generator_execute_data));
            let address = memory.read_u64(field)?;
            if address != 0 {
                let frame = Frame::read(memory, self.layout, address)?;
                if frame.function != 0 {
                    frames.push(frame.raw(address, true));
                }
            }
            generator = parent;
            parent = parent_of(generator)?;
        }
        Ok(Some(steps))
    }
}

/// What matters of a `zend_execute_data`.
struct Frame {
    opline: u64,
    function: u64,
    object: Option<u64>,
    previous: u64,
}

impl Frame {
    fn read(memory: &impl Memory, layout: &Layout, address: u64) -> Result<Self, ReadError> {
        let mut buffer = [0; FRAME_MAX];
        let size = (layout.frame_size as usize).min(FRAME_MAX);
        memory.read(address, &mut buffer[..size])?;
        let word = |offset: u32| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&buffer[offset as usize..][..8]);
            u64::from_ne_bytes(bytes)
        };
        let is_object = buffer[(layout.frame_this + layout.zval_type) as usize] == layout.zval_type_object;
        Ok(Self {
            opline: word(layout.frame_opline),
            function: word(layout.frame_func),
            object: is_object.then(|| word(layout.frame_this + layout.zval_value)),
            previous: word(layout.frame_prev),
        })
    }

    const fn raw(&self, frame: u64, delegates: bool) -> RawFrame {
        RawFrame {
            frame,
            function: self.function,
            opline: self.opline,
            delegates,
        }
    }
}

#[cfg(test)]
mod tests;
