//! The programs of the kernel source under the kernels of other releases, each in a virtual machine.
//!
//! The kernels are fetched once and kept in the user's cache: `make test-kernels`.

mod support;

use serde_json::Value;
use std::{collections::HashSet, path::Path, process::Command};
use support::number;
use testbed::{Cache, Files, Kernel, Release, boot};

/// A workload, what is asked of its recording, and the format.
const RECORDINGS: [(&str, &str, &str); 5] = [
    ("chains.php", "", "folded"),
    ("chains.php", "--request --memory", "phpspy"),
    ("synthetic.php", "--waits", "phpspy"),
    ("chains.php", "--native", "folded"),
    ("synthetic.php", "--native --waits --request --memory", "phpspy"),
];

const SECONDS: u64 = 3;
const RATE: u64 = 99;

/// Precedes each part of what the job prints.
const PART: &str = "=====";

/// Takes them, one after the other.
fn job(php: &Path) -> String {
    let php = php.display();
    let recordings = RECORDINGS.map(|(workload, asked, format)| {
        format!(
            ": >/tmp/said
             {php} -n /workloads/{workload} >/tmp/said & target=$!
             until read -r line </tmp/said; do :; done
             phperf record -p $target -d {SECONDS} -H {RATE} --source kernel {asked} -f {format} \\
                 -o /tmp/profile --summary-json /tmp/account 2>/tmp/errors
             echo {PART} $?
             cat /tmp/errors
             echo {PART}
             cat /tmp/account
             echo {PART}
             cat /tmp/profile
             kill $target
             wait $target\n"
        )
    });
    recordings.concat() + "exit 0\n"
}

/// What one recording gave.
struct Part<'a> {
    said: &'a str,
    account: Value,
    profile: &'a str,
}

impl<'a> Part<'a> {
    fn all(printed: &'a str) -> Vec<Self> {
        let texts: Vec<&str> = printed.split(PART).skip(1).collect();
        let (parts, rest) = texts.as_chunks::<3>();
        assert!(rest.is_empty(), "{printed}");
        parts
            .iter()
            .map(|[said, account, profile]| {
                assert_eq!(said.lines().next(), Some(" 0"), "{said}");
                Self {
                    said,
                    account: serde_json::from_str(account).unwrap(),
                    profile: profile.trim(),
                }
            })
            .collect()
    }

    fn samples(&self) -> impl Iterator<Item = &'a str> {
        self.profile
            .split("\n\n")
            .filter(|sample| sample.contains("<main>"))
    }
}

/// From the kernel, all that was due, and nothing that could not be read.
fn assert_whole(part: &Part<'_>) {
    let total = &part.account["total"];
    assert_eq!(part.account["source"], "kernel", "{}", part.said);
    for counter in ["unreadable", "lost", "cut"] {
        assert_eq!(number(total, counter), 0, "{counter}: {total} {}", part.said);
    }
    let (due, taken) = (number(total, "due"), number(total, "taken"));
    assert!(due >= SECONDS * RATE - 1, "{total}");
    assert!(taken * 100 >= due * 95, "{total} {}", part.said);
}

/// The chains that there can be, and most of them.
fn assert_true(part: &Part<'_>, allowed: &HashSet<String>) {
    let stacks: Vec<&str> = part
        .profile
        .lines()
        .filter_map(|line| Some(line.rsplit_once(' ')?.0))
        .collect();
    for stack in &stacks {
        let frames = stack.split(';').map(|frame| match frame.split_once(":/") {
            Some(("{closure", _)) => "{closure}",
            _ => frame,
        });
        let plain = frames.collect::<Vec<_>>().join(";");
        assert!(allowed.contains(&plain), "{stack}");
    }
    assert!(stacks.len() > 10, "{stacks:?}");
}

fn assert_each_sample(part: &Part<'_>, fields: &[&str]) {
    let mut count = 0;
    for sample in part.samples() {
        count += 1;
        for field in fields {
            assert!(sample.contains(field), "no {field} in {sample}");
        }
    }
    assert!(count > 0, "{}", part.profile);
}

fn check(release: Release) {
    let php = support::cli().path;
    let files = Files::new().unwrap();
    files.program(&php, &php).unwrap();
    files
        .program(
            Path::new(env!("CARGO_BIN_EXE_phperf")),
            Path::new("/usr/bin/phperf"),
        )
        .unwrap();
    let workloads = php::workload("chains.php");
    files
        .folder(workloads.parent().unwrap(), Path::new("/workloads"))
        .unwrap();
    let kernel = Kernel::get(&Cache::of_user().unwrap(), release).unwrap();
    println!("Linux {}", kernel.version());
    let printed = boot(&kernel, &files, &job(&php)).unwrap();

    let parts = Part::all(&printed);
    assert_eq!(parts.len(), RECORDINGS.len(), "{printed}");
    for (part, (workload, asked, _)) in parts.iter().zip(RECORDINGS) {
        let total = &part.account["total"];
        println!("  {workload} {asked}: {} of {}", total["taken"], total["due"]);
    }
    parts.iter().for_each(assert_whole);
    let [stacks, circumstances, waits, native, all] = &parts[..] else {
        unreachable!("they were counted")
    };
    let list = Command::new(&php).arg(workloads).arg("--list").output().unwrap();
    let allowed = String::from_utf8(list.stdout).unwrap();
    let allowed = allowed.lines().map(str::to_owned).collect();
    assert_true(stacks, &allowed);
    assert_each_sample(circumstances, &["# path = /workloads/chains.php", "# mem "]);
    let asleep: Vec<&str> = waits
        .samples()
        .filter(|sample| sample.contains("# state = blocked"))
        .collect();
    assert!(!asleep.is_empty(), "{}", waits.profile);
    for sample in asleep {
        assert!(sample.starts_with("0 usleep "), "{sample}");
        assert!(sample.contains("# syscall = clock_nanosleep"), "{sample}");
    }
    for stack in [";md5;zif_md5 [", ";crc32;zif_crc32 ["] {
        assert!(native.profile.contains(stack), "no {stack} in {}", native.profile);
    }
    assert_each_sample(all, &["# path = /workloads/synthetic.php", "# mem "]);
    assert!(all.profile.contains(" zif_usleep </"), "{}", all.profile);
    assert!(all.profile.contains(" <kernel>:-1"), "{}", all.profile);
}

#[test]
#[ignore = "boots virtual machines: make test-kernels"]
fn linux_5_10() {
    check(Release::Bullseye);
}

#[test]
#[ignore = "boots virtual machines: make test-kernels"]
fn linux_5_15() {
    check(Release::Jammy);
}

#[test]
#[ignore = "boots virtual machines: make test-kernels"]
fn linux_6_1() {
    check(Release::Bookworm);
}

#[test]
#[ignore = "boots virtual machines: make test-kernels"]
fn linux_6_8() {
    check(Release::Noble);
}

#[test]
#[ignore = "boots virtual machines: make test-kernels"]
fn linux_6_12() {
    check(Release::Trixie);
}
