//! Notes: what a linker wrote of a file, or the kernel of a process.

use super::{Elf, ReadAt, Segment};
use object::{
    LittleEndian as LE,
    elf::{self, NoteHeader64},
    pod,
};

/// A linker's are short.
const MAX_NOTES: u64 = 64 << 10;

/// A note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note<'a> {
    /// What it says, to whoever knows its name.
    pub kind: elf::NoteType,
    /// Who wrote it, with a NUL.
    pub name: &'a [u8],
    /// What it says.
    pub content: &'a [u8],
}

/// The notes in `bytes`, up to the first that makes no sense.
pub fn notes(bytes: &[u8]) -> impl Iterator<Item = Note<'_>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (header, after) = pod::from_bytes::<NoteHeader64<LE>>(rest).ok()?;
        let names = header.n_namesz.get(LE) as usize;
        let start = names.checked_next_multiple_of(4)?;
        let length = header.n_descsz.get(LE) as usize;
        let content = after.get(start..start.checked_add(length)?)?;
        // The last one need not be padded.
        rest = length
            .checked_next_multiple_of(4)
            .and_then(|padded| after.get(start.checked_add(padded)?..))
            .unwrap_or_default();
        Some(Note {
            kind: header.n_type.get(LE),
            name: after.get(..names)?,
            content,
        })
    })
}

impl<R: ReadAt + ?Sized> Elf<'_, R> {
    /// The build id that the linker wrote.
    pub fn build_id(&self) -> Option<Vec<u8>> {
        self.segments
            .iter()
            .filter(|segment| segment.is_notes())
            .find_map(|segment| {
                let bytes = self.notes_of(segment, MAX_NOTES)?;
                notes(&bytes)
                    .find(|note| note.kind == elf::NT_GNU_BUILD_ID && note.name == b"GNU\0")
                    .map(|note| note.content.to_vec())
            })
    }

    /// The bytes of a segment of notes, `most` at most.
    pub(crate) fn notes_of(&self, segment: &Segment, most: u64) -> Option<Vec<u8>> {
        let length = (segment.file.end - segment.file.start).min(most);
        let mut bytes = vec![0; length as usize];
        self.source.read_at(segment.file.start, &mut bytes).ok()?;
        Some(bytes)
    }
}
