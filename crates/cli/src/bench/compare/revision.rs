//! A revision of a git repository in a folder of its own.

use anyhow::{Context, Result, bail};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// A work tree, taken away when this is dropped.
pub struct Revision {
    repository: PathBuf,
    tree: PathBuf,
    /// Where the suite is: the folder in it that `project` is in its own tree.
    pub folder: PathBuf,
    _scratch: TempDir,
}

impl Revision {
    /// Checks `revision` out beside the repository that `project` lies in, and runs the line `prepare` in it.
    pub fn check_out(project: &Path, revision: &str, prepare: Option<&str>) -> Result<Self> {
        let repository = PathBuf::from(git(project, ["rev-parse", "--show-toplevel"])?);
        let prefix = git(project, ["rev-parse", "--show-prefix"])?;
        let commit = format!("{revision}^{{commit}}");
        let hash = git(project, ["rev-parse", "--verify", "--end-of-options", &commit])
            .with_context(|| format!("{revision} is no revision of {}", repository.display()))?;
        let scratch = tempfile::Builder::new().prefix("phperf-revision-").tempdir()?;
        let tree = scratch.path().join("tree");
        let add: [&OsStr; 6] = [
            "worktree".as_ref(),
            "add".as_ref(),
            "--quiet".as_ref(),
            "--detach".as_ref(),
            tree.as_ref(),
            hash.as_ref(),
        ];
        git(&repository, add)?;
        let found = Self {
            folder: tree.join(prefix),
            repository,
            tree,
            _scratch: scratch,
        };
        if !found.folder.is_dir() {
            bail!(
                "{revision} has no folder {}: start from another one",
                project.display()
            );
        }
        if let Some(line) = prepare {
            let status = Command::new("sh")
                .args(["-c", line])
                .current_dir(&found.folder)
                .env("PHPERF_PROJECT", project)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .status()
                .context("cannot start sh")?;
            if !status.success() {
                bail!("--prepare failed for {revision}: {line}: {status}");
            }
        }
        Ok(found)
    }
}

impl Drop for Revision {
    fn drop(&mut self) {
        let remove: [&OsStr; 4] = [
            "worktree".as_ref(),
            "remove".as_ref(),
            "--force".as_ref(),
            self.tree.as_ref(),
        ];
        let _ = git(&self.repository, remove);
    }
}

/// What git says.
fn git<A: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = A>) -> Result<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .output()
        .context("cannot start git")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("git: {}", said.lines().next().unwrap_or("it failed").trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout)
        .trim_end_matches('\n')
        .to_owned())
}
