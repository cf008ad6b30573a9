//! PHP-FPM under load.

mod support;

use php::{Binary, Fpm, Ini, Load, Manager, Pool, Request, workload};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    collections::HashSet,
    io::{self, BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};
use support::{Killed, Recording, SOURCES, number, phperf, record};

fn fpm() -> Binary {
    Binary::fpm().expect("there is a php-fpm: scripts/setup.sh test installs it")
}

/// A name that no other pool on this machine has: `--fpm` alone takes the workers of every master.
fn unique(name: &str) -> String {
    static POOLS: AtomicU32 = AtomicU32::new(0);
    let number = POOLS.fetch_add(1, Ordering::Relaxed);
    format!("{name}-{}-{number}", std::process::id())
}

fn busy(seconds: &str) -> Request {
    Request::get(workload("fpm/busy.php"), &format!("seconds={seconds}"))
}

/// A recording of 20 samples of a pool that nobody is in, from when it says so. While a process is there that has the title of a
/// master and may be a worker of any pool, it does not: other tests have such.
fn recording_nobody(
    pool: &str,
    source: &str,
    profile: &Path,
) -> (Killed, impl Iterator<Item = io::Result<String>>) {
    let mut command = phperf([
        "record", "--fpm", pool, "-l", "20", "-d", "600", "-H", "99", "-f", "folded",
    ]);
    command
        .args(["--source", source, "-o"])
        .arg(profile)
        .stderr(Stdio::piped());
    let mut recording = Killed(command.spawn().unwrap());
    let mut lines = BufReader::new(recording.0.stderr.take().unwrap()).lines();
    let told = lines.find(|line| line.as_ref().unwrap().contains("waiting for the first"));
    assert!(told.is_some(), "{source}: it never said that nobody is there");
    (recording, lines)
}

#[test]
fn all_workers_of_a_pool_are_recorded_and_no_other() {
    let (shop_pool, api_pool) = (unique("shop"), unique("api"));
    let pools = [
        Pool::new(&shop_pool, Manager::Static(3)),
        Pool::new(&api_pool, Manager::Static(2)),
    ];
    let fpm = Fpm::start(&fpm(), &Ini::new(), &pools).unwrap();
    let shop: HashSet<u32> = fpm.workers_of(&shop_pool).unwrap().into_iter().collect();
    let _load = Load::start(fpm.socket(&shop_pool), &busy("600"), 3).unwrap();
    for source in SOURCES {
        let recording = Recording::take(
            "folded",
            ["--fpm", &shop_pool, "-d", "2", "-H", "99", "--source", source],
        );
        let targets = recording.account["targets"].as_array().unwrap();
        let seen: HashSet<u32> = targets
            .iter()
            .map(|target| number(target, "pid") as u32)
            .collect();
        assert_eq!(seen, shop, "{source}: {}", recording.account);
        assert!(
            recording
                .stacks()
                .iter()
                .any(|(stack, _)| stack.starts_with("<main>;Basket::total")),
            "{source}"
        );
    }
}

#[test]
fn idle_workers_are_idle_and_not_lost() {
    let pool = unique("idle");
    let fpm = Fpm::start(&fpm(), &Ini::new(), &[Pool::new(&pool, Manager::Static(4))]).unwrap();
    assert_eq!(fpm.workers().unwrap().len(), 4);
    for source in SOURCES {
        let recording = Recording::take(
            "folded",
            ["--fpm", &pool, "-d", "2", "-H", "99", "--source", source],
        );
        assert_eq!(recording.total("taken"), 0, "{source}");
        assert!(
            recording.total("idle") > recording.total("due") / 2,
            "{source}: {}",
            recording.account
        );
        // The kernel counts however late it is asked; the reader needs a CPU for each look.
        let is_exact = source == "kernel";
        assert!(
            !is_exact || recording.total("missed") <= 8,
            "{}",
            recording.account
        );
        assert_eq!(
            recording.total("idle") + recording.total("missed"),
            recording.total("due"),
            "{source}: {}",
            recording.account
        );
        assert!(
            recording.ran.stderr.contains("no PHP code ran"),
            "{source}: {}",
            recording.ran.stderr
        );
    }
}

/// A pool whose workers come with requests, and go soon after.
fn on_demand(name: &str) -> Pool {
    let manager = Manager::OnDemand {
        max: 4,
        idle_seconds: 1,
    };
    Pool::new(name, manager)
}

#[test]
fn workers_that_come_and_go_are_recorded() {
    let name = unique("demand");
    let pool = on_demand(&name);
    let fpm = Fpm::start(&fpm(), &Ini::new(), &[pool]).unwrap();
    assert!(fpm.workers().unwrap().is_empty());
    for source in SOURCES {
        let folder = tempfile::tempdir().unwrap();
        let account = folder.path().join("account.json");
        let mut command = record(&format!("-d 60 -l 60 -H 99 --fpm {name} --source {source}"));
        command.arg("--summary-json").arg(&account).stderr(Stdio::piped());
        let mut recording = Killed(command.spawn().unwrap());
        let mut lines = BufReader::new(recording.0.stderr.take().unwrap()).lines();
        lines.find(|line| line.as_ref().unwrap().contains("recording"));
        // However late it finds the worker.
        while recording.0.try_wait().unwrap().is_none() {
            assert_eq!(busy("0.5").send(&fpm.socket(&name)).unwrap().status(), 200);
        }
        let rest: Vec<_> = lines.map_while(Result::ok).collect();
        assert!(recording.0.wait().unwrap().success(), "{source}: {rest:?}");
        let account: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&account).unwrap()).unwrap();
        let targets = account["targets"].as_array().unwrap();
        assert!(!targets.is_empty(), "{source}: {account}");
        assert!(number(&account["total"], "taken") > 50, "{source}: {account}");
    }
}

/// A worker has the title of its master for a moment after the fork, and phperf may look just then.
#[test]
fn a_worker_that_is_met_under_the_title_of_its_master_is_found() {
    for source in SOURCES {
        let pool = unique(&format!("late-{source}"));
        let code = format!(
            "fgets(STDIN); cli_set_process_title('php-fpm: pool {pool}');
             function work() {{ for (;;) {{ md5('a'); usleep(1000); }} }} work();"
        );
        let mut worker = Command::new(support::cli().path);
        worker
            .arg0("php-fpm: master process (/nowhere/php-fpm.conf)")
            .args(["-r", &code]);
        let mut worker = Killed(worker.stdin(Stdio::piped()).spawn().unwrap());
        let folder = tempfile::tempdir().unwrap();
        let profile = folder.path().join("profile.folded");
        // Everything that was there at the start has been looked at when it has said so.
        let (mut recording, lines) = recording_nobody(&pool, source, &profile);
        writeln!(worker.0.stdin.as_mut().unwrap(), "go").unwrap();
        let rest: Vec<String> = lines.map(Result::unwrap).collect();
        assert!(recording.0.wait().unwrap().success(), "{source}: {rest:?}");
        let profile = std::fs::read_to_string(&profile).unwrap();
        let taken: u64 = profile
            .lines()
            .filter(|line| line.starts_with("<main>;work"))
            .filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok())
            .sum();
        assert_eq!(taken, 20, "{source}: {rest:?}\n{profile}");
    }
}

/// It is none, and what it does before it has its own title counts.
#[test]
fn a_worker_that_still_has_the_title_of_its_master_is_not_taken_for_one() {
    for source in SOURCES {
        let pool = unique(&format!("young-{source}"));
        let code = format!(
            "cli_set_process_title('php-fpm: master process (/nowhere/php-fpm.conf)');
             if (pcntl_fork()) {{ echo \"forked\\n\"; pcntl_wait($status); exit; }}
             fgets(STDIN); cli_set_process_title('php-fpm: pool {pool}');
             function work() {{ for (;;) {{ md5('a'); usleep(1000); }} }} work();"
        );
        let mut master = Command::new(support::cli().path);
        master
            .args(["-r", &code])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut master = Killed(master.spawn().unwrap());
        let mut said = BufReader::new(master.0.stdout.take().unwrap()).lines();
        assert_eq!(said.next().unwrap().unwrap(), "forked");
        let pid = master.0.id();
        let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
        let recording = Recording::take_while(
            "folded",
            ["--fpm", &pool, "-l", "20", "-d", "60", "--source", source],
            || writeln!(master.0.stdin.as_mut().unwrap(), "go").unwrap(),
        );
        let stderr = &recording.ran.stderr;
        assert!(!stderr.contains("waiting for the first"), "{source}: {stderr}");
        // Another FPM of this machine may have a worker just as young.
        let targets = recording.account["targets"].as_array().unwrap();
        let target = targets
            .iter()
            .find(|target| number(target, "pid").to_string() == children.trim());
        let target = target.unwrap_or_else(|| panic!("{source}: {targets:?}"));
        assert_eq!(number(&target["tally"], "taken"), 20, "{source}: {targets:?}");
        let worker = Pid::from_raw(children.trim().parse().unwrap()).unwrap();
        kill_process(worker, Signal::KILL).unwrap();
    }
}

#[test]
fn a_pool_without_workers_says_so() {
    let name = unique("demand");
    let pool = on_demand(&name);
    let _fpm = Fpm::start(&fpm(), &Ini::new(), &[pool]).unwrap();
    for source in SOURCES {
        let (mut recording, lines) = recording_nobody(&name, source, Path::new("/dev/null"));
        kill_process(Pid::from_child(&recording.0), Signal::INT).unwrap();
        let rest: Vec<String> = lines.map(Result::unwrap).collect();
        recording.0.wait().unwrap();
        assert!(
            rest.iter().any(|line| line.contains("no PHP process came")),
            "{source}: {rest:?}"
        );
    }
}

#[test]
fn a_pool_of_another_name_is_told_with_those_that_have_workers() {
    let (store, api) = (unique("store"), unique("store-api"));
    let pools = [&store, &api].map(|name| Pool::new(name, Manager::Static(1)));
    let fpm = Fpm::start(&fpm(), &Ini::new(), &pools).unwrap();
    assert_eq!(fpm.workers().unwrap().len(), 2);
    let wrong = format!("{store}s");
    for source in SOURCES {
        for verb in ["record", "trace"] {
            let mut command = phperf([verb, "-d", "600", "--fpm", &wrong, "--source", source, "-o", "-"]);
            command.stdout(Stdio::null()).stderr(Stdio::piped());
            let mut asked = Killed(command.spawn().unwrap());
            let lines = BufReader::new(asked.0.stderr.take().unwrap()).lines();
            // While it goes on: whoever has to wait for the end of the recording learns it too late.
            let told = lines.map(Result::unwrap).find(|line| line.contains("no worker"));
            let told = told.unwrap_or_default();
            assert!(
                told.starts_with(&format!(
                    "phperf: no worker of pool {wrong} runs, these pools have some: {store}"
                )),
                "{source}: {told}"
            );
            assert!(
                told.contains(&api) && told.contains("waiting for the first"),
                "{source}: {told}"
            );
            assert!(asked.0.try_wait().unwrap().is_none(), "{source}: it goes on");
        }
    }
}

#[test]
fn requests_of_one_worker_do_not_mix() {
    // Without opcache each request compiles its code anew, into memory that the last request used.
    let pool = unique("mixed");
    let fpm = Fpm::start(&fpm(), &Ini::new(), &[Pool::new(&pool, Manager::Static(1))]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let scripts: Vec<_> = ["red", "blue"]
        .iter()
        .map(|name| {
            let file = folder.path().join(format!("{name}.php"));
            let source = format!(
                "<?php function {name}_work() {{ $end = hrtime(true) + 20000000; while (hrtime(true) < $end) {{ md5('x'); }} }} function {name}_page() {{ {name}_work(); }} {name}_page(); echo 'done';"
            );
            std::fs::write(&file, source).unwrap();
            Request::get(file, "")
        })
        .collect();
    let socket = fpm.socket(&pool);
    let mut loads = Vec::new();
    for script in &scripts {
        loads.push(Load::start(&socket, script, 1).unwrap());
    }
    for source in SOURCES {
        let recording = Recording::take(
            "folded",
            ["--fpm", &pool, "-d", "3", "-H", "499", "--source", source],
        );
        let stacks = recording.stacks();
        for (stack, _) in &stacks {
            assert!(
                !(stack.contains("red_") && stack.contains("blue_")),
                "{source}: {stack}"
            );
        }
        for name in ["red", "blue"] {
            let stack = format!("<main>;{name}_page;{name}_work;md5");
            assert!(
                stacks.iter().any(|(seen, _)| *seen == stack),
                "{source}: no {stack} in {stacks:?}"
            );
        }
    }
}
