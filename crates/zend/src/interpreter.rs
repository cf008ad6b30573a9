//! A PHP in a process.

use crate::{Error, Finder, Layout, Version};
use remote::Process;
use std::{ops::Range, path::PathBuf};

/// A PHP in a process, and where its globals lie there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// Its version.
    pub version: Version,
    /// Where things lie in its structs.
    pub layout: &'static Layout,
    /// The code of its binary as it lies in memory, which JIT-compiled code does not belong to.
    pub text: Range<u64>,
    /// The address of `executor_globals`.
    pub executor_globals: u64,
    /// The address of `sapi_globals`.
    pub sapi_globals: Option<u64>,
    /// The address of the variable `zend_ce_generator`, which points to the class `Generator`.
    pub generator_class: Option<u64>,
    /// The code of `execute_ex`, the interpreter proper.
    pub vm: Option<Range<u64>>,
    /// The binary as the process names it: a `php`, `php-fpm`, or `libphp.so`.
    pub path: PathBuf,
}

impl Interpreter {
    /// Finds the PHP in `process`. Whoever looks at several processes keeps a [`Finder`].
    pub fn find(process: &Process) -> Result<Self, Error> {
        Finder::default().find(process)
    }
}
