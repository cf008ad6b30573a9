//! Where texts stand among the constants of a binary.

use remote::elf::{Elf, ReadAt, Scan};

/// A text may also be the end of longer ones.
const PLACES_MAX: usize = 128;

/// The addresses of these texts, each with its place in the list, in order.
pub fn places<R: ReadAt + ?Sized>(source: &R, elf: &Elf<'_, R>, texts: &[&[u8]]) -> Vec<(u64, usize)> {
    let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0);
    let mut places = Vec::new();
    for range in elf.constants() {
        let mut scan = Scan::new(source, range, longest);
        while let Some((start, chunk)) = scan.next_chunk() {
            for (index, text) in texts.iter().enumerate() {
                let found = memchr::memmem::find_iter(chunk, text);
                let found = found.filter_map(|at| elf.address(start + at as u64));
                places.extend(found.take(PLACES_MAX).map(|address| (address, index)));
            }
        }
    }
    places.sort_unstable();
    places.dedup();
    places.truncate(PLACES_MAX);
    places
}
