//! Standard streams that lead elsewhere for a while, so that a command that is started then has them there.

use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use std::{
    io,
    os::fd::{AsFd, OwnedFd},
};

/// The streams lead elsewhere until this is dropped.
pub struct Diverted {
    before: [OwnedFd; 3],
}

impl Diverted {
    /// Those of standard input, output and error for which there is somewhere else to lead.
    pub fn to<F: AsFd>(streams: [Option<F>; 3]) -> io::Result<Self> {
        let diverted = Self {
            before: [
                io::stdin().as_fd().try_clone_to_owned()?,
                io::stdout().as_fd().try_clone_to_owned()?,
                io::stderr().as_fd().try_clone_to_owned()?,
            ],
        };
        let [stdin, stdout, stderr] = streams;
        if let Some(stdin) = stdin {
            dup2_stdin(stdin)?;
        }
        if let Some(stdout) = stdout {
            dup2_stdout(stdout)?;
        }
        if let Some(stderr) = stderr {
            dup2_stderr(stderr)?;
        }
        Ok(diverted)
    }
}

impl Drop for Diverted {
    fn drop(&mut self) {
        let [stdin, stdout, stderr] = &self.before;
        // Copies of what they were: this fails only if somebody closed them.
        let _ = dup2_stdin(stdin);
        let _ = dup2_stdout(stdout);
        let _ = dup2_stderr(stderr);
    }
}
