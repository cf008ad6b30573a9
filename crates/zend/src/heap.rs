//! How much memory PHP's allocator holds.
//!
//! Where the allocator keeps its heap is in a variable that no symbol names. An exported function returns it, so that a
//! stripped binary will do: the last of its few instructions that loads a variable names the pointer to the heap, or in a
//! PHP with threads the number of bytes from a thread's storage to that pointer. Whether it is a heap is asked anew each
//! time: the chunk of memory in which it lies begins with its address.

use crate::Interpreter;
use profile::Memory as Amount;
use remote::{Memory, ReadError};

/// Before the load there may be a landing pad and, with threads, the way to the storage.
const CODE: usize = 48;
/// What PHP asks of the system at a time; its address is a multiple of this.
pub const CHUNK: u64 = 2 << 20;
/// In the first chunk the heap itself lies here.
pub(crate) const IN_CHUNK: u64 = 64;
/// In `zend_mm_heap`: `size`, with `peak` behind it. The same since PHP 7.0.
pub const SIZE: u64 = 16;

/// Reads `zend_mm_get_heap`, which lies at `function`: the address of the variable. `None` if it is not as known
/// compilers write it.
pub fn variable(memory: &impl Memory, function: u64) -> Option<u64> {
    let mut code = [0; CODE];
    let length = memory.read_prefix(function, &mut code);
    let mut found = None;
    let mut at = 0;
    while at + 7 <= length {
        // mov r64, [rip + …]
        if code[at] & 0xf8 == 0x48 && code[at + 1] == 0x8b && code[at + 2] & 0xc7 == 0x05 {
            let distance = i32::from_le_bytes([code[at + 3], code[at + 4], code[at + 5], code[at + 6]]);
            let after = function.wrapping_add(at as u64 + 7);
            found = Some(after.wrapping_add(i64::from(distance).cast_unsigned()));
            at += 7;
        } else if code[at] == 0xc3 {
            return found;
        } else {
            at += 1;
        }
    }
    None
}

/// What the heap of `interpreter` holds; `None` where it is not known, or the memory is not PHP's own to give
/// (`USE_ZEND_ALLOC=0`).
pub fn memory(memory: &impl Memory, interpreter: &Interpreter) -> Result<Option<Amount>, ReadError> {
    find(memory, interpreter)?.map_or(Ok(None), |heap| held(memory, heap))
}

/// The address of the heap of `interpreter`: it stays there while the process, or its thread, runs this PHP. `None` where
/// it is not known.
pub fn find(memory: &impl Memory, interpreter: &Interpreter) -> Result<Option<u64>, ReadError> {
    let Some(variable) = interpreter.heap else {
        return Ok(None);
    };
    let pointer = match interpreter.storage(memory)? {
        Some(storage) => storage.wrapping_add(memory.read_u64(variable)?),
        None => variable,
    };
    memory.read_u64(pointer).map(Some)
}

/// What the heap at this address holds; `None` if there is none.
pub fn held(memory: &impl Memory, heap: u64) -> Result<Option<Amount>, ReadError> {
    if heap < CHUNK || memory.read_u64(heap & !(CHUNK - 1)).ok() != Some(heap) {
        return Ok(None);
    }
    let mut amount = [0; 16];
    memory.read(heap + SIZE, &mut amount)?;
    let amount = u128::from_ne_bytes(amount);
    Ok(Some(Amount {
        used: amount as u64,
        peak: (amount >> 64) as u64,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world;
    use remote::FakeMemory;

    const FUNCTION: u64 = 0x1000;

    fn variable_in(code: &[u8]) -> Option<u64> {
        let mut bytes = code.to_vec();
        bytes.resize(64, 0xcc);
        variable(&FakeMemory::new().with(FUNCTION, bytes), FUNCTION)
    }

    #[test]
    fn the_last_variable_that_is_loaded_is_it() {
        let plain = [0x48, 0x8b, 0x05, 0xb9, 0x1c, 0x2b, 0x00, 0xc3];
        assert_eq!(variable_in(&plain), Some(FUNCTION + 7 + 0x2b_1cb9));
        let padded = [&[0xf3, 0x0f, 0x1e, 0xfa][..], &plain].concat();
        assert_eq!(variable_in(&padded), Some(FUNCTION + 11 + 0x2b_1cb9));
        let with_threads = [
            0x48, 0x8b, 0x05, 0x39, 0x47, 0x2f, 0x00, 0x64, 0x48, 0x8b, 0x10, 0x48, 0x8b, 0x05, 0x86, 0xe2,
            0x30, 0x00, 0x48, 0x8b, 0x04, 0x02, 0xc3,
        ];
        assert_eq!(variable_in(&with_threads), Some(FUNCTION + 18 + 0x30_e286));
        assert_eq!(variable_in(&[0x31, 0xc0, 0xc3]), None);
        assert_eq!(
            variable_in(&[0x90; 60]),
            None,
            "without an end it is no such function"
        );
    }

    #[test]
    fn only_a_heap_in_its_own_chunk_is_believed() {
        let mut interpreter = world::interpreter();
        interpreter.heap = Some(0x100);
        let chunk = 16 * CHUNK;
        let heap = chunk + 64;
        let mut words = [0_u64; 16];
        (words[0], words[10], words[11]) = (heap, 400_000, 500_000);
        let world = |first: u64| {
            words[0] = first;
            FakeMemory::new().with(0x100, heap.to_ne_bytes()).with(
                chunk,
                words
                    .iter()
                    .flat_map(|word| word.to_ne_bytes())
                    .collect::<Vec<_>>(),
            )
        };
        let mut world = world;
        let found = memory(&world(heap), &interpreter).unwrap();
        assert_eq!(
            found,
            Some(Amount {
                used: 400_000,
                peak: 500_000
            })
        );
        assert_eq!(memory(&world(heap + 8), &interpreter), Ok(None));
        interpreter.heap = None;
        assert_eq!(memory(&world(heap), &interpreter), Ok(None));
    }
}
