//! What variables hold: `trace --peek` and `--global`, and phpspy's `-e` and `-g`.

mod support;

use php::{Binary, Fpm, Ini, Load, Manager, Pool, Request, Script};
use std::{
    collections::{HashMap, HashSet},
    env, fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Stdio},
};
use support::{
    Ran, Recording, assert_says,
    counting::{CALL, END, Work},
    lines_aside, phperf, run, script,
};

/// The traces of a text: of each, its parts.
fn traces(text: &str) -> Vec<Vec<&str>> {
    let traces = text.split("\n\n").filter(|trace| !trace.is_empty());
    traces.map(|trace| trace.lines().collect()).collect()
}

/// What the notes of a trace say, by variable and line or by global.
fn values<'a>(trace: &[&'a str]) -> HashMap<&'a str, &'a str> {
    let notes = trace.iter().filter_map(|line| {
        line.strip_prefix("# varpeek ")
            .or_else(|| line.strip_prefix("# glopeek "))
    });
    notes
        .map(|note| {
            let (what, value) = note.split_once(" = ").unwrap();
            let (name, line) = what.split_once('@').map_or((what, ""), |(name, place)| {
                (name, place.rsplit_once(':').unwrap().1)
            });
            assert!(
                line.is_empty()
                    || trace
                        .iter()
                        .any(|frame| frame.ends_with(&format!("script.php:{line}")))
            );
            (name, value)
        })
        .collect()
}

/// What was seen of such a script.
#[derive(Default)]
struct Seen {
    /// Different calls.
    calls: HashSet<u64>,
    /// Samples in which the line is sure.
    sure: u64,
}

fn all_follow_from_n(work: Work) {
    let folder = tempfile::tempdir().unwrap();
    let target = work.start(folder.path());
    let mut seen = Seen::default();
    // On a busy machine the target may not move for long.
    while seen.calls.len() < 20 || seen.sure < 50 {
        look(&target, folder.path(), &mut seen);
    }
}

fn look(target: &Script, folder: &Path, seen: &mut Seen) {
    let pid = target.pid().to_string();
    let mut command = phperf(["trace", "-p", &pid, "-H", "999", "-l", "400"]);
    for name in ["n", "twice", "text", "list"] {
        command.args(["--peek", &format!("${name}@script.php:{CALL}")]);
    }
    command.args([
        "--peek",
        &format!("counter@{}/script.php:1-{END}", folder.display()),
    ]);
    command.args([
        "--global",
        "globals.counter",
        "--global",
        "server.argc",
        "--global",
        "get.nothing",
    ]);
    let ran: Ran = command.output().unwrap().into();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("from the reader source"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("only the reader looks into variables"),
        "{}",
        ran.stderr
    );
    let mut torn = 0;
    for trace in traces(&ran.stdout) {
        let values = values(&trace);
        if trace.contains(&"# values = torn") {
            assert!(values.is_empty(), "{trace:#?}");
            torn += 1;
        } else {
            check(&trace, &values, seen);
        }
    }
    let told = format!("all of {torn} samples, since the target moved");
    assert!(torn == 0 || ran.stderr.contains(&told), "{torn}: {}", ran.stderr);
}

fn check(trace: &[&str], values: &HashMap<&str, &str>, seen: &mut Seen) {
    assert_eq!(values.get("get.nothing"), None);
    assert_eq!(values["server.argc"], "1", "{trace:?}");
    assert!(
        trace.last().unwrap().starts_with("# glopeek server.argc = "),
        "{trace:#?}"
    );
    let Some(at) = trace
        .iter()
        .position(|line| line.ends_with(&format!("script.php:{CALL}")))
    else {
        return;
    };
    let n: u64 = values["n"].parse().unwrap();
    let half = if n.is_multiple_of(2) {
        (n / 2).to_string()
    } else {
        format!("{:.6}", n as f64 / 2.0)
    };
    let expected = [
        ("twice", (n * 2).to_string()),
        ("text", format!("n is {n}")),
        ("list", format!("{n},half={half},,")),
        ("counter", n.to_string()),
        ("globals.counter", n.to_string()),
    ];
    // PHP says only now and then in which line its innermost frame is: it may be before what is set there.
    let is_innermost = trace[at].starts_with("0 ");
    for (name, value) in expected {
        let shown = values.get(name).copied();
        assert!(
            shown == Some(&*value) || is_innermost && shown.is_none(),
            "{name}: {trace:#?}"
        );
    }
    // Before the frame whose they are.
    assert!(
        trace[at - 1].contains(&format!("script.php:{CALL} = ")),
        "{trace:#?}"
    );
    seen.calls.insert(n);
    seen.sure += u64::from(!is_innermost);
}

#[test]
fn values_and_stacks_belong_together_while_it_computes() {
    all_follow_from_n(Work::Computes);
}

#[test]
fn values_and_stacks_belong_together_while_it_waits() {
    all_follow_from_n(Work::Waits);
}

#[test]
fn each_value_of_a_recursion_stands_before_its_frame() {
    let folder = tempfile::tempdir().unwrap();
    let source = "<?php
function down(int $n) {
    if ($n > 0) { return down($n - 1); }
    echo \"ready\\n\";
    sleep(600);
}
down(100);
";
    let target = script(folder.path(), source);
    let pid = target.pid().to_string();
    let ran = run(["trace", "-p", &pid, "-l", "1", "--peek", "n@script.php:3", "-1"]);
    let parts: Vec<&str> = ran.stdout.trim_end().split('\t').collect();
    let notes: Vec<(usize, &str)> = parts
        .iter()
        .enumerate()
        .filter_map(|(at, part)| Some((at, part.strip_prefix("# varpeek n@")?.rsplit_once(" = ")?.1)))
        .collect();
    // sleep, and the innermost of all, which is in another line.
    let expected: Vec<(usize, String)> = (0..64).map(|n| (2 + 2 * n, (n + 1).to_string())).collect();
    let expected: Vec<(usize, &str)> = expected.iter().map(|(at, n)| (*at, &**n)).collect();
    assert_eq!(notes, expected);
    assert!(
        ran.stderr.contains("36 more than a sample has room for"),
        "{}",
        ran.stderr
    );
}

#[test]
fn globals_are_those_of_the_request() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.php");
    let source = "<?php
function a() { for ($i = 0; $i < 30000; $i++); }
function b() { for ($i = 0; $i < 30000; $i++); }
$_GET['page']();
";
    fs::write(&file, source).unwrap();
    let pool = format!("peek-{}", std::process::id());
    let binary = Binary::fpm().expect("there is a php-fpm: scripts/setup.sh test installs it");
    let fpm = Fpm::start(&binary, &Ini::new(), &[Pool::new(&pool, Manager::Static(2))]).unwrap();
    let load = |page: &str| {
        Load::start(
            fpm.socket(&pool),
            &Request::get(file.clone(), &format!("page={page}")),
            1,
        )
    };
    let _loads = [load("a").unwrap(), load("b").unwrap()];
    let mut seen = HashMap::from([("a", 0), ("b", 0)]);
    while seen.values().any(|&samples| samples < 50) {
        let ran = run([
            "trace", "--fpm", &pool, "-H", "499", "-l", "300", "--global", "get.page",
        ]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        for trace in traces(&ran.stdout) {
            let is_in = |name: &str| trace.iter().any(|line| line.split(' ').nth(1) == Some(name));
            let Some(page) = ["a", "b"].into_iter().find(|page| is_in(page)) else {
                continue;
            };
            if let Some(value) = values_of_request(&trace) {
                assert_eq!(value, page, "{trace:#?}");
                *seen.entry(page).or_default() += 1;
            }
        }
    }
}

fn values_of_request<'a>(trace: &[&'a str]) -> Option<&'a str> {
    trace
        .iter()
        .find_map(|line| line.strip_prefix("# glopeek get.page = "))
}

#[test]
fn a_recording_has_values_as_labels() {
    let folder = tempfile::tempdir().unwrap();
    let source = "<?php
function stand(int $n) {
    echo \"ready\\n\";
    sleep(600);
}
stand(42);
";
    let target = script(folder.path(), source);
    for ending in ["pb.gz", "svg", "speedscope.json", "phpspy"] {
        let asked = "-d 1 --peek n@script.php:4 --global server.argc --global get.nothing";
        let recording = Recording::of(&target, ending, asked);
        let said = &recording.ran.stderr;
        assert!(said.contains("only the reader looks into variables"), "{said}");
        let ran = run(["report", "--by", "peek", recording.profile.to_str().unwrap()]);
        assert_eq!(ran.code, 0, "{ending}: {}", ran.stderr);
        let lines = ran.stdout.lines();
        let groups: Vec<&str> = lines
            .skip_while(|line| !line.contains(" peek, "))
            .skip(1)
            .collect();
        let [only] = groups[..] else {
            panic!("{ending}: {}", ran.stdout)
        };
        assert!(only.contains("  n = 42; server.argc = 1  "), "{ending}: {only}");
    }
    let without = Recording::of(&target, "pb.gz", "-d 1");
    let ran = run(["report", "--by", "peek", without.profile.to_str().unwrap()]);
    assert_says(&ran, 2, &["does not tell the peek", "--peek"]);
}

#[test]
fn what_cannot_be_looked_into_is_told() {
    let pid = std::process::id().to_string();
    let ran = run(["trace", "-p", &pid, "--peek", "x@a.php"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("VAR@FILE:LINE"), "{}", ran.stderr);
    let ran = run(["trace", "-p", &pid, "--global", "x.y"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("ARRAY is globals, server, get"),
        "{}",
        ran.stderr
    );
    let folder = tempfile::tempdir().unwrap();
    let target = Work::Waits.start(folder.path());
    let pid = target.pid().to_string();
    let ran = run([
        "trace",
        "-p",
        &pid,
        "--global",
        "server.argc",
        "--source",
        "kernel",
    ]);
    assert_says(&ran, 1, &["does not look into variables", "--source kernel"]);
}

/// With `PHPSPY` set to the real phpspy: both print the same of a target that stands still.
#[test]
fn values_are_those_of_phpspy() {
    let Some(phpspy) = env::var_os("PHPSPY") else {
        eprintln!("skipped: PHPSPY is not set to a phpspy");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let source = "<?php
function stand(int $n, string $text, float $f, array $map) {
    echo \"ready\\n\";
    sleep(600);
}
$_SERVER['X'] = \"two\\nlines\";
$config = ['never' => 'seen'];
stand(-42, str_repeat('long ', 5), 2 / 3, ['a' => 1, 'in' => ['b' => 'two', 'c' => .5]]);
";
    let target = script(folder.path(), source);
    let pid = target.pid().to_string();
    let own = folder.path().join("phpspy");
    symlink(env!("CARGO_BIN_EXE_phperf"), &own).unwrap();
    let file = folder.path().join("script.php");
    let mut options: Vec<String> = ["n", "text", "f", "map"]
        .iter()
        .flat_map(|name| ["-e".to_owned(), format!("{name}@{}:4-5", file.display())])
        .collect();
    for global in ["server.argc", "server.SCRIPT_NAME", "server.nothing", "get.x"] {
        options.extend(["-g".to_owned(), global.to_owned()]);
    }
    for shape in [&["-l", "1"][..], &["-l", "1", "-1"]] {
        let print = |program: &Path| {
            let mut command = Command::new(program);
            command
                .args(["-p", &pid])
                .args(&options)
                .args(shape)
                .stdin(Stdio::null());
            Ran::from(command.output().unwrap()).stdout
        };
        let (theirs, ours) = (print(Path::new(&phpspy)), print(&own));
        assert_eq!(lines_aside(&ours), lines_aside(&theirs));
        assert!(ours.contains("= a=1,in=b=two,c=0.500000,,"), "{ours}");
    }
}
