//! Programs that have PHP as a library.

use super::Toolchain;
use crate::{Cache, Error, error::output};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

impl Toolchain {
    /// Compiles a C program that embeds this PHP, unless `cache` has what came of the same one; its path.
    pub fn embed(&self, cache: &Cache, source: &Path) -> Result<PathBuf, Error> {
        let text = fs::read(source).map_err(Error::io(format!("read {}", source.display())))?;
        let config = |what| output(Command::new(&self.config).arg(what));
        let library = Path::new(config("--prefix")?.trim()).join("lib");
        let includes = config("--includes")?;
        let folder = cache.folder("embed", (text, &self.config), |folder, _| {
            let mut compiler = Command::new("cc");
            compiler
                .args(["-O1", "-Wall", "-Werror"])
                .args(includes.split_whitespace())
                .arg(source)
                .arg("-o")
                .arg(folder.join("embed"))
                .arg(format!("-L{}", library.display()))
                .arg("-lphp")
                .arg(format!("-Wl,-rpath,{}", library.display()));
            output(&mut compiler).map(drop)
        })?;
        Ok(folder.join("embed"))
    }
}
