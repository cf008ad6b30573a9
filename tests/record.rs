//! `phperf record`: targets, formats, limits, on real PHP.

mod support;

use std::{collections::HashSet, fs, process::Command};
use support::{Recording, SOURCES, cli, number, run, running, script};

/// One of each kind of frame, each of which lasts long enough to be met.
const FRAMES: &str = r#"<?php
class Magic {
    public function __call($name, $arguments) { return $this->deep(); }
    public static function fixed($call) { return $call(); }
    private function deep() { spin(20); }
}
function spin($ms) { $end = hrtime(true) + $ms * 1000000; while (hrtime(true) < $end) { md5('x'); } }
function inner() { spin(20); yield 1; }
function middle() { yield from inner(); }
function outer() { yield from middle(); }
file_put_contents(__DIR__ . '/included.php', '<?php spin(20);');
$anonymous = new class { function run() { spin(20); } };
echo "ready\n";
while (true) {
    (new Magic)->anything();
    Magic::fixed(function () { spin(20); });
    include __DIR__ . '/included.php';
    require __DIR__ . '/included.php';
    eval('spin(20);');
    foreach (outer() as $value) { }
    $fiber = new Fiber(function () { spin(10); Fiber::suspend(); spin(10); });
    $fiber->start();
    $fiber->resume();
    array_map(fn ($x) => spin(10), [1, 2]);
    $anonymous->run();
    usleep(20000);
}
"#;

/// The line of [`FRAMES`] that holds `text`.
fn line_of(text: &str) -> usize {
    1 + FRAMES.lines().position(|line| line.contains(text)).unwrap()
}

#[test]
fn frames_are_named_as_a_developer_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let target = script(folder.path(), FRAMES);
    let file = folder.path().join("script.php").display().to_string();
    let included = folder.path().join("included.php").display().to_string();
    let expected = [
        "<main>;Magic::__call;Magic::deep;spin;md5".to_owned(),
        format!(
            "<main>;Magic::fixed;{{closure:{file}:{}}};spin;md5",
            line_of("Magic::fixed(function")
        ),
        format!("<main>;include {included};spin;md5"),
        format!("<main>;require {included};spin;md5"),
        "<main>;outer;middle;inner;spin;md5".to_owned(),
        format!(
            "<main>;Fiber::start;{{closure:{file}:{}}};spin;md5",
            line_of("new Fiber")
        ),
        format!(
            "<main>;Fiber::resume;{{closure:{file}:{}}};spin;md5",
            line_of("new Fiber")
        ),
        format!(
            "<main>;array_map;{{closure:{file}:{}}};spin;md5",
            line_of("array_map(fn")
        ),
        "<main>;usleep".to_owned(),
    ];
    for source in SOURCES {
        let recording = Recording::of(&target, "folded", &format!("-l 2000 -H 999 --source {source}"));
        assert_eq!(recording.ran.code, 0, "{}", recording.ran.stderr);
        let stacks = recording.stacks();
        let seen: HashSet<&str> = stacks.iter().map(|(stack, _)| stack.as_str()).collect();
        for stack in &expected {
            assert!(seen.contains(stack.as_str()), "{source}: no {stack} in {seen:#?}");
        }
        assert!(
            seen.iter()
                .any(|stack| stack.starts_with("<main>;eval ") && stack.ends_with(";spin;md5")),
            "{source}: {seen:#?}"
        );
        assert!(
            seen.iter().any(|stack| stack.starts_with("<main>;class@anonymous") && stack.ends_with("::run;spin;md5")),
            "{source}: {seen:#?}"
        );
        // In the moment in which a fiber goes back to who resumed it, its frames are there alone.
        let in_fiber = format!("{{closure:{file}:{}}}", line_of("new Fiber"));
        let alone = stacks.iter().filter(|(stack, _)| !stack.starts_with("<main>"));
        let alone: u64 = alone
            .inspect(|(stack, _)| assert!(stack.starts_with(&in_fiber), "{source}: {stack}"))
            .map(|(_, count)| count)
            .sum();
        assert_eq!(recording.total("cut"), alone, "{source}: {seen:#?}");
    }
}

#[test]
fn a_limit_is_kept_to_the_sample() {
    let target = running("framework.php");
    for source in SOURCES {
        let recording = Recording::of(&target, "folded", &format!("-l 137 -H 999 --source {source}"));
        let counted: u64 = recording.stacks().iter().map(|(_, count)| count).sum();
        assert_eq!((counted, recording.total("taken")), (137, 137), "{source}");
        assert_eq!(recording.account["source"], source);
    }
}

#[test]
fn every_tick_is_accounted_for() {
    let target = running("synthetic.php");
    for source in SOURCES {
        let recording = Recording::of(&target, "folded", &format!("-d 2 -H 499 --source {source}"));
        let total = |counter: &str| recording.total(counter);
        // However long it took to attach, and to notice the end.
        assert!(total("due").abs_diff(998) <= 2, "{source}: {}", recording.account);
        let seen = total("taken") + total("idle") + total("lost") + total("unreadable");
        // At the edges of a recording one tick may be there or not.
        assert!(
            (seen + total("missed")).abs_diff(total("due")) <= 2,
            "{source}: {}",
            recording.account
        );
        // The kernel source goes by one line of time for each target: however busy the machine is, nothing of it is
        // missed. The reader needs a CPU in time.
        assert!(
            source == "reader" || total("missed") <= 2,
            "{source}: {}",
            recording.account
        );
        assert!(
            total("blocked") > total("on_cpu"),
            "{source}: it sleeps most of the time: {}",
            recording.account
        );
    }
}

#[test]
fn a_sleeping_target_is_seen_to_sleep() {
    let folder = tempfile::tempdir().unwrap();
    let target = script(
        folder.path(),
        "<?php function nap() { sleep(600); } echo \"ready\\n\"; nap();",
    );
    for source in SOURCES {
        let recording = Recording::of(&target, "folded", &format!("-d 1 -H 99 --source {source}"));
        let stacks = recording.stacks();
        assert_eq!(stacks.len(), 1, "{source}: {stacks:?}");
        assert_eq!(stacks[0].0, "<main>;nap;sleep", "{source}");
        assert!(stacks[0].1 >= 95, "{source}: {stacks:?}");
        assert_eq!(recording.total("blocked"), stacks[0].1, "{source}");
    }
}

/// The stack of a wait is taken when it is over. One that lasts to the end of the recording must not be lost, nor one that
/// only the death of its process ends.
#[test]
fn a_wait_that_is_never_over_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("nap.php");
    let source = "<?php
        function turn() { for ($i = 0; $i < 300; $i++) { usleep(100); } }
        function nap($alarm) { pcntl_alarm($alarm); sleep(600); }
        echo \"ready\\n\";
        fgets(STDIN);
        turn();
        nap((int) $argv[1]);";
    fs::write(&file, source).unwrap();
    for (alarm, duration) in [("0", "3"), ("1", "60")] {
        let mut target = php::Launch::new(&cli(), &file).arg(alarm).ready().unwrap();
        let pid = target.pid().to_string();
        let recording = Recording::take_while(
            "folded",
            ["-p", &pid, "-d", duration, "-H", "199", "--source", "kernel"],
            || target.say("go").unwrap(),
        );
        assert_eq!(recording.ran.code, 0, "{alarm}: {}", recording.ran.stderr);
        let stacks = recording.stacks();
        assert!(
            stacks.iter().any(|(stack, _)| stack == "<main>;nap;sleep"),
            "{alarm}: {stacks:?}"
        );
        let total = |counter: &str| recording.total(counter);
        assert!(
            (total("taken") + total("idle")).abs_diff(total("due")) <= 2,
            "{alarm}: {}",
            recording.account
        );
    }
}

#[test]
fn deep_stacks_are_cut_and_it_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let target = script(
        folder.path(),
        "<?php function down($n) { if ($n > 0) { down($n - 1); } else { while (true) { md5('x'); } } } echo \"ready\\n\"; down(300);",
    );
    for source in SOURCES {
        let whole = Recording::of(&target, "folded", &format!("-l 50 -H 999 --source {source}"));
        assert_eq!(whole.total("cut"), 0, "{source}");
        assert!(
            whole
                .stacks()
                .iter()
                .any(|(stack, _)| stack.matches(';').count() >= 301),
            "{source}"
        );
        let cut = Recording::of(
            &target,
            "folded",
            &format!("-l 50 -H 999 --max-depth 20 --source {source}"),
        );
        assert_eq!(cut.total("cut"), 50, "{source}");
        assert!(
            cut.stacks()
                .iter()
                .all(|(stack, _)| stack.matches(';').count() <= 19),
            "{source}"
        );
    }
}

/// What a command's PHP sets only while it starts is not known when it is found.
#[test]
fn generators_that_delegate_are_seen_in_a_command_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("delegates.php");
    let source = "<?php function inner() { while (true) { yield md5('x'); } } function outer() { yield from inner(); }
         function all($end) { foreach (outer() as $item) { if (hrtime(true) > $end) { break; } } } all(hrtime(true) + 4e8);";
    fs::write(&file, source).unwrap();
    let (php, file) = (cli().path.display().to_string(), file.display().to_string());
    for source in SOURCES {
        let seen = (0..10).any(|_| {
            let recording = Recording::take("folded", ["-H", "997", "--source", source, "--", &php, &file]);
            let stacks = recording.stacks();
            let begin = |with: &str| stacks.iter().any(|(stack, _)| stack.starts_with(with));
            assert!(!begin("<main>;all;inner"), "{source}: {stacks:?}");
            begin("<main>;all;outer;inner")
        });
        assert!(seen, "{source}");
    }
}

#[test]
fn a_command_is_recorded_with_its_children_and_its_exit_code() {
    let php = cli().path.display().to_string();
    let framework = php::workload("framework.php").display().to_string();
    let both = format!(
        "{php} {framework} --seconds 4 >/dev/null & {php} {framework} --seconds 4 >/dev/null & wait; exit 7"
    );
    for source in SOURCES {
        let recording = Recording::take(
            "folded",
            ["-H", "99", "--source", source, "--", "sh", "-c", &both],
        );
        assert_eq!(recording.ran.code, 7, "{source}: {}", recording.ran.stderr);
        let targets = recording.account["targets"].as_array().unwrap();
        assert_eq!(targets.len(), 2, "{source}: {}", recording.account);
        for target in targets {
            assert_eq!(target["ended"], true, "{source}: {target}");
            let tally = |name| number(&target["tally"], name);
            // Of 4 seconds, so that a busy machine can be late with finding the child (the reader looks for it).
            assert!(tally("taken") > 100, "{source}: {target}");
            let seen = tally("taken") + tally("idle") + tally("missed") + tally("lost") + tally("unreadable");
            assert!(seen.abs_diff(tally("due")) <= 2, "{source}: {target}");
        }
    }
}

#[test]
fn a_pattern_takes_those_that_come_later_too() {
    let folder = tempfile::tempdir().unwrap();
    let source = "<?php echo \"ready\\n\"; while (true) { md5('x'); }";
    let marker = folder.path().display().to_string();
    let first = script(folder.path(), source);
    let pids = [first.pid()].into_iter().collect::<HashSet<u32>>();
    for source_name in SOURCES {
        let mut command =
            support::phperf(["record", "-q", "-d", "3", "-P", &marker, "--source", source_name]);
        let account = folder.path().join("account.json");
        let output = folder.path().join("p.folded");
        let child = command
            .arg("--summary-json")
            .arg(&account)
            .arg("-o")
            .arg(&output)
            .spawn()
            .unwrap();
        let mut recording = support::Killed(child);
        let second = script(folder.path(), source);
        assert!(recording.0.wait().unwrap().success());
        let account: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&account).unwrap()).unwrap();
        let seen: HashSet<u32> = account["targets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|target| number(target, "pid") as u32)
            .collect();
        let mut expected = pids.clone();
        expected.insert(second.pid());
        assert_eq!(seen, expected, "{source_name}: {account}");
    }
}

#[test]
fn a_target_that_ends_leaves_what_was_taken() {
    for source in SOURCES {
        let mut target = php::Launch::new(&cli(), php::workload("framework.php"))
            .args(["--seconds", "1", "--wait"])
            .ready()
            .unwrap();
        let pid = target.pid().to_string();
        let recording = Recording::take_while(
            "folded",
            ["-p", &pid, "-d", "60", "-H", "499", "--source", source],
            || {
                target.say("go").unwrap();
                // It waits for that at its end.
                target.hang_up();
            },
        );
        assert_eq!(recording.ran.code, 0, "{source}: {}", recording.ran.stderr);
        assert!(recording.total("taken") > 50, "{source}: {}", recording.account);
        assert_eq!(recording.account["targets"][0]["ended"], true, "{source}");
        assert!(
            number(&recording.account, "duration_ns") < 30_000_000_000,
            "{source}: it went on without a target"
        );
    }
}

#[test]
fn formats_follow_the_ending_and_are_what_they_say() {
    let target = running("framework.php");
    let take = |ending: &str| Recording::of(&target, ending, "-l 200 -H 999");
    assert!(take("svg").text().contains("HelloController::index"));
    let speedscope: serde_json::Value = serde_json::from_str(&take("speedscope.json").text()).unwrap();
    assert_eq!(
        speedscope["$schema"],
        "https://www.speedscope.app/file-format-schema.json"
    );
    let phpspy = take("phpspy").text();
    assert!(phpspy.contains("<main> "), "{phpspy}");
    let pprof = take("pb.gz");
    assert_eq!(fs::read(&pprof.profile).unwrap()[..2], [0x1f, 0x8b]);
    if let Ok(go) = Command::new("go")
        .args(["tool", "pprof", "-top"])
        .arg(&pprof.profile)
        .output()
    {
        let text = String::from_utf8_lossy(&go.stdout).into_owned();
        assert!(
            go.status.success() && text.contains("json_encode"),
            "{text}{}",
            String::from_utf8_lossy(&go.stderr)
        );
    } else {
        eprintln!("not checked with go tool pprof: there is no go");
    }
}

#[test]
fn a_default_name_says_what_and_when() {
    let folder = tempfile::tempdir().unwrap();
    let php = cli().path.display().to_string();
    let file = folder.path().join("import.php");
    fs::write(
        &file,
        "<?php $end = hrtime(true) + 300000000; while (hrtime(true) < $end) { md5('x'); }",
    )
    .unwrap();
    let status = support::phperf(["record", "-q", "--", &php, "import.php"])
        .current_dir(folder.path())
        .status()
        .unwrap();
    assert!(status.success());
    let names: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("phperf-"))
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(
        names[0].starts_with("phperf-import-20") && names[0].ends_with("Z.svg"),
        "{names:?}"
    );
}

#[test]
fn an_interpreter_that_was_replaced_on_disk_is_still_read() {
    let folder = tempfile::tempdir().unwrap();
    let binary = folder.path().join("php");
    fs::copy(&cli().path, &binary).unwrap();
    let file = folder.path().join("busy.php");
    fs::write(
        &file,
        "<?php function busy() { while (true) { md5('x'); } } echo \"ready\\n\"; busy();",
    )
    .unwrap();
    let copy = php::Binary::describe(&binary, php::Sapi::Cli).unwrap();
    let target = php::Launch::new(&copy, &file).ready().unwrap();
    fs::remove_file(&binary).unwrap();
    for source in SOURCES {
        let recording = Recording::of(&target, "folded", &format!("-l 100 -H 999 --source {source}"));
        assert!(
            recording
                .stacks()
                .iter()
                .any(|(stack, _)| stack == "<main>;busy;md5"),
            "{source}: {:?}",
            recording.stacks()
        );
    }
    let dump = run(["dump", "-p", &target.pid().to_string()]);
    assert!(dump.stdout.contains("busy"), "{}{}", dump.stdout, dump.stderr);
}
