//! The files that a process had mapped, as far as they can still be had.

use super::CoreFile;
use crate::{
    Error, Mapping,
    elf::{Elf, ReadAt},
};
use std::{
    cell::RefCell,
    collections::HashMap,
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    rc::Rc,
};

/// A few files are asked for, and a hostile core could name thousands.
const MAX_REMARKS: usize = 16;

/// What was asked for, by the path that the process knew.
#[derive(Debug, Default)]
pub struct Files {
    copies: HashMap<PathBuf, PathBuf>,
    opened: RefCell<HashMap<PathBuf, Option<Rc<File>>>>,
    remarks: RefCell<Vec<String>>,
}

impl Files {
    /// Finds out for which file each of `copies` stands.
    pub fn of<R: ReadAt>(core: &CoreFile<R>, copies: &[PathBuf]) -> Result<Self, Error> {
        let mut files = Self::default();
        if copies.is_empty() {
            return Ok(files);
        }
        let starts = || {
            core.maps
                .iter()
                .filter(|mapping| mapping.is_file() && mapping.offset == 0)
        };
        let known: Vec<_> = starts()
            .map(|mapping| (mapping, build_id(core, mapping)))
            .collect();
        for copy in copies {
            let file = regular(copy).map_err(|why| Error::Io {
                what: copy.display().to_string(),
                why,
            })?;
            let id = Elf::parse(&file)?.build_id();
            let is_named =
                |mapping: &Mapping| mapping.path.as_deref().and_then(Path::file_name) == copy.file_name();
            let is_program = |mapping: &Mapping| mapping.path.as_ref() == Some(&core.program);
            let stands_for = known
                .iter()
                .find(|(_, known)| known.is_some() && *known == id)
                .or_else(|| {
                    known
                        .iter()
                        .find(|(mapping, known)| known.is_none() && is_named(mapping))
                })
                .or_else(|| {
                    known
                        .iter()
                        .find(|(mapping, known)| known.is_none() && is_program(mapping))
                });
            let path = stands_for.and_then(|(mapping, _)| mapping.path.clone());
            let path = path.ok_or_else(|| Error::Unrelated {
                path: copy.display().to_string(),
            })?;
            files.copies.insert(path, copy.clone());
        }
        Ok(files)
    }

    /// Opens the file behind a mapping, if it is still the same.
    pub fn open<R: ReadAt>(&self, core: &CoreFile<R>, mapping: &Mapping) -> Result<File, Error> {
        let Some(mapped) = mapping.path.as_deref().filter(|_| mapping.is_file()) else {
            return Err(Error::Elf("there is no file behind this mapping"));
        };
        let copy = self.copies.get(mapped).map(PathBuf::as_path);
        let path = copy.unwrap_or(mapped);
        let said = path.display().to_string();
        let is_deleted = mapping.deleted && copy.is_none();
        let missing = |why: String| Error::Missing {
            path: said.clone(),
            why,
        };
        let deleted = || missing("it was deleted while the process ran".into());
        let file = regular(path).map_err(|error| {
            if is_deleted {
                deleted()
            } else {
                missing(error.to_string())
            }
        })?;
        let start = core
            .maps
            .iter()
            .find(|other| other.offset == 0 && other.path == mapping.path);
        match start.and_then(|start| build_id(core, start)) {
            Some(known) if Elf::parse(&file).ok().and_then(|elf| elf.build_id()) == Some(known.clone()) => {}
            Some(_) => return Err(Error::Replaced { path: said }),
            // Another one may have its path.
            None if is_deleted => return Err(deleted()),
            None => self.remark(format!(
                "{said} may not be the file that crashed: the core does not hold its build id"
            )),
        }
        Ok(file)
    }

    /// The same to read memory from, once; why that cannot be is kept as a remark.
    pub fn behind<R: ReadAt>(&self, core: &CoreFile<R>, mapping: &Mapping) -> Option<Rc<File>> {
        let path = mapping.path.clone()?;
        if let Some(known) = self.opened.borrow().get(&path) {
            return known.clone();
        }
        // While it is opened, its own memory is looked at, which is not in the file but in the core.
        self.opened.borrow_mut().insert(path.clone(), None);
        let opened = match self.open(core, mapping) {
            Ok(file) => Some(Rc::new(file)),
            Err(error) => {
                self.remark(error.to_string());
                None
            }
        };
        self.opened.borrow_mut().insert(path, opened.clone());
        opened
    }

    /// What was noticed, a line each.
    pub fn remarks(&self) -> Vec<String> {
        self.remarks.borrow().clone()
    }

    fn remark(&self, line: String) {
        let mut remarks = self.remarks.borrow_mut();
        if remarks.len() < MAX_REMARKS && !remarks.contains(&line) {
            remarks.push(line);
        }
    }
}

/// Opens a file, and nothing that could keep us waiting.
fn regular(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    Ok(file)
}

/// The build id of a file whose first page is mapped here, as the memory has it.
fn build_id<R: ReadAt>(core: &CoreFile<R>, start: &Mapping) -> Option<Vec<u8>> {
    Elf::parse(&Held { core, start }).ok()?.build_id()
}

/// What the core itself holds of a file.
struct Held<'a, R> {
    core: &'a CoreFile<R>,
    start: &'a Mapping,
}

impl<R: ReadAt> ReadAt for Held<'_, R> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let is_there = self
            .start
            .start
            .checked_add(offset)
            .is_some_and(|address| self.core.read_held(address, buffer));
        is_there.then_some(()).ok_or(io::ErrorKind::UnexpectedEof.into())
    }
}
