//! What configure is told.

use super::Compiler;
use crate::{Error, Like, depends, programs::Sapis, run, stage::Folder};
use php::Sapi;
use std::{path::Path, process::Command};

/// Arguments of configure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Options(pub Vec<String>);

impl Options {
    /// Whether PHP is built with threads.
    pub fn are_threaded(&self) -> bool {
        self.0.iter().any(|option| option == "--enable-zts")
    }
}

/// What a package's rules are asked for.
const RULES: &str = "phperf-options:\n\tprintf '%s\\n' '$(SAPI_config)' 'CFLAGS=$(CFLAGS)' 'CPPFLAGS=$(CPPFLAGS)' \
                     'CXXFLAGS=$(CXXFLAGS)' 'LDFLAGS=$(LDFLAGS)'\n";

/// Builds PHP for Apache.
const APXS: &str = "--with-apxs2";

/// Programs that PHP can be built into.
const SAPIS: [&str; 9] = [
    "cli",
    "cgi",
    "fpm",
    "phpdbg",
    "embed",
    "litespeed",
    "apxs2",
    "apxs",
    "fuzzer",
];

/// The options of the binary that the new one is to be like: as it tells them itself, or as its package's rules do; then
/// those that the user added.
pub(crate) fn options(
    like: Option<&Like>,
    source: &Path,
    old: &Sapis,
    added: &[String],
    compiler: &Compiler,
    folder: &Folder,
) -> Result<Options, Error> {
    let mut options = match like {
        None => vec!["CFLAGS=-O2".to_owned()],
        Some(like) => match &like.configure {
            Some(options) => options.clone(),
            None if source.join("debian/rules").is_file() => of_rules(like, source)?,
            None => {
                return Err(Error::NoSource(format!(
                    "{} does not tell how it was configured: give the .dsc of its source package as --source, or leave \
                     --like away and name its options with --configure",
                    like.binary.path.display()
                )));
            }
        },
    };
    options = options.iter().filter_map(|option| kept(option)).collect();
    options.extend_from_slice(added);
    let cgi = if old.has(Sapi::Cgi) {
        "--enable-cgi"
    } else {
        "--disable-cgi"
    };
    options.extend(["--enable-cli", "--enable-fpm", cgi, "--disable-phpdbg"].map(str::to_owned));
    if old.has(Sapi::Apache) {
        let apxs = depends::either(["apxs2", "apxs"])?;
        options.push(format!("{APXS}={}", apxs.display()));
    }
    options.extend(compiler.option());
    // Most answers are the same for both builds.
    options.push(format!("--cache-file={}", folder.at(&compiler.cache()).display()));
    Ok(Options(options))
}

/// What debian/rules gives to configure and to the compiler.
fn of_rules(like: &Like, source: &Path) -> Result<Vec<String>, Error> {
    let sapi = match like.binary.sapi {
        Sapi::Cli => "cli",
        Sapi::Fpm => "fpm",
        Sapi::Cgi => "cgi",
        Sapi::Apache => "apache2",
    };
    let rules = source.join("phperf-options.mk");
    std::fs::write(&rules, RULES.replace("SAPI", sapi))
        .map_err(Error::io(format!("write {}", rules.display())))?;
    let said = run::output(
        Command::new("make")
            .current_dir(source)
            .env_remove("MAKEFLAGS")
            .args(["--silent", "-f", "debian/rules", "-f"])
            .arg(&rules)
            .arg("phperf-options"),
    );
    let _ = std::fs::remove_file(&rules);
    let said = said?;
    let mut lines = said.lines();
    let configure = lines.next().unwrap_or_default();
    // The rules give them to a shell, which takes `\${prefix}` for configure's own `${prefix}`.
    let mut options: Vec<_> = configure
        .split_ascii_whitespace()
        .map(|option| option.replace("\\$", "$"))
        .collect();
    if options.is_empty() {
        return Err(Error::NoSource(format!(
            "the package's rules name no options for {sapi}: name the sources with --source, and options with --configure"
        )));
    }
    options.extend(lines.map(str::to_owned));
    Ok(options)
}

/// An option as it is given again: without what is built by itself, for the distribution's shared extensions are loaded, not
/// built; without what stands for another folder; without debug information, which doubles the time; and without `--with-pic`,
/// for only what is linked into a library needs such code, and in programs it is slower.
fn kept(option: &str) -> Option<String> {
    if let Some((name, flags)) = option.split_once('=')
        && matches!(name, "CFLAGS" | "CXXFLAGS" | "CPPFLAGS" | "LDFLAGS")
    {
        let flags: Vec<_> = flags
            .split_ascii_whitespace()
            .filter(|flag| {
                *flag != "-g"
                    && !flag.starts_with("-ffile-prefix-map=")
                    && !flag.starts_with("-fdebug-prefix-map=")
            })
            .collect();
        return Some(format!("{name}={}", flags.join(" ")));
    }
    let (name, value) = option.split_once('=').unwrap_or((option, ""));
    let is_shared = value == "shared" || value.starts_with("shared,");
    let is_sapi = ["--enable-", "--disable-", "--with-", "--without-"]
        .iter()
        .filter_map(|prefix| name.strip_prefix(prefix))
        .any(|name| SAPIS.contains(&name));
    let is_cache = matches!(name, "--cache-file" | "--config-cache" | "-C");
    let is_for_libraries = matches!(name, "--with-pic" | "--enable-pic");
    (!is_shared && !is_sapi && !is_cache && !is_for_libraries).then(|| option.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_is_built() {
        let given = [
            "--prefix=/usr",
            "--enable-fpm",
            "--enable-cli",
            "--with-fpm-user=www-data",
            "--with-libedit=shared,/usr",
            "--enable-mbstring=shared",
            "--with-apxs2=/usr/bin/apxs2",
            "--config-cache",
            "--with-pic",
            "--cache-file=/build/config.cache",
            "CFLAGS=-g -O2 -ffile-prefix-map=/build=. -Wall",
            "--libdir=${prefix}/lib/php",
        ];
        let kept: Vec<_> = given.iter().filter_map(|option| kept(option)).collect();
        assert_eq!(
            kept,
            [
                "--prefix=/usr",
                "--with-fpm-user=www-data",
                "CFLAGS=-O2 -Wall",
                "--libdir=${prefix}/lib/php"
            ]
        );
    }
}
