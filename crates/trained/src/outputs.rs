//! Whether the trained PHP answers as the old one does, byte for byte.

use crate::{
    Error, Watch,
    programs::Sapis,
    training::{Server, Training},
};
use php::{Ini, Sapi};
use regex_lite::Regex;
use std::path::Path;

/// Parts of an answer that change by nature: dates, nonces.
#[derive(Clone, Debug, Default)]
pub struct Ignored(Vec<Regex>);

impl Ignored {
    /// From regular expressions.
    pub fn new(patterns: &[String]) -> Result<Self, String> {
        patterns
            .iter()
            .map(|pattern| Regex::new(pattern).map_err(|error| format!("{pattern}: {error}")))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// What is left of an answer. Bytes that are no text are taken for Latin-1, so that none is lost.
    fn left(&self, answer: &[u8]) -> String {
        let text = match std::str::from_utf8(answer) {
            Ok(text) => text.to_owned(),
            Err(_) => answer.iter().map(|&byte| char::from(byte)).collect(),
        };
        self.0
            .iter()
            .fold(text, |text, pattern| pattern.replace_all(&text, "").into_owned())
    }
}

/// What was found to be the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Same {
    /// Scripts.
    pub scripts: usize,
    /// Pages.
    pub pages: usize,
    /// Of these, those that are the same only without what was to be ignored.
    pub ignoring: usize,
}

/// Runs each script, and asks for each page, with both.
pub(crate) fn compare(
    training: &Training,
    old: &Sapis,
    built: &Path,
    ignored: &Ignored,
    watch: &mut dyn Watch,
) -> Result<Same, Error> {
    let mut same = Same::default();
    let pages = training.site.as_ref().map_or(0, |site| site.pages.len());
    let of = training.scripts.len() + old.servers().count() * pages;
    let step = |same: &Same, watch: &mut dyn Watch| {
        if watch.is_stopped() {
            return Err(Error::Interrupted);
        }
        watch.progress(same.scripts + same.pages, of);
        Ok(())
    };
    if let Some(old) = old.get(Sapi::Cli) {
        let new = Sapis::program(built, Sapi::Cli);
        for script in &training.scripts {
            step(&same, watch)?;
            let told = |php: &Path| {
                script
                    .run(php)
                    .map(|printed| [printed.output, status(printed.status)].concat())
            };
            let alike = judge(script, ignored, &told(old)?, &told(&new)?, || told(old))?;
            same.scripts += 1;
            same.ignoring += usize::from(!alike);
        }
    }
    let site = training.site.iter();
    for ((sapi, old), site) in site.flat_map(|site| old.servers().map(move |server| (server, site))) {
        let new = Sapis::program(built, sapi);
        let old = Server::start(sapi, old, &Ini::new(), site)?;
        let new = Server::start(sapi, &new, &Ini::new(), site)?;
        for page in &site.pages {
            step(&same, watch)?;
            let (before, after) = (old.ask(page)?.output, new.ask(page)?.output);
            let alike = judge(page, ignored, &before, &after, || {
                old.ask(page).map(|answer| answer.output)
            })?;
            same.pages += 1;
            same.ignoring += usize::from(!alike);
        }
    }
    Ok(same)
}

fn status(status: std::process::ExitStatus) -> Vec<u8> {
    format!("\n({status})").into_bytes()
}

/// Whether both are the same byte for byte; an error where they are not even the same without what is ignored.
fn judge(
    what: &impl ToString,
    ignored: &Ignored,
    old: &[u8],
    new: &[u8],
    again: impl FnOnce() -> Result<Vec<u8>, Error>,
) -> Result<bool, Error> {
    if old == new {
        return Ok(true);
    }
    let (kept, other) = (ignored.left(old), ignored.left(new));
    if kept == other {
        return Ok(false);
    }
    let mut how = difference(&kept, &other);
    if ignored.left(&again()?) != kept {
        how += "; the old PHP does not say the same twice either: name what changes with --ignore-output";
    }
    Err(Error::Differs {
        what: what.to_string(),
        how,
    })
}

/// The first line that is another one.
fn difference(old: &str, new: &str) -> String {
    const SHOWN: usize = 120;
    let (mut before, mut after) = (old.lines(), new.lines());
    let mut number = 0;
    loop {
        number += 1;
        let (a, b) = (before.next(), after.next());
        if a != b {
            let shown = |line: Option<&str>| {
                line.map_or("nothing".to_owned(), |line| {
                    format!("`{}`", line.chars().take(SHOWN).collect::<String>())
                })
            };
            return format!("line {number} is {}, not {}", shown(b), shown(a));
        }
        if a.is_none() {
            return "the ends of their lines differ".into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        stage::tests::Patient,
        testing::program,
        training::{Page, Script, Site},
    };
    use std::{
        fs,
        os::unix::fs::{PermissionsExt, symlink},
    };

    /// Where PHP is built, with this machine's own in the place of the new ones; `None` where that lacks one.
    fn like_this_machine(folder: &Path, old: &[(Sapi, &str)]) -> Option<Sapis> {
        let mut sapis = Vec::new();
        for &(sapi, path) in old {
            if !Path::new(path).is_file() {
                assert!(std::env::var_os("PHPERF_REQUIRE_TOOLS").is_none(), "no {path}");
                eprintln!("skipped: no {path}");
                return None;
            }
            let new = Sapis::program(folder, sapi);
            fs::create_dir_all(new.parent().unwrap()).unwrap();
            symlink(path, new).unwrap();
            sapis.push((sapi, path.into()));
        }
        Some(sapis.into_iter().collect())
    }

    #[test]
    fn each_kind_of_server_is_asked_for_each_page() {
        let place = tempfile::tempdir().unwrap();
        let old = [
            (Sapi::Fpm, "/usr/sbin/php-fpm8.2"),
            (Sapi::Cgi, "/usr/bin/php-cgi8.2"),
            (Sapi::Apache, "/usr/lib/apache2/modules/libphp8.2.so"),
        ];
        let Some(old) = like_this_machine(place.path(), &old) else {
            return;
        };
        let root = place.path().join("root");
        fs::create_dir(&root).unwrap();
        fs::write(
            root.join("index.php"),
            "<?php echo PHP_SAPI, ' ', $_GET['a'] ?? 'none';",
        )
        .unwrap();
        // Apache serves as another user.
        let open = fs::Permissions::from_mode(0o755);
        fs::set_permissions(place.path(), open).unwrap();
        let site = Site {
            host: "localhost".into(),
            root: root.clone(),
            user: nix::unistd::Uid::effective().is_root().then(|| "www-data".into()),
            pages: ["/", "/?a=1"]
                .map(|uri| Page::find(&root, uri, 1).unwrap())
                .into(),
            requests: 2,
        };
        let server = Server::start(Sapi::Apache, old.get(Sapi::Apache).unwrap(), &Ini::new(), &site).unwrap();
        assert!(
            server
                .ask(&site.pages[1])
                .unwrap()
                .body()
                .ends_with("apache2handler 1")
        );
        assert!(server.worker().unwrap() > 0);
        server.quit().unwrap();
        let training = Training {
            scripts: Vec::new(),
            site: Some(site),
        };
        let ignored = Ignored::default();
        let watch = &mut Patient::default();
        let same = compare(&training, &old, place.path(), &ignored, watch).unwrap();
        assert_eq!((same.pages, same.ignoring), (6, 0));
        // What says another thing under another server differs.
        let new = Sapis::program(place.path(), Sapi::Cgi);
        fs::remove_file(&new).unwrap();
        let wrapper = "exec /usr/bin/php-cgi8.2 -d arg_separator.input=/ -d variables_order=C \"$@\"";
        program(&new, wrapper);
        let error = compare(&training, &old, place.path(), &ignored, watch).unwrap_err();
        assert!(
            matches!(&error, Error::Differs { what, .. } if what == "/?a=1"),
            "{error}"
        );
    }

    #[test]
    fn what_a_script_prints_and_how_it_ends_is_compared() {
        let place = tempfile::tempdir().unwrap();
        let Some(old) = like_this_machine(place.path(), &[(Sapi::Cli, "/usr/bin/php8.2")]) else {
            return;
        };
        let new = Sapis::program(place.path(), Sapi::Cli);
        let script = |code: &str| {
            let file = place.path().join("a.php");
            fs::write(&file, code).unwrap();
            Script::parse(file.to_str().unwrap()).unwrap()
        };
        let compared = |code: &str| {
            let training = Training {
                scripts: vec![script(code)],
                site: None,
            };
            let watch = &mut Patient::default();
            compare(&training, &old, place.path(), &Ignored::default(), watch)
        };
        let prints = "<?php echo ini_get('precision');";
        assert_eq!(compared(prints).unwrap().scripts, 1);
        fs::remove_file(&new).unwrap();
        program(&new, "exec /usr/bin/php8.2 -d precision=3 \"$@\"");
        for (code, is) in [
            (prints, "line 1 is `3`, not `14`"),
            (
                "<?php exit(ini_get('precision') == 3 ? 9 : 0);",
                "(exit status: 9)`, not `(exit status: 0)`",
            ),
        ] {
            let error = compared(code).unwrap_err().to_string();
            assert!(error.contains(is), "{error}");
        }
    }

    fn judged(patterns: &[&str], old: &[u8], new: &[u8], again: &[u8]) -> Result<bool, String> {
        let patterns: Vec<_> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        judge(&"/a", &Ignored::new(&patterns).unwrap(), old, new, || {
            Ok(again.to_vec())
        })
        .map_err(|error| error.to_string())
    }

    #[test]
    fn one_byte_is_enough() {
        assert_eq!(judged(&[], b"a\nb", b"a\nb", b""), Ok(true));
        assert_eq!(
            judged(&[], b"a\nb", b"a\nc", b"a\nb"),
            Err("/a is not the same from the trained PHP: line 2 is `c`, not `b`".into())
        );
        assert_eq!(
            judged(&[], b"a\r\n", b"a\n", b"a\r\n"),
            Err("/a is not the same from the trained PHP: the ends of their lines differ".into())
        );
        assert!(judged(&[], b"\xff", b"\xfe", b"\xff").is_err());
    }

    #[test]
    fn what_changes_by_nature_is_told_and_ignored_where_it_is_named() {
        let told = judged(&[], b"nonce 1", b"nonce 2", b"nonce 3").unwrap_err();
        assert!(told.ends_with("name what changes with --ignore-output"), "{told}");
        assert_eq!(
            judged(&["nonce [0-9]+"], b"x nonce 1", b"x nonce 2", b"x nonce 3"),
            Ok(false)
        );
        assert!(judged(&["nonce [0-9]+"], b"x nonce 1", b"y nonce 2", b"x nonce 3").is_err());
        assert!(Ignored::new(&["(".to_owned()]).is_err());
    }
}
