//! An installed PHP, as it says of itself.

use crate::{Error, run};
use php::{Binary, Sapi};
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

/// An installed PHP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Like {
    /// Where it is, how it is used, its version.
    pub binary: Binary,
    /// Names and values of its ABI and its folders.
    abi: BTreeMap<&'static str, String>,
    /// Extensions that are part of the binary.
    builtin: Vec<String>,
    /// Its configure line, where it tells that; Debian's does not.
    pub(crate) configure: Option<Vec<String>>,
}

impl Like {
    /// Asks the binary at `path`. Whether it is FPM is told by itself.
    pub fn describe(path: &Path) -> Result<Self, Error> {
        let info = run::output(Command::new(path).args(["-n", "-i"]))?;
        let sapi = match value(&info, "Server API") {
            Some("FPM/FastCGI") => Sapi::Fpm,
            Some("Command Line Interface") => Sapi::Cli,
            other => {
                return Err(Error::Asked(format!(
                    "{} is {}: name a php or a php-fpm",
                    path.display(),
                    other.unwrap_or("no PHP")
                )));
            }
        };
        let abi = ABI
            .into_iter()
            .filter_map(|name| Some((name, value(&info, name)?.to_owned())))
            .collect();
        Ok(Self {
            binary: Binary::describe(path, sapi)?,
            abi,
            builtin: modules(&run::output(Command::new(path).args(["-n", "-m"]))?),
            configure: value(&info, "Configure Command").map(words),
        })
    }

    /// The PHP for the command line that belongs to an FPM, or the other way round, by their names.
    pub fn sibling(&self) -> Option<PathBuf> {
        let name = self.binary.path.file_name()?.to_str()?;
        let folder = self.binary.path.parent()?.parent()?;
        let path = match self.binary.sapi {
            Sapi::Fpm => folder.join("bin").join(name.replacen("php-fpm", "php", 1)),
            Sapi::Cli => folder.join("sbin").join(name.replacen("php", "php-fpm", 1)),
        };
        path.is_file().then_some(path)
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
        let (old, new) = (Self::loads(&self.binary.path)?, Self::loads(new)?);
        match old.iter().find(|name| !new.contains(name)) {
            Some(lost) => Err(not_alike(format!("it does not load the extension {lost}"))),
            None => Ok(()),
        }
    }
}

impl Like {
    /// The extensions that a PHP has with its settings.
    pub(crate) fn loads(path: &Path) -> Result<Vec<String>, Error> {
        run::output(Command::new(path).arg("-m")).map(|said| modules(&said))
    }
}

fn value<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    let value = info
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(" => "))?;
    // Settings have a local and a master value.
    Some(value.split(" => ").next().unwrap_or(value).trim())
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

    #[test]
    fn reads_a_configure_line_and_settings_with_two_values() {
        let info = "Configure Command =>  './configure'  '--prefix=/usr/local' 'CFLAGS=-O2 -g'\n\
                    extension_dir => /usr/lib/php/20220829 => /usr/lib/php/20220829\n";
        assert_eq!(
            words(value(info, "Configure Command").unwrap()),
            ["--prefix=/usr/local", "CFLAGS=-O2 -g"]
        );
        assert_eq!(value(info, "extension_dir"), Some("/usr/lib/php/20220829"));
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

    #[test]
    fn what_is_no_php_is_named() {
        let error = Like::describe(Path::new("/bin/echo")).unwrap_err().to_string();
        assert_eq!(error, "/bin/echo is no PHP: name a php or a php-fpm");
    }
}
