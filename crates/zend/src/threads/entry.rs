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

#[cfg(test)]
mod tests {
    use super::*;
    use remote::{FakeMemory, elf::Elf};

    const POINTER: u64 = 0x9_0ff8;
    const STORAGE_AT: u64 = 0x20_0000;
    const NUMBER: u32 = 3;

    /// A binary that keeps so many bytes for each thread.
    fn local(size: u64) -> Segment {
        let mut file = [0_u8; 64 + 56];
        file[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        file[18..20].copy_from_slice(&62_u16.to_le_bytes());
        file[32..40].copy_from_slice(&64_u64.to_le_bytes());
        file[54..56].copy_from_slice(&56_u16.to_le_bytes());
        file[56..58].copy_from_slice(&1_u16.to_le_bytes());
        let program = &mut file[64..];
        program[0] = 7;
        program[16..24].copy_from_slice(&0x4008_u64.to_le_bytes());
        program[40..48].copy_from_slice(&size.to_le_bytes());
        program[48..56].copy_from_slice(&16_u64.to_le_bytes());
        Elf::parse(&file[..]).unwrap().segments()[0].clone()
    }

    /// The storage of a thread, with the globals of that number 0x300 after its start.
    fn storage(pointer: u64) -> FakeMemory {
        let all = STORAGE_AT + 0x100;
        FakeMemory::new()
            .with(STORAGE_AT, [0; 0x200])
            .with(STORAGE_AT, all.to_ne_bytes())
            .with(STORAGE_AT + COUNT as u64, 9_u32.to_ne_bytes())
            .with(STORAGE_AT + THREAD as u64, pointer.to_ne_bytes())
            .with(
                all + u64::from(NUMBER - 1) * 8,
                (STORAGE_AT + 0x300).to_ne_bytes(),
            )
    }

    #[test]
    fn of_a_program_it_is_right_below_the_thread_pointer() {
        // 0x4008 + 0x18 is a multiple of 16 already.
        let block = POINTER - 0x18;
        let memory = storage(POINTER)
            .with(block, [0; 0x18])
            .with(block + 8, STORAGE_AT.to_ne_bytes());
        let entry = Entry::find(&memory, POINTER, &local(0x18), true).unwrap();
        assert_eq!(entry.slot, 0x10_u64.wrapping_neg());
        assert_eq!(entry.storage, STORAGE_AT);
        assert_eq!(entry.offset(&memory, NUMBER), Some(0x300));
        assert_eq!(entry.offset(&memory, 0), None);
    }

    #[test]
    fn of_a_library_it_is_where_the_table_of_modules_says() {
        let (table, block) = (0x5_0000_u64, POINTER - 0x400);
        let memory = storage(POINTER)
            .with(POINTER, [0; 16])
            .with(POINTER + TABLE, table.to_ne_bytes())
            .with(table, [0; 64])
            .with(table + 3 * 8, block.to_ne_bytes())
            .with(block, [0; 0x18])
            .with(block + 16, STORAGE_AT.to_ne_bytes());
        let entry = Entry::find(&memory, POINTER, &local(0x18), false).unwrap();
        assert_eq!(entry.slot, (0x400_u64 - 16).wrapping_neg());
    }

    #[test]
    fn storage_of_another_thread_is_none_of_its_own() {
        let block = POINTER - 0x18;
        let memory = storage(POINTER + 64)
            .with(block, [0; 0x18])
            .with(block + 8, STORAGE_AT.to_ne_bytes());
        assert_eq!(Entry::find(&memory, POINTER, &local(0x18), true), None);
        assert_eq!(
            Entry::find(&FakeMemory::new(), POINTER, &local(0x18), false),
            None
        );
    }
}
