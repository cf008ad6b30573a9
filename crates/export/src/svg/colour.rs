//! Colours by what a frame is: one's own PHP code, what PHP brings, files being included, waiting.

use inferno::flamegraph::color::Color;
use profile::{Kind, State};

/// What a box of the picture stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// PHP code.
    User,
    /// A function of PHP itself or of an extension.
    Internal,
    /// A script or an included file.
    File,
    /// A function of C.
    Native,
    /// A function of the kernel.
    Kernel,
    /// Time that was spent waiting for something.
    Blocked,
    /// Time that was spent waiting for a CPU.
    Runnable,
    /// The box below all others.
    All,
}

impl From<Kind> for Class {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::User => Self::User,
            Kind::Internal => Self::Internal,
            Kind::Main | Kind::Include => Self::File,
            Kind::Native => Self::Native,
            Kind::Kernel => Self::Kernel,
        }
    }
}

impl Class {
    /// The classes that the legend always explains, with their words.
    pub const LEGEND: [(Self, &'static str); 5] = [
        (Self::User, "PHP code"),
        (Self::Internal, "built-in function"),
        (Self::File, "script or included file"),
        (Self::Blocked, "waiting"),
        (Self::Runnable, "waiting for a CPU"),
    ];
    /// Those that it explains where they were looked for.
    pub const LEGEND_OF_C: [(Self, &'static str); 2] = [(Self::Native, "C"), (Self::Kernel, "kernel")];

    /// The box that is drawn on top of a stack whose samples were waiting.
    pub const fn of_state(state: State) -> Option<(Self, &'static str)> {
        match state {
            State::OnCpu => None,
            State::Blocked => Some((Self::Blocked, "[waiting]")),
            State::Runnable => Some((Self::Runnable, "[waiting for a CPU]")),
        }
    }

    /// The darkest and the lightest shade.
    const fn shades(self) -> [[u8; 3]; 2] {
        match self {
            Self::User => [[140, 148, 212], [186, 192, 238]],
            Self::Internal => [[244, 170, 66], [252, 208, 122]],
            Self::File => [[150, 196, 176], [182, 216, 200]],
            Self::Native => [[196, 144, 186], [226, 186, 216]],
            Self::Kernel => [[150, 150, 158], [186, 186, 194]],
            Self::Blocked => [[200, 206, 214]; 2],
            Self::Runnable => [[236, 140, 140]; 2],
            Self::All => [[232, 232, 236]; 2],
        }
    }

    /// The colour of a box: the same for the same name in every picture, much alike within a class of PHP.
    pub fn colour(self, name: &str) -> Color {
        let [dark, light] = self.shades();
        let family = name.rsplit_once("::").map_or(name, |(class, _)| class);
        let (coarse, fine) = (hash(family) % 192, hash(name) % 64);
        let mix = |at: usize| {
            let (from, to) = (u32::from(dark[at]), u32::from(light[at]));
            (from + (to - from) * (coarse + fine) / 255) as u8
        };
        Color {
            r: mix(0),
            g: mix(1),
            b: mix(2),
        }
    }
}

/// FNV-1a.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_colour_within_its_shades() {
        let user = Class::User.colour("App\\Foo::bar");
        assert_eq!(user, Class::User.colour("App\\Foo::bar"));
        assert!(
            (140..=186).contains(&user.r) && (212..=238).contains(&user.b),
            "{user:?}"
        );
        assert_ne!(user, Class::Internal.colour("App\\Foo::bar"));
    }
}
