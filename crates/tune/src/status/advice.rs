//! What helps, in one line.

use super::{FileStatus, LargeFolios, Status};
use remote::huge;
use std::path::Path;

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
            let of_file = status
                .processes
                .iter()
                .filter(|process| process.path == file.path);
            of_file.filter(|process| process.huge < process.text).count()
        };
        let runs = !status.processes.is_empty();
        match status.files.iter().max_by_key(|file| lacking(file)) {
            None => Self::new(
                "no PHP runs; name a binary",
                Some("phperf hugepages status /usr/sbin/php-fpm8.2".into()),
            ),
            Some(file) if runs && lacking(file) == 0 => Self::new(
                "all of PHP's text lies on huge pages: there is nothing to do",
                None,
            ),
            Some(file) => Self::for_file(file, runs),
        }
    }

    fn for_file(file: &FileStatus, runs: bool) -> Self {
        let path = quoted(&file.path);
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
        let on_tmpfs = || {
            format!(
                "mount -t tmpfs -o mode=755,size=64m,huge=within_size phperf /mnt && phperf hugepages apply {path} -o {}",
                quoted(&Path::new("/mnt").join(&*name))
            )
        };
        match file.large_folios {
            LargeFolios::Since(_) | LargeFolios::WithOption if !is_cached_so => Self::new(
                "this file system has no huge pages here; one in memory has",
                Some(on_tmpfs()),
            ),
            _ if !file.is_laid_out() => Self::new(
                format!(
                    "a copy with other headers fits on {} huge pages",
                    wanted / huge::SIZE
                ),
                Some(format!(
                    "phperf hugepages apply {path} -o {}",
                    copy_of(&file.path)
                )),
            ),
            _ if !is_cached_so => Self::new(
                "its page cache has it in small pages; what runs has to be started anew afterwards",
                Some(format!("phperf hugepages warm {path}")),
            ),
            _ if runs => Self::new(
                "its page cache has it in huge pages: start what runs anew, and its text lies on them",
                None,
            ),
            _ => Self::new("its text will lie on huge pages when it is started", None),
        }
    }
}

/// A name for the copy beside the original, for the user to change.
fn copy_of(path: &Path) -> String {
    let mut name = path.as_os_str().to_owned();
    name.push("-huge");
    quoted(Path::new(&name))
}

/// As a shell takes it.
pub fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+@%:,=".contains(c);
    if text.chars().all(is_plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_for_a_shell() {
        assert_eq!(quoted(Path::new("/opt/php 8")), "'/opt/php 8'");
        assert_eq!(copy_of(Path::new("/usr/bin/php8.2")), "/usr/bin/php8.2-huge");
    }
}
