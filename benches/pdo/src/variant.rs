//! PDO as it is, and under the extension.

use anyhow::Result;
use common::rounds::{self, Results};
use php::Ini;
use std::fmt;
use testbed::Extension;

/// A way to run the same program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// PDO as it is.
    Stock,
    /// The extension is loaded and switched off.
    Off,
    /// As it is by default: statements are cached, objects are not.
    Transparent,
    /// Statement objects are reused, too.
    Reuse,
}

impl Variant {
    /// In the order of the columns.
    pub const ALL: [Self; 4] = [Self::Stock, Self::Off, Self::Transparent, Self::Reuse];

    /// The heads of the columns.
    pub fn columns() -> Vec<String> {
        Self::ALL.iter().map(ToString::to_string).collect()
    }

    /// Measures each of them once per round.
    pub fn rounds<T>(runs: usize, what: &str, measure: impl FnMut(Self) -> Result<T>) -> Results<Self, T> {
        rounds::rounds(Self::ALL.map(|variant| (variant, Ok(()))), runs, what, measure)
    }

    /// The settings that make it so.
    pub fn ini(self, extension: &Extension) -> Ini {
        let with = || Ini::new().set("extension", extension.module().to_string_lossy());
        match self {
            Self::Stock => Ini::new(),
            Self::Off => with().set("pdo_pool.stmt_cache_size", "0"),
            Self::Transparent => with(),
            Self::Reuse => with().set("pdo_pool.reuse_statements", "1"),
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stock => "stock",
            Self::Off => "loaded, off",
            Self::Transparent => "transparent",
            Self::Reuse => "with reuse",
        })
    }
}
