//! Which request a target serves and how much memory it holds: read in the same look as its stack.

use super::{
    ring::{Full, Sender},
    window::Window,
};
use crate::{
    Asked,
    record::{REQUEST, RequestHeader},
};
use remote::{Memory, Process, ReadError};
use std::{
    cell::RefCell,
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
};
use zend::{Interpreter, heap, request};

/// How many ranges are fetched ahead.
pub const AHEAD_MAX: usize = 16;

/// What a look found, as a sample carries it; 0 for what is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The id of the request, which was announced.
    pub request: u64,
    /// Bytes in use.
    pub used: u64,
    /// The most of them.
    pub peak: u64,
}

/// What is kept of one target from look to look.
#[derive(Debug)]
pub struct Circumstances {
    asked: Asked,
    interpreter: Interpreter,
    pid: u32,
    tid: u32,
    is_fastcgi: bool,
    reading: Reading,
    /// The id that was announced last.
    announced: u64,
    /// What the last reading read: the next one will most likely read it again.
    ahead: Vec<Range<u64>>,
}

/// Memory that notes what is read of it.
struct Noted<'a> {
    window: &'a Window,
    ranges: RefCell<&'a mut Vec<Range<u64>>>,
}

impl Noted<'_> {
    fn note(&self, address: u64, buffer: &[u8]) {
        let mut ranges = self.ranges.borrow_mut();
        if ranges.len() < AHEAD_MAX {
            ranges.push(address..address.saturating_add(buffer.len() as u64));
        }
    }
}

impl Memory for Noted<'_> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.note(address, buffer);
        self.window.read(address, buffer)
    }

    fn read_prefix(&self, address: u64, buffer: &mut [u8]) -> usize {
        self.note(address, buffer);
        self.window.read_prefix(address, buffer)
    }
}

impl Circumstances {
    /// Of a target of which nothing was read yet.
    pub fn new(process: &Process, interpreter: &Interpreter, asked: Asked) -> Self {
        Self {
            asked,
            interpreter: interpreter.clone(),
            pid: process.group(),
            tid: process.pid(),
            is_fastcgi: interpreter.is_fastcgi(process),
            reading: Reading::default(),
            announced: 0,
            ahead: Vec::new(),
        }
    }

    /// What the last look found.
    pub const fn reading(&self) -> Reading {
        self.reading
    }

    /// What is best fetched with the stack: all that the last reading read, one after the other by pointers. Where such a
    /// pointer leads elsewhere now, the copies are of no use, and it is followed.
    pub fn ahead(&self) -> &[Range<u64>] {
        &self.ahead
    }

    /// Reads what was asked for, and announces the request if it is another one than the last. An error if there is no
    /// room for that.
    pub fn read(&mut self, window: &Window, executor_globals: u64, sender: &mut Sender) -> Result<(), Full> {
        self.reading = Reading::default();
        if self.asked == Asked::default() {
            return Ok(());
        }
        // With threads, the next PHP of the thread may lie elsewhere.
        self.interpreter.executor_globals = executor_globals;
        self.ahead.clear();
        let memory = Noted {
            window,
            ranges: RefCell::new(&mut self.ahead),
        };
        if self.asked.memory
            && let Ok(Some(held)) = heap::memory(&memory, &self.interpreter)
        {
            (self.reading.used, self.reading.peak) = (held.used, held.peak);
        }
        if self.asked.request.is_empty() {
            return Ok(());
        }
        let texts = request::read(&memory, &self.interpreter, self.is_fastcgi, self.asked.request);
        let Ok(texts) = texts else { return Ok(()) };
        let id = identity(&texts);
        if id != self.announced {
            self.announce(id, &texts, sender)?;
        }
        self.reading.request = id;
        Ok(())
    }

    fn announce(&mut self, id: u64, texts: &request::Texts, sender: &mut Sender) -> Result<(), Full> {
        let header = RequestHeader {
            kind: REQUEST,
            pad: 0,
            lengths: texts.each_ref().map(|text| text.len() as u16),
            pid: self.pid,
            tid: self.tid,
            pad2: 0,
            id,
        };
        let head: [u64; 4] = zerocopy::transmute!(header);
        sender.send(&head, &[], &texts.concat())?;
        self.announced = id;
        Ok(())
    }
}

/// Who the request is, by all that is told of it and not by where it lies: the texts of the next one lie there too.
fn identity(texts: &request::Texts) -> u64 {
    let mut hasher = DefaultHasher::new();
    texts.hash(&mut hasher);
    hasher.finish() | 1
}
