//! PHP in a binary that names nothing, as static ones that were stripped are.
//!
//! Its version is in its constants. Where its globals are is said by the declarations of its settings, other variables are
//! known by what they hold, and the interpreter's code is the function in which the handler of an instruction lies. All of
//! this is in the memory of a process that has started; it is looked for once for each binary.

mod settings;
mod texts;
mod variables;
mod words;

use crate::{Error, Layout, Version, symbols::Symbols, threads::Entry};
use remote::{
    Image, Memory,
    elf::{Elf, Frames, Segment},
};
use settings::{Owners, Settings};
use std::{cell::OnceCell, fs::File, ops::Range};
use variables::{Data, MODULES};

/// A binary that does not name its variables.
#[derive(Debug)]
pub struct Unnamed {
    settings: Settings,
    modules: Vec<(u64, usize)>,
    frames: Option<Frames>,
    /// Addresses in the file.
    owners: OnceCell<Owners>,
    found: OnceCell<Found>,
}

/// What was found in it: addresses in the file, as symbols would say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub symbols: Symbols,
    pub heap: Option<u64>,
    pub vm: Option<Range<u64>>,
}

/// A process in which it is looked for.
pub struct Place<'a, I> {
    pub process: &'a I,
    pub version: Version,
    pub layout: &'static Layout,
    pub segments: &'a [Segment],
    pub bias: u64,
    pub is_program: bool,
}

impl Unnamed {
    /// `None` if there is nothing to find it by.
    pub fn of(file: &File, elf: &Elf<'_, File>) -> Option<Self> {
        Some(Self {
            settings: Settings::of(file, elf)?,
            modules: texts::places(file, elf, &MODULES),
            frames: elf.frames(),
            owners: OnceCell::new(),
            found: OnceCell::new(),
        })
    }

    pub fn find(&self, place: &Place<'_, impl Image>) -> Result<&Found, Error> {
        if let Some(found) = self.found.get() {
            return Ok(found);
        }
        let found = self.look(place)?;
        Ok(self.found.get_or_init(|| found))
    }

    fn owners(&self, memory: &impl Memory, place: &Place<'_, impl Image>) -> Owners {
        let bias = place.bias;
        if let Some(owners) = self.owners.get() {
            return owners.map(|address| address.wrapping_add(bias));
        }
        let owners = self.settings.owners(memory, place.segments, bias);
        if owners.executor.is_some() {
            let _ = self.owners.set(owners.map(|address| address.wrapping_sub(bias)));
        }
        owners
    }

    fn look(&self, place: &Place<'_, impl Image>) -> Result<Found, Error> {
        let memory = place.process.memory();
        let data = Data {
            memory: &memory,
            segments: place.segments,
            bias: place.bias,
            modules: &self.modules,
        };
        // The loader, or PHP itself, has not come so far.
        let starting = || Error::Starting(place.process.pid());
        let owners = self.owners(&memory, place);
        let executor = owners.executor.ok_or_else(starting)?;
        let held = data.held(place.layout);
        held.generator_class.ok_or_else(starting)?;
        let mut symbols = Symbols {
            generator_class: held.generator_class,
            fiber_class: held.fiber_class,
            sapi_module: held.sapi_module,
            ..Symbols::default()
        };
        let globals = if place.version.zts {
            let entry = place.entry(&memory)?;
            let offset_of = |owner: u64| entry.offset(&memory, memory.read_u32(owner).ok()?);
            let offset = offset_of(executor).ok_or_else(starting)?;
            symbols.globals_offset = data.nearest(executor, offset);
            symbols.sapi_offset = owners
                .sapi
                .and_then(|owner| data.nearest(owner, offset_of(owner)?));
            entry.storage.wrapping_add(offset)
        } else {
            symbols.executor_globals = Some(executor);
            symbols.sapi_globals = owners.sapi;
            executor
        };
        let handler = handler(&memory, place.layout, globals).ok_or_else(starting)?;
        let unplaced = |address: u64| address.wrapping_sub(place.bias);
        Ok(Found {
            symbols: symbols.map(unplaced),
            heap: held.heap.filter(|_| !place.version.zts).map(unplaced),
            vm: self
                .frames
                .as_ref()
                .and_then(|frames| frames.around(unplaced(handler))),
        })
    }
}

impl<I: Image> Place<'_, I> {
    /// The storage of the first thread that has some.
    pub fn entry(&self, memory: &impl Memory) -> Result<Entry, Error> {
        let mut local = self.segments.iter().filter(|segment| segment.is_thread_local());
        let local = local.next().ok_or(Error::ThreadSafe(self.version))?;
        let mut pointers = self.process.thread_pointers().peekable();
        if pointers.peek().is_none() {
            return Err(Error::NoThreadPointer(self.process.pid()));
        }
        pointers
            .find_map(|pointer| Entry::find(memory, pointer, local, self.is_program))
            .ok_or_else(|| Error::Starting(self.process.pid()))
    }
}

/// The handler of an instruction that each PHP has from its start on.
fn handler(memory: &impl Memory, layout: &Layout, globals: u64) -> Option<u64> {
    let op = globals.wrapping_add(layout.eg_exception_op.into());
    let handler = memory.read_u64(op.wrapping_add(layout.op_handler.into())).ok();
    handler.filter(|handler| *handler != 0)
}
