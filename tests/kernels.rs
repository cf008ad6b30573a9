//! The programs of the kernel source under the kernels of other releases, each in a virtual machine.
//!
//! The kernels are fetched once and kept in the user's cache: `make test-kernels`.

mod support;

use serde_json::Value;
use std::{collections::HashSet, path::Path, process::Command};
use support::number;
use testbed::{Cache, Files, Kernel, Release, boot};

const CHAINS: &str = "/workloads/chains.php";
const WAITS: &str = "/workloads/synthetic.php";
/// In C nearly always: the machine may get a few moments of a busy processor, and a sample at each end of them is all there is.
/// It makes no system call: what takes it off its processor is others, and it is never blocked.
const HASHES: &str = r#"-r '$text = str_repeat("x", 100000); echo "ready\n"; for (;;) { md5($text); }'"#;

/// What PHP runs, what is asked of its recording, the format, and the shells that want a processor all the while: a name for each.
const RECORDINGS: [(&str, &str, &str, &str); 6] = [
    (CHAINS, "", "folded", ""),
    (CHAINS, "--request --memory", "phpspy", ""),
    (WAITS, "--waits", "phpspy", ""),
    (HASHES, "", "folded", "one another"),
    (HASHES, "--native", "folded", ""),
    (WAITS, "--native --waits --request --memory", "phpspy", ""),
];

const SECONDS: u64 = 3;
const RATE: u64 = 99;

/// Precedes each part of what the job prints.
const PART: &str = "=====";

/// Takes them, one after the other. Where the machine is busy, its processors stop for moments; the one in which a recording ends
/// is missed, with all that was due in it. If it was long, the recording is taken again.
fn job(php: &Path) -> String {
    let php = php.display();
    let recordings = RECORDINGS.map(|(run, asked, format, others)| {
        format!(
            "busy=
             for other in {others}; do
                 while :; do :; done & busy=\"$busy $!\"
             done
             : >/tmp/said
             {php} -n {run} >/tmp/said & target=$!
             until read -r line </tmp/said; do :; done
             for attempt in 1 2 3 4 5; do
                 phperf record -p $target -d {SECONDS} -H {RATE} --source kernel {asked} -f {format} \\
                     -o /tmp/profile --summary-json /tmp/account 2>/tmp/errors
                 code=$? due=0 missed=0
                 while read -r name count; do
                     case $name in
                     '\"due\":') due=${{count%,}} ;;
                     '\"missed\":') missed=${{count%,}} ;;
                     esac
                 done </tmp/account
                 [ $((missed * 100)) -gt $((due * 5)) ] || break
             done
             echo {PART} $code
             cat /tmp/errors
             echo {PART}
             cat /tmp/account
             echo {PART}
             cat /tmp/profile
             kill $target $busy
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
///
/// Two things are not to be had here. The one moment of a generator at which its stack is not whole is met ten times as often as
/// on a processor: an emulated one is interrupted at the ends of blocks of code alone (of a program that does little but resume
/// generators, 5 samples of 4455; of the same number without any, none). And before phperf joins the first frames of C it reads
/// the symbols, which takes half a second of an emulated processor, or several where the machine is busy: the ring has room
/// for little more than the stacks of half a second.
fn assert_whole(part: &Part<'_>, run: &str, asked: &str) {
    let total = &part.account["total"];
    assert_eq!(part.account["source"], "kernel", "{}", part.said);
    let due = number(total, "due");
    let bounds = [
        ("unreadable", if run == CHAINS { due / 50 } else { 0 }),
        ("lost", if asked.contains("--native") { due / 2 } else { 0 }),
        ("cut", 0),
    ];
    for (counter, bound) in bounds {
        let count = number(total, counter);
        assert!(count <= bound, "{run} {asked}: {counter}: {total} {}", part.said);
    }
    assert!(due >= SECONDS * RATE - 1, "{total}");
    let found = number(total, "taken") + number(total, "lost") + number(total, "unreadable");
    assert!(found * 100 >= due * 95, "five times: {total} {}", part.said);
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

fn check(release: Release, version: &str) {
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
    assert!(
        kernel.version().starts_with(version),
        "{release:?}: not {version}x"
    );
    let printed = boot(&kernel, &files, &job(&php)).unwrap();

    let parts = Part::all(&printed);
    assert_eq!(parts.len(), RECORDINGS.len(), "{printed}");
    for (part, (run, asked, ..)) in parts.iter().zip(RECORDINGS) {
        let total = &part.account["total"];
        let [taken, due, unreadable, lost] =
            ["taken", "due", "unreadable", "lost"].map(|counter| &total[counter]);
        println!("  {run} {asked}: {taken} of {due}, {unreadable} unreadable, {lost} lost");
    }
    for (part, (run, asked, ..)) in parts.iter().zip(RECORDINGS) {
        assert_whole(part, run, asked);
    }
    let [stacks, circumstances, waits, crowded, native, all] = &parts[..] else {
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
    for part in [crowded, native] {
        assert_eq!(number(&part.account["total"], "blocked"), 0, "{}", part.said);
    }
    assert!(
        number(&crowded.account["total"], "runnable") > 0,
        "{}",
        crowded.said
    );
    assert!(
        native.profile.contains("<main>;md5;zif_md5 ["),
        "{}",
        native.profile
    );
    assert_each_sample(all, &["# path = /workloads/synthetic.php", "# mem "]);
    assert!(all.profile.contains(" zif_usleep </"), "{}", all.profile);
    assert!(all.profile.contains(" <kernel>:-1"), "{}", all.profile);
}

/// A test of each release's kernel: one that fails leaves the others.
macro_rules! kernels {
    ($($name:ident: $release:ident, $version:literal;)*) => {$(
        #[test]
        #[ignore = "boots virtual machines: make test-kernels"]
        fn $name() {
            check(Release::$release, $version);
        }
    )*};
}

kernels! {
    linux_5_10: Bullseye, "5.10.";
    linux_5_15: Jammy, "5.15.";
    linux_6_1: Bookworm, "6.1.";
    linux_6_8: Noble, "6.8.";
    linux_6_12: Trixie, "6.12.";
}
