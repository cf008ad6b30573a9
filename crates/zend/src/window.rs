//! One read for a whole stack.

use crate::{Interpreter, Layout};
use remote::{Memory, ReadError};
use std::cell::{Cell, RefCell};

/// Room above the innermost frame, so that a call or two do not cost a read of their own next time.
const HEADROOM: u64 = 512;
/// How slowly the window follows a stack that became shallow: by a part of the difference each time.
const DECAY: u64 = 16;
/// The memory manager of PHP hands out its memory in aligned chunks of this size, readable from end to end.
const CHUNK: u64 = 2 << 20;

/// A picture of the memory in which PHP keeps its stack, taken with one read where possible.
///
/// The frames of one VM-stack page lie next to each other, so that the executor globals and the bytes around
/// where the innermost frame was last time hold most stacks whole. What they do not hold is read when it is
/// asked for, and counted. Made for walking: names are better read through [`Window::inner`].
#[derive(Debug)]
pub struct Window<M> {
    inner: M,
    layout: &'static Layout,
    executor_globals: u64,
    capacity: usize,
    globals: Part,
    stack: Part,
    /// What a walk asked for beyond the two.
    beyond: RefCell<Part>,
    /// Where the next picture begins and ends.
    next: (u64, u64),
    reads: Cell<u64>,
}

impl<M: Memory> Window<M> {
    /// A window of `capacity` bytes, all of them allocated here.
    pub fn new(inner: M, interpreter: &Interpreter, capacity: usize) -> Self {
        let layout = interpreter.layout;
        let capacity = capacity.max(layout.frame_size as usize);
        let wanted = [
            layout.eg_current_execute_data,
            layout.eg_vm_stack,
            layout.eg_vm_stack_end,
        ];
        let start = wanted.into_iter().min().unwrap_or_default();
        let end = wanted.into_iter().max().unwrap_or_default() + 8;
        let mut globals = Part::new((end - start) as usize);
        globals.address = interpreter.executor_globals.wrapping_add(u64::from(start));
        Self {
            inner,
            layout,
            executor_globals: interpreter.executor_globals,
            capacity,
            globals,
            stack: Part::new(capacity),
            beyond: RefCell::new(Part::new(capacity)),
            next: (0, 0),
            reads: Cell::new(0),
        }
    }

    /// The memory behind it.
    pub const fn inner(&self) -> &M {
        &self.inner
    }

    /// How many reads of the memory behind it were needed so far.
    pub fn reads(&self) -> u64 {
        self.reads.get()
    }

    /// Takes a new picture, and says where the innermost frame lies: 0 if no PHP code runs.
    pub fn refresh(&mut self) -> Result<u64, ReadError> {
        self.beyond.get_mut().length = 0;
        let (start, end) = self.next;
        let wanted = (end.saturating_sub(start) as usize).min(self.capacity);
        self.stack.address = start;
        self.count();
        let (globals, stack) = self.inner.read_pair(
            (self.globals.address, &mut self.globals.bytes),
            (start, &mut self.stack.bytes[..wanted]),
        );
        self.globals.length = globals;
        self.stack.length = stack;
        if globals < self.globals.bytes.len() {
            // Once more, for the reason.
            self.count();
            self.inner.read(self.globals.address, &mut self.globals.bytes)?;
            self.globals.length = self.globals.bytes.len();
        }
        let current = self.global(self.layout.eg_current_execute_data);
        if current == 0 {
            return Ok(0);
        }
        let needed = current.saturating_add(u64::from(self.layout.frame_size));
        self.aim(current, needed);
        if !self.stack.holds(current, self.layout.frame_size as usize) {
            let (start, end) = self.next;
            self.stack.address = start;
            self.count();
            self.stack.length = self
                .inner
                .read_prefix(start, &mut self.stack.bytes[..(end - start) as usize]);
        }
        Ok(current)
    }

    /// Whether the innermost frame is another one by now: then the picture may be torn.
    pub fn has_moved(&self) -> Result<bool, ReadError> {
        self.count();
        let address = self
            .executor_globals
            .wrapping_add(u64::from(self.layout.eg_current_execute_data));
        Ok(self.inner.read_u64(address)? != self.global(self.layout.eg_current_execute_data))
    }

    /// Chooses the next picture: from the start of the page, if it is near enough, to a little above the
    /// innermost frame of now or of some time ago.
    fn aim(&mut self, current: u64, needed: u64) {
        let page = self.global(self.layout.eg_vm_stack);
        let limit = self.global(self.layout.eg_vm_stack_end);
        let capacity = self.capacity as u64;
        let mut end = needed.saturating_add(HEADROOM);
        let (start, last) = self.next;
        if (start..last).contains(&current) && last > end {
            end = last - (last - end).div_ceil(DECAY);
        }
        if (page..limit).contains(&current) {
            end = end.min(limit).max(needed);
        }
        let mut start = end.saturating_sub(capacity);
        if page <= current {
            start = start.max(page);
        }
        if start > current {
            // The frames of some time ago were so much deeper that this one would be missing.
            (start, end) = (needed.saturating_sub(capacity).max(page.min(current)), needed);
        }
        self.next = (start, end);
    }

    fn global(&self, offset: u32) -> u64 {
        let address = self.executor_globals.wrapping_add(u64::from(offset));
        let mut bytes = [0; 8];
        self.globals.copy(address, &mut bytes);
        u64::from_ne_bytes(bytes)
    }

    fn count(&self) {
        self.reads.set(self.reads.get() + 1);
    }

    /// Frames further out lie lower on the same page: what ends here is likely to be asked for next.
    fn read_beyond(&self, address: u64, buffer: &mut [u8]) -> bool {
        let Some(end) = address.checked_add(buffer.len() as u64) else {
            return false;
        };
        if buffer.len() > self.capacity {
            return false;
        }
        let start = end
            .saturating_sub(self.capacity as u64)
            .max(address & !(CHUNK - 1));
        let mut beyond = self.beyond.borrow_mut();
        beyond.address = start;
        self.count();
        let wanted = (end - start) as usize;
        beyond.length = self.inner.read_prefix(start, &mut beyond.bytes[..wanted]);
        beyond.copy(address, buffer)
    }
}

impl<M: Memory> Memory for Window<M> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let is_there = self.stack.copy(address, buffer)
            || self.globals.copy(address, buffer)
            || self.beyond.borrow().copy(address, buffer)
            || self.read_beyond(address, buffer);
        if is_there {
            return Ok(());
        }
        self.count();
        self.inner.read(address, buffer)
    }

    fn read_prefix(&self, address: u64, buffer: &mut [u8]) -> usize {
        if self.stack.copy(address, buffer) || self.globals.copy(address, buffer) {
            return buffer.len();
        }
        self.count();
        self.inner.read_prefix(address, buffer)
    }
}

/// A piece of memory that was read.
#[derive(Debug)]
struct Part {
    address: u64,
    length: usize,
    bytes: Box<[u8]>,
}

impl Part {
    fn new(capacity: usize) -> Self {
        Self {
            address: 0,
            length: 0,
            bytes: vec![0; capacity].into(),
        }
    }

    fn holds(&self, address: u64, length: usize) -> bool {
        self.range(address, length).is_some()
    }

    fn range(&self, address: u64, length: usize) -> Option<&[u8]> {
        let start = usize::try_from(address.checked_sub(self.address)?).ok()?;
        self.bytes[..self.length].get(start..start.checked_add(length)?)
    }

    fn copy(&self, address: u64, buffer: &mut [u8]) -> bool {
        self.range(address, buffer.len())
            .map(|bytes| buffer.copy_from_slice(bytes))
            .is_some()
    }
}

#[cfg(test)]
mod tests;
