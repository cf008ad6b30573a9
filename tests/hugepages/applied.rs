//! A copy that `apply` made.

use crate::support::{Ran, run};
use serde_json::Value;
use std::path::{Path, PathBuf};
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
        if file["large_folios"] == true {
            assert_eq!(applied.ran.code, 0, "{}", applied.ran.stderr);
            return Some(applied);
        }
        if applied.ran.code == 0 {
            return Some(applied);
        }
        let why = &applied.ran.stderr;
        assert!(why.contains("the copy is whole, but"), "{why}");
        let kind = file["file_system"].as_str().expect("a file system");
        assert!(why.contains(kind), "{kind} is not named in {why}");
        eprintln!("skipped: {}", why.trim());
        None
    }
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
