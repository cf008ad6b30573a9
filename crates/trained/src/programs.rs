//! The programs that PHP is built into, and the old ones that are to be replaced.

use crate::{Error, Like, Settings};
use php::Sapi;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// The programs of one PHP, by what they are used for; the command line's first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Sapis(BTreeMap<Sapi, PathBuf>);

impl Sapis {
    /// Where a new program is, below the folder that it is built in.
    pub fn program(folder: &Path, sapi: Sapi) -> PathBuf {
        folder.join(match sapi {
            Sapi::Cli => "sapi/cli/php",
            Sapi::Fpm => "sapi/fpm/php-fpm",
            Sapi::Cgi => "sapi/cgi/php-cgi",
            Sapi::Apache => "libs/libphp.so",
        })
    }

    /// The new programs in the place of these, below the folder that they are built in.
    pub fn built_in(&self, folder: &Path) -> Self {
        let new = |sapi: &Sapi| (*sapi, Self::program(folder, *sapi));
        Self(self.0.keys().map(new).collect())
    }

    pub fn get(&self, sapi: Sapi) -> Option<&Path> {
        self.0.get(&sapi).map(PathBuf::as_path)
    }

    pub fn has(&self, sapi: Sapi) -> bool {
        self.0.contains_key(&sapi)
    }

    pub fn iter(&self) -> impl Iterator<Item = (Sapi, &Path)> {
        self.0.iter().map(|(sapi, path)| (*sapi, path.as_path()))
    }

    /// Those that answer requests.
    pub fn servers(&self) -> impl Iterator<Item = (Sapi, &Path)> {
        self.iter().filter(|(sapi, _)| *sapi != Sapi::Cli)
    }
}

impl FromIterator<(Sapi, PathBuf)> for Sapis {
    fn from_iter<I: IntoIterator<Item = (Sapi, PathBuf)>>(programs: I) -> Self {
        Self(programs.into_iter().collect())
    }
}

/// The old PHPs that were named, or belong to one that was.
#[derive(Debug)]
pub(crate) struct Known {
    /// The one that the new PHP is to be like.
    pub like: Option<Like>,
    /// What new programs are compared with, the most important one first.
    all: Vec<Like>,
    /// How many of them were named.
    named: usize,
}

impl Known {
    pub fn of(settings: &Settings) -> Result<Self, Error> {
        let like = settings.like.as_deref().map(Like::describe).transpose()?;
        let mut all = Vec::new();
        for path in &settings.against {
            all.push(Like::describe(path)?);
        }
        all.extend(like.clone());
        let named = all.len();
        if let Some(like) = &like
            && let Some(path) = like.sibling()
        {
            let sibling = Like::describe(&path)?;
            all.extend((sibling.binary.version == like.binary.version).then_some(sibling));
        }
        Ok(Self { like, all, named })
    }

    /// The programs that the training needs, and the one that the new PHP is to be like. Requests are sent to each kind of
    /// server that was named, or else to PHP-FPM.
    pub fn wanted(&self, settings: &Settings) -> Result<Sapis, Error> {
        let training = &settings.training;
        if training.scripts.is_empty() && training.site.is_none() {
            return Err(Error::Asked(
                "nothing to train on: give --train-cli 'SCRIPT', or --root with --request or --access-log"
                    .into(),
            ));
        }
        let mut wanted: Vec<_> = self.like.iter().map(|like| like.binary.sapi).collect();
        if !training.scripts.is_empty() {
            wanted.push(Sapi::Cli);
        }
        if training.site.is_some() {
            let named = self.all[..self.named].iter().map(|like| like.binary.sapi);
            wanted.extend(named.filter(|sapi| *sapi != Sapi::Cli));
            if wanted.iter().all(|sapi| *sapi == Sapi::Cli) {
                wanted.push(Sapi::Fpm);
            }
        }
        let old = |sapi: Sapi| match self.all.iter().find(|like| like.binary.sapi == sapi) {
            Some(like) => Ok((sapi, like.binary.path.clone())),
            None => Err(Error::Asked(format!(
                "there is no {} to compare with: name one with --against",
                sapi.name()
            ))),
        };
        wanted.into_iter().map(old).collect()
    }

    /// Whether the new PHP has to have threads.
    pub fn is_threaded(&self) -> bool {
        self.like.as_ref().is_some_and(|like| like.binary.zts)
    }

    /// The one that runs PHP's own tests.
    pub fn tested(&self) -> Result<&Like, Error> {
        let mut all = self.all.iter();
        all.find(|like| like.binary.sapi == Sapi::Cli).ok_or_else(|| {
            Error::Asked(
                "PHP's own tests need a php for the command line to compare with: name one with --against"
                    .into(),
            )
        })
    }
}
