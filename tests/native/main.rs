//! Which frames of C `phperf record --native` shows, and under which function of PHP.

mod between;
mod stack;
#[path = "../support/mod.rs"]
mod support;

use php::{Binary, Fpm, Ini, Launch, Load, Manager, Pool, Request, Script, workload};
use stack::{Stack, assert_true};
use std::{collections::BTreeSet, fmt::Debug, path::PathBuf};
use support::{Recording, assert_says, cli, run, script};
use testbed::Postgres;

/// Records again and again until each of these, a function of PHP and one of C that it has called, was seen: on a machine that
/// is short of CPUs, most samples are of one and the same wait for one.
#[track_caller]
fn until(record: impl Fn() -> Recording, wanted: &[(&str, &str)]) -> Vec<Stack> {
    until_all(record, wanted, |stack, (by, name)| {
        stack.leaf() == *by && stack.innermost().iter().any(|frame| frame.contains(name))
    })
}

/// The same of whatever is `wanted`.
#[track_caller]
fn until_all<T: Debug>(
    record: impl Fn() -> Recording,
    wanted: &[T],
    shows: impl Fn(&Stack, &T) -> bool,
) -> Vec<Stack> {
    let mut stacks: Vec<Stack> = Vec::new();
    for _ in 0..100 {
        let recording = record();
        assert!(
            recording.ran.stderr.contains("frames of C: "),
            "{}",
            recording.ran.stderr
        );
        let new = Stack::all(&recording);
        assert_true(&new);
        stacks.extend(new);
        if wanted
            .iter()
            .all(|wanted| stacks.iter().any(|stack| shows(stack, wanted)))
        {
            return stacks;
        }
    }
    let missing: Vec<_> = wanted
        .iter()
        .filter(|wanted| !stacks.iter().any(|stack| shows(stack, wanted)))
        .collect();
    let seen: BTreeSet<_> = stacks.iter().collect();
    panic!("{missing:?} are not in {seen:#?}");
}

fn working(ini: Ini) -> Script {
    Launch::new(&cli(), workload("native.php"))
        .arg("600")
        .ini(ini)
        .spawn()
        .unwrap()
}

fn worked(ini: Ini, wanted: &[(&str, &str)]) -> Vec<Stack> {
    let target = working(ini);
    until(
        || Recording::of(&target, "folded", "--native -d 1 -H 997"),
        wanted,
    )
}

/// PHP's file, as it is mapped.
fn mapped() -> PathBuf {
    cli().path.canonicalize().unwrap()
}

#[test]
fn c_is_under_the_function_of_php_that_called_it() {
    // Of what has no symbol, the binary and the place in it are told.
    let nameless = format!("{}+0x", mapped().file_name().unwrap().display());
    let wanted = [
        ("hash", "PHP_SHA256"),
        ("hash", "zif_hash "),
        ("hash", &nameless),
        ("preg_match", "php_pcre_match_impl "),
        ("preg_match", "libpcre2-8.so"),
        ("sort", "zend_sort "),
        ("usort", "zend_sort "),
        ("usleep", "nanosleep"),
        ("usleep", " [kernel]"),
    ];
    worked(Ini::new(), &wanted);
}

#[test]
fn the_code_of_pcre_has_no_tables_and_its_caller_is_found() {
    let stacks = worked(Ini::new().set("pcre.jit", "1"), &[("preg_match", "code [jit]")]);
    for stack in stacks.iter().filter(|stack| stack.has("[jit]")) {
        assert_eq!(stack.leaf(), "preg_match", "{:?}", stack.innermost());
        assert!(stack.has("pcre2_"), "{:?}", stack.innermost());
    }
}

#[test]
fn code_that_phps_jit_made_is_the_interpreter() {
    let wanted = [("hash", "PHP_SHA256"), ("sort", "zend_sort ")];
    let stacks = worked(Ini::new().jit(), &wanted);
    // None of it passes for PCRE's.
    let made = |stack: &&Stack| stack.has("[jit]") && stack.leaf() != "preg_match";
    assert!(!stacks.iter().any(|stack| made(&stack)));
}

#[test]
fn a_worker_waits_in_a_function_of_the_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("wait.php");
    std::fs::write(
        &page,
        "<?php function nap() { usleep(30000); } nap(); echo 'done';",
    )
    .unwrap();
    let page = page.canonicalize().unwrap().display().to_string();
    let name = format!("native-{}", std::process::id());
    let binary = Binary::fpm().expect("there is a php-fpm: scripts/setup.sh test installs it");
    let fpm = Fpm::start(&binary, &Ini::new(), &[Pool::new(&name, Manager::Static(2))]).unwrap();
    let request = Request::with([("REQUEST_METHOD", "GET"), ("SCRIPT_FILENAME", &page)]);
    let _load = Load::start(fpm.socket(&name), &request, 2).unwrap();
    let record = || Recording::take("folded", ["--fpm", &name, "--native", "-d", "1", "-H", "199"]);
    let stacks = until(record, &[("usleep", "nanosleep"), ("usleep", " [kernel]")]);
    let waits = stacks.iter().filter(|stack| stack.has("nanosleep"));
    for stack in waits {
        assert!(
            stack.innermost()[0].starts_with("zif_usleep "),
            "{:?}",
            stack.innermost()
        );
        // A tick may come upon a worker that is on a CPU again and about to leave the switch.
        let is_waiting = !stack.has("finish_task_switch");
        let is_of_the_switch =
            |frame: &String| frame.contains("bpf") || is_waiting && frame == "__schedule [kernel]";
        assert!(
            !stack.innermost().iter().any(is_of_the_switch),
            "{:?}",
            stack.innermost()
        );
    }
}

#[test]
fn a_query_waits_in_libpq() {
    let server = Postgres::start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let source = format!(
        "<?php $db = new PDO('{}'); echo \"ready\\n\";
         function query($db) {{ $db->query('SELECT pg_sleep(.05)'); }} while (true) {{ query($db); }}",
        server.dsn("postgres")
    );
    let target = script(folder.path(), &source);
    let record = || Recording::of(&target, "folded", "--native -d 1 -H 199");
    until(
        record,
        &[
            ("PDO::query", "[libpq.so"),
            ("PDO::query", "do_sys_poll [kernel]"),
        ],
    );
}

fn of_c(target: &Script) -> Recording {
    Recording::of(target, "pb.gz", "--native -d 1 -H 997")
}

fn converted(recording: &Recording, format: &str) -> String {
    let profile = recording.profile.to_str().unwrap();
    let ran = run(["convert", profile, "-o", "-", "-f", format]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout
}

#[test]
fn every_format_tells_c_from_php() {
    let target = working(Ini::new());
    let file = mapped();
    let short = format!("zif_usleep [{}]", file.file_name().unwrap().display());
    let (mut recording, mut tries) = (of_c(&target), 1);
    while !converted(&recording, "folded").contains(&format!(";usleep;{short};")) {
        assert!(tries < 30, "{}", recording.ran.stderr);
        (recording, tries) = (of_c(&target), tries + 1);
    }
    let converted = |format: &str| converted(&recording, format);
    assert!(converted("phpspy").contains(&format!(" zif_usleep <{}>:-1", file.display())));
    for format in ["svg", "callgrind", "speedscope"] {
        assert!(converted(format).contains(&short), "{format}");
    }
    let profile = recording.profile.to_str().unwrap();
    let report = run(["report", "-n", "1000", profile]);
    assert!(report.stdout.contains(&short), "{}", report.stdout);
}

#[test]
fn trace_prints_them_as_they_come() {
    let target = working(Ini::new());
    let pid = target.pid().to_string();
    let line = format!(" zif_hash <{}>:-1", mapped().display());
    let is_seen = (0..100).any(|_| {
        let ran = run(["trace", "--native", "-p", &pid, "-H", "499", "-l", "100"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout.contains(&line)
    });
    assert!(is_seen, "{line}");
}

#[test]
fn the_reader_says_that_it_cannot() {
    let target = Launch::new(&cli(), workload("native.php"))
        .arg("600")
        .spawn()
        .unwrap();
    let pid = target.pid();
    let words = format!("record -p {pid} --native --source reader -d 1 -o /dev/null -f folded");
    let ran = run(words.split(' '));
    assert_says(&ran, 1, &["kernel source", "--native"]);
}
