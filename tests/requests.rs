//! Which request a sample is of, and how much memory it held.

mod support;

use php::{Binary, Fpm, Ini, Launch, Load, Manager, Pool, Request};
use std::path::{Path, PathBuf};
use support::{Recording, SOURCES, run};

/// A front controller: the URI alone tells what runs, as in most applications. All URIs are of one length, so that what
/// FPM keeps of one request lies where the last one's lay.
const CONTROLLER: &str = "<?php
function spin() { $end = hrtime(true) + 2000000; while (hrtime(true) < $end) { md5('x'); } usleep(200); }
function page_a() { spin(); } function page_b() { spin(); } function page_c() { spin(); } function page_d() { spin(); }
$page = 'page_' . substr($_SERVER['REQUEST_URI'], 6, 1);
$page();
echo 'done';
";

fn pool(name: &str, workers: u32) -> (String, Fpm) {
    pool_with(name, workers, &Ini::new())
}

fn pool_with(name: &str, workers: u32, ini: &Ini) -> (String, Fpm) {
    let name = format!("{name}-{}", std::process::id());
    let binary = Binary::fpm().expect("there is a php-fpm: scripts/setup.sh test installs it");
    let fpm = Fpm::start(&binary, ini, &[Pool::new(&name, Manager::Static(workers))]).unwrap();
    (name, fpm)
}

fn controller(folder: &Path) -> PathBuf {
    let script = folder.join("index.php");
    std::fs::write(&script, CONTROLLER).unwrap();
    script.canonicalize().unwrap()
}

fn request(script: &Path, uri: &str) -> Request {
    let script = script.display().to_string();
    Request::with([
        ("REQUEST_METHOD", "GET"),
        ("SCRIPT_FILENAME", &script),
        ("SCRIPT_NAME", "/index.php"),
        ("REQUEST_URI", uri),
        ("QUERY_STRING", uri.split_once('?').map_or("", |(_, query)| query)),
        ("HTTP_COOKIE", "session=of-nobody-else"),
    ])
}

/// A sample of the text that phpspy prints: its functions, the innermost first, and its fields.
struct Sample<'a> {
    functions: Vec<&'a str>,
    fields: Vec<&'a str>,
}

impl<'a> Sample<'a> {
    fn all(text: &'a str) -> Vec<Self> {
        let blocks = text.split("\n\n").filter(|block| !block.trim().is_empty());
        blocks
            .map(|block| {
                let (fields, frames): (Vec<&str>, Vec<&str>) =
                    block.lines().partition(|line| line.starts_with('#'));
                let functions = frames.iter().filter_map(|frame| frame.split(' ').nth(1));
                Self {
                    functions: functions.collect(),
                    fields,
                }
            })
            .collect()
    }

    fn field(&self, start: &str) -> Option<&'a str> {
        self.fields.iter().find_map(|field| field.strip_prefix(start))
    }
}

/// Three seconds of a pool.
fn recorded(ending: &str, pool: &str, source: &str, asked: &[&str]) -> Recording {
    recorded_of(ending, &["--fpm", pool], source, asked)
}

fn recorded_of(ending: &str, targets: &[&str], source: &str, asked: &[&str]) -> Recording {
    let options = ["-d", "3", "-H", "997", "--source", source];
    Recording::take(ending, [targets, &options, asked].concat())
}

#[test]
fn no_sample_is_under_another_requests_uri() {
    let folder = tempfile::tempdir().unwrap();
    let (pool, fpm) = pool("which", 2);
    compare_uris(&controller(folder.path()), (&pool, &fpm), &["--fpm", &pool]);
}

/// Nothing asks when the request began, neither the script nor opcache: the texts alone tell it from the next one.
#[test]
fn nor_is_one_where_php_keeps_no_time() {
    let folder = tempfile::tempdir().unwrap();
    let script = controller(folder.path());
    let code = CONTROLLER.replace("$_SERVER['REQUEST_URI']", "getenv('REQUEST_URI')");
    std::fs::write(&script, code).unwrap();
    let (pool, fpm) = pool_with("timeless", 2, &Ini::new().set("opcache.enable", "0"));
    compare_uris(&script, (&pool, &fpm), &["--fpm", &pool]);
}

/// Records a pool that serves four pages in turn, and compares what each sample ran with what it is labelled with.
fn compare_uris(script: &Path, (pool, fpm): (&str, &Fpm), targets: &[&str]) {
    let loads: Vec<_> = ["a", "b", "c", "d"]
        .iter()
        .map(|page| {
            let request = request(script, &format!("/shop/{page}?token=secret"));
            Load::start(fpm.socket(pool), &request, 1).unwrap()
        })
        .collect();
    for source in SOURCES {
        let recording = recorded_of("phpspy", targets, source, &["--request"]);
        let text = recording.text();
        let samples = Sample::all(&text);
        let (mut checked, mut wrong) = (0, Vec::new());
        for sample in &samples {
            assert_eq!(
                sample.field("# method = "),
                Some("GET"),
                "{source}: {:?}",
                sample.fields
            );
            let path = sample.field("# path = ").unwrap();
            assert_eq!(Path::new(path), script, "{source}");
            let uri = sample.field("# uri = /shop/").unwrap();
            let page = sample
                .functions
                .iter()
                .find_map(|name| name.strip_prefix("page_"));
            let Some(page) = page else { continue };
            checked += 1;
            if page != uri {
                wrong.push((page, uri));
            }
        }
        assert!(
            wrong.is_empty(),
            "{source}: {} of {checked} wrong: {wrong:?}",
            wrong.len()
        );
        assert!(checked > 1000, "{source}: {checked} of {} samples", samples.len());
        for secret in ["secret", "nobody"] {
            assert!(!text.contains(secret), "{source}: nobody asked for {secret}");
        }
        assert!(
            !recording.ran.stderr.contains("samples without"),
            "{}",
            recording.ran.stderr
        );
    }
    assert!(loads.iter().all(|load| load.answered() > 10));
}

#[test]
fn what_is_asked_for_by_name_is_there_and_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let script = controller(folder.path());
    let (pool, fpm) = pool("asked", 1);
    let uri = format!("/shop/b\n# uri = /forged\t\u{1b}[31mé{}?q=1", "x".repeat(3000));
    let _load = Load::start(fpm.socket(&pool), &request(&script, &uri), 1).unwrap();
    for source in SOURCES {
        let recording = Recording::take(
            "phpspy",
            [
                "--fpm",
                &pool,
                "-l",
                "200",
                "-H",
                "997",
                "--source",
                source,
                "--request=uri,query,cookie",
            ],
        );
        let text = recording.text();
        assert!(
            text.chars().all(|char| char == '\n' || !char.is_control()),
            "{source}"
        );
        for sample in Sample::all(&text) {
            let uri = sample.field("# uri = ").unwrap();
            assert!(
                uri.starts_with("/shop/b%0A# uri = /forged%09%1B[31méxxx"),
                "{source}: {uri}"
            );
            assert!(uri.ends_with("xxx…") && uri.len() < 600, "{source}: {uri}");
            assert_eq!(sample.field("# qstring = "), Some("q=1"), "{source}");
            assert_eq!(
                sample.field("# cookie = "),
                Some("session=of-nobody-else"),
                "{source}"
            );
            assert_eq!(sample.field("# path = "), None, "{source}");
        }
    }
}

#[test]
fn a_report_parts_requests() {
    let folder = tempfile::tempdir().unwrap();
    let script = controller(folder.path());
    let (pool, fpm) = pool("parts", 2);
    let _loads: Vec<_> = ["a", "d"]
        .iter()
        .map(|page| Load::start(fpm.socket(&pool), &request(&script, &format!("/shop/{page}")), 1).unwrap())
        .collect();
    for source in SOURCES {
        let recording = recorded("pb.gz", &pool, source, &["--request", "--memory"]);
        let file = recording.profile.display().to_string();
        let ran = run(["report", &file, "--by", "uri", "--format", "json"]);
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let groups = report["groups"].as_array().unwrap();
        assert_eq!(
            groups.len(),
            2,
            "{source}: {:?} {}",
            ran.stdout,
            recording.ran.stderr
        );
        for group in groups {
            let page = group["value"].as_str().unwrap().strip_prefix("/shop/").unwrap();
            let names: Vec<_> = group["functions"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|function| function["name"].as_str()?.strip_prefix("page_"))
                .collect();
            assert_eq!(names, [page], "{source}");
            assert!(
                support::number(group, "memory_peak") > 300_000,
                "{source}: {group}"
            );
        }
        let focused = run(["report", &file, "--focus", "uri=/shop/a"]);
        assert!(focused.stdout.contains("page_a") && !focused.stdout.contains("page_d"));
    }
}

/// Holds known amounts, and says what PHP says of them.
const HOLDER: &str = "<?php
function say($name) { fprintf(STDOUT, \"%s %d %d\\n\", $name, memory_get_usage(), memory_get_peak_usage()); }
function spin() { $end = hrtime(true) + 60000000; while (hrtime(true) < $end) { md5('x'); } }
function hold_5() { $held = str_repeat('x', 5 << 20); static $told; $told ??= say('hold_5') ?? true; spin(); return strlen($held); }
function hold_40() { $held = range(1, 2500000); static $told; $told ??= say('hold_40') ?? true; spin(); return count($held); }
function hold_none() { static $told; $told ??= say('hold_none') ?? true; spin(); }
hold_40(); hold_5(); hold_none();
echo \"ready\\n\";
while (true) { hold_40(); hold_5(); hold_none(); }
";

#[test]
fn memory_is_what_php_says() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("holder.php");
    std::fs::write(&script, HOLDER).unwrap();
    let mut target = Launch::new(&Binary::cli().unwrap(), &script).spawn().unwrap();
    let mut said = Vec::new();
    for name in ["hold_40", "hold_5", "hold_none"] {
        let line = target
            .line_after(&format!("{name} "), std::time::Duration::from_secs(60))
            .unwrap();
        let numbers: Vec<u64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        said.push((name, numbers[0], numbers[1]));
    }
    target
        .wait_for_line("ready", std::time::Duration::from_secs(60))
        .unwrap();
    for source in SOURCES {
        let mut seen = [0; 3];
        // However slow the machine is, each of them has its turn.
        for _ in 0..50 {
            let arguments = format!("-l 600 -H 997 --source {source} --memory");
            check_memory(
                &Recording::of(&target, "phpspy", &arguments).text(),
                &said,
                &mut seen,
            );
            if seen.iter().all(|&count| count > 0) {
                break;
            }
        }
        assert!(seen.iter().all(|&count| count > 0), "{source}: {seen:?}");
    }
}

/// Compares the samples of a profile with what PHP said in each function; counts those of each.
fn check_memory(text: &str, said: &[(&str, u64, u64)], seen: &mut [u32; 3]) {
    for sample in Sample::all(text) {
        let (used, peak) = sample.field("# mem ").unwrap().split_once(' ').unwrap();
        let (used, peak): (u64, u64) = (used.parse().unwrap(), peak.parse().unwrap());
        assert!(peak >= used, "{peak} < {used}");
        assert!(
            peak.abs_diff(said[0].2) < 100_000,
            "{peak}, PHP says {}",
            said[0].2
        );
        // While it spins it holds all of it; before, it is being made.
        if !sample.functions.contains(&"spin") {
            continue;
        }
        let at = said
            .iter()
            .position(|(name, ..)| sample.functions.contains(name))
            .unwrap();
        let (name, bytes, _) = said[at];
        assert!(
            used.abs_diff(bytes) < 20_000,
            "{used} in {name}, PHP says {bytes}"
        );
        seen[at] += 1;
    }
}

#[test]
fn memory_that_is_not_phps_own_is_not_made_up() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("spin.php");
    std::fs::write(&script, "<?php echo \"ready\\n\"; while (true) { md5('x'); }").unwrap();
    let target = Launch::new(&Binary::cli().unwrap(), &script)
        .under(["env", "USE_ZEND_ALLOC=0"])
        .ready()
        .unwrap();
    for source in SOURCES {
        let arguments = format!("-l 50 -H 499 --source {source} --memory --request");
        let recording = Recording::of(&target, "phpspy", &arguments);
        let text = recording.text();
        assert!(!text.contains("# mem"), "{source}");
        assert!(
            text.contains(&format!("# path = {}", script.display())),
            "{source}: {text}"
        );
        assert!(
            recording
                .ran
                .stderr
                .contains("50 samples without memory: PHP did not use its own allocator"),
            "{source}: {}",
            recording.ran.stderr
        );
    }
}

#[test]
fn a_dump_tells_request_and_memory() {
    let folder = tempfile::tempdir().unwrap();
    let script = controller(folder.path());
    let (pool, fpm) = pool("dump", 1);
    let _load = Load::start(fpm.socket(&pool), &request(&script, "/shop/c?token=secret"), 1).unwrap();
    let pid = fpm.workers().unwrap()[0].to_string();
    // Between two requests there is no stack, and so no request.
    let stdout = (0..1000)
        .map(|_| run(["dump", "-p", &pid, "--request", "--memory"]).stdout)
        .find(|stdout| stdout.contains("page_c"))
        .expect("it works all the time");
    for line in ["  method GET\n", "  uri /shop/c\n", "  memory "] {
        assert!(stdout.contains(line), "no {line:?} in {stdout}");
    }
    assert!(!stdout.contains("secret"), "{stdout}");
    let plain = run(["dump", "-p", &pid]).stdout;
    assert!(!plain.contains("uri") && !plain.contains("memory"), "{plain}");
}
