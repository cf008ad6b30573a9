//! A copy that `apply` made.

use crate::support::{Ran, run};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A copy of a PHP, in a folder of its own.
pub struct Applied {
    _folder: TempDir,
    pub path: PathBuf,
    pub ran: Ran,
}

impl Applied {
    pub fn of(binary: &Path, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(binary.file_name().expect("a name"));
        let mut arguments = vec!["hugepages", "apply"];
        arguments.extend(options);
        arguments.extend([binary.to_str().unwrap(), "-o", path.to_str().unwrap()]);
        let ran = run(arguments);
        assert!(path.is_file(), "{}{}", ran.stdout, ran.stderr);
        Self {
            _folder: folder,
            path,
            ran,
        }
    }

    /// The same, where the file system of temporary folders has huge pages; else it is skipped, and the reason that phperf
    /// gives is checked.
    pub fn on_huge_pages(binary: &Path) -> Option<Self> {
        let applied = Self::of(binary, &[]);
        let status = status(applied.path.to_str().unwrap());
        let file = &status["files"][0];
        if applied.ran.code == 0 {
            return Some(applied);
        }
        let why = &applied.ran.stderr;
        assert!(why.contains("the copy is whole, but"), "{why}");
        if file["large_folios"] == true {
            assert!(has_no_huge_pages(&status), "{status:#}{why}");
            assert!(
                why.contains("fragmented, or transparent huge pages are off"),
                "{why}"
            );
            eprintln!("skipped: {}", why.trim());
            return None;
        }
        let kind = file["file_system"].as_str().expect("a file system");
        assert!(why.contains(kind), "{kind} is not named in {why}");
        eprintln!("skipped: {}", why.trim());
        None
    }
}

/// Whether the machine need not have huge pages for whoever asks.
pub fn has_no_huge_pages(status: &Value) -> bool {
    let transparent = &status["kernel"]["transparent"];
    transparent == "never" || transparent.is_null() || huge_pages_are_short()
}

/// Whether memory has next to no piece left that is as large as a huge page, by the kernel's own list.
fn huge_pages_are_short() -> bool {
    const FEW: u64 = 16;
    let list = fs::read_to_string("/proc/buddyinfo").unwrap_or_default();
    // Of what is kept for old devices nothing is given.
    let zones = list.lines().filter(|line| !line.contains(" DMA "));
    let pieces = zones.flat_map(|line| {
        let orders = line.split_whitespace().skip(4).skip(9);
        orders.filter_map(|count| count.parse::<u64>().ok())
    });
    pieces.sum::<u64>() < FEW
}

/// `phperf hugepages status --format json`.
pub fn status(target: &str) -> Value {
    let ran = run(["hugepages", "status", "--format", "json", target]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// The same of a file.
pub fn status_of(file: &Path) -> Value {
    status(file.to_str().expect("a plain path"))
}
