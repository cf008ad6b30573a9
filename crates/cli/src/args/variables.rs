//! Which variables are looked into.

use super::values;
use clap::Args;
use sampler::{Peek, Peeks};

/// Which variables are looked into.
#[derive(Debug, Default, Args)]
pub struct Variables {
    /// Tell what a variable holds in each frame that runs that line: FILE is a path or the end of one, LINE may be
    /// FIRST-LAST. May be given several times. Values may be secrets.
    #[arg(long = "peek", value_name = "VAR@FILE:LINE", value_parser = values::variable)]
    peeks: Vec<Peek>,
    /// Tell what a global holds: an element of a global array, such as server.argc or session.user, or a global
    /// variable, such as globals.config. May be given several times.
    #[arg(long = "global", value_name = "ARRAY.KEY", value_parser = values::global)]
    globals: Vec<Peek>,
}

impl Variables {
    /// All of them.
    pub fn peeks(&self) -> Peeks {
        self.peeks.iter().chain(&self.globals).cloned().collect()
    }
}
