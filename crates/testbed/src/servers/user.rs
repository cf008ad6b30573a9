//! Users for servers that refuse to run as root.

use nix::unistd::{Uid, User};
use std::{os::unix::fs::chown, path::Path};

use crate::Error;

/// Number and group of the system's user of that name; nothing where this does not run as root, and servers
/// can run as whoever it is.
pub(super) fn unprivileged(name: &str) -> Result<Option<(u32, u32)>, Error> {
    if !Uid::effective().is_root() {
        return Ok(None);
    }
    match User::from_name(name) {
        Ok(Some(user)) => Ok(Some((user.uid.as_raw(), user.gid.as_raw()))),
        _ => Err(Error::Unavailable {
            what: format!("user {name}"),
            why: "scripts/setup.sh test installs the server that brings it".into(),
        }),
    }
}

/// Gives a folder to such a user.
pub(super) fn give(folder: &Path, user: Option<(u32, u32)>) -> Result<(), Error> {
    match user {
        Some((uid, gid)) => {
            chown(folder, Some(uid), Some(gid)).map_err(Error::io(format!("give away {}", folder.display())))
        }
        None => Ok(()),
    }
}
