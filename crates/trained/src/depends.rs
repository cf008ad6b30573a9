//! What a build needs that has to be installed: named before it begins, all of it at once.

use crate::{Error, compile::Options, missing::package_of_program, run};
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// Options of configure that link a library into PHP itself, and Debian's package with its headers. Without some of these
/// (ACLs) configure says nothing, and PHP-FPM lacks what the old one has.
const NEEDS: [(&str, &str); 15] = [
    ("--enable-dtrace", "systemtap-sdt-dev"),
    ("--with-external-pcre", "libpcre2-dev"),
    ("--with-ffi", "libffi-dev"),
    ("--with-fpm-acl", "libacl1-dev"),
    ("--with-fpm-apparmor", "libapparmor-dev"),
    ("--with-fpm-systemd", "libsystemd-dev"),
    ("--with-kerberos", "libkrb5-dev"),
    ("--with-libedit", "libedit-dev"),
    ("--with-libxml", "libxml2-dev"),
    ("--with-openssl", "libssl-dev"),
    ("--with-password-argon2", "libargon2-dev"),
    ("--with-readline", "libreadline-dev"),
    ("--with-sodium", "libsodium-dev"),
    ("--with-valgrind", "valgrind"),
    ("--with-zlib", "zlib1g-dev"),
];

/// Whether these programs can be found; else all that cannot are named.
pub(crate) fn programs(wanted: &[&str]) -> Result<(), Error> {
    let lost: Vec<_> = wanted.iter().copied().filter(|name| !is_there(name)).collect();
    if lost.is_empty() {
        return Ok(());
    }
    let packages: Vec<_> = lost.iter().map(|name| package_of_program(name)).collect();
    Err(Error::NoProgram {
        program: lost.join(", "),
        package: packages.join(" "),
    })
}

/// Where the first of these programs is that is there; else the first one is missed.
pub(crate) fn either(names: [&str; 2]) -> Result<PathBuf, Error> {
    names.into_iter().find_map(found).ok_or_else(|| Error::NoProgram {
        program: names[0].into(),
        package: package_of_program(names[0]),
    })
}

/// Whether a program can be found.
pub(crate) fn is_there(name: &str) -> bool {
    found(name).is_some()
}

fn found(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Path::new(name).is_file().then(|| name.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut places = env::split_paths(&path).map(|folder| folder.join(name));
    places.find(|place| place.is_file())
}

/// Whether the libraries are installed that a distribution's sources need with these options. Sources of other origins say
/// nothing of packages: there configure complains.
pub(crate) fn libraries(source: &Path, options: &Options) -> Result<(), Error> {
    if !source.join("debian/control").is_file() {
        return Ok(());
    }
    let mut wanted = vec!["libc6-dev"];
    wanted.extend(
        NEEDS
            .iter()
            .filter(|(option, _)| is_asked(options, option))
            .map(|(_, package)| *package),
    );
    let output = Command::new("dpkg-checkbuilddeps")
        .current_dir(source)
        .env("LC_ALL", "C")
        // Without `-I` what every package needs is asked for as well.
        .args(["-I", "-d", &wanted.join(", ")])
        .output();
    let output = output.map_err(|error| run::not_started(&Command::new("dpkg-checkbuilddeps"), error))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let packages = unmet(&said);
    if packages.is_empty() {
        return Ok(());
    }
    Err(Error::NotInstalled {
        packages: packages.join(" "),
    })
}

fn is_asked(options: &Options, wanted: &str) -> bool {
    let of = |option: &String| {
        let (name, value) = option.split_once('=').unwrap_or((option, "yes"));
        (name == wanted).then(|| value != "no")
    };
    options.0.iter().rev().find_map(of).unwrap_or(false)
}

/// Of a line such as `dpkg-checkbuilddeps: error: Unmet build dependencies: libacl1-dev libxml2-dev (>= 2.9)`.
fn unmet(said: &str) -> Vec<&str> {
    let list = said
        .lines()
        .find_map(|line| Some(line.split_once("nmet build dependencies: ")?.1))
        .unwrap_or_default();
    list.split_ascii_whitespace()
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphanumeric()) && !word.ends_with(')'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_programs_that_are_not_there_are_named() {
        programs(&["sh", "/bin/sh"]).unwrap();
        let error = programs(&["sh", "dpkg-source-of-tomorrow", "/nowhere/autoconf"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no dpkg-source-of-tomorrow, /nowhere/autoconf: run apt-get install dpkg-source-of-tomorrow autoconf, \
             then try again"
        );
    }

    #[test]
    fn the_last_word_on_an_option_counts() {
        let asked = |options: &[&str], wanted| {
            is_asked(
                &Options(options.iter().map(|&option| option.to_owned()).collect()),
                wanted,
            )
        };
        assert!(asked(
            &["--with-zlib=/usr", "--with-zlib-dir=/usr"],
            "--with-zlib"
        ));
        assert!(!asked(&["--with-zlib-dir=/usr"], "--with-zlib"));
        assert!(!asked(&["--with-sodium", "--with-sodium=no"], "--with-sodium"));
    }

    #[test]
    fn packages_are_read_without_their_versions() {
        let said = "dpkg-checkbuilddeps: error: Unmet build dependencies: libacl1-dev libxml2-dev (>= 2.9) libpcre2-dev\n";
        assert_eq!(unmet(said), ["libacl1-dev", "libxml2-dev", "libpcre2-dev"]);
        assert_eq!(
            unmet("dpkg-checkbuilddeps: error: unmet build dependencies: a-dev\n"),
            ["a-dev"]
        );
        assert!(unmet("").is_empty());
    }
}
