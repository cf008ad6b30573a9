//! Every file is read once, however many processes map it.

use crate::binary::Binary;
use foldhash::HashMap;
use remote::{Mapping, Memory, Process};
use std::{fmt::Write, fs::File, os::unix::fs::MetadataExt, path::Path, sync::Arc};

/// So many files are remembered; beyond, the memory of them starts anew.
const MOST: usize = 4096;
/// The page of code that the kernel gives every process.
const VDSO: &str = "[vdso]";
const MOST_OF_VDSO: u64 = 64 << 10;

/// A file as it is now. Its inode may be used again once nobody maps it any more, but not with the same times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

/// The files that were read.
#[derive(Debug, Default)]
pub struct Binaries {
    read: HashMap<FileId, Option<Arc<Binary>>>,
    vdso: Option<Arc<Binary>>,
}

impl Binaries {
    /// The binary behind a mapping; `None` if there is none, or it cannot be opened.
    pub fn open(&mut self, process: &Process, mapping: &Mapping) -> Option<(FileId, Arc<Binary>)> {
        let path = mapping.path.as_deref()?.to_string_lossy();
        if !mapping.is_file() {
            return (path == VDSO).then(|| self.vdso(process, mapping)).flatten();
        }
        let file = process.open_mapped(mapping).ok()?;
        let metadata = file.metadata().ok()?;
        let id = FileId {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        };
        if self.read.len() >= MOST {
            self.read.clear();
        }
        let read = || {
            let debug = |build_id: &[u8]| debug_file(process, build_id);
            Binary::read(&path, &file, debug).map(Arc::new)
        };
        let binary = self.read.entry(id).or_insert_with(read).clone()?;
        Some((id, binary))
    }

    /// The kernel's page is the same in every process of this machine that phperf can unwind.
    fn vdso(&mut self, process: &Process, mapping: &Mapping) -> Option<(FileId, Arc<Binary>)> {
        let binary = if let Some(binary) = &self.vdso {
            Arc::clone(binary)
        } else {
            let length = mapping.end.saturating_sub(mapping.start).min(MOST_OF_VDSO);
            let mut bytes = vec![0; length as usize];
            process.memory().read(mapping.start, &mut bytes).ok()?;
            Arc::clone(self.vdso.insert(Arc::new(Binary::read(VDSO, &bytes, |_| None)?)))
        };
        let id = FileId {
            device: 0,
            inode: 0,
            size: 0,
            changed: (0, 0),
        };
        Some((id, binary))
    }
}

/// What distributions split from a file, in the process' root or in ours.
fn debug_file(process: &Process, build_id: &[u8]) -> Option<File> {
    let (first, rest) = build_id.split_first()?;
    let mut path = format!("usr/lib/debug/.build-id/{first:02x}/");
    for byte in rest {
        let _ = write!(path, "{byte:02x}");
    }
    path.push_str(".debug");
    let roots = [format!("/proc/{}/root", process.group()), "/".into()];
    roots
        .iter()
        .find_map(|root| File::open(Path::new(root).join(&path)).ok())
}
