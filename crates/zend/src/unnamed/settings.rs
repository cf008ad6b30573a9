//! Where PHP keeps its globals, by its settings.
//!
//! Each setting is declared in a constant of the binary (`zend_ini_entry_def`): its name, which member it sets, and of what:
//! the address of the globals, or of their number in a PHP with threads. What two settings agree on is believed.

use super::{texts, words};
use remote::{
    Memory,
    elf::{Elf, ReadAt, Segment},
};

/// In `zend_ini_entry_def`: the member's offset, what it is a member of, and the length of the name. The same since PHP 7.3.
const MEMBER: usize = 16;
const OWNER: usize = 24;
const NAME_LENGTH: usize = 60;
const DECLARATION: usize = 64;
/// More than the globals of the engine have.
const MEMBER_MAX: u64 = 16 << 10;

/// Two settings of each.
const NAMES: [(&[u8], Owner); 4] = [
    (b"zend.assertions\0", Owner::Executor),
    (b"zend.exception_ignore_args\0", Owner::Executor),
    (b"default_mimetype\0", Owner::Sapi),
    (b"default_charset\0", Owner::Sapi),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Executor,
    Sapi,
}

/// Where the names of settings stand in a binary.
#[derive(Debug)]
pub struct Settings(Vec<(u64, usize)>);

/// What settings are members of: globals, or the variables with their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Owners {
    pub executor: Option<u64>,
    pub sapi: Option<u64>,
}

impl Owners {
    pub fn map(self, place: impl Fn(u64) -> u64) -> Self {
        Self {
            executor: self.executor.map(&place),
            sapi: self.sapi.map(&place),
        }
    }
}

impl Settings {
    /// `None` if the binary has no such names.
    pub fn of<R: ReadAt + ?Sized>(source: &R, elf: &Elf<'_, R>) -> Option<Self> {
        let names = NAMES.map(|(name, _)| name);
        let places = texts::places(source, elf, &names);
        (!places.is_empty()).then_some(Self(places))
    }

    /// Reads the declarations of a process in which the binary lies `bias` higher than it says.
    pub fn owners(&self, memory: &impl Memory, segments: &[Segment], bias: u64) -> Owners {
        let names: Vec<(u64, usize)> = self
            .0
            .iter()
            .map(|&(address, index)| (address.wrapping_add(bias), index))
            .collect();
        let near = names.first().map_or(0, |(first, _)| *first)..=names.last().map_or(0, |(last, _)| *last);
        let mut found = [None; NAMES.len()];
        let mut look = |segment: &Segment| {
            let start = segment.memory.start.wrapping_add(bias);
            // Declarations are in the file; what only memory has comes after it.
            let size = segment.file.end - segment.file.start;
            words::scan(memory, start, size, DECLARATION, |_, bytes| {
                let name = word(bytes, 0);
                if !near.contains(&name) {
                    return;
                }
                let Some(&(_, index)) = names.iter().find(|(address, _)| *address == name) else {
                    return;
                };
                let length = bytes[NAME_LENGTH..]
                    .first_chunk()
                    .map(|length| u16::from_ne_bytes(*length));
                let is_declared = length.map(usize::from) == Some(NAMES[index].0.len() - 1);
                let owner = word(bytes, OWNER);
                let is_ours = segments.iter().any(|segment| {
                    segment.is_writable() && segment.memory.contains(&owner.wrapping_sub(bias))
                });
                if is_declared && is_ours && word(bytes, MEMBER) < MEMBER_MAX {
                    found[index] = Some(owner);
                }
            });
            found.iter().all(Option::is_some)
        };
        // What the loader has to fill in is where variables are, and all of it is constant where nothing has to be.
        let readable = || segments.iter().filter(|segment| segment.is_readable());
        let _ = readable().filter(|segment| segment.is_writable()).any(&mut look)
            || readable().filter(|segment| !segment.is_writable()).any(&mut look);
        let agreed = |owner: Owner| {
            let mut told = NAMES.iter().zip(found).filter(|((_, of), _)| *of == owner);
            let first = told.next()?.1?;
            told.all(|(_, other)| other == Some(first)).then_some(first)
        };
        Owners {
            executor: agreed(Owner::Executor),
            sapi: agreed(Owner::Sapi),
        }
    }
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes.get(at..).and_then(|rest| rest.first_chunk());
    bytes.map_or(0, |bytes| u64::from_ne_bytes(*bytes))
}
