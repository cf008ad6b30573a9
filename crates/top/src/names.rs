//! Functions as the view shows them.

use profile::{Function, FunctionId, Kind, Symbols, harmless};
use std::sync::Arc;

/// A function's name, and where it is declared unless its name says so. Neither holds what a terminal would obey.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub place: String,
}

impl Named {
    fn new(function: &Function) -> Self {
        let file = function.file.as_deref().unwrap_or_default();
        let (name, place) = match function.kind {
            Kind::Include if !file.is_empty() => (format!("{} {file}", function.name), String::new()),
            _ if file.is_empty() || function.name.contains(file) => {
                (function.name.to_string(), String::new())
            }
            _ if function.first_line > 0 => (
                function.name.to_string(),
                format!("{file}:{}", function.first_line),
            ),
            _ => (function.name.to_string(), file.to_owned()),
        };
        Self {
            name: harmless(&name),
            place: harmless(&place),
        }
    }
}

/// The names of all functions so far, by their number.
#[derive(Debug, Default)]
pub struct Names(Vec<Arc<Named>>);

impl Names {
    /// Learns those that came since the last time.
    pub fn learn(&mut self, symbols: &Symbols) {
        let new = symbols.functions().skip(self.0.len());
        self.0.extend(new.map(|function| Arc::new(Named::new(function))));
    }

    pub fn get(&self, id: FunctionId) -> Arc<Named> {
        Arc::clone(&self.0[id.index()])
    }
}
