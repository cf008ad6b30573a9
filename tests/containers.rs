//! PHP in namespaces and roots of its own, watched from outside of them: what containers are made of.

mod support;

use php::{Binary, Request, workload};
use std::{
    fs,
    os::unix::net::UnixStream,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use support::{Killed, Recording, SOURCES, cli, number, run};

const READY_WITHIN: Duration = Duration::from_secs(120);
/// As in a container: process numbers, mounts and a `/proc` of its own, which end with its first process.
const CONTAINER: [&str; 5] = ["--pid", "--fork", "--kill-child", "--mount-proc", "--"];

/// Looks until there is something to see.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + READY_WITHIN;
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(Instant::now() < deadline, "{what} never came");
        thread::yield_now();
    }
}

fn children(pid: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    children
        .split_ascii_whitespace()
        .filter_map(|pid| pid.parse().ok())
        .collect()
}

/// A script that says that it runs by a file beside it, and works in `contained()` for ever.
fn script(folder: &Path) -> std::path::PathBuf {
    let file = folder.join("contained.php");
    let source =
        "<?php function contained() { while (true) { md5('x'); } } touch(__FILE__ . '.runs'); contained();";
    fs::write(&file, source).unwrap();
    file
}

fn runs(script: &Path) -> bool {
    script.with_extension("php.runs").exists()
}

/// Both sources and `dump` see it by the number that it has here, and a pattern finds it.
fn is_seen(pid: u32, script: &Path) {
    let (number, pattern) = (u64::from(pid), script.display().to_string());
    let pid = number.to_string();
    for source in SOURCES {
        for target in [["-p", &pid], ["-P", &pattern]] {
            let options = ["-d", "60", "-l", "100", "-H", "499", "--source", source];
            let recording = Recording::take("folded", options.into_iter().chain(target));
            let targets = recording.account["targets"].as_array().unwrap();
            let ours = targets.iter().filter(|target| target["pid"] == number);
            assert_eq!(ours.count(), 1, "{source}: {}", recording.account);
            let stacks = recording.stacks();
            let right = stacks
                .iter()
                .filter(|(stack, _)| stack.starts_with("<main>;contained"));
            let right: u64 = right.map(|(_, count)| count).sum();
            assert_eq!(right, 100, "{source} {target:?}: {stacks:?}");
        }
    }
    assert_shows_c(&pid);
    let ran = run(["dump", "-p", &pid]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with(&format!("{pid} ")), "{}", ran.stdout);
    assert!(ran.stdout.contains(" contained "), "{}", ran.stdout);
}

/// The code that runs is found in its binary, wherever that lies.
fn assert_shows_c(pid: &str) {
    let found = (0..30).any(|_| {
        let options = ["-d", "60", "-l", "100", "-H", "499", "--native", "-p", pid];
        let recording = Recording::take("folded", options);
        let stacks = recording.stacks();
        stacks
            .iter()
            .any(|(stack, _)| stack.starts_with("<main>;contained;md5;zif_md5 ["))
    });
    assert!(found, "{pid}");
}

/// PHP under `unshare` with these options.
fn unshared(options: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let script = script(folder.path());
    let outside = Command::new("unshare")
        .args(options)
        .arg(cli().path)
        .args(["-n".as_ref(), script.as_os_str()])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let outside = Killed(outside);
    until("the script", || runs(&script).then_some(()));
    let inside = children(outside.0.id());
    // Without a new process the first one is it.
    is_seen(inside.first().copied().unwrap_or(outside.0.id()), &script);
}

#[test]
fn with_process_numbers_and_mounts_of_its_own() {
    unshared(&CONTAINER);
}

#[test]
fn with_users_of_its_own() {
    unshared(&["--map-root-user", "--"]);
}

#[test]
fn with_all_of_its_own() {
    unshared(
        &[
            &["--map-root-user", "--net", "--ipc", "--uts", "--cgroup"][..],
            &CONTAINER,
        ]
        .concat(),
    );
}

/// As Docker does it: a root that is laid over another one, in which the binary is then replaced.
#[test]
fn in_a_root_that_is_laid_over_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let script = script(folder.path());
    let setup = r#"
        set -e
        mount -t tmpfs none "$1/layers"
        cd "$1/layers"
        mkdir upper work root
        mount -t overlay none -o lowerdir=/,upperdir=upper,workdir=work root
        for folder in /proc /dev /tmp; do mount --rbind $folder root$folder; done
        cp "$2" "root$2-new"
        mv "root$2-new" "root$2"
        exec chroot root "$2" -n "$3"
    "#;
    fs::create_dir(folder.path().join("layers")).unwrap();
    let php = fs::canonicalize(cli().path).unwrap();
    let inside = Command::new("unshare")
        .args(["--mount", "--", "sh", "-c", setup, "sh"])
        .args([folder.path(), &php, &script])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let inside = Killed(inside);
    until("the script", || runs(&script).then_some(()));
    is_seen(inside.0.id(), &script);
}

#[test]
fn a_pool_in_a_container() {
    let folder = tempfile::tempdir().unwrap();
    let pool = format!("contained-{}", std::process::id());
    let (socket, configuration) = (folder.path().join("fpm.sock"), folder.path().join("fpm.conf"));
    let text = format!(
        "[global]\ndaemonize = no\nerror_log = /dev/null\n[{pool}]\nlisten = {}\nuser = root\npm = static\npm.max_children = 2\n",
        socket.display()
    );
    fs::write(&configuration, text).unwrap();
    let outside = Command::new("unshare")
        .args(CONTAINER)
        .arg(Binary::fpm().unwrap().path)
        .args(["-n", "-R", "-F", "-y"])
        .arg(&configuration)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let outside = Killed(outside);
    let title = format!("php-fpm: pool {pool}");
    let workers = until("the workers", || {
        let workers = children(*children(outside.0.id()).first()?);
        let is_named = |pid: &u32| {
            fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.starts_with(&title))
        };
        (workers.len() == 2 && workers.iter().all(is_named)).then_some(workers)
    });
    until("the socket", || UnixStream::connect(&socket).ok());
    let busy = Request::get(workload("fpm/busy.php"), "seconds=600");
    let _load = php::Load::start(&socket, &busy, 2).unwrap();
    for source in SOURCES {
        let options = [
            "--fpm",
            &pool,
            "-d",
            "2",
            "-H",
            "99",
            "--request",
            "--source",
            source,
        ];
        let recording = Recording::take("folded", options);
        let targets = recording.account["targets"].as_array().unwrap();
        let mut seen: Vec<u32> = targets
            .iter()
            .map(|target| number(target, "pid") as u32)
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, workers, "{source}: {}", recording.account);
        let text = recording.text();
        assert!(text.contains("Basket::total"), "{source}: {text}");
    }
}
