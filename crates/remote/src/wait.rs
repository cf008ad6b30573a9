//! What a thread that waits waits for: the system call, and what its file descriptors are.
//!
//! `/proc` is read later than the wait began, and a piece at a time. So what was read counts only if the scheduler has
//! not let the thread run since before the first piece was read: then it is one wait, and a thread that waits neither
//! closes a file nor opens another one.

mod call;
mod descriptor;
mod held;
mod lock;
mod proc_net;
mod set;
mod unix;

pub use call::Kind;
pub use lock::lock_holder;

use crate::{
    Error, Process,
    task::{Task, thread::now_ns},
};
use call::{Call, Means};
use descriptor::Descriptor;
use held::Held;
use proc_net::Sockets;
use std::collections::{HashMap, hash_map::Entry};

/// Of several descriptors that a thread waits for at once, so many are looked at.
const MOST_TARGETS: usize = 8;
/// Descriptors of a process that are looked at in advance.
const MOST_LEARNT: usize = 64;
/// Sockets that are remembered; beyond, the memory of them starts anew.
const MOST_SOCKETS: usize = 4096;
/// The end of the name of a socket that waits for connections.
const LISTENS: &str = "(listens)";

/// What a thread waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// What kind of thing it is.
    pub kind: Kind,
    /// The system call, by its name or number.
    pub call: String,
    /// What the call's descriptors are: several where it waits for the first of them. Empty where it has none, or they
    /// could not be read.
    pub targets: Vec<Target>,
    /// Descriptors beyond those in `targets`.
    pub more: usize,
}

/// What a descriptor is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file by its path, or something else that the kernel names, such as `pipe:[4711]`.
    File(String),
    /// The other end of a socket: `tcp 127.0.0.1:5432`, `unix /run/postgresql/.s.PGSQL.5432`.
    Peer(String),
    /// A socket that is connected to nothing, or to something that is not known.
    Socket(String),
}

impl Target {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::File(name) | Self::Peer(name) | Self::Socket(name) => name,
        }
    }

    /// Whether its descriptor is this for as long as it is open. What is not connected yet may be so later; datagrams go
    /// here and there.
    fn stays(&self) -> bool {
        match self {
            Self::File(_) => true,
            Self::Peer(name) => !name.starts_with("udp "),
            Self::Socket(name) => name.starts_with("tcp ") && name.ends_with(LISTENS),
        }
    }
}

/// A system call as the registers had it with which a thread entered the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entered {
    /// Its number.
    pub number: u16,
    /// Its first argument, which may be a descriptor; of one that takes an array of them, the first.
    pub descriptor: i32,
    /// How many more there are in that array.
    pub more: u16,
}

/// A look at a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// A moment of the wait, `CLOCK_MONOTONIC` in nanoseconds.
    pub at_ns: u64,
    /// How often it had been put on a CPU: as long as that stays the same, it is one wait.
    pub times: u64,
    /// What it waits for.
    pub wait: Wait,
}

/// Looks at threads that wait, and remembers the ends of their connections, which stay the same.
#[derive(Debug, Default)]
pub struct Waits {
    tasks: HashMap<u32, Task>,
    held: Held,
    peers: HashMap<u64, Target>,
}

impl Waits {
    /// What `thread` waits for; `None` if it runs, if it ran while it was looked at, or if it waits in no system call.
    pub fn look(&mut self, thread: &Process) -> Result<Option<Look>, Error> {
        let tid = thread.pid();
        if let Entry::Vacant(new) = self.tasks.entry(tid) {
            new.insert(Task::open_thread(thread.group(), tid)?);
        }
        let Some(before) = self.scheduled(tid)? else {
            return Ok(None);
        };
        let Some(call) = Call::of(thread)? else {
            return Ok(None);
        };
        let at_ns = now_ns();
        let wait = self.describe(thread, &call);
        Ok(self
            .scheduled(tid)?
            .filter(|&after| after == before)
            .map(|times| Look { at_ns, times, wait }))
    }

    /// Whether a thread that waited at a look is still in that wait: a tenth of the price of a look.
    pub fn is_same(&self, thread: &Process, times: u64) -> Result<bool, Error> {
        Ok(self.scheduled(thread.pid())? == Some(times))
    }

    /// Forgets a thread that ended: its id may be given to another one.
    pub fn forget(&mut self, tid: u32) {
        self.tasks.remove(&tid);
        self.held.forget(tid);
    }

    /// What a wait was for that is over, by the call that it was in: as much as is sure.
    pub fn entered(&mut self, thread: &Process, entered: Entered, from_ns: u64, to_ns: u64) -> Wait {
        let call = Call::new(entered.number.into(), entered.descriptor);
        let (kind, name) = call.known();
        let number = call.first_descriptor();
        let target = number.and_then(|number| {
            let descriptor = self.held.during(thread, number, from_ns, to_ns)?;
            Some(self.named(thread, descriptor, &mut Sockets::of(thread)))
        });
        let targets: Vec<Target> = target.into_iter().collect();
        Wait {
            kind: kind.narrowed(&targets),
            call: name,
            more: usize::from(entered.more),
            targets,
        }
    }

    /// Looks at the sockets and pipes that a process has, so that what it waits for soon is known.
    pub fn learn(&mut self, process: &Process) {
        for number in descriptor::numbers(process).take(MOST_LEARNT) {
            self.held.now(process, number);
        }
    }

    fn scheduled(&self, tid: u32) -> Result<Option<u64>, Error> {
        let Some(task) = self.tasks.get(&tid).filter(|task| task.counts_waiting()) else {
            return Ok(None);
        };
        task.scheduled()
            .map(|scheduled| Some(scheduled.times))
            .ok_or(Error::Gone(tid))
    }

    fn describe(&mut self, thread: &Process, call: &Call) -> Wait {
        let (kind, name) = call.known();
        let descriptors = match call.means() {
            Means::Nothing => Vec::new(),
            Means::Descriptor(descriptor) => vec![descriptor],
            Means::Set(set) => set.descriptors(thread),
        };
        let mut sockets = Sockets::of(thread);
        let targets: Vec<Target> = descriptors
            .iter()
            .take(MOST_TARGETS)
            .filter_map(|&descriptor| self.target(thread, descriptor, &mut sockets))
            .collect();
        Wait {
            kind: kind.narrowed(&targets),
            call: name,
            more: descriptors.len().saturating_sub(MOST_TARGETS),
            targets,
        }
    }

    fn target(&mut self, thread: &Process, number: i32, sockets: &mut Sockets<'_>) -> Option<Target> {
        let descriptor = self.held.now(thread, number)?;
        Some(self.named(thread, descriptor, sockets))
    }

    fn named(&mut self, thread: &Process, descriptor: Descriptor, sockets: &mut Sockets<'_>) -> Target {
        let inode = match descriptor {
            Descriptor::Named(name) => return Target::File(name),
            Descriptor::Socket(inode) => inode,
        };
        if let Some(known) = self.peers.get(&inode) {
            return known.clone();
        }
        // The kernel finds one of its own at once.
        let found = unix::peer(thread, inode).or_else(|| sockets.find(inode));
        let Some(target) = found else {
            return Target::Socket("socket".into());
        };
        if target.stays() {
            if self.peers.len() >= MOST_SOCKETS {
                self.peers.clear();
            }
            self.peers.insert(inode, target.clone());
        }
        target
    }
}

#[cfg(test)]
mod tests;
