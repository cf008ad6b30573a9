//! How far a build goes.

use std::fmt;

/// What a build does beyond the training.
#[allow(clippy::struct_excessive_bools, reason = "each part can be there or not")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Level {
    /// It is compiled for one processor alone, which the settings name.
    pub march: bool,
    /// All files are optimised together when they are linked (LTO).
    pub lto: bool,
    /// The programs are laid out anew by BOLT, after a training of its own.
    pub bolt: bool,
    /// The programs are linked so that all of their code can lie on huge pages.
    pub huge: bool,
}

/// A part of a level, which can be there or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// [`Level::march`].
    March,
    /// [`Level::lto`].
    Lto,
    /// [`Level::bolt`].
    Bolt,
    /// [`Level::huge`].
    Huge,
}

impl Part {
    /// Its name: `march`, `lto`, `bolt`, `huge`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::March => "march",
            Self::Lto => "lto",
            Self::Bolt => "bolt",
            Self::Huge => "huge",
        }
    }
}

impl Level {
    /// This level and one part more.
    #[must_use]
    pub const fn with(mut self, part: Part) -> Self {
        match part {
            Part::March => self.march = true,
            Part::Lto => self.lto = true,
            Part::Bolt => self.bolt = true,
            Part::Huge => self.huge = true,
        }
        self
    }

    /// What of it counters depend on.
    pub(crate) const fn counted(self) -> Self {
        Self {
            march: self.march,
            lto: false,
            bolt: false,
            huge: false,
        }
    }

    /// What of it objects depend on.
    pub(crate) const fn compiled(self) -> Self {
        Self {
            lto: self.lto,
            ..self.counted()
        }
    }

    /// A name for what depends on this level, so that what another level needs may lie beside it.
    pub(crate) fn named(self, what: &str) -> String {
        self.parts()
            .fold(what.to_owned(), |name, part| format!("{name}-{}", part.name()))
    }

    fn parts(self) -> impl Iterator<Item = Part> {
        [
            (self.march, Part::March),
            (self.lto, Part::Lto),
            (self.bolt, Part::Bolt),
            (self.huge, Part::Huge),
        ]
        .into_iter()
        .filter_map(|(is_there, part)| is_there.then_some(part))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("pgo")?;
        self.parts().try_for_each(|part| write!(out, "+{}", part.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_depend_on_a_part_is_shared() {
        let level = Level::default().with(Part::Lto).with(Part::Bolt);
        assert_eq!(level.to_string(), "pgo+lto+bolt");
        assert_eq!(level.counted().named("instrumented"), "instrumented");
        assert_eq!(level.compiled().named("optimised"), "optimised-lto");
        assert_eq!(
            level.with(Part::March).counted().named("profile"),
            "profile-march"
        );
    }
}
