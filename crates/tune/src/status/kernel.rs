//! What the kernel offers, as it says itself.

use flate2::read::GzDecoder;
use std::{
    fs::{self, File},
    io::{Read, Take},
    path::Path,
};

/// A configuration is some 100 KB.
const MAX_CONFIG: u64 = 4 << 20;

/// A kernel's version, such as 6.18.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release(pub u32, pub u32);

/// The pool of hugetlb, in pages of [`remote::huge::SIZE`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pool {
    /// How many there are (`vm.nr_hugepages`).
    pub total: u64,
    /// How many nobody uses.
    pub free: u64,
    /// How many of those are promised to somebody.
    pub reserved: u64,
}

/// What the kernel offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// Its name, as `uname -r` has it.
    pub name: String,
    /// Transparent huge pages: `always`, `madvise` or `never`; `None` where the kernel has none.
    pub enabled: Option<String>,
    /// How hard it tries when one is wanted.
    pub defrag: Option<String>,
    /// The same for shared memory that is no tmpfs.
    pub shared: Option<String>,
    /// `CONFIG_READ_ONLY_THP_FOR_FS`: whether files of any file system can be gathered into huge pages; `None` if the
    /// configuration is nowhere to be read.
    pub read_only_files: Option<bool>,
    /// Pages of hugetlb.
    pub pool: Pool,
}

impl Kernel {
    /// Reads what there is.
    pub fn read() -> Self {
        let name = text("/proc/sys/kernel/osrelease").unwrap_or_default();
        let huge = |file: &str| {
            let text = text(&format!("/sys/kernel/mm/transparent_hugepage/{file}"))?;
            selected(&text).map(str::to_owned)
        };
        Self {
            enabled: huge("enabled"),
            defrag: huge("defrag"),
            shared: huge("shmem_enabled"),
            read_only_files: configuration(&name)
                .map(|text| has_option(&text, "CONFIG_READ_ONLY_THP_FOR_FS")),
            pool: pool(),
            name,
        }
    }

    /// Its version.
    pub fn release(&self) -> Release {
        let mut numbers = self.name.split(|c: char| !c.is_ascii_digit());
        let mut next = || numbers.next()?.parse().ok();
        Release(next().unwrap_or(0), next().unwrap_or(0))
    }

    /// Whether huge pages that nobody has to set aside are there for whoever asks.
    pub fn has_transparent(&self) -> bool {
        self.enabled.as_deref().is_some_and(|enabled| enabled != "never")
    }
}

impl Pool {
    fn parse(text: &str) -> Self {
        let value = |name: &str| {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.and_then(|rest| rest.trim().parse().ok()).unwrap_or(0)
        };
        Self {
            total: value("HugePages_Total"),
            free: value("HugePages_Free"),
            reserved: value("HugePages_Rsvd"),
        }
    }
}

/// The pool as it is now.
pub fn pool() -> Pool {
    Pool::parse(&text("/proc/meminfo").unwrap_or_default())
}

fn text(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim_end().to_owned())
}

/// The word in brackets: `always [madvise] never`.
fn selected(choices: &str) -> Option<&str> {
    Some(choices.split_once('[')?.1.split_once(']')?.0)
}

fn configuration(name: &str) -> Option<String> {
    fn all<R: Read>(mut from: Take<R>) -> Option<String> {
        let mut text = String::new();
        from.read_to_string(&mut text).ok()?;
        Some(text)
    }
    if let Ok(file) = File::open("/proc/config.gz") {
        return all(GzDecoder::new(file).take(MAX_CONFIG));
    }
    let file = File::open(Path::new("/boot").join(format!("config-{name}"))).ok()?;
    all(file.take(MAX_CONFIG))
}

fn has_option(configuration: &str, option: &str) -> bool {
    configuration
        .lines()
        .any(|line| line.strip_prefix(option) == Some("=y"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_stands_in_brackets() {
        assert_eq!(selected("always [madvise] never"), Some("madvise"));
        assert_eq!(selected("1"), None);
    }

    #[test]
    fn releases_are_ordered() {
        let of = |name: &str| {
            Kernel {
                name: name.into(),
                ..Kernel::default()
            }
            .release()
        };
        assert_eq!(of("6.18.44-fc-v669"), Release(6, 18));
        assert!(of("5.9-rc1") < of("5.18.0") && of("5.18") < of("6.1.0-13-amd64"));
        assert_eq!(of(""), Release(0, 0));
    }

    #[test]
    fn options_that_are_not_set_are_comments() {
        let text = "# CONFIG_READ_ONLY_THP_FOR_FS is not set\nCONFIG_HUGETLBFS=y\n";
        assert!(!has_option(text, "CONFIG_READ_ONLY_THP_FOR_FS"));
        assert!(has_option(text, "CONFIG_HUGETLBFS"));
        assert!(!has_option(text, "CONFIG_HUGE"));
    }

    #[test]
    fn the_pool_is_counted_in_pages() {
        let pool =
            Pool::parse("HugePages_Total:     128\nHugePages_Free:      113\nHugePages_Rsvd:       27\n");
        assert_eq!((pool.total, pool.free, pool.reserved), (128, 113, 27));
    }
}
