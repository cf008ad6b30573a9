//! Looks into variables while the target stands still.

use crate::{
    Peek, Peeks,
    record::{NO_FRAME, ValueHeader, ValuesHeader},
};
use remote::{Memory, ReadError};
use zend::{Layout, VALUE_MAX, Variables, walk::RawFrame};
use zerocopy::IntoBytes;

/// The most values that a sample has: those of the innermost frames.
const VALUES_MAX: usize = 64;
/// The longest that the values of a sample can be.
pub const BYTES_MAX: usize = size_of::<ValuesHeader>() + VALUES_MAX * (size_of::<ValueHeader>() + VALUE_MAX);

/// What the last look saw.
#[derive(Debug, Default)]
pub struct Peeked {
    /// As a record has it: the header, which is written last, and the values.
    bytes: Vec<u8>,
    count: usize,
    missing: ValuesHeader,
}

impl Peeked {
    /// The same as a record has it; unless it is `proven` that the target stood still, only that it is torn.
    pub fn record(&mut self, proven: bool) -> &[u8] {
        let header = if proven {
            self.missing
        } else {
            ValuesHeader {
                torn: 1,
                ..ValuesHeader::default()
            }
        };
        let size = size_of::<ValuesHeader>();
        self.bytes[..size].copy_from_slice(header.as_bytes());
        &self.bytes[..if proven { self.bytes.len() } else { size }]
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.bytes.resize(size_of::<ValuesHeader>(), 0);
        self.count = 0;
        self.missing = ValuesHeader::default();
    }

    fn put(&mut self, peek: usize, frame: u16, text: &[u8]) {
        if self.count == VALUES_MAX {
            self.missing.left_out += 1;
            return;
        }
        self.count += 1;
        let header = ValueHeader {
            peek: peek as u16,
            frame,
            length: text.len() as u32,
        };
        self.bytes.extend_from_slice(header.as_bytes());
        self.bytes.extend_from_slice(text);
    }
}

/// Looks into the variables of one target.
#[derive(Debug)]
pub struct Peeker {
    peeks: Peeks,
    peeked: Peeked,
    text: Vec<u8>,
}

impl Peeker {
    pub fn new(peeks: &Peeks) -> Self {
        let mut peeked = Peeked::default();
        peeked.clear();
        Self {
            peeks: peeks.clone(),
            peeked,
            text: Vec::new(),
        }
    }

    /// What was seen since [`Peeker::begin`].
    pub const fn peeked(&mut self) -> &mut Peeked {
        &mut self.peeked
    }

    /// Forgets the last look.
    pub fn begin(&mut self) {
        self.peeked.clear();
    }

    /// Looks into a frame, of which the place in the sample and the line are given, for those of `peeks` that concern the
    /// line.
    pub fn frame(
        &mut self,
        memory: &impl Memory,
        layout: &'static Layout,
        (index, frame, line): (u16, &RawFrame, u32),
        peeks: &[u16],
    ) {
        let asked = peeks
            .iter()
            .filter_map(|&peek| match &self.peeks[usize::from(peek)] {
                Peek::Variable { name, lines, .. } if lines.contains(&line) => {
                    Some((usize::from(peek), name.as_bytes()))
                }
                _ => None,
            });
        let (places, names): (Vec<usize>, Vec<&[u8]>) = asked.unzip();
        if names.is_empty() {
            return;
        }
        if self.peeked.count == VALUES_MAX {
            self.peeked.missing.left_out += names.len() as u32;
            return;
        }
        let peeked = &mut self.peeked;
        let unread =
            Variables::new(memory, layout).of_frame(frame.frame, frame.function, &names, |which, text| {
                peeked.put(places[which], index, text);
            });
        self.peeked.missing.unread += unread.unwrap_or(names.len()) as u32;
    }

    /// Looks into the globals.
    pub fn globals(&mut self, memory: &impl Memory, layout: &'static Layout, executor_globals: u64) {
        let variables = Variables::new(memory, layout);
        for (place, peek) in self.peeks.iter().enumerate() {
            let Peek::Global { array, key, .. } = peek else {
                continue;
            };
            self.text.clear();
            let found: Result<bool, ReadError> = variables.global(
                executor_globals,
                array.map(str::as_bytes),
                key.as_bytes(),
                &mut self.text,
            );
            match found {
                Ok(true) => self.peeked.put(place, NO_FRAME, &self.text),
                Ok(false) => {}
                Err(_) => self.peeked.missing.unread += 1,
            }
        }
    }
}
