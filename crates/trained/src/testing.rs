//! What several tests need.

use std::{path::Path, process::Command};

/// Writes a program of the shell. Another program does so: what a test beside this one starts at that moment would have a
/// file of this process open for writing, and the kernel executes no such file.
pub(crate) fn program(path: &Path, lines: &str) {
    let write =
        "printf '#!/bin/sh\\n%s\\n' \"$2\" >\"$1.part\" && chmod 755 \"$1.part\" && mv \"$1.part\" \"$1\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", write, "sh"]).arg(path).arg(lines);
    assert!(shell.status().unwrap().success());
}
