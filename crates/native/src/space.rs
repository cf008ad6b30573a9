//! An address space: which code lies where, and how frames of it are unwound.

use crate::{
    binaries::{Binaries, FileId},
    binary::{Binary, Part},
};
use framehop::{ExplicitModuleSectionInfo, FrameAddress, MayAllocateDuringUnwind, Module, Unwinder};
use remote::{Mapping, Process, elf::load_bias};
use std::{ops::Range, sync::Arc};

#[cfg(target_arch = "aarch64")]
pub use framehop::aarch64::{CacheAarch64 as Cache, UnwindRegsAarch64 as Regs, UnwinderAarch64 as Machine};
#[cfg(not(target_arch = "aarch64"))]
pub use framehop::x86_64::{CacheX86_64 as Cache, UnwindRegsX86_64 as Regs, UnwinderX86_64 as Machine};

/// More files than this are not mapped with code by anything that runs PHP.
const MOST_MODULES: usize = 1024;

/// What lies at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Code of a binary: which of the modules, and the address in its file.
    Code {
        /// Of [`Space::module`].
        module: usize,
        /// As the file counts.
        address: u64,
    },
    /// Code that PHP's JIT made, in opcache's memory.
    PhpJit,
    /// Code that somebody else made: the regular expressions of PCRE.
    Made,
    /// No code.
    Nowhere,
}

/// A step outwards.
pub enum Step {
    /// To the frame that has called.
    To(FrameAddress),
    /// There is none.
    Root,
    /// It cannot be read who has called.
    Lost,
}

/// A binary, and where it lies.
#[derive(Clone, Debug)]
pub struct Loaded {
    id: FileId,
    /// What is to be added to the addresses in the file.
    bias: u64,
    pub binary: Arc<Binary>,
}

impl Loaded {
    fn range(&self) -> Range<u64> {
        let text = &self.binary.text;
        text.start.wrapping_add(self.bias)..text.end.wrapping_add(self.bias)
    }
}

/// The binaries of a process: workers of one master share theirs.
pub struct Space {
    /// By address.
    modules: Vec<Loaded>,
    /// Whether one of them says where PHP's interpreter is.
    pub has_interpreter: bool,
    unwinder: Machine<Arc<[u8]>>,
    cache: Cache<MayAllocateDuringUnwind>,
}

/// Code of a process that lies in no file.
#[derive(Clone, Debug, Default)]
pub struct Made(Vec<(Range<u64>, Place)>);

/// What a process maps: its binaries by address, and code without one.
pub fn look(process: &Process, binaries: &mut Binaries) -> Option<(Vec<Loaded>, Made)> {
    let maps = process.maps().ok()?;
    let mut modules: Vec<Loaded> = Vec::new();
    let mut made = Made::default();
    let mut last = None;
    for mapping in &maps {
        // Text may have been copied to memory without a file: what else is mapped of it still says where it is.
        let is_new = last.replace((mapping.device, mapping.inode, mapping.is_file()))
            != Some((mapping.device, mapping.inode, mapping.is_file()));
        let loaded = if mapping.read && (is_new || !mapping.is_file()) && modules.len() < MOST_MODULES {
            load(process, mapping, binaries)
        } else {
            None
        };
        modules.extend(loaded);
        if mapping.execute {
            made.0.push((mapping.start..mapping.end, kind(mapping)));
        }
    }
    modules.sort_by_key(|loaded| (loaded.range().start, loaded.range().end));
    modules.dedup_by_key(|loaded| loaded.range().start);
    Some((modules, made))
}

fn load(process: &Process, mapping: &Mapping, binaries: &mut Binaries) -> Option<Loaded> {
    let (id, binary) = binaries.open(process, mapping)?;
    let bias = if mapping.is_file() {
        load_bias(&binary.segments, mapping)?
    } else {
        mapping.start
    };
    Some(Loaded { id, bias, binary })
}

/// What code it is that lies in no ELF file.
fn kind(mapping: &Mapping) -> Place {
    let name = mapping
        .path
        .as_deref()
        .map(|path| path.as_os_str().as_encoded_bytes())
        .unwrap_or_default();
    // opcache shares its memory among processes: by mmap, shmget or shm_open.
    if mapping.is_file() && !name.starts_with(b"/memfd:") {
        Place::PhpJit
    } else {
        Place::Made
    }
}

impl Space {
    pub fn new(modules: Vec<Loaded>) -> Self {
        let mut unwinder = Machine::new();
        for loaded in &modules {
            let (range, tables) = (loaded.range(), &loaded.binary.tables);
            let part = |table: &Option<(Range<u64>, Arc<[u8]>)>| table.clone().unzip();
            let (eh_frame_svma, eh_frame) = part(&tables.eh_frame);
            let (eh_frame_hdr_svma, eh_frame_hdr) = part(&tables.eh_frame_hdr);
            let sections = ExplicitModuleSectionInfo {
                text_svma: tables.text.clone(),
                got_svma: tables.got.clone(),
                eh_frame_svma,
                eh_frame,
                eh_frame_hdr_svma,
                eh_frame_hdr,
                ..ExplicitModuleSectionInfo::default()
            };
            unwinder.add_module(Module::new(String::new(), range, loaded.bias, sections));
        }
        Self {
            has_interpreter: modules.iter().any(|loaded| loaded.binary.has_interpreter()),
            modules,
            unwinder,
            cache: Cache::new(),
        }
    }

    /// Whether another process has the same.
    pub fn is_same(&self, modules: &[Loaded]) -> bool {
        self.modules.len() == modules.len()
            && self
                .modules
                .iter()
                .zip(modules)
                .all(|(one, other)| (one.id, one.bias) == (other.id, other.bias))
    }

    /// What lies at `address`, in a process that has `made` besides.
    pub fn place(&self, made: &Made, address: u64) -> Place {
        let after = self
            .modules
            .partition_point(|loaded| loaded.range().start <= address);
        if let Some(module) = after.checked_sub(1)
            && self.modules[module].range().contains(&address)
        {
            let address = address.wrapping_sub(self.modules[module].bias);
            return Place::Code { module, address };
        }
        let found = made.0.iter().find(|(range, _)| range.contains(&address));
        found.map_or(Place::Nowhere, |&(_, place)| place)
    }

    /// The binary of a [`Place::Code`].
    pub fn binary(&self, module: usize) -> &Binary {
        &self.modules[module].binary
    }

    /// What the code at a place is to PHP.
    pub fn part(&self, place: Place) -> Part {
        match place {
            Place::Code { module, address } => self.binary(module).part(address),
            Place::PhpJit => Part::Interpreter,
            Place::Made | Place::Nowhere => Part::Other,
        }
    }

    /// Whether frames of the code at a place can be unwound by its binary's tables.
    pub fn is_covered(&self, place: Place) -> bool {
        match place {
            Place::Code { module, address } => self.binary(module).covered(address).is_some(),
            _ => false,
        }
    }

    /// One frame outwards, and the registers as they are then.
    pub fn unwind(
        &mut self,
        address: FrameAddress,
        regs: &mut Regs,
        read: &mut impl FnMut(u64) -> Result<u64, ()>,
    ) -> Step {
        match self.unwinder.unwind_frame(address, regs, &mut self.cache, read) {
            Ok(Some(next)) => FrameAddress::from_return_address(next).map_or(Step::Root, Step::To),
            Ok(None) => Step::Root,
            Err(_) => Step::Lost,
        }
    }
}
