//! Where functions begin and end in a file that names none: what is needed to unwind the stack tells it too.

use super::{Elf, ReadAt};
use std::ops::Range;

/// PHP has half a MB of it.
const MAX_FRAMES: u64 = 64 << 20;
/// `DW_EH_PE_pcrel | DW_EH_PE_sdata4`: how compilers write addresses there.
const RELATIVE: u8 = 0x1b;

/// The functions of a file, by address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frames(Vec<Range<u64>>);

impl Frames {
    /// The function that this address lies in, before the load bias is added.
    pub fn around(&self, address: u64) -> Option<Range<u64>> {
        let after = self.0.partition_point(|range| range.start <= address);
        let range = self.0.get(after.checked_sub(1)?)?;
        range.contains(&address).then(|| range.clone())
    }

    /// Reads `.eh_frame`, which lies at `address` in memory.
    fn parse(bytes: &[u8], address: u64) -> Self {
        let word = |at: usize| {
            let bytes = bytes.get(at..).and_then(|rest| rest.first_chunk());
            bytes.map(|bytes| u32::from_le_bytes(*bytes))
        };
        let mut ranges = Vec::new();
        let mut at = 0;
        while let Some(length) = word(at) {
            let Some(end) = (at + 4)
                .checked_add(length as usize)
                .filter(|end| *end <= bytes.len())
            else {
                break;
            };
            // What begins with no distance to a common part is such a part; with no length it is an end, after which more
            // may come that the linker put together.
            if let (Some(distance @ 1..), Some(begin), Some(size @ 1..)) =
                (word(at + 4), word(at + 8), word(at + 12))
                && length >= 12
                && (at + 4)
                    .checked_sub(distance as usize)
                    .is_some_and(|common| is_relative(bytes, common))
            {
                let place = address.wrapping_add(at as u64 + 8);
                let start = place.wrapping_add(i64::from(begin.cast_signed()).cast_unsigned());
                ranges.push(start..start.wrapping_add(size.into()));
            }
            at = end;
        }
        ranges.sort_unstable_by_key(|range| range.start);
        Self(ranges)
    }
}

/// Whether the common part at `at` says that addresses are written in the usual way.
fn is_relative(bytes: &[u8], at: usize) -> bool {
    // Length, distance and version, then a text that ends with a zero; of what it lists, `R` comes last but for flags.
    let Some(rest) = bytes.get(at + 9..) else {
        return false;
    };
    match rest {
        // Two factors and the register of the return address are a byte each, so is the length of what `z` announces.
        [b'z', b'R', 0, _, _, _, 1, encoding, ..] | [b'z', b'R', b'S', 0, _, _, _, 1, encoding, ..] => {
            *encoding == RELATIVE
        }
        // C++: where its handlers are comes first, in 4 or 8 bytes.
        [b'z', b'P', b'L', b'R', 0, _, _, _, length, rest @ ..] => {
            rest.get(usize::from(*length).wrapping_sub(1)) == Some(&RELATIVE)
        }
        _ => false,
    }
}

impl<R: ReadAt + ?Sized> Elf<'_, R> {
    /// The functions that the file says how to unwind; `None` where it does not.
    pub fn frames(&self) -> Option<Frames> {
        let section = self.section(".eh_frame")?;
        let size = section.file.end - section.file.start;
        if size == 0 || size > MAX_FRAMES {
            return None;
        }
        let mut bytes = vec![0; size as usize];
        self.source.read_at(section.file.start, &mut bytes).ok()?;
        Some(Frames::parse(&bytes, section.memory.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Process;
    use proptest::prelude::*;

    #[test]
    fn the_functions_of_this_very_program() {
        let process = Process::open(std::process::id()).unwrap();
        let (path, _) = process.executable().unwrap();
        let maps = process.maps().unwrap();
        let mapping = maps
            .iter()
            .find(|mapping| mapping.path.as_ref() == Some(&path))
            .unwrap();
        let file = process.open_mapped(mapping).unwrap();
        let elf = Elf::parse(&file).unwrap();
        let frames = elf.frames().unwrap();
        let bias = elf.load_bias(mapping).unwrap();
        let named = elf.functions();
        let own = (Frames::parse as *const () as u64).wrapping_sub(bias);
        let named = named.iter().find(|function| function.range.start == own).unwrap();
        for address in [own, own + 1, named.range.end - 1] {
            assert_eq!(frames.around(address), Some(named.range.clone()));
        }
        assert_eq!(frames.around(0), None);
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(prop_oneof![Just(0_u8), 0_u8..32, any::<u8>()], 0..512), address: u64) {
            let frames = Frames::parse(&bytes, address);
            prop_assert!(frames.0.len() <= bytes.len() / 16 + 1);
            let _ = frames.around(address);
        }
    }
}
