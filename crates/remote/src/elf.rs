//! What an ELF file says of itself, read piece by piece: a PHP is 6 MB and more, and little of it is needed.

mod file;
mod frames;
mod functions;
mod notes;
mod scan;
mod symbols;

pub use file::{Elf, Machine, Section, Segment, load_bias};
pub use frames::Frames;
pub use functions::Function;
pub use notes::{Note, notes};
pub use scan::Scan;

use std::{fs::File, io, os::unix::fs::FileExt};

/// Something that can be read at any place: a file, or bytes in tests.
pub trait ReadAt {
    /// Fills all of `buffer` from `offset` on.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

impl ReadAt for File {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.read_exact_at(buffer, offset)
    }
}

impl ReadAt for Vec<u8> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self[..].read_at(offset, buffer)
    }
}

impl ReadAt for [u8] {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let bytes = usize::try_from(offset)
            .ok()
            .and_then(|start| self.get(start..start.checked_add(buffer.len())?))
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}
