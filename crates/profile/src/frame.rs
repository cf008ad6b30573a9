//! A function, and a place in it.

use crate::FunctionId;
use std::sync::Arc;

/// What kind of PHP code a frame runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A function, method or closure written in PHP.
    User,
    /// A function or method that PHP or an extension brings, written in C. It has no file.
    Internal,
    /// The script that was started: named `<main>`, its file is the script.
    Main,
    /// A file that another one includes, or evaluated code: named `include`, `include_once`, `require`,
    /// `require_once` or `eval`, its file is the included one.
    Include,
    /// A function of C: of PHP itself, of an extension, of a library. Its file is the binary that has it.
    Native,
    /// A function of the kernel.
    Kernel,
}

/// A function as a PHP developer names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// `Class::method`, `function`, `{closure:/file.php:12}`, `<main>`, `require_once`.
    pub name: Box<str>,
    /// The file that declares it; `None` for internal functions. Of functions of C, the binary.
    pub file: Option<Arc<str>>,
    /// The line of its declaration; 0 for internal functions.
    pub first_line: u32,
    /// What kind of code it is.
    pub kind: Kind,
}

/// The line that a frame was executing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Line {
    /// The current line.
    Exact(u32),
    /// The current line could not be known: the function's first line instead.
    FunctionStart(u32),
    /// No line at all, as in internal functions.
    None,
}

impl Line {
    /// The number to show; 0 where there is none.
    pub const fn number(self) -> u32 {
        match self {
            Self::Exact(line) | Self::FunctionStart(line) => line,
            Self::None => 0,
        }
    }

    /// Whether the number is the current line and not a substitute for it.
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::Exact(_))
    }
}

/// A place in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The function.
    pub function: FunctionId,
    /// The line in it.
    pub line: Line,
}
