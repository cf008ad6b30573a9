//! Releases of Debian.

/// A release of Debian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Release {
    /// Debian 12, with PHP 8.2.
    Bookworm,
    /// Debian 13, with PHP 8.4.
    Trixie,
    /// What is tried on top of unstable, with the newest PHP.
    Experimental,
}

impl Release {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bookworm => "bookworm",
            Self::Trixie => "trixie",
            Self::Experimental => "experimental",
        }
    }

    /// The complete release that it stands on: itself, but for the one that holds only what is new.
    pub(super) const fn base(self) -> &'static str {
        match self {
            Self::Experimental => "sid",
            other => other.name(),
        }
    }
}

/// Where its packages come from: `$PHPERF_DEBIAN_MIRROR`, or Debian itself.
pub(super) fn mirror() -> String {
    std::env::var("PHPERF_DEBIAN_MIRROR").unwrap_or_else(|_| "http://deb.debian.org/debian".into())
}
