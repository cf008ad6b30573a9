//! FPM whose workers live for a fraction of a second, and one that is reloaded.

mod support;

use php::{Binary, Fpm, Ini, Manager, Pool, Request};
use std::{
    collections::{HashMap, HashSet},
    fs,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};
use support::{Recording, SOURCES, number};

const MAX_REQUESTS: u32 = 50;
const CLIENTS: u64 = 8;

/// Works for a millisecond, and notes down that its worker was there.
const PAGE: &str = "<?php
function page() { $end = hrtime(true) + 1000000; while (hrtime(true) < $end) { md5('x'); } }
$began = hrtime(true);
page();
file_put_contents(__DIR__ . '/lives', getmypid() . ' ' . $began . ' ' . hrtime(true) . \"\\n\", FILE_APPEND | LOCK_EX);
echo 'done';
";

fn pool(name: &str, manager: Manager) -> (String, Pool) {
    let name = format!("{name}-{}", std::process::id());
    (name.clone(), Pool::new(name, manager).max_requests(MAX_REQUESTS))
}

/// So many requests a second for so long, whether they are answered in time or not; how many were answered.
fn requests(socket: &Path, request: &Request, rate: u64, length: Duration) -> u64 {
    let answered = AtomicU64::new(0);
    let began = Instant::now();
    let pause = Duration::from_nanos(CLIENTS * 1_000_000_000 / rate);
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let answered = &answered;
            scope.spawn(move || {
                let mut next = began + pause * client as u32 / CLIENTS as u32;
                while next < began + length {
                    thread::sleep(next.saturating_duration_since(Instant::now()));
                    next += pause;
                    let response = request.send(socket);
                    let is_right = response.is_ok_and(|response| response.status() == 200);
                    answered.fetch_add(u64::from(is_right), Ordering::Relaxed);
                }
            });
        }
    });
    answered.into_inner()
}

/// How long each worker is known to have been there, by the first and the last of its requests.
fn lives(file: &Path) -> HashMap<u32, Duration> {
    let mut lives: HashMap<u32, (u64, u64)> = HashMap::new();
    for line in fs::read_to_string(file).unwrap().lines() {
        let fields: Vec<u64> = line.split(' ').map(|field| field.parse().unwrap()).collect();
        let [pid, began, ended] = fields[..] else {
            panic!("{line}")
        };
        let life = lives.entry(pid as u32).or_insert((began, ended));
        *life = (life.0.min(began), life.1.max(ended));
    }
    let length = |(began, ended): (u64, u64)| Duration::from_nanos(ended - began);
    lives.into_iter().map(|(pid, life)| (pid, length(life))).collect()
}

/// Every worker that was there for longer than 100 ms was seen, at 99 Hz.
fn short_lives(source: &str, length: Duration) {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("page.php");
    fs::write(&script, PAGE).unwrap();
    let (name, pool) = pool(
        "churn",
        Manager::OnDemand {
            max: 16,
            idle_seconds: 1,
        },
    );
    let fpm = Fpm::start(&Binary::fpm().unwrap(), &Ini::new(), &[pool]).unwrap();
    let mut answered = 0;
    let recording = Recording::take_until(
        "folded",
        ["--fpm", &name, "-d", "600", "-H", "99", "--source", source],
        || answered = requests(&fpm.socket(&name), &Request::get(&script, ""), 200, length),
    );
    assert_eq!(recording.ran.code, 0, "{}", recording.ran.stderr);
    let targets = recording.account["targets"].as_array().unwrap();
    let sum = |target: &serde_json::Value, counters: &[&str]| -> u64 {
        counters
            .iter()
            .map(|counter| number(&target["tally"], counter))
            .sum()
    };
    let seen: HashSet<u32> = targets
        .iter()
        .filter(|target| sum(target, &["taken", "idle"]) > 0)
        .map(|target| number(target, "pid") as u32)
        .collect();
    let lives = lives(&folder.path().join("lives"));
    let long: HashMap<_, _> = lives.iter().filter(|(_, life)| life.as_millis() > 100).collect();
    let unseen: Vec<_> = long.iter().filter(|(pid, _)| !seen.contains(pid)).collect();
    println!(
        "{source}: {answered} requests, {} workers, {} of them for longer than 100 ms, {} of those not seen; due {}, missed {}, lost {}, unreadable {}, own CPU {:.2} s",
        lives.len(),
        long.len(),
        unseen.len(),
        recording.total("due"),
        recording.total("missed"),
        recording.total("lost"),
        recording.total("unreadable"),
        number(&recording.account, "own_cpu_ns") as f64 / 1e9,
    );
    assert!(long.len() as u64 > answered / 200, "{lives:?}");
    assert!(
        unseen.is_empty(),
        "{source}: {unseen:?}\n{}\n{}",
        recording.ran.stderr,
        recording.account
    );
    // What it says while all is well: that it began, how far it is, and that the first worker is yet to come.
    let is_usual = |line: &str| {
        ["recording", " · ", "waiting for the first"]
            .iter()
            .any(|usual| line.contains(usual))
    };
    let told = recording.ran.stderr.lines();
    let warnings: Vec<&str> = told
        .filter(|line| line.starts_with("phperf: ") && !is_usual(line))
        .collect();
    assert!(warnings.is_empty(), "{source}: {warnings:?}");
}

#[test]
fn workers_of_a_fraction_of_a_second_are_seen() {
    for source in SOURCES {
        short_lives(source, Duration::from_secs(3));
    }
}

#[test]
#[ignore = "two minutes: make test-php-versions"]
fn workers_of_a_fraction_of_a_second_are_seen_for_a_minute() {
    for source in SOURCES {
        short_lives(source, Duration::from_secs(60));
    }
}

/// Reloads a pool under its recording, and tells for each new worker for how long it was watched, and for how long it should
/// have been.
fn reloaded(source: &str) -> Vec<(u32, Duration, Duration)> {
    let request = Request::get(php::workload("fpm/busy.php"), "seconds=0.05");
    let (name, pool) = pool("reloaded", Manager::Static(4));
    let patience = Duration::from_secs(2);
    let mut fpm = Fpm::patient(&Binary::fpm().unwrap(), &Ini::new(), &[pool], patience).unwrap();
    let (master, before) = (fpm.master(), fpm.workers().unwrap());
    let mut after = Vec::new();
    let mut until_new = Duration::ZERO;
    let recording = Recording::take_until(
        "folded",
        ["--fpm", &name, "-d", "600", "-H", "99", "--source", source],
        || {
            let began = Instant::now();
            fpm.reload().unwrap();
            after = fpm.workers().unwrap();
            until_new = began.elapsed();
            while began.elapsed() < until_new + Duration::from_secs(3) {
                let response = request.send(&fpm.socket(&name)).unwrap();
                assert_eq!(response.status(), 200);
            }
        },
    );
    assert_eq!(recording.ran.code, 0, "{}", recording.ran.stderr);
    assert_eq!(after.len(), 4);
    assert!(!after.iter().any(|pid| before.contains(pid)));
    let targets = recording.account["targets"].as_array().unwrap();
    let is_there = |pid: u32| {
        targets
            .iter()
            .find(|target| number(target, "pid") == u64::from(pid))
    };
    assert!(is_there(master).is_none(), "{source}: {}", recording.account);
    let period = number(&recording.account, "period_ns");
    let length = Duration::from_nanos(number(&recording.account, "duration_ns"));
    after
        .into_iter()
        .map(|pid| {
            let due = is_there(pid).map_or(0, |target| number(&target["tally"], "due"));
            (
                pid,
                Duration::from_nanos(due * period),
                length.saturating_sub(until_new),
            )
        })
        .collect()
}

#[test]
fn a_reload_loses_nobody() {
    for source in SOURCES {
        for (pid, watched, due) in reloaded(source) {
            assert!(
                !watched.is_zero(),
                "{source}: worker {pid} was there for {due:?}, and not seen"
            );
        }
    }
}

#[test]
#[ignore = "says how fast: make test-php-versions"]
fn workers_are_found_within_a_second_after_a_reload() {
    for source in SOURCES {
        for (pid, watched, due) in reloaded(source) {
            println!("{source}: worker {pid} was watched for {watched:.2?} of {due:.2?}");
            assert!(watched + Duration::from_secs(1) >= due, "{source}");
        }
    }
}
