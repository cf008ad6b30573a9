//! Beside the real phpspy, where `PHPSPY` names it.

use crate::{
    Phpspy,
    support::{Ran, lines_aside, script},
};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

/// What phpspy's own script makes of traces, where it lies beside it.
fn collapsed(traces: &str) -> Option<String> {
    let script = Path::new(&std::env::var_os("PHPSPY")?).with_file_name("stackcollapse-phpspy.pl");
    if !script.exists() {
        return None;
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, traces).unwrap();
    let output = Command::new(script).arg(file.path()).output().unwrap();
    Some(Ran::from(output).stdout).filter(|text| text.ends_with(" 1\n"))
}

/// With `PHPSPY` set to the real phpspy: both print the same of a target that stands still, whatever the options.
#[test]
fn what_it_prints_is_what_phpspy_prints() {
    let Some(theirs) = std::env::var_os("PHPSPY") else {
        eprintln!("skipped: PHPSPY is not set to a phpspy");
        return;
    };
    let phpspy = Phpspy::new();
    let source = "<?php
$there = $_SERVER['REQUEST_TIME_FLOAT'];
class Some { function method() { array_map('stand', [1]); } static function make() { (new self)->method(); } }
function stand() { echo \"ready\\n\"; sleep(600); }
Some::make();
";
    let target = script(phpspy.folder.path(), source);
    let pid = target.pid().to_string();
    let one = |options: &str| {
        let options: Vec<&str> = options.split(' ').filter(|option| !option.is_empty()).collect();
        let options = [&options[..], &["-l", "1"], &["-p", &pid][..]].concat();
        let output = Command::new(&theirs)
            .args(&options)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (Ran::from(output).stdout, phpspy.run(&options).stdout)
    };
    for options in [
        "",
        "-1",
        "-n 1",
        "-n 3",
        "-n -1",
        "-d p",
        "-d pP",
        "-1 -d p",
        "-f sleep",
        "-F nothing",
        "-f ^1",
        "-S",
        "-c",
        "-q",
        "-b 65536",
        "-J m",
        "-T 4",
        "-# why",
        "-@",
        "-rQCUP",
        "-r qcup",
        "-r q",
        "-r p -1",
        "-f [^:]*main",
        "-f ^[[:digit:]]+.stand",
        "-g server.argc",
        "-H 10",
        "-s 1000000",
        "--single-line",
        "--verbose-fields=p",
        "-w libphp -x 0 -a 0",
        "-j fout",
        "-i 60000",
    ] {
        let (theirs, ours) = one(options);
        assert_eq!(lines_aside(&ours), lines_aside(&theirs), "{options}");
        if !options.contains("-1") && !options.contains("--single-line") {
            assert_eq!(collapsed(&ours), collapsed(&theirs), "{options}");
        }
        assert!(!ours.is_empty(), "{options}");
    }
}
