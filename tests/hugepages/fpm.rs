//! Debian's FPM, without a rebuild.

use crate::{
    applied::{Applied, status},
    support::{number, run},
};
use php::{Binary, Fpm, Ini, Manager, Pool, Request, Sapi, workload};
use std::path::Path;

/// Starts a pool, sends a request to its one worker, and looks at both processes: (bytes on huge pages, bytes).
fn text_of_a_start(binary: &Path, ini: &Ini) -> Vec<(u64, u64)> {
    let binary = Binary::describe(binary, Sapi::Fpm).unwrap();
    let fpm = Fpm::start(&binary, ini, &[Pool::new("www", Manager::Static(1))]).unwrap();
    let answer = fpm
        .request("www", &Request::get(workload("fpm/hello.php"), "name=php"))
        .unwrap();
    assert_eq!(answer.status(), 200);
    let pids = [fpm.master()].into_iter().chain(fpm.workers().unwrap());
    pids.map(|pid| {
        let found = status(&pid.to_string());
        let process = &found["processes"][0];
        (number(process, "huge"), number(process, "text"))
    })
    .collect()
}

/// Before each start the copy is read in where it left the cache: on a machine that runs short of memory, it may.
fn every_start_is_huge(starts: usize, is_kept_warm: bool) {
    let Some(copy) = Applied::on_huge_pages(&Binary::fpm().unwrap().path) else {
        return;
    };
    let mut all = 0;
    for start in 0..starts {
        if is_kept_warm {
            let ran = run(["hugepages", "warm", copy.path.to_str().unwrap()]);
            assert_eq!(ran.code, 0, "{}", ran.stderr);
        }
        let text = text_of_a_start(&copy.path, &Ini::new());
        assert_eq!(text.len(), 2);
        let is_huge = text.iter().all(|(huge, whole)| huge == whole);
        assert!(is_huge, "start {start}: {text:?}");
        all += usize::from(is_huge);
    }
    println!("all text of master and worker on huge pages: {all} of {starts} starts");
}

#[test]
fn a_few_starts() {
    every_start_is_huge(3, true);
}

#[test]
#[ignore = "make bench-hugepages"]
fn forty_starts() {
    every_start_is_huge(40, false);
}

/// What the bar is measured against: how far `opcache.huge_code_pages=1` alone comes.
#[test]
#[ignore = "make bench-hugepages"]
fn forty_starts_of_the_original_with_opcache() {
    let binary = Binary::fpm().unwrap().path;
    let ini = Ini::new().opcache().set("opcache.huge_code_pages", "1");
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..40 {
        let (huge, whole) = text_of_a_start(&binary, &ini)[1];
        assert!(huge < whole);
        *counts.entry(huge >> 20).or_insert(0) += 1;
    }
    println!("MB of the worker's text on huge pages, and starts: {counts:?}");
}
