//! Which function lies behind a pointer, without asking each time.
//!
//! PHP uses memory again, so a pointer alone says little for long. An entry is believed since:
//! - Where code is kept by opcache, a function and its code stay where they are until opcache restarts;
//!   internal functions stay for good. Such an entry is compared with its function once a second.
//! - A frame that called another one has stored its opline, and that must lie in the function's own code. If
//!   it does not, the function is another one now, and it is read anew.
//! - Closures live in objects that come and go by the microsecond. One that called something is known by its
//!   opline, since all closures of one declaration share their code. One that is innermost may not have
//!   stored its opline yet, so it is compared each time.
//! - The code of included files and of `eval` is freed as soon as it ends, so it is compared each time; with
//!   what begins a request (the outermost frame) this is done once the target was seen between two requests,
//!   and all entries are compared again after each such sight.
//! - Trampolines (`__call`) share one struct, so they are read each time.
//!
//! To compare costs no call of its own for what the last sample had too: the window fetches it.

use super::{ring::Sender, window::Window};
use crate::{
    Peeks,
    record::{FILE_MAX, FIRST_LINE, FUNCTION, Frame, FunctionHeader, NAME_MAX},
};
use remote::{Memory, ReadError};
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher},
    ops::Range,
};
use zend::{Layout, RawFunctionOwned, walk::RawFrame};

/// For how long an entry is believed that nothing else vouches for.
const BELIEVED_NS: u64 = 1_000_000_000;
/// More entries than any program has. One that makes new code all the time gets a new table now and then.
const ENTRIES_MAX: usize = 1 << 16;
/// The same for the lines of code that were seen.
const OPS_MAX: usize = 1 << 18;

/// All of a function by which it is compared lies in so many bytes.
const HEADER_MAX: usize = 256;

/// `ZEND_ACC_CALL_VIA_TRAMPOLINE`, the same since PHP 7.4.
const TRAMPOLINE: u32 = 1 << 18;
/// `ZEND_INTERNAL_FUNCTION`.
const INTERNAL: u8 = 1;

/// Why a frame has no function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is no room to announce it.
    Full,
    /// It could not be read, or is none.
    Unreadable,
}

impl From<ReadError> for Failure {
    fn from(_: ReadError) -> Self {
        Self::Unreadable
    }
}

/// Where a frame stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub innermost: bool,
    pub outermost: bool,
    /// Whether the line that it has stored is its own of now, or was until a moment ago.
    pub keeps_line: bool,
}

/// The functions of one target.
#[derive(Debug)]
pub struct Functions {
    pid: u32,
    layout: &'static Layout,
    executor_globals: u64,
    entries: HashMap<u64, Entry, BuildHasherDefault<Pointer>>,
    ops: HashMap<u64, Op, BuildHasherDefault<Pointer>>,
    /// The ids of what was announced, by a hash of what it said.
    announced: HashMap<u64, u64, BuildHasherDefault<Pointer>>,
    last_id: u64,
    peeks: Peeks,
    /// By id, the functions in whose files variables are looked into.
    peeked: HashMap<u64, Box<[u16]>, BuildHasherDefault<Pointer>>,
    /// Counts how often all entries came into doubt.
    doubts: u64,
    /// Whether the target was seen with no code running, so that its outermost code comes and goes too.
    serves: bool,
    body: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    id: u64,
    header: Header,
    compared_ns: u64,
    doubts: u64,
}

/// What tells one function from another at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    function_type: u8,
    fn_flags: u32,
    last: u32,
    first_line: u32,
    name: u64,
    scope: u64,
    opcodes: u64,
    file: u64,
}

/// What is known of a `zend_op`.
#[derive(Clone, Copy, Debug)]
struct Op {
    /// The function that it belongs to, and where that function's code began.
    function: u64,
    opcodes: u64,
    line: u32,
    opcode: u8,
    extended: u16,
}

impl Functions {
    /// `serial` tells this target from others that had the same process id before.
    pub fn new(pid: u32, serial: u32, layout: &'static Layout, executor_globals: u64, peeks: &Peeks) -> Self {
        Self {
            pid,
            layout,
            executor_globals,
            entries: HashMap::default(),
            ops: HashMap::default(),
            announced: HashMap::default(),
            last_id: u64::from(serial) << 32,
            peeks: peeks.clone(),
            peeked: HashMap::default(),
            doubts: 0,
            serves: false,
            body: Vec::new(),
        }
    }

    /// The globals lie elsewhere now, and anything may be new.
    pub const fn move_to(&mut self, executor_globals: u64) {
        self.executor_globals = executor_globals;
        self.request_ended();
    }

    /// Compares everything once more: the last look was at a target that moved.
    pub const fn doubt(&mut self) {
        self.doubts += 1;
    }

    /// The target is between two requests: what the next one runs may lie where other code lay.
    pub const fn request_ended(&mut self) {
        self.serves = true;
        self.doubts += 1;
    }

    /// The part of a function by which it is compared.
    pub fn header_range(&self, function: u64) -> Range<u64> {
        function..function.saturating_add(u64::from(self.layout.op_array_line_start) + 4)
    }

    /// What a sample says of this frame. Announces the function if it is new. Whether the frame's function
    /// will have to be compared next time again comes with it.
    pub fn resolve(
        &mut self,
        window: &Window,
        frame: &RawFrame,
        place: Place,
        now_ns: u64,
        sender: &mut Sender,
    ) -> Result<(Frame, bool), Failure> {
        let known = self.entries.get(&frame.function).copied();
        let entry = match known {
            Some(entry) if !self.is_doubtful(&entry, frame, place, now_ns) => entry,
            _ => self.compare(window, frame.function, known, now_ns, sender)?,
        };
        let mut shown = Frame {
            function: entry.id,
            ..Frame::default()
        };
        if entry.header.function_type != INTERNAL {
            if place.keeps_line {
                self.locate(window, frame, &entry, &mut shown)?;
            } else {
                shown.line = entry.header.first_line;
                shown.flags |= FIRST_LINE;
            }
        }
        Ok((shown, self.is_volatile(&entry.header, place)))
    }

    fn is_doubtful(&self, entry: &Entry, frame: &RawFrame, place: Place, now_ns: u64) -> bool {
        let header = &entry.header;
        entry.doubts != self.doubts
            || now_ns.saturating_sub(entry.compared_ns) > BELIEVED_NS
            || self.is_volatile(header, place)
            || header.function_type != INTERNAL
                && !header.contains(self.layout, frame.opline)
                && !self.is_exception(frame.opline)
    }

    /// Whether only a comparison can tell if it is still the same function.
    const fn is_volatile(&self, header: &Header, place: Place) -> bool {
        if header.fn_flags & self.layout.function_closure_flags != 0 {
            return place.innermost || header.function_type == INTERNAL;
        }
        header.name == 0 && header.function_type != INTERNAL && (!place.outermost || self.serves)
    }

    /// While an exception is handled, PHP points to an op of its own.
    fn is_exception(&self, opline: u64) -> bool {
        let ops = self
            .executor_globals
            .wrapping_add(u64::from(self.layout.eg_exception_op));
        opline.wrapping_sub(ops) < u64::from(self.layout.eg_exception_op_size)
    }

    fn compare(
        &mut self,
        window: &Window,
        function: u64,
        known: Option<Entry>,
        now_ns: u64,
        sender: &mut Sender,
    ) -> Result<Entry, Failure> {
        let header = self.read_header(window, function)?;
        let id = match known {
            Some(known) if known.header == header => known.id,
            _ => self.announce(window, function, sender)?,
        };
        let entry = Entry {
            id,
            header,
            compared_ns: now_ns,
            doubts: self.doubts,
        };
        if header.fn_flags & TRAMPOLINE == 0 {
            if self.entries.len() >= ENTRIES_MAX {
                self.entries.clear();
            }
            self.entries.insert(function, entry);
        }
        Ok(entry)
    }

    fn read_header(&self, window: &Window, function: u64) -> Result<Header, Failure> {
        let layout = self.layout;
        let mut bytes = [0; HEADER_MAX];
        let range = self.header_range(function);
        let length = ((range.end - range.start) as usize).min(bytes.len());
        if window.read(function, &mut bytes[..length]).is_err() {
            // An internal function is shorter, and may end where the memory does.
            bytes.fill(0);
            window.read(function, &mut bytes[..layout.internal_function_size as usize])?;
        }
        let u32_at = |offset: u32| number::<4>(&bytes, offset).map(u32::from_ne_bytes);
        let u64_at = |offset: u32| number::<8>(&bytes, offset).map(u64::from_ne_bytes);
        let mut header = Header {
            function_type: number::<1>(&bytes, layout.function_type)?[0],
            fn_flags: u32_at(layout.function_flags)?,
            last: u32_at(layout.op_array_last)?,
            first_line: u32_at(layout.op_array_line_start)?,
            name: u64_at(layout.function_name)?,
            scope: u64_at(layout.function_scope)?,
            opcodes: u64_at(layout.op_array_opcodes)?,
            file: u64_at(layout.op_array_filename)?,
        };
        if header.function_type == INTERNAL {
            // What lies there is not of an op array.
            (header.last, header.first_line, header.opcodes, header.file) = (0, 0, 0, 0);
        }
        Ok(header)
    }

    /// Reads the names and puts them on record, unless the very same ones were before.
    fn announce(&mut self, window: &Window, function: u64, sender: &mut Sender) -> Result<u64, Failure> {
        let raw =
            zend::read_function(&window.direct(), self.layout, function).map_err(|_| Failure::Unreadable)?;
        let hash = hash(&raw);
        if let Some(&id) = self.announced.get(&hash) {
            return Ok(id);
        }
        let id = self.last_id + 1;
        self.body.clear();
        let mut cut = 0;
        let mut put = |bytes: &Option<Vec<u8>>, limit: usize| {
            let bytes = bytes.as_deref().unwrap_or_default();
            let kept = &bytes[..bytes.len().min(limit)];
            cut |= u16::from(kept.len() < bytes.len());
            self.body.extend_from_slice(kept);
            kept.len() as u16
        };
        let header = FunctionHeader {
            kind: FUNCTION,
            function_type: raw.function_type,
            pad: 0,
            fn_flags: raw.fn_flags,
            pid: self.pid,
            first_line: raw.first_line,
            id,
            name_len: put(&raw.name, NAME_MAX),
            class_len: put(&raw.class, NAME_MAX),
            file_len: put(&raw.file, FILE_MAX),
            cut,
        };
        let head: [u64; 4] = zerocopy::transmute!(header);
        sender.send(&head, &[], &self.body).map_err(|_| Failure::Full)?;
        if self.announced.len() >= ENTRIES_MAX {
            self.announced.clear();
            // These go by the ids that are given anew.
            self.entries.clear();
            self.peeked.clear();
        }
        self.announced.insert(hash, id);
        self.note_peeks(id, raw.file.as_deref());
        self.last_id = id;
        Ok(id)
    }

    /// Which variables are looked into in the function that was announced under this id, whatever line it runs.
    pub fn peeks(&self, id: u64) -> &[u16] {
        self.peeked.get(&id).map_or(&[], |peeks| peeks)
    }

    fn note_peeks(&mut self, id: u64, file: Option<&[u8]>) {
        let Some(file) = file else { return };
        let peeks = (0..).zip(&*self.peeks);
        let wanted: Box<[u16]> = peeks
            .filter(|(_, peek)| peek.is_in(file))
            .map(|(index, _)| index)
            .collect();
        if !wanted.is_empty() {
            self.peeked.insert(id, wanted);
        }
    }

    /// The line of a user function's frame, and the op that it runs.
    fn locate(
        &mut self,
        window: &Window,
        frame: &RawFrame,
        entry: &Entry,
        shown: &mut Frame,
    ) -> Result<(), Failure> {
        let mut opline = frame.opline;
        if self.is_exception(opline) {
            let before = self
                .executor_globals
                .wrapping_add(u64::from(self.layout.eg_opline_before_exception));
            opline = window.direct().read_u64(before)?;
        }
        if !entry.header.contains(self.layout, opline) {
            shown.line = entry.header.first_line;
            shown.flags |= FIRST_LINE;
            return Ok(());
        }
        let mut op = self.op(window, opline, entry)?;
        if frame.delegates && op.opcode != self.layout.opcode_yield_from {
            // It has moved past its `yield from` already.
            let before = opline.wrapping_sub(u64::from(self.layout.op_size));
            if entry.header.contains(self.layout, before) {
                let previous = self.op(window, before, entry)?;
                if previous.opcode == self.layout.opcode_yield_from {
                    op = previous;
                }
            }
        }
        shown.line = op.line;
        shown.opcode = op.opcode;
        shown.extended = op.extended;
        Ok(())
    }

    fn op(&mut self, window: &Window, opline: u64, entry: &Entry) -> Result<Op, Failure> {
        if let Some(op) = self.ops.get(&opline)
            && (op.function, op.opcodes) == (entry.id, entry.header.opcodes)
        {
            return Ok(*op);
        }
        let layout = self.layout;
        let mut bytes = [0; 64];
        let length = (layout.op_size as usize).min(bytes.len());
        window.direct().read(opline, &mut bytes[..length])?;
        let op = Op {
            function: entry.id,
            opcodes: entry.header.opcodes,
            line: number(&bytes, layout.op_lineno).map(u32::from_ne_bytes)?,
            opcode: number::<1>(&bytes, layout.op_opcode)?[0],
            extended: number(&bytes, layout.op_extended_value).map(u32::from_ne_bytes)? as u16,
        };
        if self.ops.len() >= OPS_MAX {
            self.ops.clear();
        }
        self.ops.insert(opline, op);
        Ok(op)
    }
}

impl Header {
    /// Whether `opline` is the address of one of the function's ops.
    fn contains(&self, layout: &Layout, opline: u64) -> bool {
        let size = u64::from(layout.op_size);
        self.opcodes != 0
            && opline
                .checked_sub(self.opcodes)
                .is_some_and(|distance| distance % size == 0 && distance / size < u64::from(self.last))
    }
}

fn number<const N: usize>(bytes: &[u8], offset: u32) -> Result<[u8; N], Failure> {
    bytes
        .get(offset as usize..)
        .and_then(|rest| rest.first_chunk())
        .copied()
        .ok_or(Failure::Unreadable)
}

fn hash(raw: &RawFunctionOwned) -> u64 {
    let mut hasher = DefaultHasher::new();
    (
        raw.function_type,
        raw.first_line,
        &raw.name,
        &raw.class,
        &raw.file,
    )
        .hash(&mut hasher);
    hasher.finish()
}

/// Spreads pointers, whose lowest bits are zeros, and hashes.
#[derive(Debug, Default)]
struct Pointer(u64);

impl Hasher for Pointer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        let product = u128::from(self.0 ^ number) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}
