//! What a process consists of, whether it runs or has left a core file.

use crate::{Error, Mapping, Memory};
use std::{fs::File, path::PathBuf};

/// The image of a process: what it maps, and its memory.
pub trait Image {
    /// Its id.
    fn pid(&self) -> u32;

    /// The path of its main program.
    fn program(&self) -> Result<PathBuf, Error>;

    /// Its mappings, in the order of their addresses.
    fn maps(&self) -> Result<Vec<Mapping>, Error>;

    /// Opens the very file behind a mapping: no other one that has its path by now.
    fn open_mapped(&self, mapping: &Mapping) -> Result<File, Error>;

    /// The thread pointers of its threads, as far as they are known. Each may take some milliseconds.
    fn thread_pointers(&self) -> impl Iterator<Item = u64>;

    /// Its memory.
    fn memory(&self) -> impl Memory;
}
