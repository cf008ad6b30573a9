//! Finding PHP binaries, and asking them what they are.

use crate::{Error, Info};
use std::{
    env,
    path::{Path, PathBuf},
};

/// How a binary is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sapi {
    /// `php`, on the command line.
    Cli,
    /// `php-fpm`, behind a web server.
    Fpm,
    /// `php-cgi`, behind one or as a program of its own for each request.
    Cgi,
    /// A library in Apache (`mod_php`).
    Apache,
}

impl Sapi {
    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cli => "PHP",
            Self::Fpm => "PHP-FPM",
            Self::Cgi => "php-cgi",
            Self::Apache => "mod_php",
        }
    }
}

/// A PHP binary, and what it says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binary {
    /// Where it is.
    pub path: PathBuf,
    /// How it is used.
    pub sapi: Sapi,
    /// Its version, such as `8.2.29`.
    pub version: String,
    /// Whether it is built with threads (ZTS).
    pub zts: bool,
    /// Whether it is a debug build.
    pub debug: bool,
}

impl Binary {
    /// The command-line PHP to test with: `$PHPERF_PHP`, or one from `PATH`.
    pub fn cli() -> Result<Self, Error> {
        Self::find(Sapi::Cli, "PHPERF_PHP", &["php8.2", "php"])
    }

    /// The PHP-FPM to test with: `$PHPERF_PHP_FPM`, or one from `PATH` or the folders of system programs.
    pub fn fpm() -> Result<Self, Error> {
        Self::find(Sapi::Fpm, "PHPERF_PHP_FPM", &["php-fpm8.2", "php-fpm"])
    }

    /// The php-cgi to test with: `$PHPERF_PHP_CGI`, or one from `PATH`.
    pub fn cgi() -> Result<Self, Error> {
        Self::find(Sapi::Cgi, "PHPERF_PHP_CGI", &["php-cgi8.2", "php-cgi"])
    }

    /// What `variable` names, or the first of `names` that is there; the version that is supported best comes first.
    fn find(sapi: Sapi, variable: &'static str, names: &[&str]) -> Result<Self, Error> {
        if let Some(path) = env::var_os(variable) {
            return Self::describe(Path::new(&path), sapi);
        }
        let path = names
            .iter()
            .find_map(|name| in_path(name))
            .ok_or_else(|| Error::NotFound {
                what: sapi.name(),
                tried: names.join(", "),
                variable,
            })?;
        Self::describe(&path, sapi)
    }

    /// Asks the binary at `path` what it is.
    pub fn describe(path: &Path, sapi: Sapi) -> Result<Self, Error> {
        Ok(Self::of(&Info::ask(path)?, path, sapi))
    }

    /// The binary at `path` that has said this of itself.
    pub fn of(info: &Info, path: &Path, sapi: Sapi) -> Self {
        Self {
            path: path.into(),
            sapi,
            version: info.value("PHP Version").unwrap_or_default().into(),
            zts: info.value("Thread Safety") == Some("enabled"),
            debug: info.value("Debug Build") == Some("yes"),
        }
    }

    /// A short name for tables: `8.2.29 NTS`.
    pub fn label(&self) -> String {
        format!("{} {}", self.version, if self.zts { "ZTS" } else { "NTS" })
    }
}

/// The first executable of that name. System programs are looked for too where `PATH` lacks their folders, as
/// it does for users other than root.
pub(crate) fn in_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/usr/local/sbin".into(), "/usr/sbin".into()])
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_php_says_is_what_it_is() {
        let said = "phpinfo()\nPHP Version => 8.2.29\n\nDebug Build => no\nThread Safety => disabled\n";
        let path = Path::new("php");
        let binary = Binary::of(&Info::parse(said, path).unwrap(), path, Sapi::Cli);
        assert_eq!(binary.label(), "8.2.29 NTS");
        assert!(!binary.debug);
    }

    #[test]
    fn finds_both_kinds() {
        let cli = Binary::cli().unwrap();
        assert!(cli.version.starts_with(|c: char| c.is_ascii_digit()));
        assert_eq!(Binary::fpm().unwrap().sapi, Sapi::Fpm);
    }
}
