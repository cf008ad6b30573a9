//! Owner, mode and extended attributes of a file, given to another one.

use crate::Error;
use rustix::fs::{Gid, Mode, Uid, XattrFlags, fchmod, fchown, fgetxattr, flistxattr, fsetxattr};
use std::{fs::File, os::unix::fs::MetadataExt, path::Path};

/// Attributes have at most 64 KB.
const LARGEST: usize = 64 << 10;
/// Signatures of the bytes, which are others now.
const OF_BYTES: [&[u8]; 2] = [b"security.ima", b"security.evm"];

/// Gives `to` what `from` has. What may not be given is returned, with why; a mode that cannot be set is an error.
pub fn keep(from: &File, to: &File, path: &Path) -> Result<Vec<String>, Error> {
    let doing = || format!("set the mode of {}", path.display());
    let (theirs, ours) = (
        from.metadata().map_err(Error::io(doing()))?,
        to.metadata().map_err(Error::io(doing()))?,
    );
    let mut lost = Vec::new();
    let mut mode = theirs.mode() & 0o7777;
    if (theirs.uid(), theirs.gid()) != (ours.uid(), ours.gid()) {
        let owner = (Uid::from_raw(theirs.uid()), Gid::from_raw(theirs.gid()));
        if let Err(errno) = fchown(to, Some(owner.0), Some(owner.1)) {
            lost.push(format!("owner {}:{} ({errno})", theirs.uid(), theirs.gid()));
            // They would give the rights of another owner.
            mode &= 0o777;
        }
    }
    // After the owner, whose change takes bits and capabilities away.
    fchmod(to, Mode::from_raw_mode(mode)).map_err(Error::errno(doing()))?;
    let mut names = vec![0; LARGEST];
    let Ok(length) = flistxattr(from, &mut names[..]) else {
        return Ok(lost);
    };
    let mut value = vec![0; LARGEST];
    for name in names[..length]
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
    {
        let copied = if OF_BYTES.contains(&name) {
            Err("it signs other bytes".to_owned())
        } else {
            fgetxattr(from, name, &mut value[..])
                .and_then(|length| fsetxattr(to, name, &value[..length], XattrFlags::empty()))
                .map_err(|errno| errno.to_string())
        };
        if let Err(why) = copied {
            lost.push(format!("{} ({why})", String::from_utf8_lossy(name)));
        }
    }
    Ok(lost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::PermissionsExt};

    #[test]
    fn mode_and_attributes_are_kept() {
        let from = tempfile::NamedTempFile::new().unwrap();
        let to = tempfile::NamedTempFile::new().unwrap();
        fs::set_permissions(from.path(), fs::Permissions::from_mode(0o751)).unwrap();
        let has_attributes = fsetxattr(from.as_file(), "user.phperf", b"kept", XattrFlags::empty()).is_ok();
        let lost = keep(from.as_file(), to.as_file(), to.path()).unwrap();
        assert!(lost.is_empty(), "{lost:?}");
        assert_eq!(to.path().metadata().unwrap().mode() & 0o7777, 0o751);
        if has_attributes {
            let mut value = [0; 8];
            let length = fgetxattr(to.as_file(), "user.phperf", &mut value[..]).unwrap();
            assert_eq!(&value[..length], b"kept");
        }
    }
}
