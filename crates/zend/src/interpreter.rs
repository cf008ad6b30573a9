//! A PHP in a process.

use crate::{Error, Finder, Layout, Threads, Version};
use remote::{Image, Memory, Process, ReadError};
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
    /// The address of `executor_globals`; of a PHP with threads, those of one thread, or 0 (see [`Self::of_thread`]).
    pub executor_globals: u64,
    /// Where each thread has its own, in a PHP with threads.
    pub threads: Option<Threads>,
    /// The address of `sapi_globals`, in a PHP without threads.
    pub sapi_globals: Option<u64>,
    /// The address of `sapi_globals_offset`, which says where each thread has its own, in a PHP with threads.
    pub sapi_offset: Option<u64>,
    /// The address of the variable that has the allocator's heap; with threads, of the one that says where each thread
    /// has that.
    pub heap: Option<u64>,
    /// The address of the variable `zend_ce_generator`, which points to the class `Generator`.
    pub generator_class: Option<u64>,
    /// The address of the variable `zend_ce_fiber`, which points to the class `Fiber`.
    pub fiber_class: Option<u64>,
    /// The address of `sapi_module`, whose first member is its name.
    pub sapi_module: Option<u64>,
    /// The code of `execute_ex`, the interpreter proper.
    pub vm: Option<Range<u64>>,
    /// The binary as the process names it: a `php`, `php-fpm`, or `libphp.so`.
    pub path: PathBuf,
}

impl Interpreter {
    /// Finds the PHP in `process`; with threads, that of its first thread. Whoever looks at several processes keeps a [`Finder`].
    pub fn find(process: &Process) -> Result<Self, Error> {
        let found = Finder::default().find_started(process)?;
        Ok(found.of_thread(process)?.unwrap_or(found))
    }

    /// What it is to one of its threads; `None` if that thread has nothing to do with PHP now. Without threads, itself.
    pub fn of_thread(&self, thread: &Process) -> Result<Option<Self>, Error> {
        let Some(threads) = self.threads else {
            return Ok(Some(self.clone()));
        };
        self.in_slot(&thread.memory(), threads, threads.slot_of(thread)?)
    }

    /// The same of a thread whose thread pointer is known.
    pub fn at_thread_pointer(&self, memory: &impl Memory, pointer: u64) -> Result<Option<Self>, Error> {
        let Some(threads) = self.threads else {
            return Ok(Some(self.clone()));
        };
        self.in_slot(memory, threads, pointer.wrapping_add(threads.slot))
    }

    fn in_slot(&self, memory: &impl Memory, threads: Threads, slot: u64) -> Result<Option<Self>, Error> {
        let globals = match threads.globals(memory, slot) {
            // Its memory is no thread's any more, or not yet.
            Err(ReadError::Unmapped(_)) => None,
            found => found?,
        };
        Ok(globals.map(|executor_globals| Self {
            executor_globals,
            ..self.clone()
        }))
    }

    /// Where the globals of its thread begin, in a PHP with threads.
    pub fn storage(&self, memory: &impl Memory) -> Result<Option<u64>, ReadError> {
        let Some(threads) = self.threads else {
            return Ok(None);
        };
        let offset = memory.read_u64(threads.offset)?;
        Ok(Some(self.executor_globals.wrapping_sub(offset)))
    }

    /// Its version, and what people should know of how well it is known.
    pub fn described(&self) -> String {
        let version = self.version;
        self.layout
            .caveat()
            .map_or_else(|| version.to_string(), |caveat| format!("{version} ({caveat})"))
    }

    /// Whether it is the command line's PHP, which serves one request and ends. False where that cannot be told.
    pub fn is_cli(&self, process: &Process) -> bool {
        self.is_sapi(process, *b"cli\0")
    }

    /// Whether a web server sends it variables: FPM, CGI. False where that cannot be told.
    pub fn is_fastcgi(&self, image: &impl Image) -> bool {
        self.is_sapi(image, *b"fpm-fcgi\0") || self.is_sapi(image, *b"cgi-fcgi\0")
    }

    fn is_sapi<const N: usize>(&self, image: &impl Image, wanted: [u8; N]) -> bool {
        let memory = image.memory();
        let name = self.sapi_module.and_then(|module| memory.read_u64(module).ok());
        let mut bytes = [0; N];
        name.is_some_and(|name| memory.read(name, &mut bytes).is_ok()) && bytes == wanted
    }
}
