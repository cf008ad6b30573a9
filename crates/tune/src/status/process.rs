//! A PHP that runs.

use super::{FileStatus, Kernel};
use crate::{Error, layout::overlap};
use remote::{Mapping, Process, Usage, elf::load_bias, huge};
use std::{
    collections::HashMap,
    ffi::OsStr,
    fs::File,
    ops::Range,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// How text came onto huge pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// The page cache of its file.
    PageCache,
    /// A file on tmpfs.
    SharedMemory,
    /// A copy in anonymous memory: `opcache.huge_code_pages`.
    Anonymous,
    /// A copy in pages of hugetlb: the same where `vm.nr_hugepages` has some.
    Hugetlb,
}

/// The shared memory of opcache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpcacheMemory {
    /// How large it is.
    pub size: u64,
    /// What this process has touched of it.
    pub resident: u64,
    /// What of it lies on huge pages; of pages that were set aside (hugetlb) all of it, touched or not.
    pub huge: u64,
}

/// Memory of the process's own, where a huge page fits: PHP's heap, which is taken in pieces of 2 MB, and little else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// What of it is there.
    pub resident: u64,
    /// What of that lies on huge pages.
    pub huge: u64,
}

/// The text of a PHP that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessStatus {
    /// The process.
    pub pid: u32,
    /// Its arguments, or what it calls itself.
    pub title: String,
    /// Its PHP, as it names it.
    pub path: PathBuf,
    /// Whether another file has that name now, or none.
    pub deleted: bool,
    /// Bytes of code.
    pub text: u64,
    /// Those on huge pages; at most so many, where the kernel does not say which.
    pub huge: u64,
    /// Whether `huge` is exact.
    pub is_exact: bool,
    /// By which ways; empty if none is.
    pub ways: Vec<Way>,
    /// Bytes of code that were copied to memory of the process's own.
    pub copied: u64,
    /// Device and inode of its PHP.
    pub file: (u64, u64),
    /// Where its code lies.
    pub code: Range<u64>,
    /// The shared memory of opcache, where there is any.
    pub opcache: Option<OpcacheMemory>,
    /// PHP's heap.
    pub heap: Heap,
    /// Whether somebody switched transparent huge pages off for this process (`PR_SET_THP_DISABLE`).
    pub is_switched_off: bool,
}

/// Looks at processes, and at each file once.
#[derive(Default)]
pub struct Scan {
    seen: HashMap<(u64, u64), Option<FileStatus>>,
}

impl Scan {
    /// Looks at a process.
    pub fn process(&mut self, pid: u32) -> Result<ProcessStatus, Error> {
        let process = Process::open(pid)?;
        let (executable, _) = process.executable()?;
        let maps = process.maps()?;
        let candidates: Vec<&Mapping> = candidates(&maps, &executable);
        for mapping in candidates {
            let file = process.open_mapped(mapping)?;
            let path = mapping.path.as_deref().unwrap_or(Path::new(""));
            let Some((id, code, bias)) = self.look(&file, path, mapping) else {
                continue;
            };
            let code = code.start.wrapping_add(bias)..code.end.wrapping_add(bias);
            let usage = process.usage()?;
            return Ok(status(&process, mapping, id, code, &usage));
        }
        Err(Error::NoPhpIn(pid))
    }

    /// The files that were seen, by path.
    pub fn into_files(self, kernel: &Kernel) -> Vec<FileStatus> {
        let mut files: Vec<_> = self.seen.into_values().flatten().collect();
        for file in &mut files {
            file.large_folios = file.place.large_folios(kernel);
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files
    }

    /// Device and inode of a file that is a PHP, its code, and how much the loader added to its addresses.
    fn look(&mut self, file: &File, path: &Path, mapping: &Mapping) -> Option<((u64, u64), Range<u64>, u64)> {
        let metadata = file.metadata().ok()?;
        let id = (metadata.dev(), metadata.ino());
        let status = self
            .seen
            .entry(id)
            .or_insert_with(|| FileStatus::of(file, path, mapping.deleted, &Kernel::default()).ok())
            .as_ref()?;
        let elf = remote::elf::Elf::parse(file).ok()?;
        Some((id, status.code.clone(), load_bias(elf.segments(), mapping)?))
    }
}

/// The first mapping of each file that may be PHP: the main program, `libphp.so`, `mod_php8.so`.
fn candidates<'a>(maps: &'a [Mapping], executable: &Path) -> Vec<&'a Mapping> {
    let mut found: Vec<&Mapping> = Vec::new();
    for mapping in maps.iter().filter(|mapping| mapping.is_file()) {
        let Some(path) = mapping.path.as_deref() else {
            continue;
        };
        let name = path.file_name().map_or(&b""[..], OsStr::as_encoded_bytes);
        let has = |part: &[u8]| memchr::memmem::find(name, part).is_some();
        let is_new = found
            .iter()
            .all(|before| (before.device, before.inode) != (mapping.device, mapping.inode));
        if is_new && (path == executable || (has(b"php") && has(b".so"))) {
            found.push(mapping);
        }
    }
    found
}

fn status(
    process: &Process,
    mapping: &Mapping,
    file: (u64, u64),
    code: Range<u64>,
    usage: &[Usage],
) -> ProcessStatus {
    let (mut on_huge, mut is_exact, mut copied) = (0, true, 0);
    let mut ways = Vec::new();
    for part in usage.iter().filter(|part| part.mapping.execute) {
        let range = part.mapping.start..part.mapping.end;
        let here = overlap(&code, &range);
        if here == 0 {
            continue;
        }
        if !part.mapping.is_file() || part.hugetlb > 0 {
            copied += here;
        }
        let huge_here = part.huge();
        if huge_here == 0 {
            continue;
        }
        // Whole huge pages alone can be mapped as such.
        let able = range.start.next_multiple_of(huge::SIZE)..range.end / huge::SIZE * huge::SIZE;
        let code_able = overlap(&code, &able);
        on_huge += code_able.min(huge_here);
        is_exact &= huge_here >= able.end.saturating_sub(able.start);
        for (bytes, way) in [
            (part.file_huge, Way::PageCache),
            (part.shared_huge, Way::SharedMemory),
            (part.anonymous_huge, Way::Anonymous),
            (part.hugetlb, Way::Hugetlb),
        ] {
            if bytes > 0 && !ways.contains(&way) {
                ways.push(way);
            }
        }
    }
    ProcessStatus {
        pid: process.pid(),
        title: title(process),
        path: mapping.path.clone().unwrap_or_default(),
        deleted: mapping.deleted,
        text: code.end.saturating_sub(code.start),
        huge: on_huge,
        is_exact,
        ways,
        copied,
        file,
        code,
        opcache: opcache(usage),
        heap: heap(usage),
        is_switched_off: is_switched_off(process.pid()),
    }
}

/// The largest piece of shared memory without a file that anybody may find: opcache takes its memory so. The code of its JIT is
/// a part of it with other rights.
fn opcache(usage: &[Usage]) -> Option<OpcacheMemory> {
    const LEAST: u64 = 8 << 20;
    const HUGETLB: &str = "/anon_hugepage";
    let path = |part: &Usage| {
        let path = part.mapping.path.as_deref().and_then(Path::to_str);
        path.unwrap_or_default().to_owned()
    };
    // PHP 8.3 and later name it, where the kernel keeps names of memory.
    let is_shared = |part: &&Usage| {
        let path = path(part);
        path == "/dev/zero" || path == HUGETLB || path.starts_with("[anon_shmem:")
    };
    let size = |part: &Usage| part.mapping.end.saturating_sub(part.mapping.start);
    let shared = || usage.iter().filter(is_shared);
    let largest = shared()
        .filter(|part| part.mapping.write && size(part) >= LEAST)
        .max_by_key(|part| size(part))?;
    let file = |part: &Usage| (part.mapping.device, part.mapping.inode);
    let of_it = shared().filter(|part| file(part) == file(largest));
    Some(
        of_it.fold(OpcacheMemory::default(), |memory, part| OpcacheMemory {
            size: memory.size.saturating_add(size(part)),
            resident: memory.resident.saturating_add(part.resident + part.hugetlb),
            huge: memory.huge.saturating_add(if path(part) == HUGETLB {
                size(part)
            } else {
                part.huge()
            }),
        }),
    )
}

fn heap(usage: &[Usage]) -> Heap {
    let holds_one = |mapping: &Mapping| {
        let first = mapping.start.checked_next_multiple_of(huge::SIZE);
        first.is_some_and(|first| mapping.end.saturating_sub(huge::SIZE) >= first)
    };
    let is_nameless = |mapping: &Mapping| {
        mapping
            .path
            .as_deref()
            .is_none_or(|path| path == Path::new("[anon:zend_alloc]"))
    };
    let is_own =
        |mapping: &Mapping| is_nameless(mapping) && mapping.write && !mapping.execute && holds_one(mapping);
    let parts = usage.iter().filter(|part| is_own(&part.mapping));
    parts.fold(Heap::default(), |heap, part| Heap {
        resident: heap.resident.saturating_add(part.resident),
        huge: heap.huge.saturating_add(part.anonymous_huge),
    })
}

fn title(process: &Process) -> String {
    let words = process.command_line().unwrap_or_default();
    words
        .join(" ")
        .trim_end()
        .chars()
        .filter(|c| !c.is_control())
        .collect()
}

fn is_switched_off(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/status"))
        .is_ok_and(|text| text.lines().any(|line| line == "THP_enabled:\t0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use php::{Binary, Ini, Launch};
    use std::fs;

    #[test]
    fn a_php_that_runs() {
        let binary = Binary::cli().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let sleeper = folder.path().join("sleeper.php");
        fs::write(&sleeper, "<?php echo \"ready\\n\"; fgets(STDIN);").unwrap();
        let script = Launch::new(&binary, sleeper)
            .ini(Ini::new().opcache())
            .ready()
            .unwrap();
        let mut scan = Scan::default();
        let status = scan.process(script.pid()).unwrap();
        assert!(status.text > 1 << 20);
        assert!(status.huge <= status.text);
        assert!(status.title.contains("sleeper.php"), "{}", status.title);
        let opcache = status.opcache.unwrap();
        assert!(opcache.size >= 64 << 20 && opcache.resident > 0);
        assert_eq!(scan.into_files(&Kernel::read()).len(), 1);
    }

    #[test]
    fn a_heap_on_huge_pages() {
        if Kernel::read().enabled.as_deref() != Some("madvise") {
            eprintln!("skipped: this kernel gives huge pages to all who want them or to nobody");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("hold.php");
        fs::write(
            &script,
            "<?php $held = range(1, 500_000); echo \"ready\\n\"; fgets(STDIN);",
        )
        .unwrap();
        let heap = |environment: &[&str]| {
            let launch = Launch::new(&Binary::cli().unwrap(), &script);
            let script = launch.under([&["env"], environment].concat()).ready().unwrap();
            Scan::default().process(script.pid()).unwrap().heap
        };
        let small = heap(&[]);
        assert!(small.resident > 6 << 20 && small.huge == 0, "{small:?}");
        let huge = heap(&["USE_ZEND_ALLOC_HUGE_PAGES=1"]);
        assert!(huge.huge >= 4 << 20 && huge.huge <= huge.resident, "{huge:?}");
    }

    #[test]
    fn what_runs_no_php() {
        let error = Scan::default().process(std::process::id()).unwrap_err();
        assert!(matches!(error, Error::NoPhpIn(_)), "{error}");
        let error = Scan::default().process(i32::MAX as u32).unwrap_err();
        assert!(error.to_string().contains("no process"), "{error}");
    }
}
