//! Targets and places that are out of the ordinary: a PHP that nobody knows, processes that come and go, containers.

mod support;

use php::{Binary, Fpm, Launch, Manager};
use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
};
use support::{
    AS_NOBODY, Killed, Ran, SOURCES, assert_says, cli, number, phperf, record, script, shared_phperf,
};

#[test]
fn a_php_of_a_version_that_nobody_knows() {
    let folder = tempfile::tempdir().unwrap();
    let original = cli();
    let mut bytes = fs::read(&original.path).unwrap();
    let banner = b"X-Powered-By: PHP/8.";
    let at = bytes
        .windows(banner.len())
        .position(|window| window == banner)
        .unwrap()
        + banner.len();
    bytes[at] = b'9';
    let path = folder.path().join("php");
    fs::write(&path, bytes).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let file = folder.path().join("spin.php");
    fs::write(&file, "<?php echo \"ready\\n\"; while (true) { md5('x'); }").unwrap();
    let target = Launch::new(&Binary { path, ..original }, &file).ready().unwrap();
    let pid = target.pid().to_string();
    for command in ["record", "dump"] {
        let ran: Ran = phperf([command, "-p", &pid]).output().unwrap().into();
        assert_says(&ran, 1, &["PHP 8.9.", "not known", "newer phperf"]);
    }
}

#[test]
fn processes_that_end_while_they_are_looked_at() {
    let php = cli().path;
    for source in SOURCES {
        for _ in 0..20 {
            let mut target = Killed(
                Command::new(&php)
                    .args(["-n", "-r", "for ($i = 0; $i < 30000; $i++) { md5($i); }"])
                    .stdin(Stdio::null())
                    .spawn()
                    .unwrap(),
            );
            let pid = target.0.id().to_string();
            let ran: Ran = record(&format!("-p {pid} -d 5 --source {source}"))
                .output()
                .unwrap()
                .into();
            // It is found and ends, or is gone before; it may even not have become php yet.
            match ran.code {
                0 => {}
                1 => assert_says(&ran, 1, &["process"]),
                code => panic!("{source}: {code}: {}", ran.stderr),
            }
            target.0.wait().unwrap();
        }
    }
}

#[test]
fn process_numbers_of_a_container_leave_it_to_the_reader() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("spin.php");
    fs::write(
        &file,
        "<?php function spin() { while (true) { md5('x'); } } spin();",
    )
    .unwrap();
    let inside = "\"$1\" \"$2\" & sleep .2; \"$3\" record -p $! -l 50 -H 499 -f folded -o -; code=$?; kill $!; exit $code";
    let ran: Ran = Command::new("unshare")
        .args(["--pid", "--fork", "--mount-proc", "sh", "-c", inside, "sh"])
        .arg(&cli().path)
        .arg(&file)
        .arg(env!("CARGO_BIN_EXE_phperf"))
        .output()
        .unwrap()
        .into();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("<main>;spin;md5"), "{}", ran.stdout);
    assert!(
        ran.stderr
            .contains("not the kernel source: this is a container with process numbers of its own"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_pool_of_another_user() {
    let folder = tempfile::tempdir().unwrap();
    let phperf = shared_phperf(folder.path());
    let _fpm = Fpm::www(&Binary::fpm().unwrap(), Manager::Static(2)).unwrap();
    let ran: Ran = Command::new("setpriv")
        .args(&AS_NOBODY[1..])
        .arg(&phperf)
        .args(["record", "--fpm", "-d", "1", "-f", "folded", "-o", "/dev/null"])
        .output()
        .unwrap()
        .into();
    assert_says(&ran, 1, &["not permitted", "root"]);
}

#[test]
fn a_target_that_becomes_another_php_is_recorded_as_that() {
    let folder = tempfile::tempdir().unwrap();
    let source = format!(
        "<?php echo \"ready\\n\"; fgets(STDIN); usleep(100000); pcntl_exec({:?}, [{:?}, '--seconds', '1']);",
        cli().path,
        php::workload("framework.php")
    );
    let mut target = script(folder.path(), &source);
    let (file, account) = (folder.path().join("p.folded"), folder.path().join("account.json"));
    let pid = target.pid().to_string();
    let mut command = phperf([
        "record", "-p", &pid, "-d", "60", "-H", "499", "--source", "kernel",
    ]);
    command.arg("-o").arg(&file).arg("--summary-json").arg(&account);
    let mut child = Killed(command.stderr(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(child.0.stderr.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("recording 1 process"));
    target.say("go").unwrap();
    assert!(child.0.wait().unwrap().success());
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("<main>;usleep") && text.contains("HelloController"),
        "{text}"
    );
    // Both are in the account, and the time between them, in which it was no PHP, is not.
    let account: serde_json::Value = serde_json::from_str(&fs::read_to_string(&account).unwrap()).unwrap();
    let total = |counter: &str| number(&account["total"], counter);
    // Where it loses its CPU in the middle of the exec, when the memory of the one is gone and the other not yet told, that
    // time is seen and cannot be read.
    assert!(
        (total("taken") + total("idle") + total("unreadable")).abs_diff(total("due")) <= 3,
        "{account}"
    );
}
