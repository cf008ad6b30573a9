//! Which request a target serves and how much memory it holds: read in the same look as its stack.

use super::{
    ring::{Full, Sender},
    window::{EXTRA_MAX, Window},
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
use zend::{
    Interpreter, heap,
    request::{self, Info, Request},
};

/// How many ranges are fetched ahead.
pub const AHEAD_MAX: usize = 16;

/// For how long is believed what nothing else vouches for.
const BELIEVED_NS: u64 = 1_000_000_000;

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
    /// It serves one request and ends.
    is_cli: bool,
    reading: Reading,
    /// The id that was announced last.
    announced: u64,
    /// What PHP kept of the request that was announced last when its texts were read, and when that was.
    known: Option<(Info, u64)>,
    places: Option<Places>,
    /// What the last reading read: the next one will most likely read it again.
    ahead: Vec<Range<u64>>,
}

/// Where PHP keeps what is read at each look, which stays where it is.
#[derive(Clone, Copy, Debug)]
struct Places {
    executor_globals: u64,
    sapi_globals: Option<u64>,
    heap: Option<u64>,
    found_ns: u64,
}

/// Memory that notes what is read of it.
struct Noted<'a> {
    window: &'a Window,
    ranges: RefCell<&'a mut Vec<Range<u64>>>,
}

impl Noted<'_> {
    /// What lies near to what is noted is noted with it: to copy some bytes more is cheaper than to find a range.
    fn note(&self, address: u64, length: usize) {
        let mut ranges = self.ranges.borrow_mut();
        let end = address.saturating_add(length as u64);
        for range in ranges.iter_mut() {
            let joined = range.start.min(address)..range.end.max(end);
            if joined.end - joined.start <= EXTRA_MAX {
                *range = joined;
                return;
            }
        }
        if ranges.len() < AHEAD_MAX {
            ranges.push(address..end);
        }
    }
}

impl Memory for Noted<'_> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.note(address, buffer.len());
        self.window.read(address, buffer)
    }

    fn read_prefix(&self, address: u64, buffer: &mut [u8]) -> usize {
        let read = self.window.read_prefix(address, buffer);
        self.note(address, read);
        read
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
            is_cli: interpreter.is_cli(process),
            reading: Reading::default(),
            announced: 0,
            known: None,
            places: None,
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

    /// The last look was at a target that moved: what it taught is not kept.
    pub const fn doubt(&mut self) {
        self.known = None;
        self.places = None;
    }

    /// Reads what was asked for, and announces the request if it is another one than the last. An error if there is no
    /// room for that.
    pub fn read(
        &mut self,
        window: &Window,
        executor_globals: u64,
        now_ns: u64,
        sender: &mut Sender,
    ) -> Result<(), Full> {
        self.reading = Reading::default();
        if self.asked == Asked::default() {
            return Ok(());
        }
        let Ok(places) = self.places(window, executor_globals, now_ns) else {
            return Ok(());
        };
        let mut ahead = std::mem::take(&mut self.ahead);
        ahead.clear();
        let memory = Noted {
            window,
            ranges: RefCell::new(&mut ahead),
        };
        if let Some(heap) = places.heap {
            match heap::held(&memory, heap) {
                Ok(Some(held)) => (self.reading.used, self.reading.peak) = (held.used, held.peak),
                // It may lie elsewhere now.
                _ => self.places = None,
            }
        }
        let told = match places.sapi_globals {
            Some(globals) => self.read_request(&memory, globals, now_ns, sender),
            None => Ok(()),
        };
        self.ahead = ahead;
        told
    }

    fn places(&mut self, window: &Window, executor_globals: u64, now_ns: u64) -> Result<Places, ReadError> {
        if let Some(places) = self.places
            && places.executor_globals == executor_globals
            && now_ns.saturating_sub(places.found_ns) <= BELIEVED_NS
        {
            return Ok(places);
        }
        // With threads, the next PHP of the thread may lie elsewhere.
        self.interpreter.executor_globals = executor_globals;
        let places = Places {
            executor_globals,
            sapi_globals: if self.asked.request.is_empty() {
                None
            } else {
                request::globals(window, &self.interpreter)?
            },
            heap: if self.asked.memory {
                heap::find(window, &self.interpreter)?
            } else {
                None
            },
            found_ns: now_ns,
        };
        self.places = Some(places);
        Ok(places)
    }

    fn read_request(
        &mut self,
        memory: &Noted<'_>,
        globals: u64,
        now_ns: u64,
        sender: &mut Sender,
    ) -> Result<(), Full> {
        let layout = self.interpreter.layout;
        let Ok(info) = Info::read(memory, layout, globals) else {
            return Ok(());
        };
        if let Some((known, read_ns)) = self.known
            && known == info
            && (self.is_cli || info.is_unique())
            && now_ns.saturating_sub(read_ns) <= BELIEVED_NS
        {
            self.reading.request = self.announced;
            return Ok(());
        }
        self.known = None;
        let Ok(request) = info.request(memory, layout, self.is_fastcgi, self.asked.request) else {
            return Ok(());
        };
        let id = identity(&request);
        if id != self.announced {
            self.announce(id, &request, sender)?;
        }
        self.reading.request = id;
        self.known = Some((info, now_ns));
        Ok(())
    }

    fn announce(&mut self, id: u64, request: &Request, sender: &mut Sender) -> Result<(), Full> {
        let header = RequestHeader {
            kind: REQUEST,
            pad: 0,
            lengths: request.texts.each_ref().map(|text| text.len() as u16),
            pid: self.pid,
            tid: self.tid,
            pad2: 0,
            id,
            began: request.began,
        };
        let head: [u64; 5] = zerocopy::transmute!(header);
        sender.send(&head, &[], &request.texts.concat())?;
        self.announced = id;
        Ok(())
    }
}

/// Who the request is, by all that is told of it and not by where it lies: the texts of the next one lie there too.
fn identity(request: &Request) -> u64 {
    let mut hasher = DefaultHasher::new();
    request.hash(&mut hasher);
    hasher.finish() | 1
}
