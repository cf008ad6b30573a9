//! One look at the stack of a target.

use super::{
    circumstances::{self, Circumstances, Reading},
    functions::{Failure, Functions, Place},
    peeker::Peeker,
    ring::Sender,
    window::{RANGES_MAX, STACK_MAX, Window},
};
use crate::{
    Peeks,
    record::{CUT, FIRST_LINE, Frame, UNREADABLE},
};
use remote::{Memory, Process, ReadError, task::thread::Presence};
use std::ops::Range;
use zend::{
    Interpreter, Layout, Threads,
    walk::{End, RawFrame, Walker},
};

/// Room beyond the innermost frame, so that a call or two more need no read of their own.
const HEADROOM: u64 = 512;
/// How slowly the window follows a stack that became shallow: by a part of the difference each time.
const DECAY: u64 = 16;
/// How many functions are fetched ahead. The stack takes one range, the
/// globals another, what a thread keeps for itself two, the target's CPU one, and its request and memory some.
const AHEAD_MAX: usize = RANGES_MAX - 5 - circumstances::AHEAD_MAX;

/// What a look saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// No PHP code runs.
    Idle,
    /// A stack, now in [`Sight::seen`].
    Stack,
    /// A generator that is not linked to what resumed it: PHP does that one instruction after it has made the
    /// generator the innermost frame.
    Unlinked,
    /// A stack with functions for whose names there is no room in the ring.
    NoRoom,
    /// Not even the innermost frame can be read.
    Unreadable,
    /// There is no such process any more.
    Gone,
}

/// What the thread that looks has, and all its targets use in turn.
#[derive(Debug)]
pub struct Tools {
    pub window: Window,
    pub presence: Presence,
    raw: Vec<RawFrame>,
    max_depth: usize,
}

impl Tools {
    pub fn new(max_depth: u16) -> Self {
        let max_depth = usize::from(max_depth).max(1);
        Self {
            window: Window::new(),
            presence: Presence::default(),
            raw: Vec::with_capacity(max_depth),
            max_depth,
        }
    }
}

/// What is kept of one target from look to look.
#[derive(Debug)]
pub struct Sight {
    pid: u32,
    layout: &'static Layout,
    executor_globals: u64,
    /// The part of them that each look needs.
    globals: Range<u64>,
    /// In a PHP with threads, where this one keeps the pointer to its storage.
    thread: Option<(Threads, u64)>,
    /// Where the target's CPU is kept, if anywhere.
    residence: Option<u64>,
    asks_processor: bool,
    walker: Walker,
    functions: Functions,
    /// What looks into variables, where that was asked for.
    peeker: Option<Box<Peeker>>,
    /// Where the stack is expected.
    stack: Range<u64>,
    /// Functions that must be compared each time.
    ahead: [u64; AHEAD_MAX],
    ahead_count: usize,
    frames: Vec<Frame>,
    flags: u8,
    has_jit: bool,
    circumstances: Circumstances,
}

impl Sight {
    pub fn new(
        process: &Process,
        serial: u32,
        interpreter: &Interpreter,
        thread: Option<(Threads, u64)>,
        residence: Option<u64>,
        circumstances: Circumstances,
        peeks: &Peeks,
    ) -> Self {
        let layout = interpreter.layout;
        let globals = interpreter.executor_globals;
        Self {
            pid: process.pid(),
            layout,
            executor_globals: globals,
            globals: needed(layout, globals),
            thread,
            residence,
            asks_processor: false,
            walker: Walker::new(interpreter),
            functions: Functions::new(process.group(), serial, layout, globals, peeks),
            peeker: (!peeks.is_empty()).then(|| Box::new(Peeker::new(peeks))),
            stack: 0..0,
            ahead: [0; AHEAD_MAX],
            ahead_count: 0,
            frames: Vec::new(),
            flags: 0,
            has_jit: false,
            circumstances,
        }
    }

    /// Whether the line that the innermost frame has stored may be any.
    pub const fn set_has_jit(&mut self, has_jit: bool) {
        self.has_jit = has_jit;
    }

    /// The frames that the last look saw, the innermost first, and what it saw in variables as a record has that.
    pub fn seen(&mut self, proven: bool) -> (&[Frame], &[u8]) {
        let peeked = self
            .peeker
            .as_deref_mut()
            .map(|peeker| peeker.peeked().record(proven));
        (&self.frames, peeked.unwrap_or_default())
    }

    /// Request and memory of the last look that saw a stack.
    pub const fn circumstances(&self) -> Reading {
        self.circumstances.reading()
    }

    /// [`CUT`] and [`UNREADABLE`] of the last look.
    pub const fn flags(&self) -> u8 {
        self.flags
    }

    /// The CPU on which the target ran last, by what was read last: that it ran nowhere else before shows that
    /// all of the look was at a target that stood still. `None` where nothing is known.
    pub fn processor(&self, tools: &Tools) -> Option<u32> {
        let address = self.residence?;
        // What the look fetched came before what it had to read besides.
        if tools.window.reads() > 1 {
            return tools.window.direct().read_u32(address).ok();
        }
        tools.window.read_u32(address).ok()
    }

    /// Whether [`Sight::processor`] can say anything.
    pub const fn knows_processor(&self) -> bool {
        self.residence.is_some()
    }

    /// What is said of the CPU is not true: do without it.
    pub const fn forget_processor(&mut self) {
        self.residence = None;
    }

    /// The last look may have been at a target that moved: do not rely on what it taught.
    pub const fn doubt(&mut self) {
        self.functions.doubt();
        self.circumstances.doubt();
    }

    /// The same where each look is at a target that moves: to compare all functions each time would not make it better.
    pub const fn doubt_request(&mut self) {
        self.circumstances.doubt();
    }

    /// Looks at the stack, and announces what functions are new in it. What [`Sight::processor`] says is fetched with it where
    /// that is to be asked: each range more takes half a microsecond.
    pub fn look(
        &mut self,
        tools: &mut Tools,
        now_ns: u64,
        sender: &mut Sender,
        asks_processor: bool,
    ) -> Seen {
        self.asks_processor = asks_processor;
        match self.try_look(tools, now_ns, sender) {
            Ok(seen) => seen,
            Err(ReadError::Gone(_)) => Seen::Gone,
            Err(_) => Seen::Unreadable,
        }
    }

    fn try_look(&mut self, tools: &mut Tools, now_ns: u64, sender: &mut Sender) -> Result<Seen, ReadError> {
        self.fetch(&mut tools.window)?;
        if let Some((threads, slot)) = self.thread {
            let globals = threads.globals(&tools.window, slot)?;
            if let Some(globals) = globals.filter(|&globals| globals != self.executor_globals) {
                // The thread has ended one PHP and begun another.
                self.move_to(globals);
                self.fetch(&mut tools.window)?;
            }
            if globals.is_none() {
                self.functions.request_ended();
                return Ok(Seen::Idle);
            }
        }
        let end = self.walker.walk(&tools.window, tools.max_depth, &mut tools.raw);
        self.flags = match end {
            End::Outermost => 0,
            End::Cut => CUT,
            End::Unreadable(error) if tools.raw.is_empty() => return Err(error),
            End::Unreadable(_) => UNREADABLE,
        };
        self.frames.clear();
        self.ahead_count = 0;
        if tools.raw.is_empty() {
            self.functions.request_ended();
            return Ok(Seen::Idle);
        }
        let page = self.page(&tools.window)?;
        self.aim(&page, &tools.raw);
        let last = tools.raw.len() - 1;
        for (index, raw) in tools.raw.iter().enumerate() {
            let place = Place {
                innermost: index == 0,
                keeps_line: index != 0 || !self.has_jit,
                outermost: index == last && end == End::Outermost,
            };
            match self.functions.resolve(&tools.window, raw, place, now_ns, sender) {
                Ok((frame, is_volatile)) => {
                    self.frames.push(frame);
                    if is_volatile && self.ahead_count < AHEAD_MAX {
                        self.ahead[self.ahead_count] = raw.function;
                        self.ahead_count += 1;
                    }
                }
                Err(Failure::Full) => return Ok(Seen::NoRoom),
                Err(Failure::Unreadable) if index == 0 => return Ok(Seen::Unreadable),
                Err(Failure::Unreadable) => {
                    self.flags = UNREADABLE;
                    break;
                }
            }
        }
        if let Some(peeker) = &mut self.peeker {
            peeker.begin();
            for (index, (raw, frame)) in (0..).zip(tools.raw.iter().zip(&self.frames)) {
                let wanted = self.functions.peeks(frame.function);
                if !wanted.is_empty() && frame.flags & FIRST_LINE == 0 {
                    peeker.frame(&tools.window, self.layout, (index, raw, frame.line), wanted);
                }
            }
            peeker.globals(&tools.window, self.layout, self.executor_globals);
        }
        // The code of a script lies on the VM stack, and what PHP calls by itself, such as a destructor, too.
        if end == End::Outermost && tools.raw.len() == 1 && !page.contains(&tools.raw[0].frame) {
            return Ok(Seen::Unlinked);
        }
        if self
            .circumstances
            .read(&tools.window, self.executor_globals, now_ns, sender)
            .is_err()
        {
            return Ok(Seen::NoRoom);
        }
        Ok(Seen::Stack)
    }

    fn fetch(&self, window: &mut Window) -> Result<(), ReadError> {
        let mut others = [const { 0..0 }; RANGES_MAX - 1];
        others[0] = self.globals.clone();
        let mut count = 1;
        for &function in &self.ahead[..self.ahead_count] {
            others[count] = self.functions.header_range(function);
            count += 1;
        }
        if let Some((threads, slot)) = self.thread {
            others[count] = slot..slot.saturating_add(8);
            others[count + 1] = threads.offset..threads.offset.saturating_add(8);
            count += 2;
        }
        for range in self.circumstances.ahead() {
            others[count] = range.clone();
            count += 1;
        }
        if let Some(residence) = self.residence.filter(|_| self.asks_processor) {
            // The last one, so that it is as of after all others.
            others[count] = residence..residence.saturating_add(4);
            count += 1;
        }
        window.fetch(self.pid, self.stack.clone(), &others[..count])
    }

    fn move_to(&mut self, globals: u64) {
        self.executor_globals = globals;
        self.globals = needed(self.layout, globals);
        self.walker.move_to(globals);
        self.functions.move_to(globals);
        self.stack = 0..0;
    }

    /// The page of the VM stack that is in use.
    fn page(&self, memory: &impl Memory) -> Result<Range<u64>, ReadError> {
        let global = |offset: u32| memory.read_u64(self.executor_globals.wrapping_add(u64::from(offset)));
        Ok(global(self.layout.eg_vm_stack)?..global(self.layout.eg_vm_stack_end)?)
    }

    /// Chooses where the next look expects the stack: from the outermost frame on its page of the VM stack to a
    /// little beyond the innermost one of now or of some time ago.
    fn aim(&mut self, page: &Range<u64>, raw: &[RawFrame]) {
        let on_page = raw
            .iter()
            .map(|raw| raw.frame)
            .filter(|frame| page.contains(frame));
        let (mut low, mut high) = (u64::MAX, 0);
        for frame in on_page {
            low = low.min(frame);
            high = high.max(frame);
        }
        if high == 0 {
            return;
        }
        let mut end = high.saturating_add(u64::from(self.layout.frame_size) + HEADROOM);
        if page.contains(&self.stack.end) && self.stack.end > end {
            end = self.stack.end - (self.stack.end - end).div_ceil(DECAY);
        }
        let end = end.min(page.end);
        self.stack = low.max(end.saturating_sub(STACK_MAX)).min(end)..end;
    }
}

/// The part of the globals that each look needs.
fn needed(layout: &Layout, globals: u64) -> Range<u64> {
    let offsets = [
        layout.eg_current_execute_data,
        layout.eg_vm_stack,
        layout.eg_vm_stack_end,
    ];
    let place = |offset: Option<u32>| globals.wrapping_add(u64::from(offset.unwrap_or(0)));
    place(offsets.into_iter().min())..place(offsets.into_iter().max()).wrapping_add(8)
}
