//! Names for `perf`, of code that was copied to anonymous memory: `perf` reads them from `/tmp/perf-PID.map`.

mod names;
mod place;

use crate::{
    Error,
    status::{Scan, parse_php},
};
use names::Names;
use place::Place;
use remote::{
    Mapping, Process,
    elf::{Elf, Function},
};
use std::{fmt::Write, fs::File, ops::Range, path::PathBuf};

/// What was written.
#[derive(Debug)]
pub struct Written {
    /// Where, as the process itself names it.
    pub path: PathBuf,
    /// How many functions.
    pub functions: usize,
    /// Bytes of code that were copied.
    pub copied: u64,
    /// Those of them that a name stands for.
    pub named: u64,
    /// Whether names of functions that are not exported were there.
    pub has_all_names: bool,
}

/// Writes the names of the functions of process `pid` that lie in memory without a file.
pub fn write(pid: u32) -> Result<Written, Error> {
    let process = Process::open(pid)?;
    let status = Scan::default().process(pid)?;
    let maps = process.maps()?;
    let copied = copied(&maps, &status.code);
    if copied.is_empty() {
        return Err(Error::NothingCopied(pid));
    }
    let mapping = maps
        .iter()
        .find(|mapping| mapping.is_file() && mapping.path.as_ref() == Some(&status.path))
        .ok_or(Error::NoPhpIn(pid))?;
    let file = process.open_mapped(mapping)?;
    let elf = parse_php(&file, &status.path)?;
    let bias = elf
        .load_bias(mapping)
        .ok_or(remote::Error::Elf("it is mapped in another way than it says"))?;
    let place = Place::of(&process)?;
    let debug = debug_functions(&elf, &place);
    let has_all_names = debug.is_some() || elf.section(".symtab").is_some();
    let functions = debug.unwrap_or_else(|| elf.functions());
    let names = Names::new(&functions, bias, &copied);
    let path = place.write(&names, &copied)?;
    Ok(Written {
        path,
        functions: names.len(),
        copied: copied.iter().map(|range| range.end - range.start).sum(),
        named: names.bytes(),
        has_all_names,
    })
}

/// What of the code lies in executable memory that no file that `perf` could open stands behind.
fn copied(maps: &[Mapping], code: &Range<u64>) -> Vec<Range<u64>> {
    maps.iter()
        .filter(|mapping| mapping.execute)
        .filter(|mapping| {
            let path = mapping.path.as_deref().and_then(std::path::Path::to_str);
            // Pages of hugetlb have a file that has no folder.
            !mapping.is_file() || path == Some("/anon_hugepage")
        })
        .map(|mapping| mapping.start.max(code.start)..mapping.end.min(code.end))
        .filter(|range| range.start < range.end)
        .collect()
}

/// The functions of the file with debugging symbols that distributions keep apart (`php8.2-cli-dbgsym`), where it is
/// installed in the root of the process.
fn debug_functions(elf: &Elf<'_, File>, place: &Place) -> Option<Vec<Function>> {
    let id = elf.build_id()?.iter().fold(String::new(), |mut id, byte| {
        let _ = write!(id, "{byte:02x}");
        id
    });
    let (folder, name) = id.split_at_checked(2)?;
    let file = place
        .open(&format!("usr/lib/debug/.build-id/{folder}/{name}.debug"))
        .ok()?;
    let functions = Elf::parse(&file).ok()?.functions();
    (!functions.is_empty()).then_some(functions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(start: u64, end: u64, path: Option<&str>, inode: u64) -> Mapping {
        Mapping {
            start,
            end,
            read: true,
            write: false,
            execute: true,
            offset: 0,
            device: (0, 1),
            inode,
            path: path.map(PathBuf::from),
            deleted: false,
        }
    }

    #[test]
    fn only_code_without_a_file_counts() {
        let maps = [
            mapping(0x1000, 0x2000, Some("/usr/bin/php"), 7),
            mapping(0x2000, 0x4000, None, 0),
            mapping(0x4000, 0x5000, Some("/anon_hugepage"), 9),
            mapping(0x9000, 0xa000, None, 0),
        ];
        assert_eq!(copied(&maps, &(0x1000..0x4800)), [0x2000..0x4000, 0x4000..0x4800]);
    }
}
