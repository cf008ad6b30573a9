//! The frames of C of one sample after the other.

use crate::{
    binaries::Binaries,
    binary::Part,
    chain::{self, Chain, End, Registers, Stack},
    join::{self, Called, Fit, OfC, OfPhp},
    kernel::Kernel,
    names,
    shared::Shared,
    space::{self, Made, Space},
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
    /// Its frames of PHP, the innermost first.
    pub php: &'a [PhpFrame<'a>],
}

/// A frame of PHP.
#[derive(Clone, Copy, Debug)]
pub struct PhpFrame<'a> {
    /// What runs in it.
    pub runs: Code<'a>,
    /// C has called it, and not an instruction of PHP.
    pub by_c: bool,
}

/// What runs in a frame of PHP.
#[derive(Clone, Copy, Debug)]
pub enum Code<'a> {
    /// A function that is written in PHP.
    User,
    /// One that is written in C.
    Internal {
        /// Words of its `zend_internal_function`: the first that is the address of code is that of its own.
        words: &'a [u64],
        /// What PHP calls it; `None` if that is not known.
        name: Option<&'a str>,
    },
    /// A generator that waits for another one to which it delegates.
    Delegates,
    /// The outermost frame of a fiber, which no function has.
    Fiber,
}

/// A frame of C, or of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The frame.
    pub location: LocationId,
    /// Which frame of PHP has called it, by way of the frames of C outside of it.
    pub by: usize,
}

/// What became of the frames of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// They stand between all frames of PHP.
    Whole,
    /// The outermost are missing.
    Cut,
    /// Those that PHP's innermost frame has called are there; of others it is not known where they are to be joined.
    Innermost,
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

struct Known {
    /// Of [`Frames::spaces`].
    space: usize,
    made: Made,
    read_at: Instant,
}

impl Frames {
    /// Writes the frames of C, the innermost first, to `found`, and those of the kernel: what lies outside of PHP's outermost
    /// frame is left out.
    pub fn find(&mut self, symbols: &mut Symbols, seen: &Seen<'_>, found: &mut Vec<Found>) -> Outcome {
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
        let shared = &mut self.spaces[known.space];
        let of_c: Vec<OfC> = chain.places.iter().map(|&place| shared.of_c(place)).collect();
        let is_known = shared.space.has_interpreter;
        if is_known && chain.end == End::Root && of_c.iter().all(|frame| frame.part != Part::Interpreter) {
            return Outcome::Apart;
        }
        let of_php: Vec<OfPhp> = seen
            .php
            .iter()
            .map(|frame| shared.of_php(symbols, &known.made, frame))
            .collect();
        let (called, fit) = if is_known {
            join::join(&of_c, &of_php, chain.end == End::Lost)
        } else {
            // Which frames are the interpreter's is not known, but what is inwards of a function's code is that function's.
            match join::own(&of_c, &of_php) {
                Some(called) => (vec![called], Fit::Innermost),
                None => return Outcome::Apart,
            }
        };
        found.extend(kernel.into_iter().map(|location| Found { location, by: 0 }));
        for Called { by, frames } in called {
            let places = chain.places[frames].iter();
            found.extend(places.map(|&place| Found {
                location: shared.location(symbols, place),
                by,
            }));
        }
        match fit {
            Fit::Whole => Outcome::Whole,
            Fit::Cut => Outcome::Cut,
            Fit::Innermost => Outcome::Innermost,
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
            self.spaces.push(Shared::new(Space::new(modules)));
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
        Some(chain::unwind(
            space,
            &known.made,
            seen.registers,
            seen.stack,
            is_one(seen.php),
        ))
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

/// Whether the interpreter runs once for all of these.
fn is_one(php: &[PhpFrame<'_>]) -> bool {
    let entry = php
        .iter()
        .position(|frame| frame.by_c && matches!(frame.runs, Code::User));
    entry
        .and_then(|entry| php.get(entry + 1))
        .is_none_or(|outside| matches!(outside.runs, Code::Fiber))
}
