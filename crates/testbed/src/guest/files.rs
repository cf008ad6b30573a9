//! The files that a virtual machine has, all of them in its memory.

use crate::{Error, error::output};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// Programs of this machine, with the libraries that they load, at the paths that they have here.
#[derive(Debug)]
pub struct Files(TempDir);

impl Files {
    /// A shell, the means to mount, and empty folders.
    pub fn new() -> Result<Self, Error> {
        let folder = tempfile::tempdir().map_err(Error::io("make a folder for a machine's files"))?;
        let files = Self(folder);
        for name in ["dev", "proc", "sys", "tmp"] {
            fs::create_dir(files.0.path().join(name)).map_err(Error::io("make a machine's folders"))?;
        }
        for program in ["/bin/sh", "/bin/cat", "/bin/mount"] {
            files.program(Path::new(program), Path::new(program))?;
        }
        Ok(files)
    }

    /// A program of this machine with its libraries, without its debug information, at this path there.
    pub fn program(&self, here: &Path, there: &Path) -> Result<(), Error> {
        let copy = self.place(there)?;
        output(
            Command::new("strip")
                .arg("--strip-debug")
                .arg("-o")
                .arg(&copy)
                .arg(here),
        )?;
        // What is linked statically has no libraries, and makes ldd fail.
        let libraries = output(Command::new("ldd").arg(here)).unwrap_or_default();
        for library in libraries.split_whitespace().filter(|word| word.starts_with('/')) {
            let copy = self.place(Path::new(library))?;
            fs::copy(library, copy).map_err(Error::io(format!("copy {library}")))?;
        }
        Ok(())
    }

    /// Everything that is in a folder of this machine.
    pub fn folder(&self, here: &Path, there: &Path) -> Result<(), Error> {
        let copy = self.place(there)?;
        output(Command::new("cp").arg("-rL").arg(here).arg(copy)).map(drop)
    }

    /// A script of its shell.
    pub fn script(&self, there: &Path, text: &str) -> Result<(), Error> {
        let path = self.place(there)?;
        fs::write(&path, format!("#!/bin/sh\n{text}"))
            .and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(0o755)))
            .map_err(Error::io(format!("write {}", path.display())))
    }

    /// All of them as what a kernel unpacks into its memory when it boots.
    pub(super) fn pack(&self, archive: &Path) -> Result<(), Error> {
        let script = r#"cd "$0" && find . | cpio --quiet --create --format newc >"$1""#;
        let mut command = Command::new("sh");
        command.args(["-c", script]).arg(self.0.path()).arg(archive);
        output(&mut command).map(drop)
    }

    /// The place of a file of theirs, in folders that are there.
    fn place(&self, there: &Path) -> Result<PathBuf, Error> {
        let path = self.0.path().join(there.strip_prefix("/").unwrap_or(there));
        let folder = path.parent().unwrap_or(&path);
        fs::create_dir_all(folder).map_err(Error::io(format!("make {}", folder.display())))?;
        Ok(path)
    }
}
