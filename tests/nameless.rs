//! PHP in a binary without symbols, as static ones that were stripped are.
//!
//! Here the names are erased from a copy of the PHP that is installed; static ones are in `tests/static.rs`.

mod support;

use php::{Binary, Fpm, Ini, Launch, Load, Manager, Pool, Request, Script, workload};
use std::{collections::HashSet, fs, os::unix::fs::PermissionsExt, path::Path, process::Command};
use support::{Recording, SOURCES, cli, number, run};

/// What phperf knows a PHP by that has symbols.
const NAMES: [&str; 6] = [
    "executor_globals",
    "sapi_globals",
    "zend_ce_generator",
    "execute_ex",
    "sapi_module",
    "zend_mm_get_heap",
];

/// A copy of the program in which these names are others. It runs as before: the program itself does not need them.
fn nameless(original: Binary, folder: &Path) -> Binary {
    let mut bytes = fs::read(&original.path).unwrap();
    for name in NAMES {
        let wanted = format!("{name}\0").into_bytes();
        let places: Vec<usize> = memchr::memmem::find_iter(&bytes, &wanted).collect();
        assert!(!places.is_empty(), "{name}");
        for at in places {
            bytes[at + name.len() - 1] = b'-';
        }
    }
    let path = folder.join(original.path.file_name().unwrap());
    fs::write(&path, bytes).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    Binary { path, ..original }
}

fn started(binary: &Binary, name: &str) -> Script {
    Launch::new(binary, workload(name)).ready().unwrap()
}

#[test]
fn its_stacks_are_those_that_can_be() {
    let folder = tempfile::tempdir().unwrap();
    let binary = nameless(cli(), folder.path());
    let list = Command::new(&binary.path)
        .arg(workload("chains.php"))
        .arg("--list")
        .output()
        .unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let allowed: HashSet<&str> = list.lines().collect();
    assert!(allowed.len() > 20, "{list}");
    for source in SOURCES {
        let recording = Recording::of(
            &started(&binary, "chains.php"),
            "folded",
            &format!("-d 60 -l 1500 -H 1999 --source {source}"),
        );
        let stacks = recording.stacks();
        let plain = |stack: &str| {
            let frames = stack.split(';').map(|frame| {
                if frame.starts_with("{closure:") {
                    "{closure}"
                } else {
                    frame
                }
            });
            frames.collect::<Vec<_>>().join(";")
        };
        let impossible: Vec<_> = stacks
            .iter()
            .filter(|(stack, _)| !allowed.contains(plain(stack).as_str()))
            .collect();
        assert!(impossible.is_empty(), "{source}: {impossible:?}");
        assert!(stacks.len() > 15, "{source}: {stacks:?}");
    }
}

#[test]
fn a_command_is_recorded_from_its_start() {
    let folder = tempfile::tempdir().unwrap();
    let binary = nameless(cli(), folder.path());
    for source in SOURCES {
        let options = ["-d", "60", "-H", "999", "--memory", "--source", source, "--"];
        let words = [&binary.path, &workload("chains.php")].map(|path| path.display().to_string());
        let words = words.iter().map(String::as_str).chain(["--seconds", "5"]);
        let recording = Recording::take("phpspy", options.into_iter().chain(words));
        assert_eq!(recording.ran.code, 0, "{}", recording.ran.stderr);
        assert!(recording.total("taken") > 100, "{source}: {}", recording.account);
        let text = recording.text();
        assert!(text.contains("# mem "), "{source}: {text:.2000}");
    }
}

#[test]
fn requests_of_its_fpm_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let binary = nameless(Binary::fpm().unwrap(), folder.path());
    let pool = format!("nameless-{}", std::process::id());
    let fpm = Fpm::start(&binary, &Ini::new(), &[Pool::new(&pool, Manager::Static(2))]).unwrap();
    let script = workload("fpm/busy.php").display().to_string();
    let request = Request::with([
        ("REQUEST_METHOD", "GET"),
        ("SCRIPT_FILENAME", script.as_str()),
        ("REQUEST_URI", "/basket/7"),
        ("QUERY_STRING", "seconds=600"),
    ]);
    let _load = Load::start(fpm.socket(&pool), &request, 2).unwrap();
    for source in SOURCES {
        let options = [
            "--fpm",
            &pool,
            "-d",
            "60",
            "-l",
            "100",
            "-H",
            "499",
            "--request",
            "--source",
            source,
        ];
        let recording = Recording::take("phpspy", options);
        assert_eq!(
            recording.account["targets"].as_array().unwrap().len(),
            2,
            "{}",
            recording.account
        );
        let text = recording.text();
        assert!(text.contains("# uri = /basket/7"), "{source}: {text:.2000}");
        assert!(number(&recording.account["total"], "taken") >= 100, "{source}");
    }
    let ran = run(["dump", "-p", &fpm.workers().unwrap()[0].to_string()]);
    assert!(
        ran.stdout.contains("Basket::total"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn functions_in_c_have_their_own_frames_of_c() {
    let folder = tempfile::tempdir().unwrap();
    let binary = nameless(cli(), folder.path());
    let target = Launch::new(&binary, workload("native.php"))
        .arg("600")
        .spawn()
        .unwrap();
    let is_of_c = |frame: &str| frame.ends_with(']');
    let mut seen = HashSet::new();
    for _ in 0..100 {
        let recording = Recording::of(&target, "folded", "--native -d 1 -H 997");
        for (stack, _) in recording.stacks() {
            let frames: Vec<&str> = stack.split(';').collect();
            let Some(first) = frames.iter().position(|frame| is_of_c(frame)) else {
                continue;
            };
            // What the interpreter itself has called is not told, since nobody knows which frame is the interpreter's.
            let by = frames[first - 1];
            assert!(
                [
                    "hash",
                    "preg_match",
                    "sort",
                    "usort",
                    "array_map",
                    "strrev",
                    "usleep"
                ]
                .contains(&by)
                    || ["str_repeat", "mt_rand", "mt_srand", "array_fill", "hrtime"].contains(&by),
                "{stack}"
            );
            assert!(frames[first..].iter().all(|frame| is_of_c(frame)), "{stack}");
            assert!(frames[first].starts_with("zif_"), "{stack}");
            seen.insert(frames[first].to_owned());
        }
        if ["zif_hash [", "zif_sort ["]
            .iter()
            .all(|wanted| seen.iter().any(|frame| frame.starts_with(wanted)))
        {
            return;
        }
    }
    panic!("{seen:?}");
}
