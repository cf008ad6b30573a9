//! A PHP-FPM as it is measured: a build, and how it is started.

use crate::builds::Build;
use php::{Ini, Sapi};
use std::fmt;
use trained::measure::Variant;

/// One side of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Its program.
    pub build: Build,
    jit: bool,
    memory: Memory,
}

/// What of PHP's memory lies on huge pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    Small,
    /// What each worker allocates.
    HugeHeap,
    /// That, and what opcache shares between them.
    Huge,
}

/// A build as it is.
pub const fn side(build: Build) -> Side {
    Side {
        build,
        jit: false,
        memory: Memory::Small,
    }
}

impl Side {
    /// With the tracing JIT.
    pub const fn jit(self) -> Self {
        Self { jit: true, ..self }
    }

    /// With its heap on huge pages.
    pub const fn huge_heap(self) -> Self {
        Self {
            memory: Memory::HugeHeap,
            ..self
        }
    }

    /// With its heap and opcache's memory on huge pages.
    pub const fn huge_memory(self) -> Self {
        Self {
            memory: Memory::Huge,
            ..self
        }
    }

    /// Pages of 2 MB that it takes of those that are set aside: for opcache's memory and the JIT's buffer.
    pub fn huge_pages(self) -> u32 {
        let megabytes = match (self.memory, self.jit) {
            (Memory::Huge, true) => MEGABYTES + BUFFER,
            (Memory::Huge, false) => MEGABYTES,
            _ => 0,
        };
        megabytes / 2
    }

    /// How it is started. Pages that are set aside are there for whoever asks first, and opcache asks for as many as fit
    /// exactly: an odd number of megabytes is on small pages.
    pub fn variant(self) -> Variant {
        let settings = Ini::new().set(
            "opcache.memory_consumption",
            match self.memory {
                Memory::Huge => MEGABYTES.to_string(),
                Memory::Small | Memory::HugeHeap => (MEGABYTES - 1).to_string(),
            },
        );
        Variant {
            sapi: Sapi::Fpm,
            program: match self.memory {
                Memory::Small => self.build.program().into(),
                Memory::HugeHeap | Memory::Huge => self.build.with_huge_heap().into(),
            },
            settings: if self.jit { settings.jit() } else { settings },
        }
    }
}

/// PHP's own `opcache.memory_consumption`.
const MEGABYTES: u32 = 128;
/// Megabytes of [`Ini::jit`]'s buffer.
const BUFFER: u32 = 32;

impl fmt::Display for Side {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = match self.memory {
            Memory::Small => "",
            Memory::HugeHeap => ", huge heap",
            Memory::Huge => ", huge memory",
        };
        let jit = if self.jit { " with JIT" } else { "" };
        write!(out, "{}{memory}{jit}", self.build.name())
    }
}
