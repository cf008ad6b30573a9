//! Names for perf, of code that opcache copied.

use crate::{
    applied::{Applied, status},
    support::{Killed, assert_says, cli, number, run},
};
use php::{Binary, Ini, Launch, Sapi, Script, workload};
use remote::{Memory, Process, elf::Elf};
use std::{
    fs,
    fs::File,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
};

/// A PHP whose code opcache copied: one of which the loader leaves nothing to chance.
fn copied(binary: &Path) -> Option<Script> {
    let binary = Binary::describe(binary, Sapi::Cli).unwrap();
    let script = Launch::new(&binary, workload("framework.php"))
        .ini(Ini::new().opcache().set("opcache.huge_code_pages", "1"))
        .ready()
        .unwrap();
    let found = status(&script.pid().to_string());
    if number(&found["processes"][0], "copied") == 0 {
        let kernel = &found["kernel"];
        assert!(
            kernel["transparent"] == "never" || kernel["transparent"].is_null(),
            "opcache copied nothing: {found:#}"
        );
        eprintln!("skipped: there are neither transparent huge pages here nor any of hugetlb");
        return None;
    }
    Some(script)
}

#[test]
fn names_stand_where_the_code_is() {
    let copy = Applied::of(&cli().path, &[]);
    let Some(script) = copied(&copy.path) else { return };
    let pid = script.pid().to_string();
    let map = format!("/tmp/perf-{pid}.map");
    // What a JIT wrote stays.
    fs::write(&map, "7f0000000000 40 JIT$a\n").unwrap();
    let ran = run(["hugepages", "perf-map", &pid]);
    let text = fs::read_to_string(&map);
    let again = run(["hugepages", "perf-map", &pid]);
    let twice = fs::read_to_string(&map);
    let _ = fs::remove_file(&map);
    assert_eq!((ran.code, again.code), (0, 0), "{}{}", ran.stderr, again.stderr);
    let text = text.unwrap();
    assert_eq!(text, twice.unwrap());
    assert!(text.starts_with("7f0000000000 40 JIT$a\n"), "{text:.80}");

    // The bytes at that address are those of the function in the file.
    let line = text
        .lines()
        .find(|line| line.ends_with(" execute_ex"))
        .expect("execute_ex");
    let address = u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap();
    let file = File::open(&copy.path).unwrap();
    let elf = Elf::parse(&file).unwrap();
    let [function] = elf.symbols(["execute_ex"]);
    let function = function.unwrap();
    let mut code = vec![0; (function.end - function.start) as usize];
    Process::open(script.pid())
        .unwrap()
        .memory()
        .read(address, &mut code)
        .unwrap();
    let bytes = fs::read(&copy.path).unwrap();
    // Addresses and places in the file are the same in such a copy.
    let start = function.start as usize;
    assert!(
        bytes[start..start + code.len()] == code[..],
        "other code at {address:x}"
    );
    assert!(text.lines().count() > 1000);
}

#[test]
fn a_process_whose_code_was_not_copied_needs_none() {
    let script = crate::support::running("framework.php");
    let pid = script.pid().to_string();
    if number(&status(&pid)["processes"][0], "copied") == 0 {
        assert_says(
            &run(["hugepages", "perf-map", &pid]),
            1,
            &["no code of process", "perf finds its names by itself"],
        );
        assert!(!Path::new(&format!("/tmp/perf-{pid}.map")).exists());
    }
}

#[test]
fn a_link_is_never_followed() {
    let copy = Applied::of(&cli().path, &[]);
    let Some(script) = copied(&copy.path) else { return };
    let pid = script.pid().to_string();
    let folder = tempfile::tempdir().unwrap();
    let victim = folder.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    let map = format!("/tmp/perf-{pid}.map");
    std::os::unix::fs::symlink(&victim, &map).unwrap();
    let ran = run(["hugepages", "perf-map", &pid]);
    let _ = fs::remove_file(&map);
    assert_says(&ran, 1, &[&map, "is a link"]);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
}

#[test]
fn what_has_another_name_is_not_copied() {
    let copy = Applied::of(&cli().path, &[]);
    let Some(script) = copied(&copy.path) else { return };
    let pid = script.pid().to_string();
    let map = format!("/tmp/perf-{pid}.map");
    // In the same folder: links do not reach other file systems.
    let secret = tempfile::NamedTempFile::new_in("/tmp").unwrap();
    fs::write(secret.path(), "7f0000000000 40 secret\n").unwrap();
    fs::hard_link(secret.path(), &map).unwrap();
    let ran = run(["hugepages", "perf-map", &pid]);
    let text = fs::read_to_string(&map);
    let _ = fs::remove_file(&map);
    assert_says(&ran, 1, &[&map, "has other names"]);
    assert_eq!(text.unwrap(), "7f0000000000 40 secret\n");
}

/// Whoever makes a root of their own may put any folder at its `/tmp`.
#[test]
fn root_writes_nowhere_that_the_user_may_not() {
    let copy = Applied::of(&cli().path, &[]);
    let folder = tempfile::tempdir().unwrap();
    let is_able = Command::new("unshare").args(["-m", "true"]).status();
    if !is_able.is_ok_and(|status| status.success()) {
        eprintln!("skipped: there are no mount namespaces here");
        return;
    }
    // Where the user that the script runs as can read it.
    let php = folder.path().join("php");
    fs::copy(&copy.path, &php).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let shell = "mount --bind \"$1\" /tmp && cd / && exec setpriv --reuid=65534 --regid=65534 --clear-groups \
        /tmp/php -n -d zend_extension=opcache -d opcache.enable_cli=1 -d opcache.lockfile_path=/var/tmp -d opcache.huge_code_pages=1 \
        -r 'echo \"ready\\n\"; fgets(STDIN);'";
    let mut child = Command::new("unshare")
        .args(["-m", "sh", "-c", shell, "sh"])
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut said).unwrap();
    let child = Killed(child);
    assert_eq!(said, "ready\n");
    let pid = child.0.id().to_string();
    if number(&status(&pid)["processes"][0], "copied") == 0 {
        eprintln!("skipped: opcache copied nothing");
        return;
    }
    let ran = run(["hugepages", "perf-map", &pid]);
    assert_says(&ran, 1, &["may not write to"]);
    let names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["php"]);
}

#[test]
fn an_attempt_tells_what_opcache_does() {
    for binary in [cli().path, Binary::fpm().unwrap().path] {
        let copy = Applied::of(&binary, &[]);
        let ran = run([
            "hugepages",
            "status",
            "--try",
            "--format",
            "json",
            copy.path.to_str().unwrap(),
        ]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let found: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let kernel = &found["kernel"]["transparent"];
        let process = &found["attempt"]["process"];
        if kernel == "never" || kernel.is_null() {
            eprintln!("skipped: there are no transparent huge pages here");
            continue;
        }
        assert_eq!(number(process, "copied"), number(process, "text"), "{found:#}");
        assert!(
            found["attempt"]["pool_free"]
                .as_array()
                .is_some_and(|pool| pool.len() == 2)
        );
    }
    assert_says(
        &run(["hugepages", "status", "--try", "1"]),
        2,
        &["name its binary with --try"],
    );
}
