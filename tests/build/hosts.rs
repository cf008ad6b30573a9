//! Other releases as hosts: the sources of their own PHP are fetched, also where nothing but the archive's own entry names its
//! key, and configured.

use nix::unistd::Uid;
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use testbed::{Cache, Release, Root, door};

/// A release, its PHP, and who signs it.
const HOSTS: [(Release, &str, &str); 2] = [
    (
        Release::Noble,
        "php8.3",
        "/usr/share/keyrings/ubuntu-archive-keyring.gpg",
    ),
    (
        Release::Trixie,
        "php8.4",
        "/usr/share/keyrings/debian-archive-keyring.pgp",
    ),
];
/// What phperf says has to be installed there.
const NEEDS: [&str; 12] = [
    "gcc",
    "make",
    "libc6-dev",
    "autoconf",
    "pkg-config",
    "dpkg-dev",
    "libpcre2-dev",
    "libssl-dev",
    "libxml2-dev",
    "libargon2-dev",
    "libsodium-dev",
    "zlib1g-dev",
];

#[test]
#[ignore = "make test-php-versions"]
fn the_sources_of_other_releases_are_fetched_and_configured() {
    if !Uid::effective().is_root() {
        eprintln!("skipped: only root can run programs in another root");
        return;
    }
    for (release, php, key) in HOSTS {
        let cli = format!("{php}-cli");
        let packages = [&[cli.as_str()], &NEEDS[..]].concat();
        let root = Root::get(&Cache::of_user().unwrap(), release, &packages).unwrap();
        configures(&root, php, key);
    }
}

fn configures(root: &Root, php: &str, key: &str) {
    let scratch = tempfile::tempdir().unwrap();
    let apt = apt(
        &root.place().outside("/etc/apt/sources.list"),
        key,
        scratch.path(),
    );
    let phperf = Path::new(env!("CARGO_BIN_EXE_phperf"));
    let script = scratch.path().join("phperf");
    door(&root.place(), phperf, &[phperf.parent().unwrap().into()], &script).unwrap();
    let build = scratch.path().join("build");
    let mut child = Command::new(script)
        .args(["build", "--yes", "--train-cli", "a.php", "--no-measure", "-o"])
        .arg(&build)
        .arg("--like")
        .arg(Path::new("/usr/bin").join(php))
        .env("APT_CONFIG", apt)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = Vec::new();
    let mut lines = BufReader::new(child.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let compiles = lines.by_ref().any(|line| {
        let compiles = line.starts_with("phperf: instrument: ") && line.contains(" of ");
        said.push(line);
        compiles
    });
    assert!(compiles, "{said:?}");
    // What it says has to be read to the end.
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    lines.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let options = fs::read_to_string(build.join("instrumented/config.nice")).unwrap();
    for option in ["--with-config-file-path=/etc/php/", "--with-external-pcre"] {
        assert!(options.contains(option), "{options}");
    }
}

/// Settings of apt: the entry of a root as `.sources`, with the key that nothing else trusts.
fn apt(list: &Path, key: &str, scratch: &Path) -> PathBuf {
    let list = fs::read_to_string(list).unwrap();
    let mut words = list.split_ascii_whitespace().skip(1);
    let [address, suite] = [words.next().unwrap(), words.next().unwrap()];
    let parts = words.collect::<Vec<_>>().join(" ");
    let entries = scratch.join("entries");
    fs::create_dir(&entries).unwrap();
    fs::write(
        entries.join("host.sources"),
        format!("Types: deb\nURIs: {address}/\nSuites: {suite}\nComponents: {parts}\nSigned-By: {key}\n"),
    )
    .unwrap();
    let settings = scratch.join("apt.conf");
    fs::write(
        &settings,
        format!(
            "Dir::Etc::sourcelist \"/dev/null\";\nDir::Etc::sourceparts \"{}\";\nDir::Etc::trusted \"/dev/null\";\n\
             Dir::Etc::trustedparts \"/nowhere\";\n",
            entries.display()
        ),
    )
    .unwrap();
    settings
}
