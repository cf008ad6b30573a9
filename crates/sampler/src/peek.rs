//! Which variables are looked into, beside the stacks.

use std::{ops::RangeInclusive, sync::Arc};

/// What is looked into; the place in here is what a [`Value`] names.
pub type Peeks = Arc<[Peek]>;

/// The arrays that global keys are looked for in, and what phpspy calls them.
const ARRAYS: [(&str, Option<&str>); 9] = [
    ("globals", None),
    ("server", Some("_SERVER")),
    ("get", Some("_GET")),
    ("post", Some("_POST")),
    ("cookie", Some("_COOKIE")),
    ("files", Some("_FILES")),
    ("request", Some("_REQUEST")),
    ("session", Some("_SESSION")),
    ("env", Some("_ENV")),
];

/// A variable that is looked into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Peek {
    /// One of a frame that runs certain lines.
    Variable {
        /// Its name, without `$`.
        name: Box<str>,
        /// The file, or the last parts of its path.
        file: Box<str>,
        /// The lines.
        lines: RangeInclusive<u32>,
    },
    /// A global one, or an element of a global array.
    Global {
        /// The array; without one it is a global variable.
        array: Option<&'static str>,
        /// The element.
        key: Box<str>,
        /// As it was asked for.
        asked: Box<str>,
    },
}

/// What was asked for names no variable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadPeek {
    /// Of a frame.
    #[error(
        "{0:?} is no variable of a line: give VAR@FILE:LINE or VAR@FILE:FIRST-LAST, such as id@/srv/app/User.php:42"
    )]
    Variable(Box<str>),
    /// Global.
    #[error("{0:?} is no global: give ARRAY.KEY, such as server.REQUEST_URI; ARRAY is {arrays}", arrays = arrays())]
    Global(Box<str>),
}

fn arrays() -> String {
    let names: Vec<_> = ARRAYS.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

impl Peek {
    /// Reads `VAR@FILE:LINE` or `VAR@FILE:FIRST-LAST`.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn variable(asked: &str) -> Result<Self, BadPeek> {
        let bad = || BadPeek::Variable(asked.into());
        let (name, place) = asked.split_once('@').ok_or_else(bad)?;
        let name = name.strip_prefix('$').unwrap_or(name);
        let (file, lines) = place.rsplit_once(':').ok_or_else(bad)?;
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let lines = first.parse().map_err(|_| bad())?..=last.parse().map_err(|_| bad())?;
        if name.is_empty() || file.is_empty() || lines.is_empty() {
            return Err(bad());
        }
        Ok(Self::Variable {
            name: name.into(),
            file: file.into(),
            lines,
        })
    }

    /// Reads `ARRAY.KEY`.
    ///
    /// # Errors
    /// If it is anything else, or there is no such array.
    pub fn global(asked: &str) -> Result<Self, BadPeek> {
        let bad = || BadPeek::Global(asked.into());
        let (array, key) = asked.split_once('.').ok_or_else(bad)?;
        let (_, array) = *ARRAYS.iter().find(|(name, _)| *name == array).ok_or_else(bad)?;
        if key.is_empty() {
            return Err(bad());
        }
        Ok(Self::Global {
            array,
            key: key.into(),
            asked: asked.into(),
        })
    }

    /// The variable that it asks for of a frame in this line, if it asks for one.
    pub fn variable_at(&self, path: &[u8], line: u32) -> Option<&str> {
        match self {
            Self::Variable { name, lines, .. } if lines.contains(&line) && self.is_in(path) => Some(name),
            _ => None,
        }
    }

    /// Whether it asks for a variable of code in this file.
    pub fn is_in(&self, path: &[u8]) -> bool {
        let Self::Variable { file, .. } = self else {
            return false;
        };
        let before = path.strip_suffix(file.as_bytes());
        before.is_some_and(|before| before.is_empty() || before.ends_with(b"/") && !file.starts_with('/'))
    }
}

/// What a variable held when a sample was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Which one: the place in [`Peeks`].
    pub peek: usize,
    /// The frame whose variable it is, counted from the innermost one; `None` for a global.
    pub frame: Option<usize>,
    /// What it held, on one line and of bounded length.
    pub text: String,
}

/// What variables held when a sample was taken, and what is missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// Those that were read: of each frame in the order in which its function names them, globals as they were asked for.
    pub read: Vec<Value>,
    /// How many could not be read.
    pub unread: u64,
    /// How many there are beyond those for which a sample has room.
    pub left_out: u64,
    /// Whether the target moved while they were read: then there are none.
    pub are_torn: bool,
}

impl Values {
    /// All that were read, in one text: `sql = SELECT 1; server.REQUEST_URI = /cart`.
    pub fn text(&self, peeks: &[Peek]) -> String {
        let values = self.read.iter().filter_map(|value| {
            let name = match peeks.get(value.peek)? {
                Peek::Variable { name, .. } => name,
                Peek::Global { asked, .. } => asked,
            };
            Some(format!("{name} = {}", value.text))
        });
        values.collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_asked_for_as_in_phpspy() {
        let variable = |name: &str, file: &str, lines| Peek::Variable {
            name: name.into(),
            file: file.into(),
            lines,
        };
        assert_eq!(
            Peek::variable("x@/a/b.php:7"),
            Ok(variable("x", "/a/b.php", 7..=7))
        );
        assert_eq!(
            Peek::variable("$x@my-app/b.php:7-12"),
            Ok(variable("x", "my-app/b.php", 7..=12))
        );
        assert_eq!(
            Peek::variable("this@C:/a@b.php:1"),
            Ok(variable("this", "C:/a@b.php", 1..=1))
        );
        for bad in [
            "",
            "x",
            "x@a.php",
            "x@a.php:",
            "@a.php:3",
            "x@:3",
            "x@a.php:9-3",
            "x@a.php:-3",
            "x:3@a.php",
        ] {
            assert_eq!(Peek::variable(bad), Err(BadPeek::Variable(bad.into())));
        }
    }

    #[test]
    fn a_file_is_meant_by_the_end_of_its_path() {
        let is_in = |file: &str, path: &[u8]| Peek::variable(&format!("x@{file}:1")).unwrap().is_in(path);
        assert!(is_in("/a/b.php", b"/a/b.php"));
        assert!(is_in("b.php", b"/a/b.php"));
        assert!(is_in("b.php", b"b.php"));
        assert!(!is_in("b.php", b"/a/bb.php"));
        assert!(!is_in("/a/b.php", b"/b.php"));
    }

    #[test]
    fn globals_are_asked_for_as_in_phpspy() {
        let global = |asked: &str, array, key: &str| Peek::Global {
            array,
            key: key.into(),
            asked: asked.into(),
        };
        assert_eq!(
            Peek::global("server.REQUEST_TIME"),
            Ok(global("server.REQUEST_TIME", Some("_SERVER"), "REQUEST_TIME"))
        );
        assert_eq!(
            Peek::global("globals.a.b"),
            Ok(global("globals.a.b", None, "a.b"))
        );
        for bad in ["", "server", "server.", "Server.X", "x.y"] {
            let error = Peek::global(bad).unwrap_err();
            assert_eq!(error, BadPeek::Global(bad.into()));
            assert!(error.to_string().contains("globals, server, get"));
        }
    }
}
