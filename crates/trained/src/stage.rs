//! A folder in which each stage of a build is done once.

use crate::{Error, Watch, log::Log};
use rustix::fs::{FlockOperation, flock};
use std::{
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

/// What a build does, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The sources are fetched and unpacked.
    Source,
    /// PHP is compiled with counters.
    Instrument,
    /// It runs the user's load.
    Train,
    /// PHP is compiled after the counters.
    Optimise,
    /// Its programs are laid out anew by BOLT.
    Bolt,
    /// Its programs are linked for huge pages.
    Place,
    /// It answers as the old one does.
    Check,
    /// A level is measured against what there was before.
    Choose,
    /// It passes what the old one passes of PHP's own tests.
    Verify,
}

impl Stage {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Source,
        Self::Instrument,
        Self::Train,
        Self::Optimise,
        Self::Bolt,
        Self::Place,
        Self::Check,
        Self::Choose,
        Self::Verify,
    ];

    /// Its name: `source`, `instrument`, `train`, `optimise`, `bolt`, `place`, `check`, `choose`, `verify`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Instrument => "instrument",
            Self::Train => "train",
            Self::Optimise => "optimise",
            Self::Bolt => "bolt",
            Self::Place => "place",
            Self::Check => "check",
            Self::Choose => "choose",
            Self::Verify => "verify",
        }
    }
}

/// Where a build keeps what it made, and what of it is whole.
///
/// Beside each stage lies a stamp with the key of what it was made from. A stage whose key changed is made anew, and one
/// that was interrupted goes on where its tools can.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    lock: File,
}

/// What a stage was made from, and all stages before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Key(u64);

impl Folder {
    /// Makes the folder where it is not there, and keeps everybody else out of it. Stages from `from` on are made anew.
    pub fn open(path: &Path, from: Option<Stage>) -> Result<Self, Error> {
        let cannot = || Error::io(format!("build in {}", path.display()));
        fs::create_dir_all(path.join("stamps")).map_err(cannot())?;
        fs::create_dir_all(path.join("logs")).map_err(cannot())?;
        let path = path.canonicalize().map_err(cannot())?;
        if path
            .to_string_lossy()
            .chars()
            .any(|c| c.is_whitespace() || "'\"$:#\\".contains(c))
        {
            return Err(Error::Asked(format!(
                "PHP's makefiles cannot work in {}: name a folder without spaces and quotes (-o)",
                path.display()
            )));
        }
        let lock = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(path.join("lock"))
            .map_err(cannot())?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive).map_err(|_| Error::Busy(path.clone()))?;
        let folder = Self { path, lock };
        for stage in Stage::ALL {
            if from.is_some_and(|from| stage >= from) {
                folder.forget(stage)?;
            }
        }
        Ok(folder)
    }

    /// A place in it.
    pub fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The log of a stage's step.
    pub fn log(&self, name: &str) -> Log<'_> {
        Log::new(self.path.join("logs").join(format!("{name}.log")), &self.lock)
    }

    /// Does a stage, unless it was done from the same `inputs` after the same stages; the key of it. Of several that are done
    /// side by side, for several levels, each has a `name` that begins with that of the stage. `make` is told whether
    /// an earlier attempt with the same inputs began: then it may go on with what is there, else it has to clear it away.
    pub fn once(
        &self,
        (stage, name): (Stage, &str),
        after: Key,
        inputs: impl Hash,
        watch: &mut dyn Watch,
        make: impl FnOnce(bool, &mut dyn Watch) -> Result<(), Error>,
    ) -> Result<Key, Error> {
        if watch.is_stopped() {
            return Err(Error::Interrupted);
        }
        let mut hasher = DefaultHasher::new();
        (after, inputs).hash(&mut hasher);
        let key = hasher.finish();
        let (begun, done) = (format!("begun {key:016x}\n"), format!("done {key:016x}\n"));
        let stamp = self.stamps().join(name);
        let found = fs::read_to_string(&stamp).unwrap_or_default();
        let is_done = found == done;
        watch.stage(stage, is_done);
        if !is_done {
            let write =
                |text: &str| fs::write(&stamp, text).map_err(self.full(format!("write {}", stamp.display())));
            write(&begun)?;
            make(found == begun, watch)?;
            write(&done)?;
        }
        Ok(Key(key))
    }

    /// Makes sure that a stage is made anew next time, for each level.
    pub fn forget(&self, stage: Stage) -> Result<(), Error> {
        let cannot = || Error::io(format!("forget the stage {}", stage.name()));
        for entry in fs::read_dir(self.stamps()).map_err(cannot())? {
            let entry = entry.map_err(cannot())?;
            let name = entry.file_name();
            if name.to_string_lossy().split('-').next() == Some(stage.name()) {
                fs::remove_file(entry.path()).map_err(cannot())?;
            }
        }
        Ok(())
    }

    /// For `map_err`: names what was tried, and a full disk as such.
    pub fn full(&self, doing: String) -> impl FnOnce(std::io::Error) -> Error {
        let path = self.path.clone();
        move |source| match source.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Error::DiskFull(path),
            _ => Error::io(doing)(source),
        }
    }

    fn stamps(&self) -> PathBuf {
        self.path.join("stamps")
    }
}

/// Makes a folder, empty.
pub(crate) fn emptied(path: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::io(format!("clear {}", path.display()))(error));
        }
        _ => {}
    }
    fs::create_dir_all(path).map_err(Error::io(format!("make {}", path.display())))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use Stage::{Source, Train};

    /// Looks on, and lets everything go on.
    #[derive(Debug, Default)]
    pub struct Patient {
        pub seen: Vec<(Stage, bool)>,
    }

    impl Watch for Patient {
        fn stage(&mut self, stage: Stage, done: bool) {
            self.seen.push((stage, done));
        }
        fn progress(&mut self, _: usize, _: usize) {}
        fn is_stopped(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_stage_is_done_once_for_its_inputs_and_those_before_it() {
        let place = tempfile::tempdir().unwrap();
        let mut watch = Patient::default();
        let mut made = Vec::new();
        let mut build = |source: u32, load: u32, from: Option<Stage>| {
            let folder = opened(place.path(), from);
            let mut now = Vec::new();
            let mut key = Key::default();
            for (stage, input) in [(Source, source), (Train, load)] {
                key = folder
                    .once((stage, stage.name()), key, input, &mut watch, |_, _| {
                        now.push(stage);
                        Ok(())
                    })
                    .unwrap();
            }
            made.push(now);
        };
        build(1, 1, None);
        build(1, 1, None);
        build(1, 2, None);
        build(2, 2, None);
        build(2, 2, Some(Train));
        assert_eq!(
            made,
            [
                vec![Source, Train],
                vec![],
                vec![Train],
                vec![Source, Train],
                vec![Train]
            ]
        );
        assert_eq!(watch.seen[2..4], [(Source, true), (Train, true)]);
    }

    #[test]
    fn what_failed_is_begun_and_not_done() {
        let place = tempfile::tempdir().unwrap();
        let mut goes_on = Vec::new();
        for input in [1, 1, 2] {
            let folder = opened(place.path(), None);
            let (step, key) = ((Train, "train"), Key::default());
            let result = folder.once(step, key, input, &mut Patient::default(), |begun, _| {
                goes_on.push(begun);
                Err(Error::Interrupted)
            });
            assert!(matches!(result, Err(Error::Interrupted)));
        }
        assert_eq!(goes_on, [false, true, false]);
    }

    #[test]
    fn levels_lie_side_by_side_and_are_forgotten_together() {
        let place = tempfile::tempdir().unwrap();
        let folder = opened(place.path(), None);
        let done = |name: &str| {
            let mut made = 0;
            folder
                .once(
                    (Train, name),
                    Key::default(),
                    name,
                    &mut Patient::default(),
                    |_, _| {
                        made += 1;
                        Ok(())
                    },
                )
                .unwrap();
            made
        };
        let all = || ["train", "train-march"].map(done);
        assert_eq!([all(), all()], [[1, 1], [0, 0]]);
        folder.forget(Source).unwrap();
        assert_eq!(all(), [0, 0]);
        folder.forget(Train).unwrap();
        assert_eq!(all(), [1, 1]);
    }

    /// Opens a folder that somebody has just left: what another test starts at that moment has all descriptors, and the
    /// lock with them, until it is executed.
    pub fn opened(path: &Path, from: Option<Stage>) -> Folder {
        loop {
            match Folder::open(path, from) {
                Err(Error::Busy(_)) => std::thread::yield_now(),
                opened => break opened.unwrap(),
            }
        }
    }

    #[test]
    fn two_do_not_build_in_one_folder() {
        let place = tempfile::tempdir().unwrap();
        let first = Folder::open(place.path(), None).unwrap();
        assert!(matches!(Folder::open(place.path(), None), Err(Error::Busy(_))));
        drop(first);
        opened(place.path(), None);
        let spaces = place.path().join("a b");
        assert!(matches!(Folder::open(&spaces, None), Err(Error::Asked(_))));
    }
}
