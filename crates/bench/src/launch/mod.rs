//! Starts PHP for discovery, hooks and samples, and talks to it.

mod channel;
mod child;

pub(crate) use channel::{Channel, Heard, kill_iteration};
pub(crate) use child::{Child, End, is_zombie, signal_in_words, status_in_words};

use crate::{
    Error,
    settings::{Opcache, Settings},
};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

/// Settings whose files PHP loads before any script of ours can change the folder.
const FROM_FOLDER: [&str; 3] = ["auto_prepend_file", "auto_append_file", "opcache.preload"];

/// How PHP is started in a run.
#[derive(Clone, Debug)]
pub(crate) struct Launcher {
    front: Vec<OsString>,
    env: Vec<(String, String)>,
    working_dir: PathBuf,
}

impl Launcher {
    pub(crate) fn new(settings: &Settings) -> Self {
        let php = &settings.php;
        let mut front: Vec<OsString> = php.wrapper.iter().map(OsString::from).collect();
        front.push(php.binary.clone().into());
        if php.disable_ini {
            front.push("-n".into());
        }
        // Scripts are written just before they run: opcache would leave them uncached for two seconds.
        let mut ini = vec![("opcache.file_update_protection".to_owned(), "0".to_owned())];
        let set: &[(&str, &str)] = match settings.opcache {
            Opcache::AsIs => &[],
            Opcache::Off => &[("opcache.enable_cli", "0")],
            Opcache::On => &[
                ("opcache.enable", "1"),
                ("opcache.enable_cli", "1"),
                ("opcache.jit", "disable"),
            ],
            Opcache::Jit => &[
                ("opcache.enable", "1"),
                ("opcache.enable_cli", "1"),
                ("opcache.jit", "tracing"),
                ("opcache.jit_buffer_size", "64M"),
            ],
        };
        ini.extend(
            set.iter()
                .map(|&(name, value)| (name.to_owned(), value.to_owned())),
        );
        ini.extend(php.config.iter().cloned());
        for (name, value) in ini {
            front.push("-d".into());
            front.push(format!("{name}={value}").into());
        }
        Self {
            front,
            env: php.env.clone(),
            working_dir: settings.working_dir.clone(),
        }
    }

    /// The same, under a program that is put in front of all.
    pub(crate) fn under(&self, program: impl IntoIterator<Item = OsString>) -> Self {
        let mut launcher = self.clone();
        launcher.front = program.into_iter().chain(launcher.front).collect();
        launcher
    }

    /// Where scripts are started.
    pub(crate) fn working_dir(&self) -> &Path {
        &self.working_dir
    }

    /// Whether the other one starts the same PHP in the same way. The folder counts only where PHP looks something up
    /// from it as it starts.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let in_same_folder = self.working_dir == other.working_dir;
        self.front == other.front && self.env == other.env && (in_same_folder || !self.starts_from_folder())
    }

    /// Whether a setting on its command line is a path from the folder that it is started in.
    fn starts_from_folder(&self) -> bool {
        let settings = self.front.iter().filter_map(|argument| argument.to_str());
        settings
            .filter_map(|argument| argument.split_once('='))
            .any(|(name, path)| {
                FROM_FOLDER.contains(&name)
                    && !path.is_empty()
                    && !Path::new(path.trim_matches('"')).is_absolute()
            })
    }

    /// Starts `script`.
    pub(crate) fn start(&self, script: &Path, arguments: &[&Path]) -> Result<Child, Error> {
        let mut command = Command::new(&self.front[0]);
        command
            .args(&self.front[1..])
            .arg(script)
            .args(arguments)
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.working_dir);
        Child::start(command).map_err(|source| Error::Start {
            program: self.front[0].to_string_lossy().into_owned(),
            source,
        })
    }
}
