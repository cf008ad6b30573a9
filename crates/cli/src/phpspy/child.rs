//! Where the output of the command goes.

use crate::stdio::Diverted;
use anyhow::{Context, Result};
use std::{
    fs::{self, File},
    path::PathBuf,
};

/// What stands for the command's process in a file's name.
const PID: &str = "%d";
/// The name that leaves a stream where it is.
const AS_IT_IS: &str = "-";

/// A file for the output, and one for the errors.
pub struct Streams([Option<Stream>; 2]);

struct Stream {
    name: String,
    path: PathBuf,
    file: File,
}

impl Streams {
    /// Opens both. The process is not known yet: its number comes into the names with [`Streams::name_after`].
    pub fn open(stdout: &str, stderr: &str) -> Result<Self> {
        Ok(Self([open(stdout)?, open(stderr)?]))
    }

    /// Has the command that is started next write there.
    pub fn divert(&self) -> Result<Diverted> {
        let [stdout, stderr] = self
            .0
            .each_ref()
            .map(|stream| stream.as_ref().map(|stream| &stream.file));
        Ok(Diverted::to([None, stdout, stderr])?)
    }

    /// Gives the files the names that they were to have.
    pub fn name_after(&self, pid: u32) -> Result<()> {
        for Stream { name, path, .. } in self.0.iter().flatten() {
            if name.contains(PID) {
                let to = name.replace(PID, &pid.to_string());
                fs::rename(path, &to).with_context(|| format!("cannot write {to}"))?;
            }
        }
        Ok(())
    }
}

fn open(name: &str) -> Result<Option<Stream>> {
    if name == AS_IT_IS {
        return Ok(None);
    }
    let path = PathBuf::from(name.replace(PID, &format!("{}.part", std::process::id())));
    let file = File::create(&path)
        .with_context(|| format!("cannot write {}; name other files with -O and -E", path.display()))?;
    Ok(Some(Stream {
        name: name.to_owned(),
        path,
        file,
    }))
}
