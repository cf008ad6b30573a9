//! Releases of Debian and Ubuntu.

/// A release of Debian, or of Ubuntu for versions of PHP that no release of Debian has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Release {
    /// Debian 12, with PHP 8.2.
    Bookworm,
    /// Debian 13, with PHP 8.4.
    Trixie,
    /// What is tried on top of Debian's unstable, with the newest PHP.
    Experimental,
    /// Ubuntu 22.04, with PHP 8.1.
    Jammy,
    /// Ubuntu 24.04, with PHP 8.3.
    Noble,
    /// Debian 11, with PHP 7.4.
    Bullseye,
    /// Ubuntu 26.04, with PHP 8.5. Roots are kept by the place in this list: what is new comes last.
    Resolute,
}

impl Release {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bullseye => "bullseye",
            Self::Bookworm => "bookworm",
            Self::Trixie => "trixie",
            Self::Experimental => "experimental",
            Self::Jammy => "jammy",
            Self::Noble => "noble",
            Self::Resolute => "resolute",
        }
    }

    /// The complete release that it stands on: itself, but for the one that holds only what is new.
    pub(crate) const fn base(self) -> &'static str {
        match self {
            Self::Experimental => "sid",
            other => other.name(),
        }
    }

    /// Where its packages come from: `$PHPERF_DEBIAN_MIRROR` and `$PHPERF_UBUNTU_MIRROR`, or who makes them.
    pub(crate) fn mirror(self) -> String {
        let (variable, itself) = if self.is_ubuntu() {
            ("PHPERF_UBUNTU_MIRROR", "http://archive.ubuntu.com/ubuntu")
        } else {
            ("PHPERF_DEBIAN_MIRROR", "http://deb.debian.org/debian")
        };
        std::env::var(variable).unwrap_or_else(|_| itself.into())
    }

    /// The parts of its archive that PHP and its drivers are in.
    pub(crate) const fn components(self) -> &'static [&'static str] {
        if self.is_ubuntu() {
            &["main", "universe"]
        } else {
            &["main"]
        }
    }

    pub(crate) const fn is_ubuntu(self) -> bool {
        matches!(self, Self::Jammy | Self::Noble | Self::Resolute)
    }
}
