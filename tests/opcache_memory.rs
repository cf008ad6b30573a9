//! Opcache's memory on huge pages that are set aside. A program of its own: other tests let opcache copy code, which takes
//! pages from the same pool.

mod support;

use php::{Binary, Fpm, Ini, Manager, Pool};
use serde_json::Value;
use std::{fs, path::Path};
use support::{Ran, assert_says, number, phperf, run};

const POOL: &str = "/proc/sys/vm/nr_hugepages";
/// 4 pages. Another PHP, whose opcache asks for 128 MB, would take all of that or none.
const SMALL: &str =
    "opcache.memory_consumption=8\nopcache.interned_strings_buffer=1\nopcache.jit_buffer_size=0\n";
const PAGES: u64 = 4;

/// Runs `phperf hugepages` with changes noted in this folder, where PHP finds [`SMALL`] as well.
fn hugepages(state: &Path, arguments: &[&str]) -> Ran {
    let mut command = phperf(["hugepages"]);
    command
        .args(arguments)
        .current_dir(state)
        .env("PHPERF_STATE", state)
        .env("PHP_INI_SCAN_DIR", format!(":{}", state.display()));
    command.output().expect("phperf starts").into()
}

/// Undoes what a test changed, however that ends.
struct Undone<'a>(&'a Path);

impl Drop for Undone<'_> {
    fn drop(&mut self) {
        hugepages(self.0, &["revert", "--yes"]);
    }
}

/// Bytes of opcache's memory in a worker, those on huge pages first.
fn started(binary: &Binary, megabytes: &str) -> (u64, u64) {
    let ini = Ini::new()
        .opcache()
        .set("opcache.memory_consumption", megabytes)
        .set("opcache.interned_strings_buffer", "1")
        .set("opcache.jit_buffer_size", "0");
    let fpm = Fpm::start(binary, &ini, &[Pool::new("www", Manager::Static(1))]).unwrap();
    let worker = fpm.workers().unwrap()[0].to_string();
    let ran = run(["hugepages", "status", "--format", "json", &worker]);
    let status: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let opcache = &status["processes"][0]["opcache"];
    (number(opcache, "huge"), number(opcache, "size"))
}

#[test]
fn opcaches_memory_comes_onto_huge_pages_and_goes() {
    let state = tempfile::tempdir().unwrap();
    let folder = state.path();
    fs::write(folder.join("small.ini"), SMALL).unwrap();
    let read = || fs::read_to_string(POOL).unwrap().trim().parse::<u64>().unwrap();
    let before = read();
    if fs::write(POOL, before.to_string()).is_err() {
        eprintln!("skipped: {POOL} cannot be written here");
        return;
    }
    let binary = Binary::fpm().unwrap();
    let sysctl = folder.join("90-php.conf");
    let apply = [
        "apply",
        binary.path.to_str().unwrap(),
        "--memory",
        "--sysctl",
        "90-php.conf",
    ];
    let dry = hugepages(folder, &[&apply[..], &["--dry-run"]].concat());
    assert!(
        dry.stdout
            .contains(&format!("{before} becomes {}", before + PAGES)),
        "{}{}",
        dry.stdout,
        dry.stderr
    );
    assert!(read() == before && !sysctl.exists());

    let undone = Undone(folder);
    let ran = hugepages(folder, &[&apply[..], &["--yes"]].concat());
    if ran.stderr.contains("the kernel has memory for") {
        eprintln!("skipped: {}", ran.stderr);
        assert_eq!((ran.code, read()), (1, before));
        return;
    }
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(read(), before + PAGES);
    let kept = fs::read_to_string(&sysctl).unwrap();
    assert!(
        kept.ends_with(&format!("vm.nr_hugepages = {}\n", before + PAGES)),
        "{kept}"
    );
    assert_eq!(started(&binary, "8"), (8 << 20, 8 << 20));
    // For an odd number of megabytes it asks for none.
    let (huge, size) = started(&binary, "9");
    assert!(huge < size && size == 9 << 20, "{huge} of {size}");
    // A file that is there is left, and the pages as they were.
    let again = hugepages(folder, &[&apply[..], &["--yes"]].concat());
    assert_says(&again, 1, &["is there already"]);
    assert_eq!(read(), before + PAGES);
    drop(undone);
    assert_eq!(read(), before);
    assert!(!sysctl.exists());
    if before == 0 {
        let (huge, size) = started(&binary, "8");
        assert!(huge < size, "{huge} of {size}");
    }
}
