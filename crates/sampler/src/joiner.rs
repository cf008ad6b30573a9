//! Puts the frames of C between the frames of PHP.

use crate::record::{self, CODE_WORDS, Frame, NativeHeader, SampleHeader};
use foldhash::HashMap;
use native::{Code, Found, Frames, Outcome, PhpFrame, Registers, Seen, Stack};
use profile::{StackId, Symbols};
use zerocopy::FromBytes;

/// Joins samples with the records that came before them.
#[derive(Default)]
pub struct Joiner {
    frames: Frames,
    /// The record of each thread whose sample is still to come.
    kept: HashMap<u32, Vec<u8>>,
    /// The functions in C of each process.
    functions: HashMap<u32, HashMap<u64, InC>>,
    found: Vec<Found>,
    tally: Tally,
}

/// A function in C.
struct InC {
    words: [u64; CODE_WORDS],
    /// What PHP calls it, if it does.
    name: Option<Box<str>>,
}

/// A frame of a sample.
pub struct Part {
    /// As it was told.
    pub frame: Frame,
    /// It is in the profile.
    pub is_shown: bool,
}

/// What became of periods.
#[derive(Debug, Default)]
struct Tally {
    whole: u64,
    in_vm: u64,
    cut: u64,
    innermost: u64,
    apart: u64,
    untold: u64,
}

impl Joiner {
    /// Keeps a record for the sample that it belongs to.
    pub fn keep(&mut self, bytes: &[u8]) {
        if let Ok((header, _)) = NativeHeader::read_from_prefix(bytes) {
            self.kept.insert(header.tid, bytes.to_vec());
        }
    }

    /// Remembers a function in C.
    pub fn learn(&mut self, pid: u32, id: u64, words: [u64; CODE_WORDS], name: Option<Box<str>>) {
        let functions = self.functions.entry(pid).or_default();
        functions.insert(id, InC { words, name });
    }

    /// The stack of a sample, which has these parts, with the frames of C.
    pub fn join(
        &mut self,
        symbols: &mut Symbols,
        header: &SampleHeader,
        parts: impl Iterator<Item = Part>,
        stack: StackId,
    ) -> StackId {
        let count = match header.native {
            record::NATIVE_IN_VM => &mut self.tally.in_vm,
            record::NATIVE_TOLD => {
                let parts: Vec<Part> = parts.collect();
                let outcome = self.find(symbols, header, &parts);
                let joined = self.merge(symbols, &parts, stack);
                let weight = u64::from(header.weight);
                self.tally.count(outcome.unwrap_or(Outcome::Apart), weight);
                return joined;
            }
            _ => &mut self.tally.untold,
        };
        *count += u64::from(header.weight);
        stack
    }

    fn find(&mut self, symbols: &mut Symbols, sample: &SampleHeader, parts: &[Part]) -> Option<Outcome> {
        let record = self.kept.remove(&sample.tid)?;
        let (header, stack) = NativeHeader::read_from_prefix(&record).ok()?;
        let stack = stack.get(..header.stack_len as usize)?;
        let functions = self.functions.get(&header.pid);
        let in_c: Vec<Option<&InC>> = parts
            .iter()
            .map(|part| functions?.get(&part.frame.function))
            .collect();
        // A fiber alone goes back to who resumed it: the stack of C may be the other's already.
        if matches!(in_c.last(), Some(Some(InC { name: None, .. }))) {
            return Some(Outcome::Apart);
        }
        let php: Vec<PhpFrame<'_>> = parts
            .iter()
            .enumerate()
            .map(|(index, part)| PhpFrame {
                runs: match in_c[index] {
                    _ if part.frame.flags & record::DELEGATED != 0 => Code::Delegates,
                    None => Code::User,
                    // Fiber::start() and its like are outside of it.
                    Some(InC { name: None, .. }) if in_c.get(index + 1).is_some_and(Option::is_some) => {
                        Code::Fiber
                    }
                    Some(InC { words, name }) => Code::Internal {
                        words,
                        name: name.as_deref(),
                    },
                },
                by_c: part.frame.flags & record::FROM_C != 0,
            })
            .collect();
        let seen = Seen {
            pid: header.pid,
            registers: Registers {
                ip: header.ip,
                sp: header.sp,
                fp: header.fp,
                lr: header.lr,
            },
            stack: Stack {
                start: header.sp,
                bytes: stack,
            },
            kernel: header.kernel.get(..header.kernel_depth.into())?,
            php: &php,
        };
        Some(self.frames.find(symbols, &seen, &mut self.found))
    }

    /// Puts what was found between the frames of `stack`: outside of those of PHP that are inside of its caller.
    fn merge(&mut self, symbols: &mut Symbols, parts: &[Part], stack: StackId) -> StackId {
        if self.found.is_empty() {
            return stack;
        }
        let shown = symbols.stack(stack);
        let mut merged = Vec::with_capacity(shown.len() + self.found.len());
        let (mut by, mut inside) = (0, 0);
        for found in self.found.drain(..) {
            if found.by > by {
                let more = parts[by..found.by].iter().filter(|part| part.is_shown).count();
                let until = shown.len().min(inside + more);
                merged.extend_from_slice(&shown[inside..until]);
                (by, inside) = (found.by, until);
            }
            merged.push(found.location);
        }
        merged.extend_from_slice(&shown[inside..]);
        symbols.intern_stack(&merged)
    }

    /// Looks at what a process maps, as long as it is there.
    pub fn look(&mut self, pid: u32) {
        self.frames.look(pid);
    }

    /// The same of all that are known.
    pub fn refresh(&mut self) {
        self.frames.refresh();
    }

    /// A process ended or became another program.
    pub fn forget(&mut self, pid: u32) {
        self.frames.forget(pid);
        self.functions.remove(&pid);
        // Those whose sample found no room.
        self.kept.retain(|_, record| {
            NativeHeader::read_from_prefix(record).is_ok_and(|(header, _)| header.pid != pid)
        });
    }

    /// What the user should know.
    pub fn note(&self) -> String {
        let Tally {
            whole,
            in_vm,
            cut,
            innermost,
            apart,
            untold,
        } = self.tally;
        format!(
            "frames of C: {whole} samples have all of theirs, {in_vm} have none since the interpreter itself ran, {cut} lack \
             the outermost, {innermost} have those of the innermost function only, {apart} could not be joined, {untold} were not looked at"
        )
    }
}

impl Tally {
    fn count(&mut self, outcome: Outcome, weight: u64) {
        let count = match outcome {
            Outcome::Whole => &mut self.whole,
            Outcome::Cut => &mut self.cut,
            Outcome::Innermost => &mut self.innermost,
            Outcome::Apart => &mut self.apart,
        };
        *count += weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use zerocopy::IntoBytes;

    fn joined(records: &[Vec<u8>], native: u8) -> (Joiner, usize) {
        let mut joiner = Joiner::default();
        let mut symbols = Symbols::default();
        for bytes in records {
            joiner.keep(bytes);
        }
        let header = SampleHeader {
            native,
            tid: 7,
            weight: 2,
            ..SampleHeader::default()
        };
        let stack = symbols.intern_stack(&[]);
        let with_c = joiner.join(&mut symbols, &header, std::iter::empty(), stack);
        let frames = symbols.stack(with_c).len();
        (joiner, frames)
    }

    #[test]
    fn what_becomes_of_each_period_is_counted() {
        // Of no process.
        let header = NativeHeader {
            kind: record::NATIVE,
            pid: 1 << 23,
            tid: 7,
            ..NativeHeader::default()
        };
        let record = header.as_bytes().to_vec();
        let counts = [
            (record::NATIVE_UNKNOWN, "2 were not looked at"),
            (record::NATIVE_IN_VM, "2 have none"),
            (record::NATIVE_TOLD, "2 could not be joined"),
        ];
        for (native, words) in counts {
            let (joiner, frames) = joined(std::slice::from_ref(&record), native);
            assert_eq!(frames, 0);
            assert!(joiner.note().contains(words), "{}", joiner.note());
        }
    }

    #[test]
    fn records_are_kept_until_their_sample_comes_or_cannot_come() {
        let record = |tid| {
            let header = NativeHeader {
                kind: record::NATIVE,
                pid: 1 << 23,
                tid,
                ..NativeHeader::default()
            };
            header.as_bytes().to_vec()
        };
        let (mut joiner, _) = joined(&[record(7), record(8), record(9)], record::NATIVE_TOLD);
        assert_eq!(joiner.kept.len(), 2);
        joiner.forget(7);
        assert_eq!(joiner.kept.len(), 2);
        joiner.forget(1 << 23);
        assert!(joiner.kept.is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..600), depth: u16, length: u32) {
            let header = NativeHeader {
                kind: record::NATIVE,
                kernel_depth: depth,
                stack_len: length,
                pid: 1 << 23,
                tid: 7,
                ..NativeHeader::default()
            };
            joined(&[bytes.clone(), [header.as_bytes(), &bytes].concat()], record::NATIVE_TOLD);
        }
    }
}
