//! A core file: what the kernel, or `gcore`, kept of a process.
//!
//! It holds the memory that the process had written, and names the files that it had mapped. What it does not hold is
//! read from those files, where they are still the same.

mod files;
mod memory;
mod notes;
#[cfg(test)]
mod tests;

pub use notes::CoreThread;

use crate::{
    Error, Image, Mapping, Memory,
    elf::{Elf, ReadAt, Segment},
};
use files::Files;
use notes::Notes;
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

/// Each thread has some KB of them.
const MAX_NOTES: u64 = 256 << 20;

/// What was kept of a process.
#[derive(Debug)]
pub struct CoreFile<R = File> {
    source: R,
    /// By address.
    segments: Vec<Segment>,
    notes: Notes,
    maps: Vec<Mapping>,
    program: PathBuf,
    files: Files,
    cut_off: u64,
}

impl CoreFile {
    /// Opens the core file at `path`. Each of `copies` takes the place of a file that the process had mapped and that is
    /// not where it was: which one is told by its build id, else by its name.
    pub fn open(path: &Path, copies: &[PathBuf]) -> Result<Self, Error> {
        let io = |why| Error::Io {
            what: path.display().to_string(),
            why,
        };
        // Whatever else may lie there, such as a pipe, could keep us waiting.
        if !fs::metadata(path).map_err(io)?.is_file() {
            return Err(Error::NotACore {
                path: path.display().to_string(),
                why: "not even a file",
            });
        }
        let file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        Self::parse(file, length, path, copies)
    }
}

impl<R: ReadAt> CoreFile<R> {
    /// The same of `length` bytes that are called `path`.
    pub fn parse(source: R, length: u64, path: &Path, copies: &[PathBuf]) -> Result<Self, Error> {
        if let Some(tool) = packed_with(&source) {
            let path = path.display().to_string();
            return Err(Error::Packed { path, tool });
        }
        let refuse = |why| Error::NotACore {
            path: path.display().to_string(),
            why,
        };
        let elf = Elf::parse(&source).map_err(|error| match error {
            Error::Elf(why) => refuse(why),
            other => other,
        })?;
        if !elf.is_core() {
            return Err(refuse("it is a program or a library"));
        }
        let mut notes = Notes::default();
        for segment in elf.segments().iter().filter(|segment| segment.is_notes()) {
            let bytes = elf
                .notes_of(segment, MAX_NOTES)
                .ok_or_else(|| refuse("its notes are cut off"))?;
            notes.add(&bytes, elf.machine());
        }
        if notes.threads.is_empty() {
            return Err(refuse("it names no thread"));
        }
        let needed = elf.segments().iter().map(|segment| segment.file.end).max();
        let mut segments: Vec<_> = elf
            .segments()
            .iter()
            .filter(|segment| segment.is_loaded())
            .cloned()
            .collect();
        segments.sort_by_key(|segment| segment.memory.start);
        let maps = notes.maps(&segments);
        let program = notes.program(&maps);
        let mut core = Self {
            source,
            segments,
            notes,
            maps,
            program,
            files: Files::default(),
            cut_off: needed.unwrap_or(0).saturating_sub(length),
        };
        core.files = Files::of(&core, copies)?;
        Ok(core)
    }

    /// The threads that the process had; the first is the one that crashed.
    pub fn threads(&self) -> &[CoreThread] {
        &self.notes.threads
    }

    /// The signal that ended the process; `None` where nothing did, as in a core that `gcore` made.
    pub fn signal(&self) -> Option<u32> {
        self.notes.threads.first().and_then(|thread| thread.signal)
    }

    /// Its command and arguments, of which the kernel keeps 80 bytes.
    pub fn command(&self) -> &str {
        &self.notes.command
    }

    /// What should be known of what is read from here: a line each.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.files.remarks();
        if self.cut_off > 0 {
            remarks.push(format!(
                "the last {} KB of the core are missing (raise `ulimit -c`, or make room on the disk): what lay there \
                 cannot be read",
                self.cut_off.div_ceil(1024)
            ));
        }
        remarks
    }
}

impl<R: ReadAt> Image for CoreFile<R> {
    fn pid(&self) -> u32 {
        self.notes.pid
    }

    fn program(&self) -> Result<PathBuf, Error> {
        Ok(self.program.clone())
    }

    fn maps(&self) -> Result<Vec<Mapping>, Error> {
        Ok(self.maps.clone())
    }

    fn open_mapped(&self, mapping: &Mapping) -> Result<File, Error> {
        self.files.open(self, mapping)
    }

    fn thread_pointers(&self) -> impl Iterator<Item = u64> {
        self.threads().iter().filter_map(|thread| thread.thread_pointer)
    }

    fn memory(&self) -> impl Memory {
        self
    }
}

/// What unpacks a file that begins like this one, if it is packed.
fn packed_with(source: &impl ReadAt) -> Option<&'static str> {
    let mut start = [0; 6];
    source.read_at(0, &mut start).ok()?;
    match start {
        [0x1f, 0x8b, ..] => Some("gzip -d"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("zstd -d"),
        [0x04, 0x22, 0x4d, 0x18, ..] => Some("lz4 -d"),
        [0xfd, b'7', b'z', b'X', b'Z', 0] => Some("xz -d"),
        _ => None,
    }
}
