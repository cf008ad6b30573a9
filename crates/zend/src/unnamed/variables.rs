//! Variables of PHP, by what they hold.

use super::words;
use crate::{Layout, heap};
use remote::{Memory, elf::Segment};

const GENERATOR: &[u8] = b"Generator";
const FIBER: &[u8] = b"Fiber";
/// The modules that anybody asks for: `Interpreter::is_cli`, `is_fastcgi`.
pub const MODULES: [&[u8]; 3] = [b"cli\0", b"fpm-fcgi\0", b"cgi-fcgi\0"];
/// Nothing of a process lies below or above.
const ADDRESSES: std::ops::Range<u64> = 0x1000..1 << 47;

/// Where they lie, as far as they were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    pub generator_class: Option<u64>,
    pub fiber_class: Option<u64>,
    pub sapi_module: Option<u64>,
    /// Of a PHP without threads.
    pub heap: Option<u64>,
}

/// The variables of a binary in memory.
pub struct Data<'a, M> {
    pub memory: &'a M,
    pub segments: &'a [Segment],
    pub bias: u64,
    /// Where in the file the names of modules stand, in order.
    pub modules: &'a [(u64, usize)],
}

impl<M: Memory> Data<'_, M> {
    pub fn held(&self, layout: &Layout) -> Held {
        let mut held = Held::default();
        self.each(|address, value| {
            if !ADDRESSES.contains(&value) {
                return;
            }
            let place = if self.is_inside(value) {
                if self.is_module(address, value) {
                    // What it was copied from is the same, and comes first.
                    held.sapi_module = Some(address);
                }
                None
            } else if value % heap::CHUNK == heap::IN_CHUNK {
                let first = self.memory.read_u64(value - heap::IN_CHUNK);
                (first == Ok(value)).then_some(&mut held.heap)
            } else {
                match self.class(layout, value) {
                    Some(GENERATOR) => Some(&mut held.generator_class),
                    Some(FIBER) => Some(&mut held.fiber_class),
                    _ => None,
                }
            };
            if let Some(place) = place {
                place.get_or_insert(address);
            }
        });
        held
    }

    /// The variable that holds this number and is nearest to `place`.
    pub fn nearest(&self, place: u64, number: u64) -> Option<u64> {
        let mut found: Option<u64> = None;
        self.each(|address, value| {
            if value == number && found.is_none_or(|other| address.abs_diff(place) < other.abs_diff(place)) {
                found = Some(address);
            }
        });
        found
    }

    fn each(&self, mut each: impl FnMut(u64, u64)) {
        for segment in self.segments.iter().filter(|segment| segment.is_writable()) {
            let start = segment.memory.start.wrapping_add(self.bias);
            let size = segment.memory.end - segment.memory.start;
            words::scan(self.memory, start, size, 8, |address, bytes| {
                let value = bytes.first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes));
                each(address, value);
            });
        }
    }

    fn is_inside(&self, address: u64) -> bool {
        let address = address.wrapping_sub(self.bias);
        self.segments
            .iter()
            .any(|segment| segment.is_loaded() && segment.memory.contains(&address))
    }

    /// Whether a `sapi_module_struct` lies there, which begins with its name, another one, and the function that starts it.
    fn is_module(&self, address: u64, name: u64) -> bool {
        let name = name.wrapping_sub(self.bias);
        if self
            .modules
            .binary_search_by_key(&name, |(place, _)| *place)
            .is_err()
        {
            return false;
        }
        let is_code = |address: u64| {
            let address = address.wrapping_sub(self.bias);
            let mut code = self.segments.iter().filter(|segment| segment.is_executable());
            code.any(|segment| segment.memory.contains(&address))
        };
        let start = self.memory.read_u64(address.wrapping_add(16));
        start.is_ok_and(is_code)
    }

    /// The name of the class that lies there, if it is one of those that are sought.
    fn class(&self, layout: &Layout, address: u64) -> Option<&'static [u8]> {
        let name = self
            .memory
            .read_u64(address.wrapping_add(layout.class_name.into()))
            .ok()
            .filter(|name| ADDRESSES.contains(name))?;
        let length = self
            .memory
            .read_u64(name.wrapping_add(layout.string_len.into()))
            .ok()?;
        let text = name.wrapping_add(layout.string_val.into());
        [GENERATOR, FIBER]
            .into_iter()
            .find(|class| length == class.len() as u64 && self.is_text(text, class))
    }

    fn is_text(&self, address: u64, text: &[u8]) -> bool {
        let mut bytes = [0; 16];
        let bytes = &mut bytes[..text.len()];
        self.memory.read(address, bytes).is_ok() && bytes == text
    }
}
