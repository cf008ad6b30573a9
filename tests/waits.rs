//! For what PHP waits, as `phperf dump` and `phperf record --waits` say it.

mod support;

use php::Script;
use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    os::unix::net::UnixListener,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use support::{Killed, Recording, SOURCES, cli, number, run, script};
use testbed::Postgres;

/// How long a script may take to come to its wait.
const SOON: Duration = Duration::from_secs(120);

/// `dump` until its line about the wait is there; the line.
#[track_caller]
fn wait_of(pid: u32, call: &str) -> String {
    let give_up = Instant::now() + SOON;
    loop {
        let ran = run(["dump", "-p", &pid.to_string()]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let wait = ran
            .stdout
            .lines()
            .find_map(|line| line.strip_prefix("  waits in "));
        if let Some(wait) = wait.filter(|wait| wait.starts_with(call)) {
            return wait.to_owned();
        }
        assert!(Instant::now() < give_up, "no wait in {call}: {}", ran.stdout);
    }
}

/// What `report --by LABEL` says of a recording: each text and its samples.
fn by(recording: &Recording, label: &str) -> Vec<(String, u64)> {
    let profile = recording.profile.to_str().unwrap();
    let ran = run(["report", "--by", label, "--format", "json", profile]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let groups = report["groups"].as_array().unwrap();
    groups
        .iter()
        .filter_map(|group| Some((group["value"].as_str()?.to_owned(), number(group, "samples"))))
        .collect()
}

fn waiting(folder: &Path, body: &str) -> Script {
    script(folder, &format!("<?php echo \"ready\\n\"; {body}"))
}

/// Three seconds of a target, with what it waits for.
fn watched(target: &Script, source: &str) -> Recording {
    Recording::of(target, "pb.gz", &format!("-d 3 -H 199 --waits --source {source}"))
}

#[test]
fn dump_names_the_call_and_the_other_end() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let socket = folder.path().join("door");
    let door = UnixListener::bind(&socket).unwrap();

    let target = waiting(folder.path(), "sleep(1000);");
    assert_eq!(wait_of(target.pid(), "clock_nanosleep"), "clock_nanosleep");

    let body =
        format!("$c = stream_socket_client('tcp://{address}'); stream_set_timeout($c, 1000); fgets($c);");
    let target = waiting(folder.path(), &body);
    // PHP polls before it reads.
    assert_eq!(wait_of(target.pid(), "poll"), format!("poll for tcp {address}"));
    drop(target);

    let body = format!(
        "$c = stream_socket_client('unix://{}'); fgets($c);",
        socket.display()
    );
    let target = waiting(folder.path(), &body);
    // Before somebody accepts it, a connection has no other end.
    let visitor = door.accept().unwrap();
    assert_eq!(
        wait_of(target.pid(), "poll for unix /"),
        format!("poll for unix {}", socket.display())
    );
    drop((target, visitor));

    let body = format!(
        "$c = stream_socket_client('tcp://{address}'); $d = stream_socket_client('tcp://{address}');
         $r = [$c, $d]; $w = $e = null; stream_select($r, $w, $e, 1000);"
    );
    let target = waiting(folder.path(), &body);
    let wait = wait_of(target.pid(), "");
    assert!(
        wait.ends_with(&format!(" for tcp {address}, tcp {address}")),
        "{wait}"
    );
    drop(target);

    // Ends with the standard input of the script.
    let target = waiting(folder.path(), "fgets(popen('exec cat', 'r'));");
    let wait = wait_of(target.pid(), "read for pipe:[");
    assert!(wait.ends_with(']'), "{wait}");
}

#[test]
fn dump_names_the_file_that_is_locked() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("lock");
    let body = format!(
        "$f = fopen('{}', 'c'); flock($f, LOCK_EX); sleep(1000);",
        lock.display()
    );
    let holder = waiting(folder.path(), &body);
    wait_of(holder.pid(), "clock_nanosleep");
    let target = waiting(folder.path(), &body);
    let wait = wait_of(target.pid(), "flock");
    let holder = format!("flock for {}, locked by {} (", lock.display(), holder.pid());
    assert!(wait.starts_with(&holder), "{wait}");
}

#[test]
fn samples_say_what_they_wait_for() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // Answers each line after a while.
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                while let Some(Ok(line)) = lines.next() {
                    thread::sleep(Duration::from_millis(30));
                    let mut stream = &stream;
                    if std::io::Write::write_all(&mut stream, format!("{line}\n").as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    let body = format!(
        "$c = stream_socket_client('tcp://{address}');
         function ask($c) {{ fwrite($c, \"x\\n\"); fgets($c); }}
         function nap() {{ usleep(30000); }}
         while (true) {{ ask($c); nap(); }}"
    );
    let target = waiting(folder.path(), &body);
    for source in SOURCES {
        let recording = watched(&target, source);
        let profile = recording.profile.to_str().unwrap();
        let shown = |focus: &str| {
            let ran = run(["report", "--focus", focus, profile]);
            assert_eq!(ran.code, 0, "{}", ran.stderr);
            ran.stdout
        };
        let peer = shown(&format!("peer=tcp {address}"));
        assert!(
            peer.contains("fgets") && !peer.contains("usleep"),
            "{source}: {peer}"
        );
        let timer = shown("wait=timer");
        assert!(
            timer.contains("usleep") && !timer.contains("fgets"),
            "{source}: {timer}"
        );
        let calls = by(&recording, "syscall");
        let blocked = recording.total("blocked");
        let told: u64 = calls.iter().map(|(_, samples)| samples).sum();
        // What was over before anybody looked has no label, and is counted.
        let notes = recording.account["notes"].to_string();
        assert!(
            notes.contains(&format!(
                "{told} of {blocked} blocked samples say what they waited for"
            )),
            "{source}: {told} {notes} {calls:?}"
        );
        assert!(told > 0, "{source}: {notes}");
    }
}

/// A wait that is over before anybody can look at it says for what it was all the same.
#[test]
fn waits_of_a_moment_are_told_by_the_call_that_they_are_in() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // Answers at once.
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            while let Some(Ok(_)) = lines.next() {
                if std::io::Write::write_all(&mut &stream, b"y\n").is_err() {
                    break;
                }
            }
        }
    });
    let body = format!(
        "<?php $c = stream_socket_client('tcp://{address}'); echo \"ready\\n\";
         function ask($c) {{ fwrite($c, \"x\\n\"); fgets($c); }}
         function nap() {{ usleep(100); }}
         while (true) {{ ask($c); nap(); }}"
    );
    let target = script(folder.path(), &body);
    let recording = watched(&target, "kernel");
    let notes = recording.account["notes"].to_string();
    let profile = recording.profile.to_str().unwrap();
    let blocked = recording.total("blocked");
    let mut told = 0;
    for (focus, function, other) in [
        (format!("peer=tcp {address}"), "fgets", "usleep"),
        ("syscall=clock_nanosleep".to_owned(), "usleep", "fgets"),
    ] {
        let ran = run(["report", "--format", "json", "--focus", &focus, profile]);
        assert_eq!(ran.code, 0, "{} {notes}", ran.stderr);
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let functions = report["functions"].as_array().unwrap();
        let own = |name: &str| {
            let function = functions.iter().find(|function| function["name"] == name);
            function.map_or(0, |function| number(function, "self"))
        };
        assert_eq!(own(other), 0, "{}", ran.stdout);
        told += own(function);
    }
    // The others are waits in the middle of something else: for memory, or in fwrite().
    assert!(
        blocked > 0 && told * 10 > blocked * 9,
        "{told} of {blocked}: {notes}"
    );
}

#[test]
fn a_query_waits_for_its_database() {
    let server = Postgres::start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let body = format!(
        "$db = new PDO('{}'); function query($db) {{ $db->query('SELECT pg_sleep(.05)'); }} while (true) {{ query($db); }}",
        server.dsn("postgres")
    );
    let target = waiting(folder.path(), &body);
    let peer = format!("tcp 127.0.0.1:{}", server.port());
    assert_eq!(wait_of(target.pid(), "poll"), format!("poll for {peer}"));
    for source in SOURCES {
        let recording = Recording::of(&target, "pb.gz", &format!("-d 2 --waits --source {source}"));
        let peers = by(&recording, "peer");
        let told: u64 = peers
            .iter()
            .filter(|(text, _)| *text == peer)
            .map(|(_, samples)| samples)
            .sum();
        let others: Vec<_> = peers
            .iter()
            .filter(|(text, _)| text.contains(':') && *text != peer)
            .collect();
        assert!(others.is_empty(), "{source}: {peers:?}");
        assert!(told > 0, "{source}: {peers:?} {}", recording.account);
    }
}

#[test]
fn descriptors_that_are_used_again_are_not_mixed_up() {
    let folder = tempfile::tempdir().unwrap();
    // One number for another file each time, of which a function of its own waits.
    for name in ["red", "blue"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    // One of the two is held at any time.
    let hold = format!(
        "$f = fopen('{0}/red', 'r'); $g = fopen('{0}/blue', 'r'); flock($f, LOCK_EX);
         while (true) {{
             usleep(40000); flock($g, LOCK_EX); flock($f, LOCK_UN);
             usleep(40000); flock($f, LOCK_EX); flock($g, LOCK_UN);
         }}",
        folder.path().display()
    );
    let other = tempfile::tempdir().unwrap();
    let holder = waiting(other.path(), &hold);
    let body = format!(
        "function red() {{ $f = fopen('{0}/red', 'r'); flock($f, LOCK_EX); }}
         function blue() {{ $f = fopen('{0}/blue', 'r'); flock($f, LOCK_EX); }}
         while (true) {{ red(); blue(); }}",
        folder.path().display()
    );
    let target = waiting(folder.path(), &body);
    for source in SOURCES {
        let recording = watched(&target, source);
        let profile = recording.profile.to_str().unwrap();
        for (name, other) in [("red", "blue"), ("blue", "red")] {
            let focus = format!("file={}/{name}", folder.path().display());
            let ran = run(["report", "--format", "json", "--focus", &focus, profile]);
            assert_eq!(ran.code, 0, "{source}: {} {}", ran.stderr, recording.account);
            let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
            let functions = report["functions"].as_array().unwrap();
            let has = |name: &str| functions.iter().any(|function| function["name"] == name);
            assert!(has(name) && !has(other), "{source}: {}", ran.stdout);
        }
    }
    drop(holder);
}

#[test]
fn without_being_asked_samples_have_no_labels() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Killed(
        Command::new(cli().path)
            .args(["-n", "-r", "while (true) usleep(20000);"])
            .stdin(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let pid = child.0.id().to_string();
    let recording = Recording::take("pb.gz", ["-d", "1", "-p", &pid]);
    child.0.kill().unwrap();
    let ran = run(["report", "--by", "syscall", recording.profile.to_str().unwrap()]);
    assert!(!ran.stdout.contains("clock_nanosleep"), "{}", ran.stdout);
    drop(folder);
}
