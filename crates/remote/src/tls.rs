//! Where a thread keeps what is its own: its thread pointer, found from outside and without stopping it.
//!
//! The C library puts a block at the end of each thread's stack that begins with its own address, and holds the
//! number of the thread. glibc tells the kernel of a place in that block (its list of robust mutexes), which the
//! kernel tells others; musl does not, so there all small mappings are looked through. A block counts only if it
//! points to itself and has the right number.

use crate::{Mapping, Memory, Process};

/// From the start of glibc's block to the list that it registers, at most: `.robust_head` is at 736 since 2.4.
const LIST_MAX: u64 = 1024;
/// `offsetof(struct pthread, tid)` of glibc on x86-64.
const GLIBC_TID: usize = 720;
/// `offsetof(tcbhead_t, self)` of glibc, which compilers use.
const GLIBC_SELF: usize = 16;
/// `offsetof(struct pthread, tid)` of musl since 1.1.
const MUSL_TID: usize = 48;
/// Of musl's block, the address of the table of modules, which begins with their number.
const MUSL_MODULES: u64 = 8;
const BLOCK: usize = GLIBC_TID + 4;
/// Blocks lie on this: glibc's on more, musl's where what they keep for the program asks for no more.
const ALIGNMENT: u64 = 8;
/// Blocks lie in stacks, in libraries' data, or in small mappings of their own. The kernel joins neighbours, so that one may
/// lie amid another's memory: what is looked through is the end of each mapping, this large, and of all together so much.
const TAIL: u64 = 16 << 20;
const LOOKED_THROUGH_MAX: u64 = 256 << 20;

/// The thread pointer of a thread, by its number. `None` where the C library is another one, and if in doubt.
pub fn thread_pointer(thread: &Process) -> Option<u64> {
    if cfg!(not(all(target_arch = "x86_64", target_os = "linux"))) {
        return None;
    }
    let memory = thread.memory();
    let number = thread.own_number()?;
    registered(thread.pid())
        .and_then(|list| below(&memory, list, number))
        .or_else(|| search(&memory, &thread.maps().ok()?, number))
}

/// The thread pointer of the calling thread.
#[expect(unsafe_code)]
pub fn own_thread_pointer() -> Option<u64> {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    {
        let pointer: u64;
        // SAFETY: on x86-64 Linux the first word of every thread's block is its own address.
        unsafe {
            std::arch::asm!("mov {}, fs:[0]", out(reg) pointer, options(nostack, readonly, preserves_flags));
        }
        Some(pointer)
    }
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    None
}

/// The list of robust mutexes of a thread.
#[expect(unsafe_code)]
fn registered(tid: u32) -> Option<u64> {
    let (mut head, mut length) = (0_u64, 0_usize);
    // SAFETY: both places live through the call; the address that comes back is never dereferenced here.
    let result = unsafe { libc::syscall(libc::SYS_get_robust_list, tid, &raw mut head, &raw mut length) };
    (result == 0 && head != 0).then_some(head)
}

/// The block in which `list` lies.
fn below(memory: &impl Memory, list: u64, number: u32) -> Option<u64> {
    let start = list.checked_sub(LIST_MAX)?.next_multiple_of(ALIGNMENT);
    let mut bytes = vec![0; LIST_MAX as usize + BLOCK];
    // Where the block is at the start of its mapping, nothing lies before it.
    let read = memory.read_prefix(start, &mut bytes);
    let (start, read) = if read == 0 {
        let page = list & !0xfff;
        (page, memory.read_prefix(page, &mut bytes))
    } else {
        (start, read)
    };
    blocks(start, &bytes[..read], number).find(|&block| block <= list)
}

fn search(memory: &impl Memory, maps: &[Mapping], number: u32) -> Option<u64> {
    let mut bytes = vec![0; TAIL as usize];
    let mut left = LOOKED_THROUGH_MAX;
    let mut found = Vec::new();
    for mapping in maps.iter().filter(|mapping| mapping.read && mapping.write) {
        let size = (mapping.end - mapping.start).min(TAIL);
        left = left.checked_sub(size)?;
        let start = mapping.end - size;
        let read = memory.read_prefix(start, &mut bytes[..size as usize]);
        found.extend(blocks(start, &bytes[..read], number));
    }
    if found.len() > 1 {
        // musl's loader has a block of its own until it has counted the modules that keep something for each thread.
        let has_modules = |block: u64| memory.read_u64(memory.read_u64(block + MUSL_MODULES).ok()?).ok();
        found.retain(|block| has_modules(*block).is_some_and(|count| count != 0));
    }
    match found[..] {
        [block] => Some(block),
        _ => None,
    }
}

/// What looks like the block of the thread with this number.
fn blocks(start: u64, bytes: &[u8], number: u32) -> impl Iterator<Item = u64> {
    (0..bytes.len())
        .step_by(ALIGNMENT as usize)
        .filter_map(move |at| {
            let block = start + at as u64;
            let word = |offset: usize| bytes.get(at + offset..).and_then(|rest| rest.first_chunk::<8>());
            let tid = |offset: usize| bytes.get(at + offset..).and_then(|rest| rest.first_chunk::<4>());
            let itself = Some(&block.to_ne_bytes());
            let is_glibc = || word(GLIBC_SELF) == word(0) && tid(GLIBC_TID) == Some(&number.to_ne_bytes());
            let is_musl = || tid(MUSL_TID) == Some(&number.to_ne_bytes());
            (word(0).map(|word| word as &[u8; 8]) == itself && (is_glibc() || is_musl())).then_some(block)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, thread};

    #[test]
    #[cfg(all(target_arch = "x86_64", target_env = "gnu"))]
    fn each_thread_of_a_process_is_found() {
        let mut ends = Vec::new();
        for _ in 0..3 {
            let (tell, told) = mpsc::channel();
            let (end, ended) = mpsc::channel::<()>();
            let handle = thread::spawn(move || {
                let link = std::fs::read_link("/proc/thread-self").unwrap();
                let tid: u32 = link.file_name().unwrap().to_str().unwrap().parse().unwrap();
                tell.send((tid, own_thread_pointer())).unwrap();
                let _ = ended.recv();
            });
            let (tid, pointer) = told.recv().unwrap();
            let process = Process::open(tid).unwrap();
            assert_eq!(process.group(), std::process::id());
            assert_eq!(thread_pointer(&process), pointer);
            ends.push((end, handle));
        }
        let main = Process::open(std::process::id()).unwrap();
        assert!(thread_pointer(&main).is_some());
        for (end, handle) in ends {
            drop(end);
            handle.join().unwrap();
        }
    }

    #[test]
    fn only_a_block_with_the_right_number_counts() {
        let mut bytes = vec![0_u8; 4096];
        let put = |bytes: &mut [u8], at: usize, value: u64| {
            bytes[at..at + 8].copy_from_slice(&value.to_ne_bytes());
        };
        let start = 0x1000;
        // As glibc has it, as musl has it, and with the number of another thread.
        for at in [0x40, 0x808, 0x900] {
            put(&mut bytes, at, start + at as u64);
        }
        put(&mut bytes, 0x40 + GLIBC_SELF, start + 0x40);
        put(&mut bytes, 0x40 + GLIBC_TID, 7);
        put(&mut bytes, 0x808 + MUSL_TID, 8);
        put(&mut bytes, 0x900 + MUSL_TID, 9);
        assert_eq!(blocks(start, &bytes, 7).collect::<Vec<_>>(), [0x1040]);
        assert_eq!(blocks(start, &bytes, 8).collect::<Vec<_>>(), [0x1808]);
        assert_eq!(blocks(start, &bytes, 10).count(), 0);
        let memory = crate::FakeMemory::new().with(start, bytes);
        assert_eq!(below(&memory, 0x1040 + 736, 7), Some(0x1040));
    }
}
