//! Finds the PHP in real processes.

use crate::support::{self, Php};
use remote::Process;
use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    process::{Child, Command, Stdio},
};
use zend::{Error, Finder, Interpreter};

const WAITING: &[(&str, &str)] = &[("wait.php", "<?php echo \"ready\\n\"; fgets(STDIN);")];

#[test]
fn finds_a_php() {
    let php = Php::start(WAITING, &[]);
    let process = php.process();
    let found = Interpreter::find(&process).unwrap();
    let said = Command::new(support::php())
        .args(["-n", "-r", "echo PHP_VERSION;"])
        .output()
        .unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    assert_eq!(found.version.to_string(), format!("{said} NTS"));

    let maps = process.maps().unwrap();
    let holds = |address: u64| maps.iter().find(|mapping| mapping.contains(address)).unwrap();
    assert!(holds(found.text.start).execute);
    assert!(holds(found.text.end - 1).execute);
    assert!(holds(found.executor_globals).write);
    assert!(holds(found.sapi_globals.unwrap()).write);
    assert!(holds(found.generator_class.unwrap()).write);
}

#[test]
fn a_binary_that_was_replaced_while_it_runs_is_read_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("php");
    let original = Php::start(WAITING, &[]).process().executable().unwrap().0;
    fs::copy(original, &copy).unwrap();
    let php = Php::start_with(&copy, WAITING, &[]);
    fs::remove_file(&copy).unwrap();
    fs::write(&copy, "an upgrade").unwrap();
    let found = Interpreter::find(&php.process()).unwrap();
    assert_eq!(found.version.major, 8);
    assert_eq!(found.path, copy);
}

#[test]
fn a_binary_without_names_is_seen_the_same() {
    let php = Php::start(WAITING, &[]);
    let mut named = Finder::default().find(&php.process()).unwrap();
    assert!(named.vm.is_some() && named.heap.is_some(), "{named:?}");
    if named.threads.is_some() {
        // Nothing but the function that returns it says where that is.
        named.heap = None;
    }
    let found = Finder::without_names().find(&php.process()).unwrap();
    assert_eq!(found, named);
}

#[test]
fn one_finder_serves_many() {
    let (one, two) = (Php::start(WAITING, &[]), Php::start(WAITING, &[]));
    let mut finder = Finder::default();
    let first = finder.find(&one.process()).unwrap();
    let second = finder.find(&two.process()).unwrap();
    assert_eq!(first.version, second.version);
    assert_eq!(first, Interpreter::find(&one.process()).unwrap());
    assert_eq!(second, Interpreter::find(&two.process()).unwrap());
}

struct Sleeper(Child);

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn something_else_is_not_php() {
    let sleep = Sleeper(Command::new("sleep").arg("600").spawn().unwrap());
    let error = Interpreter::find(&Process::open(sleep.0.id()).unwrap()).unwrap_err();
    assert!(matches!(error, Error::NotPhp { .. }), "{error}");
    assert!(error.to_string().contains("is not PHP"), "{error}");
}

#[test]
fn gone_is_gone() {
    let php = Php::start(WAITING, &[]);
    let process = php.process();
    drop(php);
    assert!(matches!(
        Interpreter::find(&process),
        Err(Error::Process(remote::Error::Gone(_)))
    ));
}

/// Run by the test below as another user.
#[test]
#[ignore = "needs a process that it may not read"]
fn look_at_a_process_of_another_user() {
    let pid = std::env::var("PHPERF_TEST_PID").unwrap().parse().unwrap();
    let error = Interpreter::find(&Process::open(pid).unwrap()).unwrap_err();
    assert!(
        matches!(error, Error::Process(remote::Error::NotPermitted { .. })),
        "{error}"
    );
    let text = error.to_string();
    assert!(text.contains("CAP_SYS_PTRACE") && !text.contains('\n'), "{text}");
}

/// Runs one test of this program as a user who may do nothing special.
fn as_nobody(test: &str, pid: u32) {
    if Process::open(std::process::id()).unwrap().uid() != 0 {
        eprintln!("skipped: only root can become another user");
        return;
    }
    // The other user may not be able to reach the folder of this test.
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let copy = folder.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    let child = support::spawn(
        Command::new(copy)
            .args(["--include-ignored", "--exact", test])
            .env("PHPERF_TEST_PID", pid.to_string())
            .current_dir("/")
            .stdout(Stdio::piped())
            .uid(65534)
            .gid(65534),
    );
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn another_user_is_told_what_to_do() {
    let php = Php::start(WAITING, &[]);
    as_nobody("find::look_at_a_process_of_another_user", php.process().pid());
}

#[test]
fn no_privilege_is_needed_for_ones_own_processes() {
    for test in [
        "find::a_binary_that_was_replaced_while_it_runs_is_read_all_the_same",
        "stack::a_generator",
    ] {
        as_nobody(test, 0);
    }
}
