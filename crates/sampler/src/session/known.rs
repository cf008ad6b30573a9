//! What is known of one target.

use super::open::Open;
use crate::{Asked, Observed, Told, Whole, clock, resolve::request_context, targets::title};
use profile::{ContextId, Location, Memory, StackId, State, Symbols, Tally, TargetAccount};
use remote::Process;
use zend::{Interpreter, walk::End};

/// One target, and what became of its ticks so far.
#[derive(Default)]
pub struct Known {
    /// The process that it is, or a thread of.
    pub process: u32,
    name: String,
    php: String,
    interpreter: Option<Interpreter>,
    pub tally: Tally,
    ended: bool,
    pub whose: Whose,
    /// It slept when it was attached, and has not been seen since.
    pub asleep: Option<Asleep>,
    /// The wait that it is in, where somebody looked.
    pub open: Option<Open>,
    /// The kernel has told that it saw it.
    pub is_met: bool,
}

/// Whether it was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Whose {
    /// It was.
    #[default]
    Ours,
    /// A worker that has no name yet.
    Unnamed,
    /// A worker of a pool that was not asked for: not sampled, not accounted for.
    Foreign,
}

/// The stack of a target that slept when it was attached.
pub struct Asleep {
    /// Since when it is watched.
    pub since_ns: u64,
    /// When it was read.
    pub read_ns: u64,
    pub seen: Seen,
}

/// What was read of a target that could not move.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// `None` if no PHP code ran.
    pub stack: Option<StackId>,
    /// It has more frames than the limit.
    pub whole: Whole,
    /// Which request it serves.
    pub context: ContextId,
    /// How much memory it holds.
    pub memory: Option<Memory>,
}

impl Known {
    /// Whether it is a target, and not only a process that some record names.
    pub fn is_described(&self) -> bool {
        !self.php.is_empty()
    }

    /// A target that runs this PHP.
    #[cfg(test)]
    pub fn of(php: &str) -> Self {
        Self {
            php: php.to_owned(),
            ..Self::default()
        }
    }

    /// Whether it is a target that was asked for, as far as that is known.
    pub fn is_ours(&self) -> bool {
        self.is_described() && self.whose == Whose::Ours
    }

    /// Whether it is not known what it does: it was not seen yet, and does not sleep.
    pub fn is_unseen(&self) -> bool {
        self.is_described() && !self.is_met && self.asleep.is_none()
    }

    /// What was read of it and may still be told.
    pub fn seen_mut(&mut self) -> impl Iterator<Item = &mut Seen> {
        let asleep = self.asleep.as_mut().map(|asleep| &mut asleep.seen);
        asleep
            .into_iter()
            .chain(self.open.as_mut().map(|open| &mut open.seen))
    }

    pub fn describe(&mut self, process: &Process, interpreter: &Interpreter) {
        self.process = process.group();
        self.name = process
            .command_line()
            .map(|line| title(&line))
            .unwrap_or_default();
        self.php = interpreter.described();
        self.interpreter = Some(interpreter.clone());
    }

    /// The stack of target `tid`, which does not move; `None` if that cannot be read.
    pub fn read(&self, tid: u32, max_depth: u16, asked: Asked, symbols: &mut Symbols) -> Option<Seen> {
        let process = Process::open(tid).ok()?;
        read(&process, self.interpreter.as_ref()?, max_depth, asked, symbols)
    }

    pub fn count(&mut self, told: &Told) {
        let weight = u64::from(told.sample.weight);
        match told.sample.state {
            State::OnCpu => {
                self.tally.on_cpu += weight;
                self.tally.carried += weight - 1;
            }
            State::Runnable => self.tally.runnable += weight,
            State::Blocked => self.tally.blocked += weight,
        }
        self.tally.cut += if told.whole == Whole::Yes { 0 } else { weight };
        self.tally.retried += if told.retried { weight } else { 0 };
    }

    /// Adds what the source counted, and derives what was missed.
    pub fn close(&mut self, observed: &Observed, period_ns: u64) {
        self.ended = observed.ended;
        self.tally = self.closed(observed, period_ns);
    }

    /// What became of its ticks so far: those of a target that has slept since it was attached are in no record yet.
    pub fn so_far(&self, observed: &Observed, period_ns: u64) -> Tally {
        let Some(asleep) = &self.asleep else {
            return self.closed(observed, period_ns);
        };
        let slept_ns = observed.last_ns.saturating_sub(observed.first_ns);
        if asleep.seen.stack.is_some() {
            let waiting_ns = slept_ns;
            return self.closed(
                &Observed {
                    waiting_ns,
                    ..*observed
                },
                period_ns,
            );
        }
        let idle = observed.idle.max(periods(slept_ns, period_ns));
        self.closed(&Observed { idle, ..*observed }, period_ns)
    }

    /// What [`Known::close`] would give now.
    fn closed(&self, observed: &Observed, period_ns: u64) -> Tally {
        let mut tally = self.tally;
        tally.idle += observed.idle;
        tally.lost += observed.lost;
        tally.unreadable += observed.unreadable;
        let watched_ns = observed
            .last_ns
            .saturating_sub(observed.first_ns)
            .saturating_sub(observed.waiting_ns);
        tally.close(observed.due.unwrap_or(periods(watched_ns, period_ns)));
        tally
    }

    pub fn account(&self, tid: u32) -> TargetAccount {
        TargetAccount {
            pid: self.process,
            tid,
            name: self.name.clone(),
            php: self.php.clone(),
            tally: self.tally,
            ended: self.ended,
        }
    }
}

/// How many periods a time makes. What was due and what was seen of it are rounded alike: who slept all the time missed none.
pub const fn periods(ns: u64, period_ns: u64) -> u64 {
    ns.saturating_add(period_ns / 2) / period_ns
}

/// The stack of `process`, if it sleeps: then it cannot move while it is read.
pub fn stack_if_asleep(
    process: &Process,
    interpreter: &Interpreter,
    since_ns: u64,
    max_depth: u16,
    asked: Asked,
    symbols: &mut Symbols,
) -> Option<Asleep> {
    if !process.is_asleep() {
        return None;
    }
    let seen = read(process, interpreter, max_depth, asked, symbols)?;
    Some(Asleep {
        since_ns,
        read_ns: clock::monotonic_ns(),
        seen,
    })
}

fn read(
    process: &Process,
    interpreter: &Interpreter,
    max_depth: u16,
    asked: Asked,
    symbols: &mut Symbols,
) -> Option<Seen> {
    let stack = zend::stack_now(process, interpreter, max_depth.into()).ok()?;
    if stack.is_unlinked {
        return None;
    }
    let (context, memory) = circumstances(process, interpreter, asked, symbols);
    let locations: Vec<_> = stack
        .frames
        .into_iter()
        .map(|(function, line)| {
            let function = symbols.intern_function(function);
            symbols.intern_location(Location { function, line })
        })
        .collect();
    Some(Seen {
        stack: (!locations.is_empty()).then(|| symbols.intern_stack(&locations)),
        whole: match stack.end {
            End::Outermost => Whole::Yes,
            End::Cut => Whole::Cut,
            End::Unreadable(_) => Whole::Broken,
        },
        context,
        memory,
    })
}

/// The request and the memory of a target that does not move, as far as they are asked for and can be read.
fn circumstances(
    process: &Process,
    interpreter: &Interpreter,
    asked: Asked,
    symbols: &mut Symbols,
) -> (ContextId, Option<Memory>) {
    let memory = process.memory();
    let held = if asked.memory {
        zend::heap::memory(&memory, interpreter).ok().flatten()
    } else {
        None
    };
    if asked.request.is_empty() {
        return (ContextId::NONE, held);
    }
    let is_fastcgi = interpreter.is_fastcgi(process);
    let request = zend::request::read(&memory, interpreter, is_fastcgi, asked.request).unwrap_or_default();
    let labels = request.labels();
    (request_context(symbols, &labels), held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_slept_from_the_start_has_missed_nothing() {
        // The last period is more than half over.
        let observed = Observed {
            first_ns: 500,
            last_ns: 10_560,
            ..Observed::default()
        };
        let so_far = |stack| {
            let seen = Seen {
                stack,
                whole: Whole::Yes,
                context: ContextId::NONE,
                memory: None,
            };
            let asleep = Asleep {
                since_ns: 0,
                read_ns: 100,
                seen,
            };
            let known = Known {
                asleep: Some(asleep),
                ..Known::default()
            };
            known.so_far(&observed, 100)
        };
        let stack = Symbols::default().intern_stack(&[]);
        let (waits, idle) = (so_far(Some(stack)), so_far(None));
        assert_eq!((waits.due, waits.idle, waits.missed), (0, 0, 0));
        assert_eq!((idle.due, idle.idle, idle.missed), (101, 101, 0));
        let unseen = Known::default().so_far(&observed, 100);
        assert_eq!((unseen.due, unseen.missed), (101, 101));
    }
}
