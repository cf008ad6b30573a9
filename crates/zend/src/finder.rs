//! Finds the PHP in processes, and looks at each binary once.

use crate::{
    Error, Interpreter, Layout, Version, heap,
    layout::Evidence,
    symbols::Symbols,
    threads::{self, Threads},
    unnamed::{Place, Unnamed},
    version::Constants,
};
use remote::{
    Image, Mapping, Process,
    elf::{Elf, Segment, load_bias},
};
use std::{
    collections::HashMap, ffi::OsStr, fs::File, io, ops::Range, os::unix::fs::MetadataExt, path::Path,
    thread, time::Duration,
};

/// Finds the PHP in processes, and looks at each binary once: 64 workers of one pool cost one look.
#[derive(Debug, Default)]
pub struct Finder {
    seen: HashMap<FileId, Look>,
    ignores_names: bool,
}

impl Finder {
    /// One that finds PHP as if no binary had symbols, which takes some milliseconds more for each.
    pub fn without_names() -> Self {
        Self {
            ignores_names: true,
            ..Self::default()
        }
    }

    /// Finds the PHP in `process`: its main program, or a `libphp.so` that it loaded.
    pub fn find(&mut self, process: &impl Image) -> Result<Interpreter, Error> {
        let executable = process.program()?;
        let maps = process.maps()?;
        let main = maps
            .iter()
            .find(|mapping| mapping.is_file() && mapping.path.as_ref() == Some(&executable));
        if main.is_none() && !maps.iter().any(|mapping| mapping.is_file() && mapping.execute) {
            return Err(Error::Starting(process.pid()));
        }
        let mut copies = None;
        for mapping in main.into_iter().chain(libraries(&maps)) {
            let path = mapping.path.as_deref().unwrap_or(Path::new(""));
            let file = process.open_mapped(mapping)?;
            match self.look(&file, path)? {
                Look::Php(binary) => {
                    let is_program = path == executable;
                    return binary.place(process, mapping, path, copies, is_program);
                }
                Look::DebugBuild(version) => return Err(Error::DebugBuild(*version)),
                Look::Unknown(version) => return Err(Error::UnknownVersion(*version)),
                Look::Host(symbols, segments) => {
                    copies = load_bias(segments, mapping)
                        .map(|bias| symbols.map(|address| address.wrapping_add(bias)));
                }
                Look::Other => {}
            }
        }
        Err(Error::NotPhp {
            pid: process.pid(),
            path: executable,
        })
    }

    /// The same for a process that somebody asked for by its number: one in the middle of an exec is given
    /// the moment that it needs, up to a second.
    pub fn find_started(&mut self, process: &Process) -> Result<Interpreter, Error> {
        for _ in 0..1000 {
            match self.find(process) {
                Err(Error::Starting(_)) => thread::sleep(Duration::from_millis(1)),
                found => return found,
            }
        }
        self.find(process)
    }

    fn look(&mut self, file: &File, path: &Path) -> Result<&Look, Error> {
        let id = FileId::of(file).map_err(|why| remote::Error::Io {
            what: path.display().to_string(),
            why,
        })?;
        Ok(self
            .seen
            .entry(id)
            .or_insert_with(|| Look::at(file, self.ignores_names)))
    }
}

/// The first mapping of each file that may be PHP as a library: `libphp.so`, `libphp8.2.so`, `mod_php8.so`.
fn libraries(maps: &[Mapping]) -> impl Iterator<Item = &Mapping> {
    let mut last = None;
    maps.iter().filter(move |mapping| {
        let name = mapping.path.as_deref().and_then(Path::file_name);
        let name = name.map_or(&b""[..], OsStr::as_encoded_bytes);
        let is_library = mapping.is_file()
            && memchr::memmem::find(name, b"php").is_some()
            && memchr::memmem::find(name, b".so").is_some();
        let is_new = is_library && last != Some((mapping.device, mapping.inode));
        if is_new {
            last = Some((mapping.device, mapping.inode));
        }
        is_new
    })
}

/// A file as it is now. Its inode may be used again once nobody maps it any more, but not with the same times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FileId {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl FileId {
    fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

/// What a look at a file found.
#[derive(Debug)]
enum Look {
    Php(Box<Binary>),
    DebugBuild(Version),
    Unknown(Version),
    /// A program that has variables of PHP's library: the loader makes the library use those.
    Host(Symbols, Vec<Segment>),
    Other,
}

impl Look {
    fn at(file: &File, ignores_names: bool) -> Self {
        let Ok(elf) = Elf::parse(file) else {
            return Self::Other;
        };
        let names = [
            "executor_globals",
            "sapi_globals",
            "zend_ce_generator",
            "zend_ce_fiber",
            "executor_globals_offset",
            "tsrm_get_ls_cache_tcb_offset",
            "execute_ex",
            "sapi_module",
            "sapi_globals_offset",
            "zend_mm_get_heap",
        ];
        let [
            executor_globals,
            sapi_globals,
            generator_class,
            fiber_class,
            globals_offset,
            slot_function,
            vm,
            sapi_module,
            sapi_offset,
            heap_function,
        ] = if ignores_names {
            [const { None }; 10]
        } else {
            elf.symbols(names)
        };
        let start = |symbol: &Option<Range<u64>>| symbol.as_ref().map(|symbol| symbol.start);
        let symbols = Symbols {
            executor_globals: start(&executor_globals),
            sapi_globals: start(&sapi_globals),
            generator_class: start(&generator_class),
            fiber_class: start(&fiber_class),
            globals_offset: start(&globals_offset),
            sapi_offset: start(&sapi_offset),
            sapi_module: start(&sapi_module),
        };
        let has_any = [
            &executor_globals,
            &globals_offset,
            &sapi_module,
            &sapi_globals,
            &generator_class,
        ]
        .iter()
        .any(|symbol| symbol.is_some());
        let Some(Constants { version, debug }) = Constants::find(file, &elf) else {
            return if has_any {
                Self::Host(symbols, elf.segments().to_vec())
            } else {
                Self::Other
            };
        };
        if debug {
            return Self::DebugBuild(version);
        }
        let Some(layout) = Layout::find(version, elf.machine()) else {
            return Self::Unknown(version);
        };
        let is_complete = if version.zts {
            symbols.globals_offset.is_some()
        } else {
            symbols.executor_globals.is_some()
        };
        let unnamed = if is_complete {
            None
        } else {
            Unnamed::of(file, &elf)
        };
        if !is_complete && unnamed.is_none() {
            return Self::Other;
        }
        let Some(text) = elf.text() else {
            return Self::Other;
        };
        Self::Php(Box::new(Binary {
            version,
            layout,
            text,
            symbols,
            unnamed,
            slot_function: slot_function.map(|function| function.start),
            heap_function: heap_function.map(|function| function.start),
            vm,
            segments: elf.segments().to_vec(),
        }))
    }
}

/// A PHP on disk: addresses are those in the file.
#[derive(Debug)]
struct Binary {
    version: Version,
    layout: &'static Layout,
    text: Range<u64>,
    symbols: Symbols,
    unnamed: Option<Unnamed>,
    slot_function: Option<u64>,
    heap_function: Option<u64>,
    vm: Option<Range<u64>>,
    segments: Vec<Segment>,
}

impl Binary {
    /// The same in the memory of a process that maps it.
    ///
    /// `copies` are those of its variables that the main program has: they come first.
    fn place(
        &self,
        process: &impl Image,
        mapping: &Mapping,
        path: &Path,
        copies: Option<Symbols>,
        is_program: bool,
    ) -> Result<Interpreter, Error> {
        let bias = load_bias(&self.segments, mapping)
            .ok_or(remote::Error::Elf("it is mapped in another way than it says"))?;
        let place = |address: u64| address.wrapping_add(bias);
        let memory = process.memory();
        let around = Place {
            process,
            version: self.version,
            layout: self.layout,
            segments: &self.segments,
            bias,
            is_program,
        };
        let found = match &self.unnamed {
            Some(unnamed) => Some(unnamed.find(&around)?),
            None => None,
        };
        let named = found.map_or(self.symbols, |found| self.symbols.under(found.symbols));
        let symbols = named.map(place).under(copies.unwrap_or_default());
        let threads = match symbols.globals_offset {
            Some(offset) if self.version.zts => {
                let told = self
                    .slot_function
                    .map(|function| threads::slot(&memory, place(function)));
                let slot = match told.transpose()?.flatten() {
                    // The loader has not come so far.
                    Some(0) => return Err(Error::Starting(process.pid())),
                    Some(slot) => slot,
                    None => around.entry(&memory)?.slot,
                };
                Some(Threads { slot, offset })
            }
            _ => None,
        };
        let heap = match (self.heap_function, found) {
            (Some(function), _) => heap::variable(&memory, place(function)),
            (None, Some(found)) => found.heap.map(place),
            (None, None) => None,
        };
        let vm = self.vm.as_ref().or(found.and_then(|found| found.vm.as_ref()));
        let executor_globals = symbols.executor_globals.filter(|_| threads.is_none());
        Ok(Interpreter {
            version: self.version,
            layout: self.layout,
            text: place(self.text.start)..place(self.text.end),
            executor_globals: executor_globals.unwrap_or(0),
            threads,
            sapi_globals: symbols.sapi_globals.filter(|_| threads.is_none()),
            sapi_offset: symbols.sapi_offset,
            heap,
            generator_class: symbols
                .generator_class
                .filter(|_| self.layout.evidence != Evidence::Neighbour),
            fiber_class: symbols.fiber_class,
            sapi_module: symbols.sapi_module,
            vm: vm.map(|vm| place(vm.start)..place(vm.end)),
            path: path.to_owned(),
        })
    }
}
