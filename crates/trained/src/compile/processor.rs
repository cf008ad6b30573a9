//! Whether this processor can run what was compiled for one that was named.

use crate::Error;
use std::{
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Command, Stdio},
};

/// An instruction that the processor does not have.
const SIGILL: i32 = 4;

/// Starts a program once. What else may be wrong with it shows later, and better.
pub(super) fn runs(program: &Path, processor: &str) -> Result<(), Error> {
    let ended = Command::new(program)
        .args(["-n", "-v"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match ended {
        Ok(status) if status.signal() == Some(SIGILL) => Err(Error::Processor(processor.into())),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::program;

    #[test]
    fn a_program_for_another_processor_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let named = |name: &str, code: &str| {
            let path = folder.path().join(name);
            program(&path, code);
            path
        };
        let error = runs(&named("other", "kill -ILL $$"), "znver9").unwrap_err();
        assert!(error.to_string().contains("compiled for znver9"), "{error}");
        runs(&named("this", "exit 0"), "native").unwrap();
    }
}
