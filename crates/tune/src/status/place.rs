//! The file system that a file lies on, and whether it has huge pages.

use super::{Kernel, Release};
use rustix::fs::{AtFlags, StatxFlags, statx};
use std::{fs, fs::File};

/// Whether the page cache of a file system has pages of 2 MB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LargeFolios {
    /// It has, for what is written in large pieces or asked for.
    Yes,
    /// It would with a mount option (`huge=within_size`).
    WithOption,
    /// Not with this kernel; with one since this version.
    Since(Release),
    /// Not known.
    Unknown,
}

/// Where a file lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The kind of file system, such as `ext4`; `None` where it cannot be told (another mount namespace).
    pub kind: Option<String>,
    /// Its own mount options.
    pub options: Vec<String>,
}

impl Place {
    /// Where an open file lies.
    pub fn of(file: &File) -> Self {
        let found = statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID)
            .ok()
            .and_then(|stat| {
                // Of other mounts, names need not be text.
                let mounts = fs::read("/proc/self/mountinfo").ok()?;
                find(&String::from_utf8_lossy(&mounts), stat.stx_mnt_id)
            });
        found.unwrap_or(Self {
            kind: None,
            options: Vec::new(),
        })
    }

    /// Whether its page cache has huge pages.
    pub fn large_folios(&self, kernel: &Kernel) -> LargeFolios {
        let since = |major, minor| {
            if kernel.release() >= Release(major, minor) {
                LargeFolios::Yes
            } else {
                LargeFolios::Since(Release(major, minor))
            }
        };
        match self.kind.as_deref() {
            Some("ext4") => since(6, 16),
            Some("xfs") => since(5, 18),
            Some("tmpfs") => {
                // With `advise` only what is mapped and asked for, and never what is written.
                let is_huge = |option: &String| matches!(option.as_str(), "huge=always" | "huge=within_size");
                if self.options.iter().any(is_huge) || kernel.shared.as_deref() == Some("force") {
                    LargeFolios::Yes
                } else {
                    LargeFolios::WithOption
                }
            }
            _ => LargeFolios::Unknown,
        }
    }
}

/// The line of a mount: `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue`.
fn find(mounts: &str, id: u64) -> Option<Place> {
    let line = mounts
        .lines()
        .find(|line| line.split(' ').next().and_then(|field| field.parse().ok()) == Some(id))?;
    let (_, rest) = line.split_once(" - ")?;
    let mut fields = rest.split(' ');
    let kind = fields.next()?.to_owned();
    let options = fields.nth(1).unwrap_or_default();
    Some(Place {
        kind: Some(kind),
        options: options.split(',').map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(name: &str) -> Kernel {
        Kernel {
            name: name.into(),
            ..Kernel::default()
        }
    }

    #[test]
    fn a_mount_is_found_by_its_number() {
        let mounts = "36 35 98:0 / / rw - ext4 /dev/root rw\n\
                      361 36 0:5 / /run/a\\040b rw,nosuid shared:2 - tmpfs tmpfs rw,size=8k,huge=within_size\n";
        assert_eq!(find(mounts, 36).unwrap().kind.as_deref(), Some("ext4"));
        let tmpfs = find(mounts, 361).unwrap();
        assert_eq!(tmpfs.large_folios(&kernel("6.1")), LargeFolios::Yes);
        assert_eq!(find(mounts, 3), None);
    }

    #[test]
    fn file_systems_learned_it_one_by_one() {
        let place = |kind: &str| Place {
            kind: Some(kind.into()),
            options: Vec::new(),
        };
        assert_eq!(place("ext4").large_folios(&kernel("6.18")), LargeFolios::Yes);
        assert_eq!(
            place("ext4").large_folios(&kernel("6.1")),
            LargeFolios::Since(Release(6, 16))
        );
        assert_eq!(place("xfs").large_folios(&kernel("6.1")), LargeFolios::Yes);
        assert_eq!(
            place("tmpfs").large_folios(&kernel("6.1")),
            LargeFolios::WithOption
        );
        let advise = Place {
            options: vec!["rw".into(), "huge=advise".into()],
            ..place("tmpfs")
        };
        assert_eq!(advise.large_folios(&kernel("6.18")), LargeFolios::WithOption);
        assert_eq!(
            place("overlay").large_folios(&kernel("6.1")),
            LargeFolios::Unknown
        );
    }

    #[test]
    fn an_open_file_lies_somewhere() {
        let file = File::open("/proc/self/stat").unwrap();
        assert_eq!(Place::of(&file).kind.as_deref(), Some("proc"));
    }
}
