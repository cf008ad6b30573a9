//! A PHP, and what extensions for it are built with.

mod compiled;
mod embed;

pub use compiled::Kind;

use crate::{Cache, Error, Place, Release, Root, error::output};
use php::Binary;
use std::path::{Path, PathBuf};

/// A PHP on the command line with its phpize.
#[derive(Clone, Debug)]
pub struct Toolchain {
    place: Place,
    php: PathBuf,
    phpize: PathBuf,
    config: PathBuf,
    version: String,
    zts: bool,
    kind: Option<Kind>,
}

impl Toolchain {
    /// The PHP to test with on this machine, and the phpize of the same version.
    pub fn installed() -> Result<Self, Error> {
        let php = Binary::cli()?;
        let version: String = php.version.split('.').take(2).collect::<Vec<_>>().join(".");
        let beside = |name: &str| {
            let folder = php.path.parent().unwrap_or(Path::new("/usr/bin"));
            [format!("{name}{version}"), name.to_owned()]
                .map(|name| folder.join(name))
                .into_iter()
                .find(|path| path.is_file())
                .ok_or_else(|| Error::Unavailable {
                    what: format!("{name} of PHP {version}"),
                    why: "scripts/setup.sh test installs it".into(),
                })
        };
        let (phpize, config) = (beside("phpize")?, beside("php-config")?);
        Ok(Self {
            place: Place::here(),
            php: php.path,
            phpize,
            config,
            version: php.version,
            zts: php.zts,
            kind: None,
        })
    }

    /// The PHP of another release, such as `8.4` of trixie, with its database drivers, in a root.
    pub fn of_release(cache: &Cache, release: Release, version: &str) -> Result<Self, Error> {
        let named = ["cli", "fpm", "dev", "pgsql", "sqlite3"].map(|part| format!("php{version}-{part}"));
        let packages: Vec<_> = named
            .iter()
            .map(String::as_str)
            .chain(["libpq-dev", "gcc", "libc6-dev", "make"])
            .collect();
        let place = Root::get(cache, release, &packages)?.place();
        Self::describe(
            place,
            format!("/usr/bin/php{version}").into(),
            format!("/usr/bin/phpize{version}").into(),
            format!("/usr/bin/php-config{version}").into(),
        )
    }

    /// One that is compiled from sources in this way, with PDO and the drivers for `PostgreSQL` and `SQLite`.
    pub fn compiled(cache: &Cache, sources: &Path, kind: Kind) -> Result<Self, Error> {
        compiled::compile(cache, sources, kind)
            .map_err(Error::unavailable(&format!("PHP compiled with {kind:?}")))
    }

    fn describe(place: Place, php: PathBuf, phpize: PathBuf, config: PathBuf) -> Result<Self, Error> {
        let said = output(place.command(&php.to_string_lossy()).args([
            "-n",
            "-r",
            "echo PHP_VERSION, ' ', PHP_ZTS;",
        ]))?;
        let (version, zts) = said.split_once(' ').ok_or_else(|| Error::Unreadable {
            path: php.clone(),
            what: "version",
        })?;
        Ok(Self {
            place,
            php,
            phpize,
            config,
            version: version.into(),
            zts: zts == "1",
            kind: None,
        })
    }

    fn compiled_as(self, kind: Kind) -> Self {
        Self {
            kind: Some(kind),
            ..self
        }
    }

    /// Compiler flags for its extensions; empty for those of PHP itself.
    pub fn flags(&self) -> &'static str {
        self.kind.map_or("", Kind::flags)
    }

    /// Whether it is compiled with the compiler's checks of addresses.
    pub fn checks_addresses(&self) -> bool {
        self.kind == Some(Kind::Asan)
    }

    /// Where it runs.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Its path, there.
    pub fn php(&self) -> &Path {
        &self.php
    }

    /// The path of its phpize, there.
    pub fn phpize(&self) -> &Path {
        &self.phpize
    }

    /// The path of its php-config, there.
    pub fn config(&self) -> &Path {
        &self.config
    }

    /// Its version, such as `8.4.21`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// A short name: `8.4.21 NTS`.
    pub fn label(&self) -> String {
        let threads = if self.zts { "ZTS" } else { "NTS" };
        let checked = if self.checks_addresses() { " ASAN" } else { "" };
        format!("{} {threads}{checked}", self.version)
    }

    /// A cache whose folders this PHP can see: a part of its root where it has one, else `cache`.
    pub fn cache(&self, cache: &Cache) -> Cache {
        if self.place == Place::here() {
            cache.clone()
        } else {
            Cache::at(self.place.outside("/var/cache/phperf"))
        }
    }
}
