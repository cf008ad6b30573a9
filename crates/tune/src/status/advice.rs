//! What helps, in one line.

use super::{FileStatus, LargeFolios, Status};
use remote::huge;
use std::{
    fmt::Write,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// A folder for copies in memory.
const IN_MEMORY: &str = "/opt/php-huge";

/// One line of advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What is the matter.
    pub sentence: String,
    /// The command that helps, where there is one.
    pub command: Option<String>,
}

impl Advice {
    fn new(sentence: impl Into<String>, command: Option<String>) -> Self {
        Self {
            sentence: sentence.into(),
            command,
        }
    }

    /// For the file that most processes without huge pages run.
    pub(super) fn for_status(status: &Status) -> Self {
        let lacking = |file: &FileStatus| {
            let of_file = status.processes.iter().filter(|process| process.file == file.id);
            of_file.filter(|process| process.huge < process.text).count()
        };
        let runs = !status.processes.is_empty();
        match status.files.iter().max_by_key(|file| lacking(file)) {
            None => Self::new(
                "no PHP runs; name a binary",
                Some("phperf hugepages status /usr/sbin/php-fpm8.2".into()),
            ),
            Some(file) if runs && lacking(file) == 0 => Self::for_memory(status),
            Some(file) => Self::for_file(file, runs),
        }
    }

    /// Where the code of all that runs lies on huge pages.
    fn for_memory(status: &Status) -> Self {
        let is_small = |file: &&FileStatus| {
            let mut of_file = status.processes.iter().filter(|process| process.file == file.id);
            let is_small = of_file.any(|process| {
                let memory = process.opcache;
                memory.is_some_and(|memory| memory.huge < memory.size)
            });
            is_small && !file.deleted && !file.is_elsewhere
        };
        match status.files.iter().find(is_small) {
            Some(file) => Self::new(
                "all of PHP's text lies on huge pages, and opcache's memory does not",
                Some(format!("phperf hugepages apply {} --memory", quoted(&file.path))),
            ),
            None => Self::new(
                "all of PHP's text lies on huge pages: there is nothing to do",
                None,
            ),
        }
    }

    fn for_file(file: &FileStatus, runs: bool) -> Self {
        let path = quoted(&file.path);
        // A command would reach another file, or none.
        if file.deleted {
            return Self::new(
                format!("{path} was replaced or deleted since it was started: start it anew, and look again"),
                None,
            );
        }
        if file.is_elsewhere {
            return Self::new(
                format!(
                    "{path} lies in a container: phperf tells there what helps, or of the binary in its image"
                ),
                None,
            );
        }
        let plan = match &file.plan {
            Ok(plan) => plan,
            Err(why) => {
                return Self::new(
                    format!(
                        "{path} cannot be moved ({why}); opcache.huge_code_pages=1 may copy a part of it"
                    ),
                    None,
                );
            }
        };
        let wanted = plan.huge.end - plan.huge.start;
        let is_cached_so = file.cached.is_some_and(|cached| cached.huge >= wanted);
        let name = file
            .path
            .file_name()
            .map_or_else(|| "php".into(), |name| name.to_string_lossy());
        match file.large_folios {
            LargeFolios::Since(_) | LargeFolios::WithOption if !is_cached_so => {
                Self::in_memory(&path, &Path::new(IN_MEMORY).join(&*name))
            }
            _ if !file.is_laid_out() => Self::on_disk(&path, &copy_of(&file.path), wanted / huge::SIZE),
            _ if !is_cached_so && runs => Self::new(
                "its page cache has it in small pages, which what runs keeps: end what runs it, warm it, and start it again",
                Some(format!("phperf hugepages warm {path}")),
            ),
            _ if !is_cached_so => Self::new(
                "its page cache has it in small pages, or not at all",
                Some(format!("phperf hugepages warm {path}")),
            ),
            _ if runs => Self::new(
                "its page cache has it in huge pages: start what runs anew, and its text lies on them",
                None,
            ),
            _ => Self::new("its text will lie on huge pages when it is started", None),
        }
    }

    fn in_memory(path: &str, copy: &Path) -> Self {
        if copy.exists() {
            return Self::new(
                format!(
                    "a copy of this name lies in memory: start {} in place of it",
                    quoted(copy)
                ),
                None,
            );
        }
        Self::new(
            "this file system has no huge pages here; one in memory has",
            Some(format!(
                "mkdir -p {IN_MEMORY} && phperf hugepages apply {path} --tmpfs {IN_MEMORY}"
            )),
        )
    }

    fn on_disk(path: &str, copy: &Path, pages: u64) -> Self {
        let apply = format!("phperf hugepages apply {path} -o {}", quoted(copy));
        if copy.exists() {
            return Self::new(
                format!(
                    "{} is there: start it in place of this, or make it anew after an update",
                    quoted(copy)
                ),
                Some(apply + " --force"),
            );
        }
        Self::new(
            format!("a copy with other headers fits on {pages} huge pages"),
            Some(apply),
        )
    }
}

/// A name for the copy beside the original, for the user to change.
fn copy_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-huge");
    name.into()
}

/// As a shell takes it; in ASCII where it is no plain text.
pub fn quoted(path: &Path) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+@%:,=".contains(c);
    match path.to_str() {
        Some(text) if text.chars().all(is_plain) => text.to_owned(),
        Some(text) if !text.contains(char::is_control) => format!("'{}'", text.replace('\'', "'\\''")),
        _ => {
            let mut text = String::from("$'");
            for &byte in path.as_os_str().as_bytes() {
                match byte {
                    b'\'' | b'\\' => text.extend(['\\', byte.into()]),
                    b' '..=b'~' => text.push(byte.into()),
                    _ => {
                        let _ = write!(text, "\\{byte:03o}");
                    }
                }
            }
            text + "'"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_for_a_shell() {
        assert_eq!(quoted(Path::new("/opt/php 8")), "'/opt/php 8'");
        assert_eq!(
            quoted(Path::new("/a'\n\u{1b}[m\u{e4}")),
            "$'/a\\'\\012\\033[m\\303\\244'"
        );
        let no_text = std::ffi::OsStr::from_bytes(b"/a\xff");
        assert_eq!(quoted(Path::new(no_text)), "$'/a\\377'");
        assert_eq!(
            copy_of(Path::new("/usr/bin/php8.2")),
            Path::new("/usr/bin/php8.2-huge")
        );
    }
}
