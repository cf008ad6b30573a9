//! Finding PHP binaries, and asking them what they are.

use crate::Error;
use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// How a binary is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sapi {
    /// `php`, on the command line.
    Cli,
    /// `php-fpm`, behind a web server.
    Fpm,
}

impl Sapi {
    /// The variable that names a binary of this kind.
    const fn variable(self) -> &'static str {
        match self {
            Self::Cli => "PHPERF_PHP",
            Self::Fpm => "PHPERF_PHP_FPM",
        }
    }

    /// Names under which distributions install it; the version that is supported best comes first.
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Cli => &["php8.2", "php"],
            Self::Fpm => &["php-fpm8.2", "php-fpm"],
        }
    }

    const fn what(self) -> &'static str {
        match self {
            Self::Cli => "PHP",
            Self::Fpm => "PHP-FPM",
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
        Self::find(Sapi::Cli)
    }

    /// The PHP-FPM to test with: `$PHPERF_PHP_FPM`, or one from `PATH` or the folders of system programs.
    pub fn fpm() -> Result<Self, Error> {
        Self::find(Sapi::Fpm)
    }

    fn find(sapi: Sapi) -> Result<Self, Error> {
        if let Some(path) = env::var_os(sapi.variable()) {
            return Self::describe(Path::new(&path), sapi);
        }
        let path = sapi
            .names()
            .iter()
            .find_map(|name| in_path(name))
            .ok_or_else(|| Error::NotFound {
                what: sapi.what(),
                tried: sapi.names().join(", "),
                variable: sapi.variable(),
            })?;
        Self::describe(&path, sapi)
    }

    /// Asks the binary at `path` what it is.
    pub fn describe(path: &Path, sapi: Sapi) -> Result<Self, Error> {
        let output = Command::new(path)
            .args(["-n", "-i"])
            .stdin(Stdio::null())
            .output()
            .map_err(|source| Error::Start {
                path: path.into(),
                source,
            })?;
        parse_info(&String::from_utf8_lossy(&output.stdout), path, sapi)
    }

    /// A short name for tables: `8.2.29 NTS`.
    pub fn label(&self) -> String {
        format!("{} {}", self.version, if self.zts { "ZTS" } else { "NTS" })
    }
}

/// Reads the output of `php -i`.
fn parse_info(info: &str, path: &Path, sapi: Sapi) -> Result<Binary, Error> {
    let value = |name: &str| {
        info.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(" => "))
            .map(str::trim)
    };
    let (Some(version), Some(threads)) = (value("PHP Version"), value("Thread Safety")) else {
        return Err(Error::NotPhp {
            path: path.into(),
            said: info.lines().next().unwrap_or_default().chars().take(80).collect(),
        });
    };
    Ok(Binary {
        path: path.into(),
        sapi,
        version: version.into(),
        zts: threads == "enabled",
        debug: value("Debug Build") == Some("yes"),
    })
}

/// The first executable of that name. System programs are looked for too where `PATH` lacks their folders, as
/// it does for users other than root.
fn in_path(name: &str) -> Option<PathBuf> {
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
    fn reads_what_php_says() {
        let info = "phpinfo()\nPHP Version => 8.2.29\n\nDebug Build => no\nThread Safety => disabled\n";
        let binary = parse_info(info, Path::new("php"), Sapi::Cli).unwrap();
        assert_eq!(binary.label(), "8.2.29 NTS");
        assert!(!binary.debug);
    }

    #[test]
    fn what_is_not_php_is_named() {
        let error = parse_info("GNU bash\n", Path::new("/bin/bash"), Sapi::Cli).unwrap_err();
        assert_eq!(
            error.to_string(),
            "/bin/bash does not answer as PHP does (GNU bash): name a PHP binary"
        );
    }

    #[test]
    fn finds_both_kinds() {
        let cli = Binary::cli().unwrap();
        assert!(cli.version.starts_with(|c: char| c.is_ascii_digit()));
        assert_eq!(Binary::fpm().unwrap().sapi, Sapi::Fpm);
    }
}
