//! What has to be installed, from what the tools of a build say when it is not there.

use crate::Error;
use rustix::fs::statvfs;
use std::{env, path::Path, process::ExitStatus};

/// Programs whose package is named otherwise.
const PROGRAMS: [(&str, &str); 11] = [
    ("apxs2", "apache2-dev"),
    ("cc", "gcc"),
    ("dpkg-checkbuilddeps", "dpkg-dev"),
    ("gcov", "gcc"),
    ("dpkg-source", "dpkg-dev"),
    ("apt-get", "apt"),
    ("pkg-config", "pkg-config"),
    ("dpkg-query", "dpkg"),
    ("dpkg-deb", "dpkg"),
    ("dpkg-shlibdeps", "dpkg-dev"),
    ("md5sum", "coreutils"),
];

/// What pkg-config, headers and configure's own words call a library, and Debian's package with its headers.
const LIBRARIES: [(&str, &str); 40] = [
    ("libargon2", "libargon2-dev"),
    ("Argon2", "libargon2-dev"),
    ("libsodium", "libsodium-dev"),
    ("libxml-2.0", "libxml2-dev"),
    ("openssl", "libssl-dev"),
    ("libpcre2-8", "libpcre2-dev"),
    ("zlib", "zlib1g-dev"),
    ("libsystemd", "libsystemd-dev"),
    ("libapparmor", "libapparmor-dev"),
    ("apparmor", "libapparmor-dev"),
    ("sys/acl.h", "libacl1-dev"),
    ("libacl", "libacl1-dev"),
    ("sys/sdt.h", "systemtap-sdt-dev"),
    ("libedit", "libedit-dev"),
    ("readline", "libreadline-dev"),
    ("sqlite3", "libsqlite3-dev"),
    ("oniguruma", "libonig-dev"),
    ("libcurl", "libcurl4-openssl-dev"),
    ("libffi", "libffi-dev"),
    ("icu-uc", "libicu-dev"),
    ("icu-i18n", "libicu-dev"),
    ("libzip", "libzip-dev"),
    ("libpng", "libpng-dev"),
    ("libjpeg", "libjpeg-dev"),
    ("libwebp", "libwebp-dev"),
    ("freetype2", "libfreetype-dev"),
    ("libxslt", "libxslt1-dev"),
    ("BZip2", "libbz2-dev"),
    ("libpq", "libpq-dev"),
    ("GMP", "libgmp-dev"),
    ("gmp.h", "libgmp-dev"),
    ("ldap.h", "libldap-dev"),
    ("tidy", "libtidy-dev"),
    ("enchant", "libenchant-2-dev"),
    ("net-snmp", "libsnmp-dev"),
    ("kerberos", "libkrb5-dev"),
    ("krb5", "libkrb5-dev"),
    ("valgrind", "valgrind"),
    ("dmalloc", "libdmalloc-dev"),
    ("libcapstone", "libcapstone-dev"),
];

/// A disk with less room, in bytes, is full.
const ROOM: u64 = 1 << 20;

/// Debian's package that brings a program.
pub(crate) fn package_of_program(program: &str) -> String {
    let name = program.rsplit('/').next().unwrap_or(program);
    PROGRAMS
        .iter()
        .find(|(known, _)| *known == name)
        .map_or(name, |(_, package)| package)
        .to_owned()
}

/// Why a step failed, from the log of it.
pub(crate) fn explain(step: &'static str, said: &str, status: ExitStatus, log: &Path) -> Error {
    let folder = log.parent().and_then(Path::parent).unwrap_or(log);
    if is_full(folder) {
        return Error::DiskFull(folder.into());
    }
    if said.contains("No space left on device") || said.contains("Disk quota exceeded") {
        // Compilers write elsewhere, too.
        return Error::DiskFull(env::temp_dir());
    }
    if let Some(file) = said.lines().find_map(stale) {
        return Error::Stale { file: file.into() };
    }
    if said.contains("no acceptable C compiler") || said.contains("C compiler cannot create executables") {
        return Error::NoProgram {
            program: "C compiler".into(),
            package: "gcc libc6-dev".into(),
        };
    }
    for line in said.lines() {
        if let Some((program, _)) = line
            .split_once(": not found")
            .or_else(|| line.split_once(": command not found"))
        {
            let program = program.rsplit([' ', ':']).next().unwrap_or(program);
            return Error::NoProgram {
                program: program.into(),
                package: package_of_program(program),
            };
        }
    }
    if let Some(program) = said.lines().find_map(not_executed) {
        return Error::NoProgram {
            program: program.into(),
            package: package_of_program(program),
        };
    }
    let is_reason = |line: &&str| line.contains("error:") || line.starts_with("E: ");
    let reason = said.lines().find(is_reason);
    if step == "configure"
        && let Some(reason) = reason
        && let Some((library, package)) = LIBRARIES.iter().find(|(library, _)| reason.contains(library))
    {
        return Error::NoLibrary {
            library: (*library).into(),
            package: (*package).into(),
            log: log.into(),
        };
    }
    let last = || said.lines().rfind(|line| !line.trim().is_empty());
    Error::Step {
        step,
        said: reason.or_else(last).map_or_else(
            || format!("nothing was said ({status})"),
            |line| line.trim().to_owned(),
        ),
        log: log.into(),
    }
}

/// Of `setpriv: failed to execute apt-get: No such file or directory`.
fn not_executed(line: &str) -> Option<&str> {
    let (_, program) = line.split_once("failed to execute ")?;
    Some(program.split_once(": No such file")?.0)
}

/// Whether a disk has no room for a file; not every tool says so.
fn is_full(folder: &Path) -> bool {
    statvfs(folder).is_ok_and(|disk| disk.f_bavail * disk.f_frsize < ROOM)
}

/// The file of which a compiler says that its profile is another function's; Clang does not tell which one it is. The
/// option that makes an error of it is part of every command.
fn stale(line: &str) -> Option<&str> {
    let (place, _) = line.split_once("error: ")?;
    if line.ends_with("[-Werror=coverage-mismatch]") {
        return place.split(':').next().map(str::trim);
    }
    line.ends_with("[-Werror,-Wprofile-instr-out-of-date]")
        .then_some("the sources")
}

/// The first file that was compiled without counters although there are some for it.
pub(crate) fn unprofiled(log: &str, built: &Path, profile: &Path) -> Option<String> {
    log.lines()
        .filter(|line| line.contains("profile count data file not found"))
        .flat_map(|line| line.split('\''))
        .filter_map(|word| Path::new(word).strip_prefix(built).ok())
        .find(|file| profile.join(file).is_file())
        .map(|file| file.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Level,
        compile::Compiler,
        run,
        stage::{Folder, tests::Patient},
    };
    use std::os::unix::process::ExitStatusExt;
    use std::{fs, process::Command};

    fn told(step: &'static str, said: &str) -> String {
        explain(step, said, ExitStatus::from_raw(256), Path::new("/b/logs/x.log")).to_string()
    }

    #[test]
    fn each_says_what_helps() {
        let cases = [
            (
                "configure",
                "configure: error: Package requirements (libsodium >= 1.0.8) were not met:\n",
            ),
            (
                "configure",
                "configure: error: in `/b':\nconfigure: error: C compiler cannot create executables\n",
            ),
            (
                "configure",
                "checking for gcc... no\nconfigure: error: in `/b':\nconfigure: error: no acceptable C compiler found in $PATH\n",
            ),
            (
                "compile",
                "/bin/bash: line 1: re2c: command not found\nmake: *** [x] Error 127\n",
            ),
            (
                "tar",
                "setpriv: failed to execute dpkg-source: No such file or directory\n",
            ),
            (
                "compile",
                "cc1: fatal error: error writing to /tmp/cc.s: No space left on device\n",
            ),
            (
                "compile",
                "a.c: In function 'f':\na.c:3:5: error: 'x' undeclared\nmake: *** [a.lo] Error 1\n",
            ),
            (
                "make",
                "libtool --mode=compile gcc -fprofile-use -Werror=coverage-mismatch -c a.c\na.c:1:1: fatal error: Killed\n",
            ),
            (
                "apt-get source",
                "E: Failed to fetch http://a/p.dsc  404  Not Found\nE: Failed to fetch some archives.\n",
            ),
            ("compile", "make: *** no rule\n"),
            ("compile", ""),
        ];
        let told: Vec<_> = cases.iter().map(|(step, said)| told(step, said)).collect();
        assert_eq!(
            told,
            [
                "configure does not find libsodium: run apt-get install libsodium-dev, then try again; it is written in /b/logs/x.log",
                "there is no C compiler: run apt-get install gcc libc6-dev, then try again",
                "there is no C compiler: run apt-get install gcc libc6-dev, then try again",
                "there is no re2c: run apt-get install re2c, then try again",
                "there is no dpkg-source: run apt-get install dpkg-dev, then try again",
                "the disk of /tmp is full: make room, or build elsewhere (-o), then try again",
                "compile failed: a.c:3:5: error: 'x' undeclared; all of it is in /b/logs/x.log",
                "make failed: a.c:1:1: fatal error: Killed; all of it is in /b/logs/x.log",
                "apt-get source failed: E: Failed to fetch http://a/p.dsc  404  Not Found; all of it is in /b/logs/x.log",
                "compile failed: make: *** no rule; all of it is in /b/logs/x.log",
                "compile failed: nothing was said (exit status: 1); all of it is in /b/logs/x.log",
            ]
        );
    }

    /// With Clang's own words.
    #[test]
    fn a_profile_of_clang_that_does_not_fit_is_found() {
        if let Err(error) = Compiler::find(Some("clang"), &[]) {
            assert!(env::var_os("PHPERF_REQUIRE_TOOLS").is_none(), "{error}");
            eprintln!("skipped: {error}");
            return;
        }
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(&place.path().join("build"), None).unwrap();
        let log = folder.log("clang");
        let run = |line: &str| {
            let mut command = Command::new("sh");
            command.current_dir(place.path()).args(["-xec", line]);
            run::logged("make", &mut command, &log, &mut Patient::default(), |_, _| {})
        };
        let source = |body: &str| {
            let text = format!("int main(int n, char **v) {{ {body} return n > 5; }}\n");
            fs::write(place.path().join("a.c"), text).unwrap();
        };
        source("");
        run("clang -fprofile-instr-generate=a.profraw a.c -o a; ./a; \
             mkdir counters; llvm-profdata merge -o counters/merged.profdata a.profraw")
        .unwrap();
        let compiler = Compiler::find(Some("clang"), &[]).unwrap();
        let use_it = format!(
            "clang -O1 {} -c a.c",
            compiler.optimising(place.path(), Level::default(), 1)
        );
        run(&use_it).unwrap();
        source("while (n > 5) n -= v[n][0];");
        let error = run(&use_it).unwrap_err();
        assert!(
            matches!(&error, Error::Stale { file } if file == "the sources"),
            "{error}"
        );
        source("=");
        assert!(matches!(run(&use_it), Err(Error::Step { .. })));
    }

    /// With GCC's own words: a function that changed after it was counted, and counters that are not where GCC looks.
    #[test]
    fn a_profile_that_does_not_fit_is_found() {
        let place = tempfile::tempdir().unwrap();
        let (built, profile) = (place.path().join("built"), place.path().join("profile"));
        for folder in [&built, &profile] {
            fs::create_dir(folder).unwrap();
        }
        let folder = Folder::open(&place.path().join("build"), None).unwrap();
        let log = folder.log("gcc");
        let source = place.path().join("a.c");
        let gcc = |flags: &[&str], to: &str| {
            let mut command = Command::new("gcc");
            command
                .current_dir(&built)
                .env("LC_ALL", "C")
                .arg("-O2")
                .args(flags)
                .args(["-o", to])
                .arg(&source);
            run::logged("make", &mut command, &log, &mut Patient::default(), |_, _| {})
        };
        let optimising = [
            "-fprofile-use",
            "-Werror=coverage-mismatch",
            "-Wmissing-profile",
            "-c",
        ];
        fs::write(&source, "int main(int n, char **v) { return n > 5; }\n").unwrap();
        gcc(&["-fprofile-generate", "-c"], "a.o").unwrap();
        let linked = Command::new("gcc")
            .current_dir(&built)
            .args(["-fprofile-generate", "a.o", "-o", "a"])
            .status();
        assert!(linked.unwrap().success());
        assert!(Command::new(built.join("a")).status().unwrap().success());
        assert!(built.join("a.gcda").is_file());

        gcc(&optimising, "a.o").unwrap();
        fs::write(
            &source,
            "int main(int n, char **v) { while (n > 5) n -= v[n][0]; return n; }\n",
        )
        .unwrap();
        let error = gcc(&optimising, "a.o").unwrap_err();
        assert!(
            matches!(&error, Error::Stale { file } if file.ends_with("a.c")),
            "{error}"
        );

        let unprofiled = || unprofiled(&fs::read_to_string(&log.path).unwrap(), &built, &profile);
        fs::rename(built.join("a.gcda"), profile.join("a.gcda")).unwrap();
        assert_eq!(unprofiled(), None);
        gcc(&optimising, "a.o").unwrap();
        assert_eq!(unprofiled().as_deref(), Some("a.gcda"));
    }
}
