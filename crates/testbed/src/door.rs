//! A program of another root, to be called as if it were one of this machine's.

use crate::{Error, Place};
use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// Writes `script`, which becomes `program` of `place` when root runs it: the process keeps its number, and finds these
/// `folders` of this machine, `/tmp` and `/proc` in that root.
pub fn door(place: &Place, program: &Path, folders: &[PathBuf], script: &Path) -> Result<(), Error> {
    let quoted = |path: &Path| format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
    let mut lines = vec![
        "#!/bin/sh".to_owned(),
        "set -e".into(),
        // In a namespace of its own the mounts end with the process.
        r#"[ -n "$PHPERF_DOOR" ] || PHPERF_DOOR=open exec unshare -m "$0" "$@""#.into(),
        "unset PHPERF_DOOR".into(),
    ];
    let shared = [PathBuf::from("/proc"), PathBuf::from("/tmp")];
    for folder in shared.iter().chain(folders) {
        let there = quoted(&place.outside(folder));
        lines.push(format!("mkdir -p {there}"));
        lines.push(format!("mount --rbind {} {there}", quoted(folder)));
    }
    let root = quoted(&place.outside("/"));
    lines.push(format!("exec chroot {root} {} \"$@\"\n", quoted(program)));
    fs::write(script, lines.join("\n")).map_err(Error::io("write the door to another root"))?;
    fs::set_permissions(script, Permissions::from_mode(0o755))
        .map_err(Error::io("open the door to another root"))
}
