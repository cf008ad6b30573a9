//! Whether a copy of a PHP answers as the original does.

use super::go_on;
use crate::{Error, status::by_path};
use std::{
    io,
    path::Path,
    process::{Command, Output, Stdio},
    sync::atomic::AtomicBool,
    thread,
    time::Duration,
};

/// What both are asked: by the version, and by the modules that the machine's settings load.
const QUESTIONS: [&str; 2] = ["-v", "-m"];
/// For how long somebody may keep a copy of the descriptor that it was written with: a process that another thread
/// starts has one for a moment.
const TRIES: u32 = 1000;

/// Asks both; the questions, if all answers are the same.
pub fn same_answers(original: &Path, copy: &Path, stop: &AtomicBool) -> Result<Vec<&'static str>, Error> {
    let differs = |what: String| Error::Differs {
        path: original.into(),
        what,
    };
    for question in QUESTIONS {
        let before = ask(original, question).map_err(Error::io(format!("start {}", original.display())))?;
        go_on(stop)?;
        let after = ask(copy, question).map_err(|error| {
            let hint = if error.kind() == io::ErrorKind::PermissionDenied {
                "; is its file system mounted noexec?"
            } else {
                ""
            };
            differs(format!("it cannot be started: {error}{hint}"))
        })?;
        go_on(stop)?;
        if after.status != before.status {
            return Err(differs(format!("`{question}` ended with {}", after.status)));
        }
        if (&after.stdout, &after.stderr) != (&before.stdout, &before.stderr) {
            return Err(differs(format!("`{question}` has another answer")));
        }
    }
    Ok(QUESTIONS.to_vec())
}

fn ask(php: &Path, question: &str) -> io::Result<Output> {
    let mut tries = 0;
    loop {
        let answer = Command::new(by_path(php))
            .arg(question)
            .stdin(Stdio::null())
            .output();
        match answer {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && tries < TRIES => {
                tries += 1;
                thread::sleep(Duration::from_millis(1));
            }
            answer => return answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_answer_is_found() {
        let php = php::Binary::cli().unwrap().path;
        let stop = AtomicBool::default();
        assert_eq!(same_answers(&php, &php, &stop).unwrap(), QUESTIONS);
        let error = same_answers(&php, Path::new("/bin/true"), &stop).unwrap_err();
        assert!(error.to_string().contains("`-v` has another answer"), "{error}");
        let error = same_answers(&php, Path::new("/etc/passwd"), &stop).unwrap_err();
        assert!(error.to_string().contains("noexec"), "{error}");
    }
}
