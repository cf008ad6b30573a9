//! Things that are costly to make, kept under a name that stands for all they are made of.

use crate::Error;
use std::{
    env,
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A folder of folders, each of them whole.
#[derive(Clone, Debug)]
pub struct Cache(PathBuf);

impl Cache {
    /// A cache in a folder of one's own, such as one below `target/`.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// The user's: `$PHPERF_CACHE`, or `phperf` below `$XDG_CACHE_HOME` or `~/.cache`.
    pub fn of_user() -> Result<Self, Error> {
        let named = |name| {
            env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        named("PHPERF_CACHE")
            .or_else(|| named("XDG_CACHE_HOME").map(|cache| cache.join("phperf")))
            .or_else(|| named("HOME").map(|home| home.join(".cache/phperf")))
            .map(Self)
            .ok_or_else(|| Error::Unavailable {
                what: "cache folder".into(),
                why: "set PHPERF_CACHE to one".into(),
            })
    }

    /// The folder of that name and recipe. Where it is not there, `make` fills an empty one, which then takes its
    /// place in one step: what is there is whole, and two who make it at once do not meet. `make` is also told that
    /// place.
    pub fn folder(
        &self,
        name: &str,
        recipe: impl Hash,
        make: impl FnOnce(&Path, &Path) -> Result<(), Error>,
    ) -> Result<PathBuf, Error> {
        let folder = self.named(name, recipe);
        if folder.is_dir() {
            return Ok(folder);
        }
        fs::create_dir_all(&self.0).map_err(Error::io(format!("make {}", self.0.display())))?;
        let unfinished = TempDir::with_prefix_in(format!(".{name}-"), &self.0)
            .map_err(Error::io(format!("make a folder in {}", self.0.display())))?;
        make(unfinished.path(), &folder)?;
        match fs::rename(unfinished.path(), &folder) {
            Ok(()) => drop(unfinished.keep()),
            // Somebody else was faster; theirs is as good.
            Err(_) if folder.is_dir() => {}
            Err(error) => return Err(Error::io(format!("name {}", folder.display()))(error)),
        }
        Ok(folder)
    }

    /// The workshop of that name and recipe, once nobody else is in it.
    pub fn workshop(&self, name: &str, recipe: impl Hash) -> Result<Workshop, Error> {
        let folder = self.named(name, recipe);
        fs::create_dir_all(&folder).map_err(Error::io(format!("make {}", folder.display())))?;
        let turn = File::create(folder.join("turn")).map_err(Error::io("make a lock"))?;
        turn.lock().map_err(Error::io("wait for a workshop"))?;
        Ok(Workshop { folder, _turn: turn })
    }

    fn named(&self, name: &str, recipe: impl Hash) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        recipe.hash(&mut hasher);
        self.0.join(format!("{name}-{:016x}", hasher.finish()))
    }
}

/// A folder that is worked in by one at a time, and left as it is for the next.
#[derive(Debug)]
pub struct Workshop {
    folder: PathBuf,
    _turn: File,
}

impl Workshop {
    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_made_once_for_each_recipe_and_never_by_halves() {
        let place = tempfile::tempdir().unwrap();
        let cache = Cache::at(place.path());
        let failed = cache.folder("thing", 1, |folder, _| {
            fs::write(folder.join("half"), "").unwrap();
            Err(Error::Unavailable {
                what: "thing".into(),
                why: "no reason".into(),
            })
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);

        let mut made = 0;
        let mut get = |recipe: u32| {
            cache
                .folder("thing", recipe, |folder, _| {
                    made += 1;
                    fs::write(folder.join("whole"), recipe.to_string())
                        .map_err(Error::io("write a file of the test"))
                })
                .unwrap()
        };
        let first = get(1);
        assert_eq!((get(1), get(2) == first), (first.clone(), false));
        assert_eq!(made, 2);
        assert_eq!(fs::read_to_string(first.join("whole")).unwrap(), "1");
    }

    #[test]
    fn a_workshop_stays_as_it_was_left_and_another_recipe_has_its_own() {
        let place = tempfile::tempdir().unwrap();
        let cache = Cache::at(place.path());
        let first = cache.workshop("shop", 1).unwrap();
        fs::write(first.folder().join("left"), "").unwrap();
        let door = File::open(first.folder().join("turn")).unwrap();
        assert!(door.try_lock().is_err());
        assert!(!cache.workshop("shop", 2).unwrap().folder().join("left").exists());
        drop(first);
        assert!(cache.workshop("shop", 1).unwrap().folder().join("left").exists());
    }
}
