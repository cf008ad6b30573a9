//! Turns the records of a source into samples of a profile.

use crate::{
    Value, Values,
    meaning::{Meaning, Told, Whole},
    record::{
        self, Frame, FunctionHeader, RequestHeader, SampleHeader, TaskHeader, ValueHeader, ValuesHeader,
    },
    waits::Span,
};
use foldhash::HashMap;
use profile::{
    ContextId, Function, FunctionId, Kind, Label, Line, Location, LocationId, Memory, Sample, StackId, State,
    Symbols,
};
use remote::wait::Entered;
use zend::{
    VALUE_MAX,
    naming::{self, Place, RawFunction},
    request,
};
use zerocopy::FromBytes;

/// `ZEND_INCLUDE_OR_EVAL`, the same in every PHP that is known.
const INCLUDE_OR_EVAL: u8 = 73;
/// `ZEND_INTERNAL_FUNCTION`.
const INTERNAL: u8 = 1;
/// So many different raw stacks are remembered; beyond, the memory of them starts anew.
const REMEMBERED: usize = 16 * 1024;
/// So many different requests, and what variables held for them, are told apart; samples of others have no labels, which is
/// counted.
pub const MOST_CONTEXTS: usize = 256 * 1024;

/// A function that was announced.
enum Announced {
    /// It has a name, or is never shown (`None`).
    Named(Option<FunctionId>),
    /// Code without a name: what it is called depends on the frame that runs it.
    Nameless {
        function_type: u8,
        fn_flags: u32,
        file: Box<[u8]>,
        first_line: u32,
    },
}

/// A raw stack that was resolved.
#[derive(Clone, Copy)]
struct Resolved {
    stack: StackId,
    /// The outermost frame is one that is never shown: the bottom of a fiber. PHP takes it off who resumed the fiber shortly before
    /// it goes back there, and until then it runs with what lies outside of it unknown.
    is_fiber_alone: bool,
}

/// Remembers what was announced, by process, and every raw stack that it has resolved.
#[derive(Default)]
pub struct Resolver {
    announced: HashMap<u32, HashMap<u64, Announced>>,
    /// Those without their outermost frames, and whole ones: which of the same frames is the outermost makes a difference.
    stacks: [HashMap<Box<[u8]>, Resolved>; 2],
    /// The request that each thread was announced to serve, and what is known of it.
    requests: HashMap<u32, (u64, ContextId)>,
    frames: Vec<Frame>,
    locations: Vec<LocationId>,
    start_ns: u64,
    /// Who joins frames of C, where that was asked.
    #[cfg(feature = "native")]
    pub(crate) joiner: Option<Box<crate::joiner::Joiner>>,
}

impl Resolver {
    /// A resolver whose samples count their time from `start_ns` (`CLOCK_MONOTONIC`).
    pub fn new(start_ns: u64) -> Self {
        Self {
            start_ns,
            ..Self::default()
        }
    }

    /// Reads one record. Bytes that are none give [`Meaning::Nothing`].
    pub fn read(&mut self, symbols: &mut Symbols, bytes: &[u8]) -> Meaning {
        match bytes.first() {
            Some(&record::SAMPLE) => self.sample(symbols, bytes),
            Some(&record::FUNCTION) => {
                self.announce(symbols, bytes);
                Meaning::Nothing
            }
            Some(&record::REQUEST) => {
                self.announce_request(symbols, bytes);
                Meaning::Nothing
            }
            #[cfg(feature = "native")]
            Some(&record::NATIVE) => {
                if let Some(joiner) = &mut self.joiner {
                    joiner.keep(bytes);
                }
                Meaning::Nothing
            }
            Some(&record::TASK) => {
                TaskHeader::read_from_prefix(bytes).map_or(Meaning::Nothing, |(task, _)| Meaning::Task(task))
            }
            _ => Meaning::Nothing,
        }
    }

    /// Forgets the functions of a process that ended or replaced its program.
    pub fn forget(&mut self, pid: u32) {
        self.announced.remove(&pid);
        self.requests.remove(&pid);
        #[cfg(feature = "native")]
        if let Some(joiner) = &mut self.joiner {
            joiner.forget(pid);
        }
        self.forget_stacks();
    }

    /// Forgets which stacks were resolved.
    pub fn forget_stacks(&mut self) {
        self.stacks.iter_mut().for_each(HashMap::clear);
    }

    /// Forgets all contexts but those of the requests that are served.
    pub fn forget_contexts(&mut self, symbols: &mut Symbols) {
        let kept: Vec<Vec<(Label, String)>> = self
            .requests
            .values()
            .map(|&(_, context)| {
                let labels = symbols.context(context);
                labels.map(|(label, text)| (label, text.to_owned())).collect()
            })
            .collect();
        symbols.forget_contexts();
        for ((_, context), labels) in self.requests.values_mut().zip(kept) {
            *context = request_context(symbols, &labels);
        }
    }

    fn announce_request(&mut self, symbols: &mut Symbols, bytes: &[u8]) {
        let Ok((header, mut rest)) = RequestHeader::read_from_prefix(bytes) else {
            return;
        };
        if symbols.context_count() >= MOST_CONTEXTS {
            self.requests.remove(&header.tid);
            return;
        }
        let texts = header.lengths.map(|length| {
            let (text, after) = rest.split_at_checked(length.into()).unwrap_or_default();
            rest = after;
            text
        });
        let context = request_context(symbols, &request::labels(texts.into_iter(), header.began));
        self.requests.insert(header.tid, (header.id, context));
    }

    fn announce(&mut self, symbols: &mut Symbols, bytes: &[u8]) {
        let Ok((header, names)) = FunctionHeader::read_from_prefix(bytes) else {
            return;
        };
        let mut rest = names;
        let mut take = |length: u16| {
            let (part, after) = rest.split_at_checked(length.into()).unwrap_or((rest, &[]));
            rest = after;
            Some(part).filter(|part| !part.is_empty())
        };
        let raw = RawFunction {
            function_type: header.function_type,
            fn_flags: header.fn_flags,
            name: take(header.name_len),
            class: take(header.class_len),
            file: take(header.file_len),
            first_line: header.first_line,
        };
        let announced = if raw.name.is_none() && raw.function_type != INTERNAL {
            Announced::Nameless {
                function_type: raw.function_type,
                fn_flags: raw.fn_flags,
                file: raw.file.unwrap_or_default().into(),
                first_line: raw.first_line,
            }
        } else {
            let function = naming::function(&raw, Place::Called);
            Announced::Named(function.map(|function| symbols.intern_function(function)))
        };
        #[cfg(feature = "native")]
        self.learn(symbols, &header, &announced, raw.file);
        let before = self
            .announced
            .entry(header.pid)
            .or_default()
            .insert(header.id, announced);
        // The same id with other names: stacks that were resolved with the old ones are not true any more.
        if let (Some(before), Some(now)) = (
            before,
            self.announced
                .get(&header.pid)
                .and_then(|functions| functions.get(&header.id)),
        ) && !before.same(now)
        {
            self.forget_stacks();
        }
    }

    fn sample(&mut self, symbols: &mut Symbols, bytes: &[u8]) -> Meaning {
        let Ok((header, rest)) = SampleHeader::read_from_prefix(bytes) else {
            return Meaning::Nothing;
        };
        let size = size_of::<Frame>() * header.depth as usize;
        let Some((raw, behind)) = rest.split_at_checked(size) else {
            return Meaning::Nothing;
        };
        let whole = match header.flags {
            flags if flags & record::UNREADABLE != 0 => Whole::Broken,
            flags if flags & record::CUT != 0 => Whole::Cut,
            _ => Whole::Yes,
        };
        let is_whole = whole == Whole::Yes;
        let resolved = self.stacks[usize::from(is_whole)]
            .get(raw)
            .copied()
            .unwrap_or_else(|| self.resolve(symbols, header.pid, raw, is_whole));
        let whole = if is_whole && resolved.is_fiber_alone {
            Whole::Broken
        } else {
            whole
        };
        let stack = resolved.stack;
        #[cfg(feature = "native")]
        let stack = self.join(symbols, &header, raw, stack);
        let request = self
            .requests
            .get(&header.tid)
            .filter(|(id, _)| header.request != 0 && *id == header.request);
        Meaning::Sample(Told {
            sample: Sample {
                at_ns: header.at_ns.saturating_sub(self.start_ns),
                pid: header.pid,
                tid: header.tid,
                state: match header.state {
                    record::RUNNABLE => State::Runnable,
                    record::BLOCKED => State::Blocked,
                    _ => State::OnCpu,
                },
                weight: header.weight,
                stack,
                context: request.map_or(ContextId::NONE, |&(_, context)| context),
                memory: (header.used != 0).then_some(Memory {
                    used: header.used,
                    peak: header.peak,
                }),
            },
            whole,
            retried: header.flags & record::RETRIED != 0,
            has_request: request.is_some(),
            span: span(&header),
            entered: header.call.checked_sub(1).map(|number| Entered {
                number,
                descriptor: header.descriptor,
                more: header.more,
            }),
            values: (header.flags & record::VALUES != 0)
                .then(|| self.values(header.pid, raw, behind))
                .flatten(),
        })
    }

    /// What stands behind the frames of a sample.
    fn values(&self, pid: u32, raw: &[u8], behind: &[u8]) -> Option<Values> {
        let (header, mut rest) = ValuesHeader::read_from_prefix(behind).ok()?;
        let mut values = Values {
            read: Vec::new(),
            unread: header.unread.into(),
            left_out: header.left_out.into(),
            are_torn: header.torn != 0,
        };
        while let Ok((header, after)) = ValueHeader::read_from_prefix(rest) {
            let Some((text, after)) = after.split_at_checked(header.length as usize) else {
                break;
            };
            rest = after;
            values.read.push(Value {
                peek: header.peek.into(),
                frame: (header.frame != record::NO_FRAME).then(|| self.shown_before(pid, raw, header.frame)),
                text: naming::printable(text, VALUE_MAX),
            });
        }
        Some(values)
    }

    /// How many of the frames inside of `frame` are shown.
    fn shown_before(&self, pid: u32, raw: &[u8], frame: u16) -> usize {
        let announced = self.announced.get(&pid);
        raw.chunks_exact(size_of::<Frame>())
            .take(frame.into())
            .filter_map(|frame| Frame::read_from_bytes(frame).ok())
            .filter(|frame| {
                let function = announced.and_then(|functions| functions.get(&frame.function));
                !matches!(function, Some(Announced::Named(None)))
            })
            .count()
    }

    fn resolve(&mut self, symbols: &mut Symbols, pid: u32, raw: &[u8], is_whole: bool) -> Resolved {
        self.frames.clear();
        let size = size_of::<Frame>();
        self.frames.extend(
            raw.chunks_exact(size)
                .filter_map(|frame| Frame::read_from_bytes(frame).ok()),
        );
        turn_delegations(&mut self.frames);
        self.locations.clear();
        let mut is_fiber_alone = false;
        for (index, frame) in self.frames.iter().enumerate() {
            let place = match self.frames.get(index + 1) {
                None if is_whole => Place::Outermost,
                Some(caller) if caller.opcode == INCLUDE_OR_EVAL => Place::IncludedBy(caller.extended.into()),
                None | Some(_) => Place::Called,
            };
            let announced = self
                .announced
                .get(&pid)
                .and_then(|functions| functions.get(&frame.function));
            let function = match announced {
                Some(Announced::Named(None)) => {
                    is_fiber_alone = index + 1 == self.frames.len();
                    continue;
                }
                Some(Announced::Named(Some(function))) => *function,
                Some(Announced::Nameless {
                    function_type,
                    fn_flags,
                    file,
                    first_line,
                }) => {
                    let raw = RawFunction {
                        function_type: *function_type,
                        fn_flags: *fn_flags,
                        name: None,
                        class: None,
                        file: Some(&**file).filter(|file| !file.is_empty()),
                        first_line: *first_line,
                    };
                    let Some(function) = naming::function(&raw, place) else {
                        continue;
                    };
                    symbols.intern_function(function)
                }
                None => symbols.intern_function(unknown()),
            };
            let line = match (symbols.function(function).kind, frame.line) {
                (Kind::Internal, _) | (_, 0) => Line::None,
                (_, line) if frame.flags & record::FIRST_LINE != 0 => Line::FunctionStart(line),
                (_, line) => Line::Exact(line),
            };
            self.locations
                .push(symbols.intern_location(Location { function, line }));
        }
        let resolved = Resolved {
            stack: symbols.intern_stack(&self.locations),
            is_fiber_alone,
        };
        let known = &mut self.stacks[usize::from(is_whole)];
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(raw.into(), resolved);
        resolved
    }
}

impl Announced {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Named(one), Self::Named(other)) => one == other,
            (
                Self::Nameless { file, first_line, .. },
                Self::Nameless {
                    file: other_file,
                    first_line: other_line,
                    ..
                },
            ) => file == other_file && first_line == other_line,
            _ => false,
        }
    }
}

/// The context that has these labels.
pub fn request_context(symbols: &mut Symbols, labels: &[(Label, String)]) -> ContextId {
    let labels: Vec<_> = labels.iter().map(|(label, text)| (*label, &**text)).collect();
    symbols.extend_context(ContextId::NONE, &labels)
}

/// When the wait was that a sample stands for.
fn span(header: &SampleHeader) -> Option<Span> {
    let (at_ns, length) = (header.at_ns, u64::from(header.span) << 10);
    match (header.state, header.flags & record::WAITED) {
        (record::BLOCKED, 0) => Some(Span::Within(at_ns, at_ns.saturating_add(length))),
        (record::BLOCKED, _) => Some(Span::Wait(at_ns.saturating_sub(length), at_ns)),
        _ => None,
    }
}

/// A frame whose function nobody announced: a bug of the source, shown rather than hidden.
fn unknown() -> Function {
    Function {
        name: "<unknown>".into(),
        file: None,
        first_line: 0,
        kind: Kind::Internal,
    }
}

/// Turns round each run of delegating generators, which the source met outermost first.
fn turn_delegations(frames: &mut [Frame]) {
    let mut start = 0;
    while start < frames.len() {
        if frames[start].flags & record::DELEGATED == 0 {
            start += 1;
            continue;
        }
        let run = frames[start..]
            .iter()
            .position(|frame| frame.flags & record::DELEGATED_END != 0)
            .map_or(frames.len() - start, |last| last + 1);
        frames[start..start + run].reverse();
        start += run;
    }
}

#[cfg(feature = "native")]
mod native;
#[cfg(test)]
mod tests;
