//! PHP with threads (ZTS): each thread has executor globals of its own.
//!
//! A thread keeps a pointer to its storage in thread-local memory, and all globals lie in that storage. Where in it is in
//! an exported variable. Where in thread-local memory the pointer lies is said by an exported function that the JIT needs,
//! so that a stripped binary will do: two instructions, of which the first has the answer or the address of the answer.

mod entry;

pub use entry::Entry;

use crate::Error;
use remote::{Memory, Process, ReadError, thread_pointer};

/// `mov rax, [rip + …]`: the answer is in a table that the loader fills.
const FROM_TABLE: [u8; 3] = [0x48, 0x8b, 0x05];
/// `mov rax, …`: the linker knew it, as in a main program.
const KNOWN: [u8; 3] = [0x48, 0xc7, 0xc0];
/// Before it there may be a landing pad, and a frame in builds that are not optimised.
const CODE: usize = 24;

/// Where threads keep their executor globals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    /// From the thread pointer to where the thread keeps the pointer to its storage; wraps.
    pub slot: u64,
    /// The address of `executor_globals_offset`.
    pub offset: u64,
}

impl Threads {
    /// Where a thread keeps the pointer to its storage.
    pub fn slot_of(&self, thread: &Process) -> Result<u64, Error> {
        thread_pointer(thread)
            .map(|pointer| pointer.wrapping_add(self.slot))
            .ok_or(Error::NoThreadPointer(thread.pid()))
    }

    /// The executor globals of the thread that has its pointer in `slot`; `None` while it has none.
    pub fn globals(&self, memory: &impl Memory, slot: u64) -> Result<Option<u64>, ReadError> {
        let storage = memory.read_u64(slot)?;
        let offset = memory.read_u64(self.offset)?;
        Ok((storage != 0 && offset != 0).then(|| storage.wrapping_add(offset)))
    }
}

/// Reads `tsrm_get_ls_cache_tcb_offset`, which lies at `function`; `None` if it is not as known compilers write it.
pub fn slot(memory: &impl Memory, function: u64) -> Result<Option<u64>, ReadError> {
    let mut code = [0; CODE + 7];
    memory.read(function, &mut code)?;
    for at in 0..CODE {
        let (opcode, rest) = code[at..].split_at(3);
        let Some(value) = rest
            .first_chunk()
            .map(|bytes| i64::from(i32::from_le_bytes(*bytes)))
        else {
            break;
        };
        if opcode == KNOWN {
            return Ok(Some(value.cast_unsigned()));
        }
        if opcode == FROM_TABLE {
            let after = function.wrapping_add(at as u64 + 7);
            return memory
                .read_u64(after.wrapping_add(value.cast_unsigned()))
                .map(Some);
        }
        // The end of the function.
        if opcode[0] == 0xc3 {
            break;
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use remote::FakeMemory;

    const FUNCTION: u64 = 0x1000;

    fn slot_in(code: &[u8]) -> Option<u64> {
        let mut bytes = code.to_vec();
        bytes.resize(64, 0xcc);
        let memory = FakeMemory::new()
            .with(FUNCTION, bytes)
            .with(0x3000, (-40_i64).to_ne_bytes());
        slot(&memory, FUNCTION).unwrap()
    }

    #[test]
    fn of_a_library_it_is_in_the_table_of_the_loader() {
        let mut code = vec![0x48, 0x8b, 0x05];
        code.extend((0x3000_i32 - 0x1007).to_le_bytes());
        code.push(0xc3);
        assert_eq!(slot_in(&code), Some((-40_i64).cast_unsigned()));
        let padded = [
            &[0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x8b, 0x05][..],
            &(0x3000_i32 - 0x100b).to_le_bytes(),
            &[0xc3],
        ]
        .concat();
        assert_eq!(slot_in(&padded), Some((-40_i64).cast_unsigned()));
    }

    #[test]
    fn of_a_main_program_it_is_in_the_code() {
        let code = [&[0x48, 0xc7, 0xc0][..], &(-16_i32).to_le_bytes(), &[0xc3]].concat();
        assert_eq!(slot_in(&code), Some((-16_i64).cast_unsigned()));
    }

    #[test]
    fn musl_says_nothing() {
        // xor eax, eax; ret
        assert_eq!(slot_in(&[0x31, 0xc0, 0xc3, 0x48, 0xc7, 0xc0, 1, 0, 0, 0]), None);
    }

    #[test]
    fn a_thread_without_storage_has_no_globals() {
        let threads = Threads {
            slot: 0,
            offset: 0x100,
        };
        let memory = FakeMemory::new()
            .with(0x100, 640_u64.to_ne_bytes())
            .with(0x200, 0_u64.to_ne_bytes())
            .with(0x300, 0x5000_u64.to_ne_bytes());
        assert_eq!(threads.globals(&memory, 0x200), Ok(None));
        assert_eq!(threads.globals(&memory, 0x300), Ok(Some(0x5000 + 640)));
    }
}
