//! Every word of a part of memory.

use remote::Memory;

const CHUNK: usize = 64 << 10;
/// A PHP has a few MB of constants and less of variables; a program that it is a part of may have more.
const MOST: u64 = 256 << 20;

/// Calls `each` with the address of every word from `start` on, and the `length` bytes that begin there. What cannot be
/// read ends it.
pub fn scan(memory: &impl Memory, start: u64, size: u64, length: usize, mut each: impl FnMut(u64, &[u8])) {
    let mut buffer = vec![0; CHUNK + length];
    let first = start.next_multiple_of(8);
    let end = start.saturating_add(size.min(MOST));
    let mut at = first;
    while at < end {
        let wanted = (end - at).min(buffer.len() as u64) as usize;
        let read = memory.read_prefix(at, &mut buffer[..wanted]);
        let mut offset = 0;
        while offset < CHUNK && offset + length <= read {
            each(at + offset as u64, &buffer[offset..offset + length]);
            offset += 8;
        }
        if read < wanted {
            return;
        }
        at += CHUNK as u64;
    }
}
