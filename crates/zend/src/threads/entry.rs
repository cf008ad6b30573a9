//! A thread's storage, found without being told where the thread keeps the pointer to it.
//!
//! PHP before 8.0 has no function that says so, and built for musl that function says nothing. But whose storage something
//! is can be checked: it begins with a head (`tsrm_tls_entry`) in which the thread's own pointer stands. What is looked
//! through is the little that PHP's binary keeps for each thread, not the thread's stack, on which such pointers lie too.

use remote::{Memory, elf::Segment};

/// In `tsrm_tls_entry`: the addresses of all globals, how many these are, and the thread. The same since PHP 7.4.
const STORAGE: u64 = 0;
const COUNT: usize = 8;
const THREAD: usize = 16;
/// More kinds of globals than all extensions together have.
const COUNT_MAX: u32 = 4096;
/// PHP's binary keeps a few words; a program that PHP is a part of may keep more.
const BLOCK_MAX: u64 = 64 << 10;
/// From the thread pointer to the table of the blocks of all modules: glibc and musl.
const TABLE: u64 = 8;
/// Words of that table: modules that were loaded at the start come first.
const MODULES: u64 = 128;
/// Such modules' blocks lie below the thread pointer, each at the same distance from it in all threads.
const NEAR: u64 = 1 << 20;

/// What a thread has for PHP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// From the thread pointer to where the pointer to its storage is kept; wraps.
    pub slot: u64,
    /// Where its storage begins.
    pub storage: u64,
}

impl Entry {
    /// Of the thread with this pointer; `None` while it has none. `local` is what the binary keeps for each thread, and
    /// `is_program` says that it is the main program.
    pub fn find(memory: &impl Memory, pointer: u64, local: &Segment, is_program: bool) -> Option<Self> {
        if is_program {
            // The linker laid it out so that it ends at the thread pointer.
            let end = local
                .memory
                .end
                .checked_next_multiple_of(local.alignment.max(1))?;
            let block = pointer.wrapping_sub(end - local.memory.start);
            return Self::in_block(memory, pointer, block, local);
        }
        let table = memory.read_u64(pointer.wrapping_add(TABLE)).ok()?;
        (1..MODULES)
            .filter_map(|index| memory.read_u64(table.wrapping_add(index * 8)).ok())
            .filter(|block| (1..NEAR).contains(&pointer.wrapping_sub(*block)))
            .find_map(|block| Self::in_block(memory, pointer, block, local))
    }

    fn in_block(memory: &impl Memory, pointer: u64, block: u64, local: &Segment) -> Option<Self> {
        let size = (local.memory.end - local.memory.start).min(BLOCK_MAX);
        let mut bytes = vec![0; size as usize];
        let read = memory.read_prefix(block, &mut bytes);
        let (words, _) = bytes[..read].as_chunks();
        words.iter().enumerate().find_map(|(index, word)| {
            let storage = u64::from_ne_bytes(*word);
            is_of(memory, pointer, storage).then(|| Self {
                slot: block.wrapping_add(index as u64 * 8).wrapping_sub(pointer),
                storage,
            })
        })
    }

    /// From the start of its storage to the globals with this number.
    pub fn offset(&self, memory: &impl Memory, number: u32) -> Option<u64> {
        let index = u64::from(number.checked_sub(1)?);
        let all = memory.read_u64(self.storage.wrapping_add(STORAGE)).ok()?;
        let globals = memory.read_u64(all.wrapping_add(index * 8)).ok()?;
        globals.checked_sub(self.storage)
    }
}

fn is_of(memory: &impl Memory, pointer: u64, storage: u64) -> bool {
    let mut head = [0; THREAD + 8];
    if storage == 0 || !storage.is_multiple_of(8) || memory.read(storage, &mut head).is_err() {
        return false;
    }
    let count = head[COUNT..]
        .first_chunk()
        .map_or(0, |bytes| u32::from_ne_bytes(*bytes));
    (1..=COUNT_MAX).contains(&count) && head[THREAD..] == pointer.to_ne_bytes()
}
