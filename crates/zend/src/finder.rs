//! Finds the PHP in processes, and looks at each binary once.

use crate::{Error, Interpreter, Layout, Version, layout::Evidence, version::Constants};
use remote::{
    Mapping, Process,
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
}

impl Finder {
    /// Finds the PHP in `process`: its main program, or a `libphp.so` that it loaded.
    pub fn find(&mut self, process: &Process) -> Result<Interpreter, Error> {
        let (executable, _) = process.executable()?;
        let maps = process.maps()?;
        let main = maps
            .iter()
            .find(|mapping| mapping.is_file() && mapping.path.as_ref() == Some(&executable));
        if main.is_none() && !maps.iter().any(|mapping| mapping.is_file() && mapping.execute) {
            return Err(Error::Starting(process.pid()));
        }
        for mapping in main.into_iter().chain(libraries(&maps)) {
            let path = mapping.path.as_deref().unwrap_or(Path::new(""));
            let file = process.open_mapped(mapping)?;
            match self.look(&file, path)? {
                Look::Php(binary) => return binary.place(mapping, path),
                Look::ThreadSafe(version) => return Err(Error::ThreadSafe(*version)),
                Look::DebugBuild(version) => return Err(Error::DebugBuild(*version)),
                Look::Unknown(version) => return Err(Error::UnknownVersion(*version)),
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
        let id = FileId::of(file).map_err(|source| remote::Error::Io {
            what: path.display().to_string(),
            source,
        })?;
        Ok(self.seen.entry(id).or_insert_with(|| Look::at(file)))
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
    Php(Binary),
    ThreadSafe(Version),
    DebugBuild(Version),
    Unknown(Version),
    Other,
}

impl Look {
    fn at(file: &File) -> Self {
        let Ok(elf) = Elf::parse(file) else {
            return Self::Other;
        };
        let names = [
            "executor_globals",
            "sapi_globals",
            "zend_ce_generator",
            "executor_globals_offset",
            "execute_ex",
            "sapi_module",
        ];
        let [
            executor_globals,
            sapi_globals,
            generator_class,
            threads,
            vm,
            sapi_module,
        ] = elf.symbols(names);
        if executor_globals.is_none() && threads.is_none() {
            return Self::Other;
        }
        let Some(Constants { version, debug }) = Constants::find(file, &elf) else {
            return Self::Other;
        };
        if version.zts {
            return Self::ThreadSafe(version);
        }
        if debug {
            return Self::DebugBuild(version);
        }
        let Some(layout) = Layout::find(version, elf.machine()) else {
            return Self::Unknown(version);
        };
        let (Some(executor_globals), Some(text)) = (executor_globals, elf.text()) else {
            return Self::Other;
        };
        Self::Php(Binary {
            version,
            layout,
            text,
            executor_globals: executor_globals.start,
            sapi_globals: sapi_globals.map(|symbol| symbol.start),
            generator_class: generator_class
                .filter(|_| layout.evidence != Evidence::Neighbour)
                .map(|symbol| symbol.start),
            sapi_module: sapi_module.map(|symbol| symbol.start),
            vm,
            segments: elf.segments().to_vec(),
        })
    }
}

/// A PHP on disk: addresses are those in the file.
#[derive(Debug)]
struct Binary {
    version: Version,
    layout: &'static Layout,
    text: Range<u64>,
    executor_globals: u64,
    sapi_globals: Option<u64>,
    generator_class: Option<u64>,
    sapi_module: Option<u64>,
    vm: Option<Range<u64>>,
    segments: Vec<Segment>,
}

impl Binary {
    /// The same in the memory of a process that maps it.
    fn place(&self, mapping: &Mapping, path: &Path) -> Result<Interpreter, Error> {
        let bias = load_bias(&self.segments, mapping)
            .ok_or(remote::Error::Elf("it is mapped in another way than it says"))?;
        let place = |address: u64| address.wrapping_add(bias);
        Ok(Interpreter {
            version: self.version,
            layout: self.layout,
            text: place(self.text.start)..place(self.text.end),
            executor_globals: place(self.executor_globals),
            sapi_globals: self.sapi_globals.map(place),
            generator_class: self.generator_class.map(place),
            sapi_module: self.sapi_module.map(place),
            vm: self.vm.as_ref().map(|vm| place(vm.start)..place(vm.end)),
            path: path.to_owned(),
        })
    }
}
