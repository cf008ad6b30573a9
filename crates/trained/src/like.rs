//! An installed PHP, as it says of itself.

use crate::{Error, run};
use php::{Apache, Binary, Info, Sapi};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

/// What has to be the same for the extensions and the settings of one PHP to serve another.
const ABI: [&str; 10] = [
    "PHP API",
    "PHP Extension",
    "Zend Extension",
    "Zend Extension Build",
    "PHP Extension Build",
    "Debug Build",
    "Thread Safety",
    "Configuration File (php.ini) Path",
    "Scan this dir for additional .ini files",
    "extension_dir",
];

/// What is built, by the names that they have for themselves.
const APIS: [(&str, Sapi); 4] = [
    ("Command Line Interface", Sapi::Cli),
    ("FPM/FastCGI", Sapi::Fpm),
    ("CGI/FastCGI", Sapi::Cgi),
    ("Apache 2.0 Handler", Sapi::Apache),
];

/// An installed PHP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Like {
    /// Where it is, what it is used for, its version.
    pub binary: Binary,
    /// Names and values of its ABI and its folders.
    abi: BTreeMap<&'static str, String>,
    /// Extensions that are part of the binary.
    builtin: Vec<String>,
    /// Its configure line, where it tells that; Debian's does not.
    pub(crate) configure: Option<Vec<String>>,
}

impl Like {
    /// Asks the binary at `path`, which says itself what it is for. A library is asked in Apache.
    pub fn describe(path: &Path) -> Result<Self, Error> {
        let (info, builtin) = if is_library(path) {
            Apache::ask(path, false)?
        } else {
            let info = Info::ask(path).map_err(|error| match error {
                php::Error::NotPhp { .. } => not_taken(path, "no PHP"),
                other => other.into(),
            })?;
            (
                info,
                modules(&run::output(Command::new(path).args(["-n", "-m"]))?),
            )
        };
        let api = info.value("Server API").unwrap_or("no PHP");
        let sapi = APIS
            .iter()
            .find(|(name, _)| *name == api)
            .map(|(_, sapi)| *sapi)
            .ok_or_else(|| not_taken(path, api))?;
        let abi = ABI
            .into_iter()
            .filter_map(|name| Some((name, info.value(name)?.to_owned())))
            .collect();
        Ok(Self {
            binary: Binary::of(&info, path, sapi),
            abi,
            builtin,
            configure: info.value("Configure Command").map(words),
        })
    }

    /// The PHP for the command line that belongs to another one, or the FPM that belongs to that, by their names.
    pub fn sibling(&self) -> Option<PathBuf> {
        let name = self.binary.path.file_name()?.to_str()?;
        let folder = self.binary.path.parent()?.parent()?;
        let named = |part: &str, by: &str| name.replacen(part, by, 1);
        let paths = match self.binary.sapi {
            Sapi::Cli => vec![folder.join("sbin").join(named("php", "php-fpm"))],
            Sapi::Fpm => vec![folder.join("bin").join(named("php-fpm", "php"))],
            Sapi::Cgi => vec![folder.join("bin").join(named("php-cgi", "php"))],
            Sapi::Apache => {
                let name = named("libphp", "php");
                let name = name.trim_end_matches(".so");
                ["/usr/bin", "/usr/local/bin"]
                    .map(|folder| Path::new(folder).join(name))
                    .into()
            }
        };
        paths.into_iter().find(|path| path.is_file())
    }

    /// Whether `new` can take its place: the same ABI, folders and built-in extensions, and the shared extensions that its
    /// settings load are loaded by `new`, too.
    pub(crate) fn is_replaced_by(&self, new: &Path) -> Result<(), Error> {
        let not_alike = |what: String| Error::NotAlike {
            old: self.binary.path.clone(),
            what,
        };
        let built = Self::describe(new)?;
        for (name, old) in &self.abi {
            let new = built.abi.get(name).map_or("nothing", String::as_str);
            if old != new {
                return Err(not_alike(format!("{name} is {new}, not {old}")));
            }
        }
        if self.binary.version != built.binary.version {
            return Err(not_alike(format!(
                "it is version {}, not {}",
                built.binary.version, self.binary.version
            )));
        }
        if let Some(lost) = self.builtin.iter().find(|name| !built.builtin.contains(name)) {
            return Err(not_alike(format!("the extension {lost} is not built in")));
        }
        let (old, new) = (loads(&self.binary.path)?, loads(new)?);
        match old.iter().find(|name| !new.contains(name)) {
            Some(lost) => Err(not_alike(format!("it does not load the extension {lost}"))),
            None => Ok(()),
        }
    }
}

/// The extensions that a PHP has with its settings.
pub(crate) fn loads(path: &Path) -> Result<Vec<String>, Error> {
    if is_library(path) {
        return Ok(Apache::ask(path, true)?.1);
    }
    run::output(Command::new(path).arg("-m")).map(|said| modules(&said))
}

fn is_library(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "so")
}

fn not_taken(path: &Path, what: &str) -> Error {
    Error::Asked(format!(
        "{} is {what}: name a php, a php-fpm, a php-cgi, or a libphp of Apache",
        path.display()
    ))
}

fn modules(said: &str) -> Vec<String> {
    said.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('['))
        .map(str::to_owned)
        .collect()
}

/// `'./configure'  '--prefix=/usr/local'` without the first one.
fn words(line: &str) -> Vec<String> {
    line.split('\'')
        .skip(1)
        .step_by(2)
        .skip(1)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::program;

    #[test]
    fn reads_a_configure_line() {
        assert_eq!(
            words("'./configure'  '--prefix=/usr/local' 'CFLAGS=-O2 -g'"),
            ["--prefix=/usr/local", "CFLAGS=-O2 -g"]
        );
    }

    #[test]
    fn a_php_replaces_itself_and_no_other() {
        let cli = Like::describe(&Binary::cli().unwrap().path).unwrap();
        let fpm = Like::describe(&Binary::fpm().unwrap().path).unwrap();
        assert_eq!((cli.binary.sapi, fpm.binary.sapi), (Sapi::Cli, Sapi::Fpm));
        cli.is_replaced_by(&cli.binary.path).unwrap();
        let error = fpm.is_replaced_by(&cli.binary.path).unwrap_err().to_string();
        assert!(error.contains("Configuration File (php.ini) Path is"), "{error}");
        if let Some(sibling) = fpm.sibling() {
            assert_eq!(Like::describe(&sibling).unwrap().binary.sapi, Sapi::Cli);
        }
    }

    /// This machine's PHP, but for what it prints.
    #[test]
    fn each_way_to_be_no_drop_in_is_told() {
        let old = Like::describe(&Binary::cli().unwrap().path).unwrap();
        let place = tempfile::tempdir().unwrap();
        let other = place.path().join("php");
        let told = |change: &str| {
            let path = old.binary.path.display();
            program(&other, &format!("{path} \"$@\" | sed -e '{change}'"));
            old.is_replaced_by(&other).unwrap_err().to_string()
        };
        let shared = loads(&old.binary.path).unwrap();
        let shared = shared.iter().find(|name| !old.builtin.contains(name));
        let mut cases = vec![
            (
                "s/^Zend Extension Build => .*/Zend Extension Build => API0,TS/".to_owned(),
                "Zend Extension Build is API0,TS, not API4".to_owned(),
            ),
            (
                "s/^PHP Version => .*/PHP Version => 8.0.1/".into(),
                "it is version 8.0.1, not 8.2".into(),
            ),
            (
                "/^Reflection$/d".into(),
                "the extension Reflection is not built in".into(),
            ),
        ];
        cases.extend(shared.map(|name| {
            (
                format!("/^{name}$/d"),
                format!("it does not load the extension {name}"),
            )
        }));
        for (change, is) in cases {
            let error = told(&change);
            assert!(error.contains(&is), "{error}");
        }
    }

    #[test]
    fn what_is_no_php_is_named() {
        let error = Like::describe(Path::new("/bin/echo")).unwrap_err().to_string();
        assert_eq!(
            error,
            "/bin/echo is no PHP: name a php, a php-fpm, a php-cgi, or a libphp of Apache"
        );
    }
}
