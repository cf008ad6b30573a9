//! What runs from a file that its name does not lead to: no command of ours would reach it.

use crate::{
    applied::status,
    support::{Killed, cli},
};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
};

/// Waits for the line that it says when it runs.
fn ready(command: &mut Command) -> Killed {
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = Killed(child.expect("it starts"));
    let mut said = String::new();
    let mut out = BufReader::new(child.0.stdout.take().unwrap());
    out.read_line(&mut said).unwrap();
    assert_eq!(said, "ready\n");
    child
}

const WAITS: &str = "echo \"ready\\n\"; fgets(STDIN);";

fn advice(child: &Killed, path: &Path) -> Value {
    let found = status(&child.0.id().to_string());
    assert_eq!(found["files"][0]["binary"], path.to_str().unwrap(), "{found:#}");
    found
}

#[test]
fn a_binary_of_another_mount_namespace() {
    let is_able = Command::new("unshare").args(["-m", "true"]).status();
    if !is_able.is_ok_and(|status| status.success()) {
        eprintln!("skipped: there are no mount namespaces here");
        return;
    }
    let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::copy(cli().path, inside.path().join("php")).unwrap();
    let shell = "mount --bind \"$1\" \"$2\" && exec \"$2/php\" -r \"$3\"";
    let child = ready(
        Command::new("unshare")
            .args(["-m", "sh", "-c", shell, "sh"])
            .args([inside.path(), outside.path()])
            .arg(WAITS),
    );
    let path = outside.path().join("php");
    assert!(!path.exists());
    let found = advice(&child, &path);
    assert_eq!(found["files"][0]["elsewhere"], true, "{found:#}");
    assert_eq!(found["advice"]["command"], Value::Null, "{found:#}");
    // Another file of that name is still not the one that runs.
    fs::copy(cli().path, &path).unwrap();
    let found = advice(&child, &path);
    assert_eq!(found["files"][0]["elsewhere"], true, "{found:#}");
    assert_eq!(found["advice"]["command"], Value::Null, "{found:#}");
}

#[test]
fn a_binary_that_an_update_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("php");
    fs::copy(cli().path, &path).unwrap();
    let child = ready(Command::new(&path).args(["-r", WAITS]));
    let new = folder.path().join("new");
    fs::copy(cli().path, &new).unwrap();
    fs::rename(&new, &path).unwrap();
    let found = advice(&child, &path);
    assert_eq!(found["files"][0]["deleted"], true, "{found:#}");
    assert_eq!(found["advice"]["command"], Value::Null, "{found:#}");
    let sentence = found["advice"]["sentence"].as_str().unwrap();
    assert!(sentence.contains("start it anew"), "{found:#}");
}
