//! The frames of C of one sample after the other.

use crate::{
    binaries::Binaries,
    chain::{self, Chain, End, Registers, Stack},
    join::{self, Mark, Runs},
    kernel::Kernel,
    names,
    space::{self, Made, Place, Space},
};
use foldhash::HashMap;
use profile::{LocationId, Symbols};
use remote::Process;
use std::time::{Duration, Instant};

/// So many different address spaces are remembered; beyond, the memory of them starts anew.
const MOST_SPACES: usize = 64;
/// How old what is known of a process must be to be looked at again where an address is not known.
const STALE: Duration = Duration::from_millis(20);

/// What was seen of one thread at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The process.
    pub pid: u32,
    /// Its registers in user space.
    pub registers: Registers,
    /// Its stack.
    pub stack: Stack<'a>,
    /// Where the kernel was, the innermost address first; empty if it was in user space.
    pub kernel: &'a [u64],
    /// PHP's innermost frame.
    pub leaf: Leaf<'a>,
}

/// What runs in PHP's innermost frame.
#[derive(Clone, Copy, Debug)]
pub enum Leaf<'a> {
    /// A function that is written in PHP.
    User,
    /// One that is written in C.
    Internal {
        /// Words of its `zend_internal_function`: the first that is the address of code is that of its own.
        words: &'a [u64],
        /// What PHP calls it; `None` if that is not known.
        name: Option<&'a str>,
        /// An instruction of PHP has called it, and not another function in C.
        is_of_php: bool,
    },
}

/// What became of the frames of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// They reach to PHP's frame.
    Whole,
    /// The outermost are missing.
    Cut,
    /// It is not known where they are to be joined, and none is given.
    Apart,
}

/// Remembers the binaries and the address spaces that it has met.
#[derive(Default)]
pub struct Frames {
    binaries: Binaries,
    spaces: Vec<Shared>,
    processes: HashMap<u32, Known>,
    kernel: Option<Kernel>,
}

/// An address space that processes share.
struct Shared {
    space: Space,
    /// By where a function begins, or else by the place itself.
    locations: HashMap<Place, LocationId>,
    /// The same of functions that PHP itself has told the names of.
    codes: HashMap<Place, LocationId>,
}

struct Known {
    /// Of [`Frames::spaces`].
    space: usize,
    made: Made,
    read_at: Instant,
}

impl Frames {
    /// Writes the frames of C, the innermost first, to `found`: those that PHP's innermost frame has called, and those of the
    /// kernel.
    pub fn find(&mut self, symbols: &mut Symbols, seen: &Seen<'_>, found: &mut Vec<LocationId>) -> Outcome {
        let kernel = self.kernel_frames(symbols, seen.kernel);
        let Some(mut chain) = self.chain(seen) else {
            return Outcome::Apart;
        };
        if chain.met_unknown && chain.end == End::Lost && self.look_again(seen.pid) {
            chain = self.chain(seen).unwrap_or(chain);
        }
        let Some(known) = self.processes.get(&seen.pid) else {
            return Outcome::Apart;
        };
        if chain.end == End::Root {
            return Outcome::Apart;
        }
        let Shared {
            space,
            locations,
            codes,
        } = &mut self.spaces[known.space];
        let code = match seen.leaf {
            Leaf::User => None,
            Leaf::Internal { words, .. } => code_of(space, &known.made, words),
        };
        let marks: Vec<Mark> = chain
            .places
            .iter()
            .map(|&place| Mark {
                start: start(space, place),
                part: space.part(place),
            })
            .collect();
        let runs = match seen.leaf {
            Leaf::User => Runs::User,
            Leaf::Internal { is_of_php, .. } => Runs::Internal {
                code: code.map(|place| start(space, place)),
                is_of_php,
            },
        };
        let belong = join::belong(&marks, runs);
        found.extend(kernel);
        if let (Leaf::Internal { name: Some(name), .. }, Some(code)) = (seen.leaf, code) {
            let code = function_at(space, code);
            codes
                .entry(code)
                .or_insert_with(|| names::location(symbols, space, code, Some(&names::of_php(name))));
        }
        for &place in &chain.places[..belong] {
            let place = function_at(space, place);
            let location = codes.get(&place).copied().unwrap_or_else(|| {
                *locations
                    .entry(place)
                    .or_insert_with(|| names::location(symbols, space, place, None))
            });
            found.push(location);
        }
        if chain.end == End::Lost && belong == chain.places.len() {
            Outcome::Cut
        } else {
            Outcome::Whole
        }
    }

    /// A process ended, or became another program.
    pub fn forget(&mut self, pid: u32) {
        self.processes.remove(&pid);
    }

    /// Looks at what processes map, which may have changed since they started: whoever ends soon cannot be looked at later.
    pub fn refresh(&mut self) {
        let pids: Vec<u32> = self.processes.keys().copied().collect();
        for pid in pids {
            self.look(pid);
        }
    }

    /// Looks at what a process maps. False if it is gone, or cannot be looked at.
    pub fn look(&mut self, pid: u32) -> bool {
        let looked = Process::open(pid)
            .ok()
            .and_then(|process| space::look(&process, &mut self.binaries));
        let Some((modules, made)) = looked else {
            return false;
        };
        let known = self
            .spaces
            .iter()
            .position(|shared| shared.space.is_same(&modules));
        let space = known.unwrap_or_else(|| {
            if self.spaces.len() >= MOST_SPACES {
                self.spaces.clear();
                self.processes.clear();
            }
            self.spaces.push(Shared {
                space: Space::new(modules),
                locations: HashMap::default(),
                codes: HashMap::default(),
            });
            self.spaces.len() - 1
        });
        let known = Known {
            space,
            made,
            read_at: Instant::now(),
        };
        self.processes.insert(pid, known);
        true
    }

    fn look_again(&mut self, pid: u32) -> bool {
        let is_stale = |known: &Known| known.read_at.elapsed() >= STALE;
        self.processes.get(&pid).is_none_or(is_stale) && self.look(pid)
    }

    fn chain(&mut self, seen: &Seen<'_>) -> Option<Chain> {
        if !self.processes.contains_key(&seen.pid) && !self.look(seen.pid) {
            return None;
        }
        let known = self.processes.get(&seen.pid)?;
        let space = &mut self.spaces[known.space].space;
        Some(chain::unwind(space, &known.made, seen.registers, seen.stack))
    }

    fn kernel_frames(&mut self, symbols: &mut Symbols, addresses: &[u64]) -> Vec<LocationId> {
        if addresses.is_empty() {
            return Vec::new();
        }
        let kernel = self.kernel.get_or_insert_with(Kernel::read);
        let addresses = kernel.done_for_it(addresses);
        addresses
            .iter()
            .map(|&address| names::in_kernel(symbols, kernel, address))
            .collect()
    }
}

/// The function at a place; where that is not known, the place itself.
fn function_at(space: &Space, place: Place) -> Place {
    match place {
        Place::Code { module, address } => {
            let binary = space.binary(module);
            let symbol = binary.function(address).map(|function| function.range.start);
            let start = symbol.or_else(|| binary.covered(address).map(|range| range.start));
            Place::Code {
                module,
                address: start.unwrap_or(address),
            }
        }
        other => other,
    }
}

/// A number for the function at a place.
fn start(space: &Space, place: Place) -> u64 {
    match function_at(space, place) {
        Place::Code { module, address } => (module as u64) << 48 | address,
        _ => u64::MAX,
    }
}

/// The code of a function in C.
fn code_of(space: &Space, made: &Made, words: &[u64]) -> Option<Place> {
    words
        .iter()
        .map(|&word| space.place(made, word))
        .find(|&place| space.is_covered(place))
}
