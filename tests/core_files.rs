//! What `phperf dump --core` says of a PHP that crashed, or of which `gcore` kept a copy.

#[path = "support/core.rs"]
mod core;
mod support;

use php::{Binary, Fpm, Launch, Manager, Request, Script};
use std::{
    fs,
    io::Read,
    os::unix::net::UnixListener,
    path::{Path, PathBuf},
    process::Command,
};
use support::{Ran, assert_says, cli, phperf, run, script};

/// Crashes below a method, a closure, a generator that another one delegates to, and a fiber.
const CRASH: &str = "<?php
namespace App;

final class Import
{
    public function run(array $rows): void
    {
        array_map(function (string $row): void {
            foreach ($this->outer($row) as $part) {
                echo $part;
            }
        }, $rows);
    }

    private function outer(string $row): \\Generator
    {
        yield 1;
        yield from $this->inner($row);
    }

    private function inner(string $row): \\Generator
    {
        $fiber = new \\Fiber(crash(...));
        yield $fiber->start($row);
    }
}

function crash(string $row): void
{
    \\posix_kill(\\posix_getpid(), \\SIGSEGV);
}

(new Import())->run(['a', 'b']);
";

/// What ends in `lines` of the output: `#0 crash …:31`.
#[track_caller]
fn assert_frames(ran: &Ran, frames: &[&str]) {
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let seen: Vec<String> = ran
        .stdout
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('#')?.split_once(' '))
        .map(|(_, frame)| match frame.rsplit_once(' ') {
            Some((name, place)) => {
                let file = Path::new(place).file_name().unwrap().to_str().unwrap();
                let name = name.split_once(":/").map_or(name, |(before, _)| before);
                format!("{name} {file}")
            }
            None => frame.to_owned(),
        })
        .collect();
    assert_eq!(seen, frames, "{}{}", ran.stdout, ran.stderr);
}

fn dump(core: &Path, more: &[&Path]) -> Ran {
    let mut command = phperf(["dump", "--core"]);
    command.arg(core);
    for copy in more {
        command.arg("--exe").arg(copy);
    }
    command.output().unwrap().into()
}

const WAITS: [&str; 3] = ["fgets", "here wait.php:1", "<main> wait.php:1"];

/// A script that waits, run by `php`.
fn waiting(folder: &Path, php: &Path) -> Script {
    let file = folder.join("wait.php");
    fs::write(
        &file,
        "<?php function here() { fgets(STDIN); } echo \"ready\\n\"; here();",
    )
    .unwrap();
    let binary = Binary {
        path: php.to_owned(),
        ..cli()
    };
    let target = Launch::new(&binary, &file).ready().unwrap();
    until_it_reads(target.pid());
    target
}

/// Waits until a process is where it will wait for the test.
fn until_it_reads(pid: u32) {
    while !run(["dump", "-p", &pid.to_string()]).stdout.contains("#0 fgets") {
        assert!(remote::Process::open(pid).unwrap().is_alive());
    }
}

fn written(folder: &Path, source: &str) -> PathBuf {
    let file = folder.join("crash.php");
    fs::write(&file, source).unwrap();
    file
}

#[test]
fn a_crash_shows_the_stack_below_fibers_and_generators() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), CRASH);
    let mut command = Command::new(cli().path);
    let Some(core) = core::crashed(command.arg(&file), folder.path()) else {
        return;
    };
    let ran = dump(&core, &[]);
    let header = ran.stdout.lines().next().unwrap();
    assert!(header.ends_with(" NTS), SIGSEGV"), "{header}");
    assert!(
        header.contains("php") && header.contains("crash.php (PHP "),
        "{header}"
    );
    assert_frames(
        &ran,
        &[
            "posix_kill",
            "App\\crash crash.php:30",
            "Fiber::start",
            "App\\Import::inner crash.php:24",
            "App\\Import::outer crash.php:18",
            "App\\Import::{closure crash.php:9",
            "array_map",
            "App\\Import::run crash.php:8",
            "<main> crash.php:33",
        ],
    );
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
}

#[test]
fn a_stack_that_overflowed_is_shown_as_deep_as_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let source =
        "<?php function again(array $a): bool { return usort($a, fn () => again([2, 1])); } again([2, 1]);";
    let file = written(folder.path(), source);
    let mut command = Command::new(cli().path);
    command.args(["-d", "zend.max_allowed_stack_size=-1"]).arg(&file);
    let Some(core) = core::crashed(&mut command, folder.path()) else {
        return;
    };
    let ran = dump(&core, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("\n  #511 "), "{}", ran.stdout);
    assert!(ran.stdout.contains("… more frames: raise --max-depth"));
    let all = run(["dump", "--max-depth", "65535", "--core", core.to_str().unwrap()]);
    let last = all.stdout.lines().last().unwrap();
    assert!(last.contains(" <main> "), "{last}");
    let depth: u32 = last
        .trim_start()
        .trim_start_matches('#')
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(depth > 10_000, "{last}");
    // One round of the recursion after the other says no more.
    assert!(
        all.stdout.lines().count() < 50 && all.stdout.contains(" more like these\n"),
        "{}",
        all.stdout
    );
}

#[test]
fn the_line_of_a_loop_comes_from_the_registers() {
    let folder = tempfile::tempdir().unwrap();
    // Nothing in this loop makes PHP store where it is: only the registers tell.
    let source = "<?php
pcntl_async_signals(true);
function spin(int $x): int
{
    for ($i = 0; $i < 1000; $i--) {
        $x ^= $i;
        $x += 3;
    }
    return $x;
}
// Ends it from outside, once it is in the loop.
if (pcntl_fork() === 0) {
    $parent = posix_getppid();
    do {
        $ticks = explode(' ', file_get_contents(\"/proc/$parent/stat\"))[13];
    } while ($ticks < 3);
    posix_kill($parent, SIGABRT);
    exit;
}
spin(1);
";
    let file = written(folder.path(), source);
    let mut command = Command::new(cli().path);
    let Some(core) = core::crashed(command.arg(&file), folder.path()) else {
        return;
    };
    let ran = dump(&core, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("SIGABRT"), "{}", ran.stdout);
    let leaf = ran.stdout.lines().find(|line| line.contains("#0 spin")).unwrap();
    let line: u32 = leaf.rsplit_once(':').unwrap().1.parse().unwrap();
    assert!((5..=7).contains(&line), "{leaf}");
}

#[test]
fn a_core_of_a_process_that_goes_on_says_what_the_process_says() {
    let folder = tempfile::tempdir().unwrap();
    let source = "<?php
function inner() { yield 1; fgets(STDIN); }
function outer() { yield from inner(); }
final class Job {
    public function run() {
        $fiber = new Fiber(function () { foreach (outer() as $x) { } });
        $fiber->start();
    }
}
echo \"ready\\n\";
(new Job)->run();";
    let target = script(folder.path(), source);
    until_it_reads(target.pid());
    let Some(core) = core::kept(target.pid(), folder.path()) else {
        return;
    };
    let live = run(["dump", "-p", &target.pid().to_string()]);
    let ran = dump(&core, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // gcore keeps no arguments, and what a process waits for is the kernel's to say.
    let frames = |ran: &Ran| -> Vec<String> {
        let frames = ran
            .stdout
            .lines()
            .skip(1)
            .filter(|line| !line.starts_with("  waits in "));
        frames.map(str::to_owned).collect()
    };
    assert!(
        live.stdout.contains("  waits in read for pipe:"),
        "{}",
        live.stdout
    );
    assert_eq!(frames(&ran), frames(&live), "{}", ran.stderr);
    assert!(ran.stdout.contains("#1 inner "), "{}", ran.stdout);
}

#[test]
fn a_worker_of_fpm() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.php");
    let socket = folder.path().join("door");
    let source = format!(
        "<?php function page() {{ fgets(stream_socket_client('unix://{}')); }} page();",
        socket.display()
    );
    fs::write(&file, source).unwrap();
    let door = UnixListener::bind(&socket).unwrap();
    let fpm = Fpm::www(&Binary::fpm().unwrap(), Manager::Static(1)).unwrap();
    let (worker, pool) = (fpm.workers().unwrap()[0], fpm.socket("www"));
    std::thread::scope(|scope| {
        let request = Request::get(&file, "");
        let answer = scope.spawn(move || request.send(&pool));
        // The script has come to the line that waits.
        let (visitor, _) = door.accept().unwrap();
        until_it_reads(worker);
        let core = core::kept(worker, folder.path());
        drop(visitor);
        answer.join().unwrap().unwrap();
        let Some(core) = core else {
            return;
        };
        let ran = dump(&core, &[]);
        assert!(
            ran.stdout
                .starts_with(&format!("{worker} php-fpm: pool www (PHP ")),
            "{}",
            ran.stdout
        );
        assert_frames(&ran, &["fgets", "page page.php:1", "<main> page.php:1"]);
    });
}

#[test]
fn a_php_that_was_replaced_or_deleted_since_is_named_with_exe() {
    let folder = tempfile::tempdir().unwrap();
    let (php, copy) = (folder.path().join("php"), folder.path().join("copy"));
    for path in [&php, &copy] {
        fs::copy(cli().path, path).unwrap();
    }
    let target = waiting(folder.path(), &php);
    let Some(core) = core::kept(target.pid(), folder.path()) else {
        return;
    };
    assert_frames(&dump(&core, &[]), &WAITS);
    fs::remove_file(&php).unwrap();
    assert_says(&dump(&core, &[]), 1, &["needs", "php", "--exe"]);
    assert_frames(&dump(&core, &[&copy]), &WAITS);
    fs::copy("/bin/sh", &php).unwrap();
    assert_says(&dump(&core, &[]), 1, &["is not the file that crashed", "--exe"]);
    assert_says(&dump(&core, &[&php]), 1, &["no file that the process had mapped"]);
    assert_frames(&dump(&core, &[&copy]), &WAITS);
}

#[test]
fn a_php_that_was_deleted_before_is_known_by_its_build_id_alone() {
    let folder = tempfile::tempdir().unwrap();
    let php = folder.path().join("php");
    let original = cli();
    fs::copy(&original.path, &php).unwrap();
    let target = waiting(folder.path(), &php);
    fs::remove_file(&php).unwrap();
    let Some(core) = core::kept(target.pid(), folder.path()) else {
        return;
    };
    assert_says(&dump(&core, &[]), 1, &["deleted while the process ran", "--exe"]);
    assert_frames(&dump(&core, &[&original.path]), &WAITS);
    // The same file under the same name, and another one.
    fs::copy(&original.path, &php).unwrap();
    assert_frames(&dump(&core, &[]), &WAITS);
    fs::copy("/bin/sh", &php).unwrap();
    assert_says(&dump(&core, &[]), 1, &["is not the file that crashed", "--exe"]);
}

#[test]
fn what_is_no_core_or_only_the_start_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let target = script(folder.path(), "<?php echo \"ready\\n\"; fgets(STDIN);");
    let says = |path: &Path, words: &[&str]| assert_says(&dump(path, &[]), 1, words);
    says(Path::new("/nowhere/core"), &["/nowhere/core"]);
    says(folder.path(), &["not a core file", "not even a file"]);
    says(&folder.path().join("script.php"), &["not a core file"]);
    says(&cli().path, &["not a core file", "program"]);
    let Some(core) = core::kept(target.pid(), folder.path()) else {
        return;
    };
    let packed = folder.path().join("core.gz");
    let status = Command::new("gzip")
        .arg("-1c")
        .arg(&core)
        .stdout(fs::File::create(&packed).unwrap())
        .status()
        .unwrap();
    assert!(status.success());
    says(&packed, &["is compressed", "gzip -d", "coredumpctl"]);
    let mut bytes = Vec::new();
    fs::File::open(&core).unwrap().read_to_end(&mut bytes).unwrap();
    let short = folder.path().join("short");
    for part in 0..16 {
        let length = bytes.len() * part / 16;
        fs::write(&short, &bytes[..length]).unwrap();
        let ran = dump(&short, &[]);
        assert!((0..=1).contains(&ran.code), "{length}: {}", ran.stderr);
        let is_told =
            ran.stderr.contains("are missing (raise `ulimit -c`") || ran.stderr.contains("not a core file");
        assert!(is_told, "{length}: {}{}", ran.stdout, ran.stderr);
    }
    // One of a program that is no PHP.
    let mut other = support::Killed(Command::new("sleep").arg("1000").spawn().unwrap());
    let core = core::kept(other.0.id(), folder.path()).unwrap();
    other.0.kill().unwrap();
    says(&core, &["is not PHP", "sleep"]);
}

#[test]
fn a_core_and_a_process_are_not_asked_for_at_once() {
    let ran = run(["dump", "--core", "core", "-p", "1"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let ran = run(["dump", "-p", "1", "--exe", "php"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(run(["dump"]).code, 2);
}
