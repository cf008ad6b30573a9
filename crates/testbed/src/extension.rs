//! An extension, built as its users build it.

use crate::{Cache, Error, Toolchain, error::output};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// An extension that was built for one PHP.
#[derive(Clone, Debug)]
pub struct Extension {
    folder: PathBuf,
    module: PathBuf,
}

impl Extension {
    /// Builds the sources in a folder by `phpize && ./configure && make`, unless `cache` has what came of the
    /// same ones. `--enable-NAME-strict`, where its configure knows that, makes warnings errors.
    pub fn build(cache: &Cache, sources: &Path, toolchain: &Toolchain) -> Result<Self, Error> {
        let name = sources
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut files = Vec::new();
        read(sources, Path::new(""), &mut files)?;
        let place = toolchain.place();
        let recipe = (&files, toolchain.label(), toolchain.config());
        let folder = toolchain.cache(cache).folder(&name, recipe, |folder, _| {
            for (path, content) in &files {
                let path = folder.join(path);
                fs::create_dir_all(path.parent().unwrap_or(folder))
                    .and_then(|()| fs::write(&path, content))
                    .map_err(Error::io(format!("write {}", path.display())))?;
            }
            let flags = match toolchain.flags() {
                "" => String::new(),
                flags => format!("CFLAGS='{flags}'"),
            };
            let script = format!(
                "cd {} && {} && {} ./configure --with-php-config={} --enable-{name}-strict && make -j2",
                place.inside(folder).display(),
                toolchain.phpize().display(),
                flags,
                toolchain.config().display(),
            );
            output(place.command("sh").args(["-c", &script])).map(drop)
        })?;
        let folder = folder
            .canonicalize()
            .map_err(Error::io(format!("find {}", folder.display())))?;
        let module = place.inside(&folder.join("modules").join(format!("{name}.so")));
        Ok(Self { folder, module })
    }

    /// Its sources and tests as they were when it was built, as seen from here.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What PHP's `extension` takes, where that PHP runs.
    pub fn module(&self) -> &Path {
        &self.module
    }
}

/// What a build leaves among the sources of somebody who built them in place.
const BUILT: [&str; 9] = [
    "autom4te.cache",
    "build",
    "modules",
    ".libs",
    "include",
    "configure",
    "config.h",
    "Makefile",
    "config.status",
];

/// The files of a folder, in an order that does not change.
fn read(folder: &Path, below: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) -> Result<(), Error> {
    let reading = || format!("read {}", folder.display());
    let mut entries: Vec<_> = fs::read_dir(folder)
        .map_err(Error::io(reading()))?
        .collect::<Result<_, _>>()
        .map_err(Error::io(reading()))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), below.join(entry.file_name()));
        let built = BUILT.iter().any(|built| entry.file_name() == *built)
            || name
                .extension()
                .is_some_and(|ending| ending == "lo" || ending == "dep");
        if built {
            continue;
        }
        if path.is_dir() {
            read(&path, &name, files)?;
        } else {
            let content = fs::read(&path).map_err(Error::io(format!("read {}", path.display())))?;
            files.push((name, content));
        }
    }
    Ok(())
}
