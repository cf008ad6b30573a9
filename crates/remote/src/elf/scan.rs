//! Looking for bytes in a file without holding the file.

use super::ReadAt;
use std::ops::Range;

/// Large enough that calls do not count, small enough that nobody sees it in the resident size.
const CHUNK: usize = 32 << 10;

/// A walk over a part of a file, chunk by chunk, in which no short run of bytes is missed.
pub struct Scan<'a, R: ReadAt + ?Sized> {
    source: &'a R,
    rest: Range<u64>,
    overlap: usize,
    buffer: Vec<u8>,
}

impl<'a, R: ReadAt + ?Sized> Scan<'a, R> {
    /// Will walk over `range`; two chunks in a row share `overlap` bytes.
    pub fn new(source: &'a R, range: Range<u64>, overlap: usize) -> Self {
        Self {
            source,
            rest: range,
            overlap: overlap.min(CHUNK / 2),
            buffer: vec![0; CHUNK],
        }
    }

    /// The next chunk and where it lies in the file; `None` at the end, or where the file ends before it.
    pub fn next_chunk(&mut self) -> Option<(u64, &[u8])> {
        let start = self.rest.start;
        let length = (self.rest.end.checked_sub(start)?).min(CHUNK as u64) as usize;
        if length == 0 {
            return None;
        }
        let chunk = &mut self.buffer[..length];
        self.source.read_at(start, chunk).ok()?;
        let end = start + length as u64;
        self.rest.start = if end == self.rest.end {
            end
        } else {
            end - self.overlap as u64
        };
        Some((start, chunk))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_needle_across_two_chunks_is_seen() {
        let mut bytes = vec![0_u8; 3 * CHUNK];
        bytes[CHUNK - 3..CHUNK + 3].copy_from_slice(b"needle");
        let mut scan = Scan::new(&bytes[..], 5..bytes.len() as u64, 5);
        let mut found = Vec::new();
        while let Some((start, chunk)) = scan.next_chunk() {
            found.extend(memchr::memmem::find_iter(chunk, b"needle").map(|at| start + at as u64));
        }
        assert_eq!(found, [CHUNK as u64 - 3]);
    }

    #[test]
    fn a_range_beyond_the_file_ends() {
        let mut scan = Scan::new(&[1, 2, 3][..], 0..u64::MAX, 8);
        assert!(scan.next_chunk().is_none());
        let (end, start) = (3, 9);
        assert!(Scan::new(&[1, 2, 3][..], start..end, 8).next_chunk().is_none());
    }
}
