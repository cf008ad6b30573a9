//! Few colours; with `NO_COLOR` none.

use ratatui::style::{Color, Modifier, Style as Look};

/// How things look.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    colour: bool,
}

impl Style {
    pub const fn new(colour: bool) -> Self {
        Self { colour }
    }

    fn coloured(self, colour: Color) -> Look {
        if self.colour {
            Look::new().fg(colour)
        } else {
            Look::new()
        }
    }

    /// What stands above everything.
    pub fn title(self) -> Look {
        self.coloured(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// A state that the user has brought about: a filter, a pause.
    pub fn notice(self) -> Look {
        self.coloured(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    /// What makes the figures doubtful.
    pub fn alarm(self) -> Look {
        self.coloured(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// The titles of columns.
    pub fn columns() -> Look {
        Look::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    /// What may be overlooked.
    pub fn faint() -> Look {
        Look::new().add_modifier(Modifier::DIM)
    }

    /// The row that is chosen.
    pub fn chosen(is_active: bool) -> Look {
        if is_active {
            Look::new().add_modifier(Modifier::REVERSED)
        } else {
            Look::new().add_modifier(Modifier::BOLD)
        }
    }
}
