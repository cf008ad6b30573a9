//! The archives that a package is installed from: as apt has them, but for sources.

use crate::{Error, run};
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Fields of an archive without which apt does not trust it as it does on this machine.
const TRUST: [&str; 3] = ["Signed-By", "Trusted", "Check-Valid-Until"];

/// A part of an archive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Archive {
    address: String,
    suite: String,
    /// Empty where the archive has no parts.
    component: String,
}

/// What the machine's lists say of archives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entry {
    addresses: Vec<String>,
    suites: Vec<String>,
    /// Those of [`TRUST`] that are there; a value may have several lines.
    trust: Vec<(&'static str, String)>,
}

/// A list for apt of the sources of all archives that have the installed package `binary`, in the format of `.sources`.
pub(super) fn of(binary: &str) -> Result<String, Error> {
    let said = run::output(Command::new("apt-cache").args(["madison", binary]))?;
    let archives = archives(&said);
    if archives.is_empty() {
        return Err(Error::NoSource(format!(
            "apt knows no archive with {binary}: run apt-get update, or name the sources with --source"
        )));
    }
    Ok(list(&archives, &known()?))
}

/// Of lines such as `php8.2-fpm | 8.2.29-1 | http://deb.debian.org/debian bookworm/main amd64 Packages`.
fn archives(madison: &str) -> BTreeSet<Archive> {
    let archive = |line: &str| {
        let mut words = line.rsplit('|').next()?.split_ascii_whitespace();
        let (address, place) = (words.next()?, words.next()?);
        // A suite that is a folder has no parts.
        let (suite, component) = match place.rsplit_once('/')? {
            (_, "") => (place, ""),
            parts => parts,
        };
        Some(Archive {
            address: address.into(),
            suite: suite.into(),
            component: component.into(),
        })
    };
    madison.lines().filter_map(archive).collect()
}

fn list(archives: &BTreeSet<Archive>, known: &[Entry]) -> String {
    let mut list = String::new();
    for archive in archives {
        let Archive {
            address,
            suite,
            component,
        } = archive;
        let _ = writeln!(list, "Types: deb-src\nURIs: {address}\nSuites: {suite}");
        if !component.is_empty() {
            let _ = writeln!(list, "Components: {component}");
        }
        if let Some(entry) = known.iter().find(|entry| entry.has(archive)) {
            for (name, value) in &entry.trust {
                let _ = writeln!(list, "{name}: {value}");
            }
        }
        list.push('\n');
    }
    list
}

/// What this machine's lists say; those that cannot be read say nothing.
fn known() -> Result<Vec<Entry>, Error> {
    let asked = [
        "LIST",
        "Dir::Etc::sourcelist/f",
        "PARTS",
        "Dir::Etc::sourceparts/d",
    ];
    let said = run::output(Command::new("apt-config").arg("shell").args(asked))?;
    let path = |name: &str| {
        let mut lines = said.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix('='))?;
        Some(PathBuf::from(value.trim_matches('\'')))
    };
    let mut files: Vec<_> = path("LIST").into_iter().collect();
    if let Some(parts) = path("PARTS").and_then(|parts| fs::read_dir(parts).ok()) {
        files.extend(parts.flatten().map(|file| file.path()));
    }
    let is = |file: &Path, ending: &str| file.extension().is_some_and(|it| it == ending);
    let entries = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap_or_default();
        if is(file, "sources") {
            Entry::of_stanzas(&text)
        } else if is(file, "list") {
            Entry::of_lines(&text)
        } else {
            Vec::new()
        }
    };
    Ok(files.iter().flat_map(entries).collect())
}

impl Entry {
    fn has(&self, archive: &Archive) -> bool {
        let bare = |address: &str| address.trim_end_matches('/').to_owned();
        let address = bare(&archive.address);
        self.addresses.iter().any(|it| bare(it) == address) && self.suites.contains(&archive.suite)
    }

    fn of_lines(list: &str) -> Vec<Self> {
        list.lines().filter_map(Self::of_line).collect()
    }

    /// Of `.sources`, in which empty lines part them.
    fn of_stanzas(list: &str) -> Vec<Self> {
        let lines: Vec<_> = list.lines().collect();
        let stanzas = lines.split(|line| line.trim().is_empty());
        stanzas.filter_map(Self::of_stanza).collect()
    }

    /// Of `deb [signed-by=/a.gpg] http://deb.debian.org/debian bookworm main`.
    fn of_line(line: &str) -> Option<Self> {
        let rest = line.trim().strip_prefix("deb")?;
        let rest = rest.strip_prefix("-src").unwrap_or(rest);
        let rest = rest.strip_prefix(char::is_whitespace)?.trim_start();
        let (options, rest) = match rest.strip_prefix('[') {
            Some(rest) => rest.split_once(']')?,
            None => ("", rest),
        };
        let mut words = rest.split_ascii_whitespace().map(str::to_owned);
        let (address, suite) = (words.next()?, words.next()?);
        let options = options
            .split_ascii_whitespace()
            .filter_map(|option| option.split_once('='));
        Some(Self {
            addresses: vec![address],
            suites: vec![suite],
            trust: trust(options),
        })
    }

    fn of_stanza(lines: &[&str]) -> Option<Self> {
        let mut fields: Vec<(&str, String)> = Vec::new();
        for line in lines.iter().filter(|line| !line.starts_with('#')) {
            if line.starts_with([' ', '\t']) {
                let (_, value) = fields.last_mut()?;
                value.push('\n');
                value.push_str(line.trim_end());
            } else if let Some((name, value)) = line.split_once(':') {
                fields.push((name, value.trim().to_owned()));
            }
        }
        let words = |wanted: &str| {
            let field = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            let words = field.iter().flat_map(|(_, value)| value.split_ascii_whitespace());
            words.map(str::to_owned).collect::<Vec<_>>()
        };
        (words("Enabled") != ["no"]).then(|| Self {
            addresses: words("URIs"),
            suites: words("Suites"),
            trust: trust(fields.iter().map(|(name, value)| (*name, value.as_str()))),
        })
    }
}

fn trust<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(&'static str, String)> {
    let of = |(name, value): (&str, &str)| {
        let known = TRUST.iter().find(|known| known.eq_ignore_ascii_case(name))?;
        Some((*known, value.to_owned()))
    };
    fields.filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SAID: &str = "php8.3-fpm | 8.3.6-0 | http://archive.ubuntu.com/ubuntu noble/universe amd64 Packages\n\
                        php8.3-fpm | 8.3.29-1 | https://ppa.example/php noble/main amd64 Packages\n\
                        php8.3-fpm | 8.3.28-1 | https://flat.example/php ./ Packages\n\
                        N: something else\n";

    #[test]
    fn sources_come_from_where_the_package_comes_from() {
        assert_eq!(
            list(&archives(SAID), &[]),
            "Types: deb-src\nURIs: http://archive.ubuntu.com/ubuntu\nSuites: noble\nComponents: universe\n\n\
             Types: deb-src\nURIs: https://flat.example/php\nSuites: ./\n\n\
             Types: deb-src\nURIs: https://ppa.example/php\nSuites: noble\nComponents: main\n\n"
        );
        assert!(archives("php8.3-fpm | 8.3.6-0 | /var/lib/dpkg/status\n").is_empty());
    }

    /// As Ubuntu 24.04 writes its own, and those that are added, with the key itself.
    #[test]
    fn who_signs_an_archive_signs_its_sources() {
        let stanzas = "# Ubuntu's own\nTypes: deb\nURIs: http://archive.ubuntu.com/ubuntu/\nSuites: noble noble-updates\n\
                       Components: main universe\nSigned-By: /usr/share/keyrings/ubuntu-archive-keyring.gpg\n\n\
                       Enabled: no\nTypes: deb\nURIs: https://ppa.example/php\nSuites: noble\nSigned-By: /old\n\n\
                       Types: deb\nURIs: https://ppa.example/php/\nSuites: noble\nComponents: main\nsigned-by:\n -----BEGIN-----\n .\n abc=\n";
        let mut known = Entry::of_stanzas(stanzas);
        known.extend(Entry::of_lines(
            "deb [ arch=amd64 signed-by=/flat.gpg trusted=yes ] https://flat.example/php ./\n",
        ));
        assert_eq!(
            list(&archives(SAID), &known),
            "Types: deb-src\nURIs: http://archive.ubuntu.com/ubuntu\nSuites: noble\nComponents: universe\n\
             Signed-By: /usr/share/keyrings/ubuntu-archive-keyring.gpg\n\n\
             Types: deb-src\nURIs: https://flat.example/php\nSuites: ./\nSigned-By: /flat.gpg\nTrusted: yes\n\n\
             Types: deb-src\nURIs: https://ppa.example/php\nSuites: noble\nComponents: main\n\
             Signed-By: \n -----BEGIN-----\n .\n abc=\n\n"
        );
        for line in [
            "# deb http://a b c",
            "debug http://a b",
            "deb http://a",
            "deb [a=b http://a b",
        ] {
            assert_eq!(Entry::of_line(line), None, "{line}");
        }
    }

    #[test]
    fn this_machines_lists_are_found() {
        let known = known().unwrap();
        assert!(known.iter().any(|entry| !entry.addresses.is_empty()), "{known:?}");
    }

    proptest! {
        #[test]
        fn no_list_is_too_odd(text in "(deb|Signed-By|:|\\[|\\]|=| |\n|a|#){0,40}") {
            let _ = Entry::of_stanzas(&text);
            let _ = Entry::of_lines(&text);
        }
    }
}
