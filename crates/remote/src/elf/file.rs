//! Headers: what lies where, in the file and in memory.

use super::ReadAt;
use crate::{Error, Mapping};
use object::{
    LittleEndian as LE,
    elf::{self, FileHeader64, ProgramHeader64, SectionHeader64},
    pod::{self, Pod},
};
use std::ops::Range;

/// Linux knows no executable with more; nor a linker one with as many sections.
const MAX_HEADERS: u16 = 1024;
/// A core file has one for each mapping. With more than these the number stands elsewhere.
const MAX_HEADERS_OF_CORE: u16 = u16::MAX - 1;
/// Of those that are looked through, each of which may be the whole file.
const MAX_LOADED: usize = 16;
/// `p_offset` and `p_vaddr` agree modulo the page size, and a page has at least this many bytes.
const PAGE: u64 = 4096;

/// What the code in a file runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Machine {
    /// `x86_64`.
    X86_64,
    /// `aarch64`.
    Aarch64,
}

impl Machine {
    /// The machine for which phperf itself is built; a target of another one cannot run here.
    pub const fn host() -> Option<Self> {
        if cfg!(target_arch = "x86_64") {
            Some(Self::X86_64)
        } else if cfg!(target_arch = "aarch64") {
            Some(Self::Aarch64)
        } else {
            None
        }
    }

    /// Its name, as compilers say it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64",
            Self::Aarch64 => "aarch64",
        }
    }
}

/// A part of the file that is mapped, or says something about the mapped ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub(super) kind: elf::ProgramType,
    flags: elf::ProgramFlags,
    /// Where it lies in the file.
    pub file: Range<u64>,
    /// Where it lies in memory, before the load bias is added.
    pub memory: Range<u64>,
    /// What its address is a multiple of, as the place in the file is.
    pub alignment: u64,
}

impl Segment {
    /// Whether it holds notes.
    pub fn is_notes(&self) -> bool {
        self.kind == elf::PT_NOTE
    }

    /// Whether it is what each thread has a copy of.
    pub fn is_thread_local(&self) -> bool {
        self.kind == elf::PT_TLS
    }

    /// Whether it is mapped.
    pub fn is_loaded(&self) -> bool {
        self.kind == elf::PT_LOAD
    }

    /// Whether it is mapped to be read.
    pub fn is_readable(&self) -> bool {
        self.is_loaded() && self.flags.contains(elf::PF_R)
    }

    /// Whether it is mapped to be written.
    pub fn is_writable(&self) -> bool {
        self.is_loaded() && self.flags.contains(elf::PF_W)
    }

    /// Whether it is mapped to be executed.
    pub fn is_executable(&self) -> bool {
        self.is_loaded() && self.flags.contains(elf::PF_X)
    }
}

/// A named part of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub(super) kind: elf::SectionType,
    pub(super) name: u32,
    pub(super) link: u32,
    flags: elf::SectionFlags,
    /// Where it lies in the file.
    pub file: Range<u64>,
    /// Where it lies in memory, before the load bias is added.
    pub memory: Range<u64>,
}

/// The headers of an ELF file, and the file itself to read on in.
pub struct Elf<'a, R: ReadAt + ?Sized> {
    pub(super) source: &'a R,
    pub(super) segments: Vec<Segment>,
    pub(super) sections: Vec<Section>,
    machine: Machine,
    is_core: bool,
    names: u16,
}

impl<'a, R: ReadAt + ?Sized> Elf<'a, R> {
    /// Reads the headers, a few KB.
    pub fn parse(source: &'a R) -> Result<Self, Error> {
        let header: FileHeader64<LE> = read_pod(source, 0).ok_or(Error::Elf("it has no header"))?;
        let ident = &header.e_ident;
        if ident.magic != elf::ELFMAG || ident.class != elf::ELFCLASS64 || ident.data != elf::ELFDATA2LSB {
            return Err(Error::Elf("its first bytes say so"));
        }
        let machine = match header.e_machine.get(LE) {
            elf::EM_X86_64 => Machine::X86_64,
            elf::EM_AARCH64 => Machine::Aarch64,
            _ => return Err(Error::Elf("it is for another kind of machine")),
        };
        let (programs, sections) = (header.e_phnum.get(LE), header.e_shnum.get(LE));
        let is_core = header.e_type.get(LE) == elf::ET_CORE;
        let most = if is_core { MAX_HEADERS_OF_CORE } else { MAX_HEADERS };
        if programs > most || sections > MAX_HEADERS {
            return Err(Error::Elf("it has too many headers"));
        }
        let segments = read_pods(source, header.e_phoff.get(LE), programs)
            .ok_or(Error::Elf("its program headers are cut off"))?
            .iter()
            .map(|program: &ProgramHeader64<LE>| Segment {
                kind: program.p_type.get(LE),
                flags: program.p_flags.get(LE),
                file: range(program.p_offset.get(LE), program.p_filesz.get(LE)),
                memory: range(program.p_vaddr.get(LE), program.p_memsz.get(LE)),
                alignment: program.p_align.get(LE),
            })
            .collect();
        // The loader needs no sections, and some tools strip them.
        let sections = read_pods(source, header.e_shoff.get(LE), sections)
            .unwrap_or_default()
            .iter()
            .map(|section: &SectionHeader64<LE>| Section {
                kind: section.sh_type.get(LE),
                name: section.sh_name.get(LE),
                link: section.sh_link.get(LE),
                flags: section.sh_flags.get(LE),
                memory: range(section.sh_addr.get(LE), section.sh_size.get(LE)),
                file: match section.sh_type.get(LE) {
                    elf::SHT_NOBITS => 0..0,
                    _ => range(section.sh_offset.get(LE), section.sh_size.get(LE)),
                },
            })
            .collect();
        Ok(Self {
            source,
            segments,
            sections,
            machine,
            is_core,
            names: header.e_shstrndx.get(LE).0,
        })
    }

    /// What its code runs on.
    pub const fn machine(&self) -> Machine {
        self.machine
    }

    /// Whether it is what the kernel kept of a process.
    pub const fn is_core(&self) -> bool {
        self.is_core
    }

    /// What the loader maps, among others.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Whether it is a program, which names a loader, and no library.
    pub fn has_interpreter(&self) -> bool {
        self.segments.iter().any(|segment| segment.kind == elf::PT_INTERP)
    }

    /// How much the loader added to the addresses in the file, known from one mapping of it.
    pub fn load_bias(&self, mapping: &Mapping) -> Option<u64> {
        load_bias(&self.segments, mapping)
    }

    /// Where its code lies, before the load bias is added.
    pub fn text(&self) -> Option<Range<u64>> {
        self.segments
            .iter()
            .filter(|segment| segment.is_executable())
            .map(|segment| segment.memory.clone())
            .reduce(|all, next| all.start.min(next.start)..all.end.max(next.end))
    }

    /// Where its code lies, before the load bias is added, without what only shares a segment with it: constants and
    /// tables do in some files. The same as [`Elf::text`] where the sections were stripped.
    pub fn code(&self) -> Option<Range<u64>> {
        let is_code = |section: &&Section| {
            section.flags.contains(elf::SHF_EXECINSTR | elf::SHF_ALLOC) && !section.memory.is_empty()
        };
        self.sections
            .iter()
            .filter(is_code)
            .map(|section| section.memory.clone())
            .reduce(|all, next| all.start.min(next.start)..all.end.max(next.end))
            .or_else(|| self.text())
    }

    /// The section called `name`.
    pub fn section(&self, name: &str) -> Option<&Section> {
        let names = self.sections.get(usize::from(self.names))?;
        self.sections.iter().find(|section| {
            let mut buffer = [0; 64];
            let buffer = &mut buffer[..(name.len() + 1).min(64)];
            let at = names.file.start.saturating_add(u64::from(section.name));
            self.source.read_at(at, buffer).is_ok() && buffer.strip_suffix(b"\0") == Some(name.as_bytes())
        })
    }

    /// Where the constants lie in the file: `.rodata`, or all that is mapped.
    pub fn constants(&self) -> Vec<Range<u64>> {
        if let Some(section) = self.section(".rodata") {
            return vec![section.file.clone()];
        }
        self.segments
            .iter()
            .filter(|segment| segment.is_loaded() && !segment.file.is_empty())
            .take(MAX_LOADED)
            .map(|segment| segment.file.clone())
            .collect()
    }

    /// To what address the byte at this place in the file is loaded, before the load bias is added.
    pub fn address(&self, offset: u64) -> Option<u64> {
        let mut loaded = self.segments.iter().filter(|segment| segment.is_loaded());
        let segment = loaded.find(|segment| segment.file.contains(&offset))?;
        segment.memory.start.checked_add(offset - segment.file.start)
    }

    /// Where in the file the byte lies that is loaded to `address`.
    pub(super) fn file_offset(&self, address: u64) -> Option<u64> {
        let segment = self
            .segments
            .iter()
            .find(|segment| segment.is_loaded() && segment.memory.contains(&address))?;
        let into = address - segment.memory.start;
        (into < segment.file.end - segment.file.start).then(|| segment.file.start + into)
    }
}

/// How much the loader added to the addresses in the file, known from its segments and one mapping of it.
pub fn load_bias(segments: &[Segment], mapping: &Mapping) -> Option<u64> {
    let loaded = || segments.iter().filter(|segment| segment.is_loaded());
    // The end of one segment and the start of the next may share a page of the file, which is then mapped
    // twice; a mapping that starts in the middle of a segment was split off by `mprotect`.
    let segment = loaded()
        .find(|segment| page(segment.file.start) == mapping.offset)
        .or_else(|| {
            loaded().find(|segment| (page(segment.file.start)..segment.file.end).contains(&mapping.offset))
        })?;
    let into = mapping.offset - page(segment.file.start);
    let start = page(segment.memory.start).checked_add(into)?;
    Some(mapping.start.wrapping_sub(start))
}

const fn page(address: u64) -> u64 {
    address & !(PAGE - 1)
}

/// Hostile sizes end at the end of the address space.
const fn range(start: u64, length: u64) -> Range<u64> {
    start..start.saturating_add(length)
}

/// One value at `offset`.
pub(super) fn read_pod<T: Pod, R: ReadAt + ?Sized>(source: &R, offset: u64) -> Option<T> {
    let mut bytes = [0; 64];
    let bytes = &mut bytes[..size_of::<T>()];
    source.read_at(offset, bytes).ok()?;
    Some(*pod::from_bytes(bytes).ok()?.0)
}

/// `count` values from `offset` on, in a buffer of their own.
struct Pods<T> {
    bytes: Vec<u8>,
    count: usize,
    values: std::marker::PhantomData<T>,
}

impl<T> Default for Pods<T> {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            count: 0,
            values: std::marker::PhantomData,
        }
    }
}

impl<T: Pod> Pods<T> {
    fn iter(&self) -> std::slice::Iter<'_, T> {
        pod::slice_from_bytes(&self.bytes, self.count)
            .map_or(&[][..], |(values, _)| values)
            .iter()
    }
}

fn read_pods<T: Pod, R: ReadAt + ?Sized>(source: &R, offset: u64, count: u16) -> Option<Pods<T>> {
    let mut bytes = vec![0; usize::from(count) * size_of::<T>()];
    source.read_at(offset, &mut bytes).ok()?;
    Some(Pods {
        bytes,
        count: usize::from(count),
        values: std::marker::PhantomData,
    })
}
