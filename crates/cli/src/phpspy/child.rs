//! Where the output of the command goes.

use crate::stdio::Diverted;
use anyhow::{Context, Result};
use std::{
    fs::{self, File},
    path::PathBuf,
};

/// What stands for the command's process in a file's name.
const PID: &str = "%d";

/// A file for the output, and one for the errors.
pub struct Streams([(String, PathBuf, File); 2]);

impl Streams {
    /// Opens both. The process is not known yet: its number comes into the names with [`Streams::name_after`].
    pub fn open(stdout: &str, stderr: &str) -> Result<Self> {
        Ok(Self([open(stdout)?, open(stderr)?]))
    }

    /// Has the command that is started next write there.
    pub fn divert(&self) -> Result<Diverted> {
        let [(_, _, stdout), (_, _, stderr)] = &self.0;
        Ok(Diverted::to([None, Some(stdout), Some(stderr)])?)
    }

    /// Gives the files the names that they were to have.
    pub fn name_after(&self, pid: u32) -> Result<()> {
        for (name, path, _) in &self.0 {
            if name.contains(PID) {
                let to = name.replace(PID, &pid.to_string());
                fs::rename(path, &to).with_context(|| format!("cannot write {to}"))?;
            }
        }
        Ok(())
    }
}

fn open(name: &str) -> Result<(String, PathBuf, File)> {
    let path = PathBuf::from(name.replace(PID, &format!("{}.part", std::process::id())));
    let file = File::create(&path)
        .with_context(|| format!("cannot write {}; name other files with -O and -E", path.display()))?;
    Ok((name.to_owned(), path, file))
}
