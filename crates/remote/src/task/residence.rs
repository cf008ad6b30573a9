//! Where a process keeps the number of the CPU on which its main thread runs.
//!
//! Since 2.35 glibc registers a few bytes of each thread with the kernel (restartable sequences, rseq(2)). Before
//! the thread runs any of its own code on another CPU, the kernel puts that CPU's number there. So a reader that
//! finds its own CPU's number knows that the thread runs nowhere else, for a fraction of what `/proc` asks.

use crate::{Mapping, Memory, Process, elf::Elf};

/// Where the C library has its thread's block: not far, and in a small mapping.
const MAPPING_MAX: u64 = 1 << 20;
/// All that is looked through for it, at most.
const LOOKED_THROUGH_MAX: u64 = 8 << 20;
const CHUNK: usize = 16 << 10;
/// Thread control blocks lie on cache lines.
const ALIGNMENT: usize = 64;
/// `offsetof(tcbhead_t, self)` on x86-64, which no version of glibc can change: compilers use it.
const SELF: usize = 16;
/// `offsetof(struct rseq, cpu_id)`; `cpu_id_start` comes before.
const CPU_ID: u64 = 4;
/// No machine has more.
const CPUS_MAX: u32 = 1 << 16;

/// The address at which the kernel keeps the number of the CPU of the main thread, as four bytes. `None` where
/// the C library has no such thing (musl, or glibc before 2.35), and if in doubt.
pub fn residence(process: &Process) -> Option<u64> {
    if cfg!(not(all(target_arch = "x86_64", target_os = "linux"))) {
        return None;
    }
    let maps = process.maps().ok()?;
    let memory = process.memory();
    let offset = sequence_offset(process, &maps)?;
    let mut found = thread_blocks(&maps, &memory)
        .into_iter()
        .map(|block| block.wrapping_add(offset))
        .filter(|&sequence| is_registered(&memory, sequence));
    let sequence = found.next()?;
    // With two threads it could be the other one's.
    found.next().is_none().then(|| sequence.wrapping_add(CPU_ID))
}

/// From a thread's block to what it registered.
fn sequence_offset(process: &Process, maps: &[Mapping]) -> Option<u64> {
    let loader = maps.iter().find(|mapping| {
        let name = mapping.path.as_deref().and_then(|path| path.file_name());
        mapping.is_file() && name.is_some_and(|name| name.as_encoded_bytes().starts_with(b"ld-"))
    })?;
    let file = process.open_mapped(loader).ok()?;
    let elf = Elf::parse(&file).ok()?;
    let [variable] = elf.symbols(["__rseq_offset"]);
    let address = variable?.start.wrapping_add(elf.load_bias(loader)?);
    process.memory().read_u64(address).ok()
}

/// What looks like the control block of a thread: it points to itself, twice.
fn thread_blocks(maps: &[Mapping], memory: &impl Memory) -> Vec<u64> {
    let mut blocks = Vec::new();
    let mut buffer = vec![0; CHUNK];
    let mut left = LOOKED_THROUGH_MAX;
    for mapping in maps {
        let size = mapping.end - mapping.start;
        if mapping.path.is_some() || !mapping.read || !mapping.write || size > MAPPING_MAX || size > left {
            continue;
        }
        left -= size;
        let mut start = mapping.start;
        while start < mapping.end {
            let length = buffer.len().min((mapping.end - start) as usize);
            let read = memory.read_prefix(start, &mut buffer[..length]);
            for offset in (0..read.saturating_sub(SELF + 8)).step_by(ALIGNMENT) {
                let block = start + offset as u64;
                let points = |at: usize| buffer[offset + at..].first_chunk() == Some(&block.to_ne_bytes());
                if points(0) && points(SELF) {
                    blocks.push(block);
                }
            }
            start += length as u64;
        }
    }
    blocks
}

/// Whether the kernel keeps a CPU's number there, in both of its places.
fn is_registered(memory: &impl Memory, sequence: u64) -> bool {
    let Ok(both) = memory.read_u64(sequence) else {
        return false;
    };
    let (start, now) = (both as u32, (both >> 32) as u32);
    start == now && now < CPUS_MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    struct Sleeper(Child);

    impl Drop for Sleeper {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    #[cfg(all(target_arch = "x86_64", target_env = "gnu"))]
    fn a_process_that_is_pinned_says_where() {
        let cpu = (0..super::super::thread::processors())
            .rev()
            .find(|&cpu| super::super::thread::may_use(cpu))
            .unwrap();
        let child = Sleeper(
            Command::new("taskset")
                .args(["-c", &cpu.to_string(), "sleep", "600"])
                .spawn()
                .unwrap(),
        );
        let process = Process::open(child.0.id()).unwrap();
        while process.name().unwrap() != "sleep" {
            std::thread::yield_now();
        }
        // Its C library may not have come so far yet.
        let address = loop {
            if let Some(address) = residence(&process) {
                break address;
            }
            std::thread::yield_now();
        };
        assert_eq!(process.memory().read_u32(address), Ok(cpu));
    }

    #[test]
    fn only_blocks_that_point_to_themselves_twice_count() {
        let mapping = Mapping {
            start: 0x10000,
            end: 0x20000,
            read: true,
            write: true,
            execute: false,
            offset: 0,
            device: (0, 0),
            inode: 0,
            path: None,
            deleted: false,
        };
        let mut bytes = vec![0_u8; 0x10000];
        let mut put = |offset: usize, value: u64| {
            bytes[offset..offset + 8].copy_from_slice(&value.to_ne_bytes());
        };
        put(0x40, 0x10040);
        put(0x1000, 0x11000);
        put(0x1010, 0x11000);
        put(0xffc0, 0x1ffc0);
        put(0xffd0, 0x1ffc0);
        let memory = crate::FakeMemory::new().with(0x10000, bytes);
        assert_eq!(thread_blocks(&[mapping], &memory), [0x11000, 0x1ffc0]);
    }
}
