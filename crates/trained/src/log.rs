//! What a step's programs say, and what keeps everybody else out of their folder as long as they run.

use crate::Error;
use std::{fs::File, path::PathBuf, process::Stdio};

/// The log of a step.
#[derive(Debug)]
pub(crate) struct Log<'a> {
    pub path: PathBuf,
    /// Of the folder: whoever has it open, has it.
    lock: &'a File,
}

impl<'a> Log<'a> {
    pub fn new(path: PathBuf, lock: &'a File) -> Self {
        Self { path, lock }
    }

    /// The lock, for a program to hold as its empty standard input: where phperf is killed, the folder is free only when the
    /// program has ended, too.
    pub fn held(&self) -> Result<Stdio, Error> {
        self.lock
            .try_clone()
            .map(Stdio::from)
            .map_err(Error::io("share the lock of the folder"))
    }
}
