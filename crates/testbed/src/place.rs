//! Where programs run: on this machine as it is, or in a root with another Debian release.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// This machine, or a root on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    root: Option<PathBuf>,
}

impl Place {
    /// This machine as it is.
    pub fn here() -> Self {
        Self::default()
    }

    /// The root in this folder. Only root can run programs there.
    pub fn within(root: impl Into<PathBuf>) -> Self {
        Self {
            root: Some(root.into()),
        }
    }

    /// A program that runs there, by its name or the path that it has there.
    pub fn command(&self, program: &str) -> Command {
        let Some(root) = &self.root else {
            return Command::new(program);
        };
        let mut command = Command::new("chroot");
        command.arg(root).arg(program);
        // The folders of this machine mean nothing there.
        command
            .env(
                "PATH",
                "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            )
            .env("HOME", "/root")
            .env_remove("TMPDIR");
        command
    }

    /// The same program as another user, by numbers, since names may differ there.
    pub fn command_as(&self, program: &str, user: Option<(u32, u32)>) -> Command {
        let Some((uid, gid)) = user else {
            return self.command(program);
        };
        let mut command = Command::new("setpriv");
        command
            .arg(format!("--reuid={uid}"))
            .arg(format!("--regid={gid}"))
            .args(["--clear-groups", "--"]);
        if let Some(root) = &self.root {
            // Only root may change the root, so that this comes before the change of the user.
            command = Command::new("chroot");
            command.arg(format!("--userspec={uid}:{gid}")).arg(root);
        }
        command.arg(program);
        command
    }

    /// The path that a file has for programs there, of the one that it has here.
    pub fn inside(&self, path: &Path) -> PathBuf {
        match self.root.as_deref().map(|root| path.strip_prefix(root)) {
            Some(Ok(rest)) => Path::new("/").join(rest),
            _ => path.into(),
        }
    }

    /// The path here of a file that programs there know by this one.
    pub fn outside(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        match &self.root {
            Some(root) => root.join(path.strip_prefix("/").unwrap_or(path)),
            None => path.into(),
        }
    }

    /// A folder for temporary folders, as seen from here.
    pub fn temporary(&self) -> PathBuf {
        match &self.root {
            Some(root) => root.join("tmp"),
            None => std::env::temp_dir(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_in_and_out() {
        let place = Place::within("/roots/trixie");
        assert_eq!(
            place.inside(Path::new("/roots/trixie/tmp/x")),
            Path::new("/tmp/x")
        );
        assert_eq!(
            place.outside("/usr/bin/php"),
            Path::new("/roots/trixie/usr/bin/php")
        );
        assert_eq!(Place::here().inside(Path::new("/tmp/x")), Path::new("/tmp/x"));
        assert_eq!(Place::here().outside("/tmp/x"), Path::new("/tmp/x"));
    }
}
