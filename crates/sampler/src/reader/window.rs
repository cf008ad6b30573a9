//! What one sample reads, fetched in one call as far as it can be guessed.

use remote::{
    LiveMemory, Memory, ReadError,
    task::{PARTS_MAX, Part, gather},
};
use std::{
    cell::{Cell, RefCell},
    ops::Range,
};

/// The most that is fetched of a stack at once; a deeper one takes more calls.
pub const STACK_MAX: u64 = 16 << 10;
/// The most that any other range may have.
pub const EXTRA_MAX: u64 = 512;
/// How many ranges may be fetched at once.
pub const RANGES_MAX: usize = PARTS_MAX;

/// How far from the fetched stack a frame still belongs to it: PHP's VM stack comes in pages of 256 KB.
const NEAR: u64 = 256 << 10;
/// What is fetched around a frame that was not guessed: outer frames lie before inner ones.
const BEFORE: u64 = 7 << 10;
const AFTER: u64 = 1 << 10;

/// A copied range.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    address: u64,
    length: usize,
    /// Where the copy begins.
    at: usize,
}

impl Span {
    /// Where the copy of these bytes lies, if all of them are there.
    fn find(&self, address: u64, length: usize) -> Option<Range<usize>> {
        let offset = usize::try_from(address.checked_sub(self.address)?).ok()?;
        let end = offset.checked_add(length)?;
        (end <= self.length).then(|| self.at + offset..self.at + end)
    }
}

/// The memory of a process, with copies of some of it.
#[derive(Debug)]
pub struct Window {
    memory: LiveMemory,
    bytes: Box<[u8]>,
    spans: [Span; RANGES_MAX],
    /// How many of them there are.
    count: usize,
    /// The stack's neighbourhood, where one miss is rarely alone.
    stack: Range<u64>,
    around: RefCell<Around>,
    reads: Cell<u64>,
}

/// A copy of what lies around the last frame that was missed.
#[derive(Debug)]
struct Around {
    span: Span,
    bytes: Box<[u8]>,
}

impl Window {
    pub fn new() -> Self {
        let extras = (RANGES_MAX as u64 - 1) * EXTRA_MAX;
        Self {
            memory: LiveMemory::new(0),
            bytes: vec![0; (STACK_MAX + extras) as usize].into(),
            spans: [Span::default(); RANGES_MAX],
            count: 0,
            stack: 0..0,
            around: RefCell::new(Around {
                span: Span::default(),
                bytes: vec![0; (BEFORE + AFTER) as usize].into(),
            }),
            reads: Cell::new(0),
        }
    }

    /// Forgets all copies, and copies these ranges of `pid`, in their order: first the stack, then others. What
    /// cannot be read, or is too much, is read when it is asked for.
    pub fn fetch(&mut self, pid: u32, stack: Range<u64>, others: &[Range<u64>]) -> Result<(), ReadError> {
        self.memory = LiveMemory::new(pid);
        self.stack = stack.start.saturating_sub(NEAR)..stack.end.saturating_add(NEAR);
        self.around.get_mut().span.length = 0;
        let mut parts: [Part<'_>; RANGES_MAX] = std::array::from_fn(|_| Part {
            address: 0,
            buffer: &mut [],
        });
        let (mut rest, mut at, mut count) = (&mut self.bytes[..], 0, 0);
        let ranges =
            std::iter::once((&stack, STACK_MAX)).chain(others.iter().map(|range| (range, EXTRA_MAX)));
        for ((range, limit), (part, span)) in ranges.zip(parts.iter_mut().zip(&mut self.spans)) {
            let address = range.start;
            let length = range.end.saturating_sub(address).min(limit) as usize;
            let (buffer, after) = std::mem::take(&mut rest).split_at_mut(length);
            rest = after;
            *part = Part { address, buffer };
            *span = Span { address, length, at };
            at += length;
            count += 1;
        }
        self.count = 0;
        self.reads.set(self.reads.get() + 1);
        let mut read = match gather(pid, &mut parts[..count]) {
            Ok(read) => read,
            Err(ReadError::Unmapped(_)) => 0,
            Err(error) => return Err(error),
        };
        for span in &mut self.spans[..count] {
            span.length = span.length.min(read);
            read -= span.length;
        }
        self.count = count;
        Ok(())
    }

    /// The memory without the copies, for what nobody fetches ahead. Each use counts as one read.
    pub fn direct(&self) -> LiveMemory {
        self.count_read();
        self.memory
    }

    /// How often memory was read since [`Window::take_reads`].
    pub const fn reads(&self) -> u64 {
        self.reads.get()
    }

    /// How often memory was read since this was asked last.
    pub fn take_reads(&self) -> u64 {
        self.reads.take()
    }

    fn count_read(&self) {
        self.reads.set(self.reads.get() + 1);
    }

    /// Serves from the copies.
    fn copied(&self, address: u64, buffer: &mut [u8]) -> bool {
        let mut spans = self.spans[..self.count].iter();
        let Some(copy) = spans.find_map(|span| span.find(address, buffer.len())) else {
            return false;
        };
        buffer.copy_from_slice(&self.bytes[copy]);
        true
    }

    /// Serves a frame of the stack from what lies around it.
    fn read_around(&self, address: u64, buffer: &mut [u8]) -> bool {
        let around = &mut *self.around.borrow_mut();
        if let Some(copy) = around.span.find(address, buffer.len()) {
            buffer.copy_from_slice(&around.bytes[copy]);
            return true;
        }
        if !self.stack.contains(&address) {
            return false;
        }
        let start = address.saturating_sub(BEFORE);
        self.count_read();
        around.span = Span {
            address: start,
            length: self.memory.read_prefix(start, &mut around.bytes),
            at: 0,
        };
        let Some(copy) = around.span.find(address, buffer.len()) else {
            return false;
        };
        buffer.copy_from_slice(&around.bytes[copy]);
        true
    }
}

impl Memory for Window {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        if self.copied(address, buffer) {
            return Ok(());
        }
        if self.read_around(address, buffer) {
            return Ok(());
        }
        self.count_read();
        self.memory.read(address, buffer)
    }

    fn read_prefix(&self, address: u64, buffer: &mut [u8]) -> usize {
        if self.copied(address, buffer) {
            return buffer.len();
        }
        self.count_read();
        self.memory.read_prefix(address, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window on this process, whose "stack" is `memory`.
    fn window(memory: &[u64], fetched: Range<usize>, others: &[Range<u64>]) -> Window {
        let mut window = Window::new();
        let start = memory.as_ptr() as u64;
        let stack = start + fetched.start as u64 * 8..start + fetched.end as u64 * 8;
        window.fetch(std::process::id(), stack, others).unwrap();
        window
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one range is meant")]
    fn what_was_fetched_takes_no_other_read() {
        let memory: Vec<u64> = (0..64).collect();
        let other = [7_u64, 8];
        let at = other.as_ptr() as u64;
        let window = window(&memory, 0..64, &[at..at + 16]);
        for (index, value) in memory.iter().enumerate() {
            assert_eq!(
                window.read_u64(memory.as_ptr() as u64 + index as u64 * 8),
                Ok(*value)
            );
        }
        assert_eq!(window.read_u64(at + 8), Ok(8));
        assert_eq!(window.take_reads(), 1);
    }

    #[test]
    fn neighbours_of_a_missed_frame_come_with_it() {
        let memory: Vec<u64> = (0..4096).collect();
        let start = memory.as_ptr() as u64;
        let window = window(&memory, 0..8, &[]);
        assert_eq!(window.read_u64(start + 3000 * 8), Ok(3000));
        assert_eq!(window.read_u64(start + 2999 * 8), Ok(2999));
        assert_eq!(window.read_u64(start + 2500 * 8), Ok(2500));
        assert_eq!(window.take_reads(), 2);
    }

    #[test]
    fn what_lies_elsewhere_is_read_by_itself() {
        let memory = [1_u64];
        let far = Box::new(5_u64);
        let mut window = window(&memory, 0..1, &[]);
        window.stack = 0..0;
        assert_eq!(window.read_u64(std::ptr::from_ref(&*far) as u64), Ok(5));
        assert_eq!(window.take_reads(), 2);
        assert_eq!(window.read_u64(16), Err(ReadError::Unmapped(16)));
    }

    #[test]
    fn what_cannot_be_read_is_not_served() {
        let memory = [1_u64];
        let at = memory.as_ptr() as u64;
        let window = window(&memory, 0..1, &[8..16, at..at + 8]);
        assert!(window.read_u64(8).is_err());
        assert_eq!(window.read_u64(at), Ok(1));
    }

    #[test]
    fn a_later_fetch_leaves_nothing_of_the_one_before() {
        let memory: Vec<u64> = (0..64).collect();
        let other = [7_u64, 8];
        let at = other.as_ptr() as u64;
        let mut window = window(&memory, 0..64, &[at..at + 16, at + 8..at + 16]);
        let start = memory.as_ptr() as u64;
        window.fetch(std::process::id(), start..start + 8, &[]).unwrap();
        window.take_reads();
        assert_eq!((window.read_u64(at), window.take_reads()), (Ok(7), 1));
    }

    #[test]
    fn long_ranges_are_cut_and_many_left_out() {
        let memory: Vec<u64> = (0..8192).collect();
        let start = memory.as_ptr() as u64;
        let others: Vec<_> = (0..40).map(|index| start + index..start + 4096).collect();
        let window = window(&memory, 0..8192, &others);
        assert_eq!(window.read_u64(start + 8000 * 8), Ok(8000));
        assert_eq!(window.take_reads(), 2);
    }
}
