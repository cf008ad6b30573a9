//! What the notes of a core file say: the threads, the command, the files that were mapped.

use crate::{
    Mapping,
    elf::{self, Machine, Segment},
};
use object::elf as note;
use std::{collections::HashMap, ffi::OsString, os::unix::ffi::OsStringExt, path::PathBuf};

const MAX_THREADS: usize = 1 << 16;
/// `struct elf_prstatus` of x86-64: `pr_cursig`, `pr_pid`, and where `pr_reg` begins.
const STATUS: usize = 336;
const STATUS_SIGNAL: usize = 12;
const STATUS_TID: usize = 32;
const STATUS_REGISTERS: usize = 112;
/// In `struct user_regs_struct` of x86-64, counted in words.
const R15: usize = 0;
const R14: usize = 1;
const RIP: usize = 16;
const FS_BASE: usize = 21;
/// `struct elf_prpsinfo` of 64-bit machines: `pr_pid`, `pr_psargs`.
const INFO_PID: usize = 24;
const INFO_ARGUMENTS: usize = 56;
/// In the auxiliary vector: where the program's headers lie in memory.
const AT_PHDR: u64 = 3;

/// A thread as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreThread {
    /// Its id.
    pub tid: u32,
    /// The signal that it had got.
    pub signal: Option<u32>,
    /// Its thread pointer, where that is known on this kind of machine.
    pub thread_pointer: Option<u64>,
    /// Where its code stood: `rip`, `r14` and `r15`, in which PHP keeps its frame and its place in the code.
    pub registers: Option<[u64; 3]>,
}

/// What all notes say together.
#[derive(Debug, Default)]
pub struct Notes {
    pub pid: u32,
    pub command: String,
    pub threads: Vec<CoreThread>,
    /// By address.
    files: Vec<Mapped>,
    headers_at: Option<u64>,
}

/// A file in memory, as `NT_FILE` has it.
#[derive(Clone, Debug)]
struct Mapped {
    start: u64,
    end: u64,
    offset: u64,
    path: PathBuf,
    deleted: bool,
}

impl Notes {
    /// Adds what a segment says. What makes no sense is left out.
    pub fn add(&mut self, bytes: &[u8], machine: Machine) {
        for note in elf::notes(bytes).filter(|note| note.name == b"CORE\0") {
            match note.kind {
                note::NT_PRSTATUS if self.threads.len() < MAX_THREADS => {
                    self.threads.extend(thread(note.content, machine));
                }
                note::NT_PRPSINFO => self.info(note.content),
                note::NT_AUXV => {
                    let words: Vec<u64> = note
                        .content
                        .chunks_exact(8)
                        .filter_map(|word| u64_at(word, 0))
                        .collect();
                    let entry = words.chunks_exact(2).find(|entry| entry[0] == AT_PHDR);
                    self.headers_at = self.headers_at.or(entry.map(|entry| entry[1]));
                }
                note::NT_FILE => self.files.extend(files(note.content).unwrap_or_default()),
                _ => {}
            }
        }
        self.files.sort_by_key(|file| file.start);
    }

    fn info(&mut self, content: &[u8]) {
        let Some(pid) = u32_at(content, INFO_PID) else {
            return;
        };
        let arguments = content.get(INFO_ARGUMENTS..).unwrap_or_default();
        let end = memchr::memchr(0, arguments).unwrap_or(arguments.len());
        self.pid = pid;
        let command = String::from_utf8_lossy(&arguments[..end]);
        command.trim_end().clone_into(&mut self.command);
    }

    /// The mappings of the process, by address. Files have no inodes here: equal paths get equal numbers.
    pub fn maps(&self, segments: &[Segment]) -> Vec<Mapping> {
        let mut numbers = HashMap::new();
        let mut maps: Vec<Mapping> = Vec::with_capacity(segments.len());
        for file in &self.files {
            let next = numbers.len() as u64 + 1;
            let inode = *numbers.entry(&file.path).or_insert(next);
            // `gcore` leaves out what the process had not written to.
            let segment = containing(segments, file.start);
            maps.push(Mapping {
                start: file.start,
                end: file.end,
                read: segment.is_none_or(Segment::is_readable),
                write: segment.is_some_and(Segment::is_writable),
                execute: segment.is_none_or(Segment::is_executable),
                offset: file.offset,
                device: (0, 0),
                inode,
                path: Some(file.path.clone()),
                deleted: file.deleted,
            });
        }
        let is_file = |address: u64| {
            let after = self.files.partition_point(|file| file.start <= address);
            after > 0 && address < self.files[after - 1].end
        };
        for segment in segments.iter().filter(|segment| !is_file(segment.memory.start)) {
            maps.push(Mapping {
                start: segment.memory.start,
                end: segment.memory.end,
                read: segment.is_readable(),
                write: segment.is_writable(),
                execute: segment.is_executable(),
                offset: 0,
                device: (0, 0),
                inode: 0,
                path: None,
                deleted: false,
            });
        }
        maps.sort_by_key(|mapping| mapping.start);
        maps
    }

    /// The path of the main program: the file in which its headers lie.
    pub fn program(&self, maps: &[Mapping]) -> PathBuf {
        let named = || maps.iter().filter(|mapping| mapping.is_file());
        let headers = self.headers_at;
        named()
            .find(|mapping| headers.is_some_and(|at| mapping.contains(at)))
            .or_else(|| named().next())
            .and_then(|mapping| mapping.path.clone())
            .unwrap_or_default()
    }
}

/// The segment in which `address` lies; `segments` are sorted.
pub fn containing(segments: &[Segment], address: u64) -> Option<&Segment> {
    let after = segments.partition_point(|segment| segment.memory.start <= address);
    segments[..after]
        .last()
        .filter(|segment| segment.memory.contains(&address))
}

fn thread(content: &[u8], machine: Machine) -> Option<CoreThread> {
    let tid = u32_at(content, STATUS_TID)?;
    let signal = u32::from(*content.get(STATUS_SIGNAL)?) | u32::from(*content.get(STATUS_SIGNAL + 1)?) << 8;
    let is_known = machine == Machine::X86_64 && content.len() == STATUS;
    let register = |index: usize| {
        is_known
            .then(|| u64_at(content, STATUS_REGISTERS + index * 8))
            .flatten()
    };
    let registers = || Some([register(RIP)?, register(R14)?, register(R15)?]);
    Some(CoreThread {
        tid,
        signal: (signal != 0).then_some(signal),
        thread_pointer: register(FS_BASE).filter(|&pointer| pointer != 0),
        registers: registers(),
    })
}

/// `NT_FILE`: how many, the size of a page; start, end and page of each; their paths.
fn files(content: &[u8]) -> Option<Vec<Mapped>> {
    let (count, page) = (u64_at(content, 0)? as usize, u64_at(content, 8)?);
    let numbers = content.get(16..16_usize.checked_add(count.checked_mul(24)?)?)?;
    let mut paths = content[16 + numbers.len()..].split(|&byte| byte == 0);
    let mut found = Vec::new();
    for entry in numbers.chunks_exact(24) {
        let path = paths.next()?;
        let without = path.strip_suffix(b" (deleted)");
        let (start, end) = (u64_at(entry, 0)?, u64_at(entry, 8)?);
        if start < end {
            found.push(Mapped {
                start,
                end,
                offset: u64_at(entry, 16)?.saturating_mul(page),
                path: PathBuf::from(OsString::from_vec(without.unwrap_or(path).to_vec())),
                deleted: without.is_some(),
            });
        }
    }
    Some(found)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
