//! PHP's settings, as `-d` takes them.

use std::fmt::Write as _;

/// A list of `name=value` settings. It starts from what the machine's own php.ini says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ini(Vec<(String, String)>);

impl Ini {
    /// No settings of one's own.
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more setting; a later one of the same name wins.
    #[must_use]
    pub fn set(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.push((name.into(), value.into()));
        self
    }

    /// With opcache also on the command line.
    #[must_use]
    pub fn opcache(self) -> Self {
        self.set("opcache.enable", "1").set("opcache.enable_cli", "1")
    }

    /// With opcache and its tracing JIT.
    #[must_use]
    pub fn jit(self) -> Self {
        self.opcache()
            .set("opcache.jit", "tracing")
            .set("opcache.jit_buffer_size", "32M")
    }

    /// The lines of a php.ini that say so; nothing where there are no settings.
    pub fn lines(&self) -> String {
        let mut lines = String::new();
        for (name, value) in &self.0 {
            let _ = writeln!(lines, "{name} = \"{value}\"");
        }
        lines
    }

    /// The arguments that say so to a PHP binary.
    pub fn arguments(&self) -> impl Iterator<Item = String> + '_ {
        self.0
            .iter()
            .flat_map(|(name, value)| ["-d".to_owned(), format!("{name}={value}")])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_become_arguments_in_their_order() {
        let ini = Ini::new().set("precision", "3").jit();
        let arguments: Vec<_> = ini.arguments().collect();
        assert_eq!(arguments[..2], ["-d", "precision=3"]);
        assert_eq!(arguments.len(), 10);
        assert!(arguments.contains(&"opcache.jit=tracing".to_owned()));
    }

    #[test]
    fn settings_become_lines_in_their_order() {
        let ini = Ini::new()
            .set("extension", "/a folder/b.so")
            .set("precision", "3");
        assert_eq!(ini.lines(), "extension = \"/a folder/b.so\"\nprecision = \"3\"\n");
    }
}
