//! Puts the frames of C under the frames of PHP.

use crate::record::{self, Frame, NativeHeader, SampleHeader};
use foldhash::HashMap;
use native::{Frames, Leaf, Outcome, Registers, Seen, Stack};
use profile::{LocationId, StackId, Symbols};
use zerocopy::FromBytes;

/// `ZEND_INTERNAL_FUNCTION`.
const INTERNAL: u64 = 1;
/// `ZEND_DO_FCALL`, `ZEND_DO_ICALL`, `ZEND_DO_UCALL`, `ZEND_DO_FCALL_BY_NAME`: the same in every PHP that is known.
const CALLS: [u8; 4] = [60, 129, 130, 131];
/// The words of a function before the address of its code: they are the same in all functions, and no code.
const BEFORE_CODE: usize = 6;

/// Joins samples with the records that came before them.
#[derive(Default)]
pub struct Joiner {
    frames: Frames,
    /// The last record of each thread.
    kept: HashMap<u32, Vec<u8>>,
    found: Vec<LocationId>,
    tally: Tally,
}

/// What became of periods.
#[derive(Debug, Default)]
struct Tally {
    whole: u64,
    in_vm: u64,
    cut: u64,
    apart: u64,
    untold: u64,
}

impl Joiner {
    /// Keeps a record for the sample that it belongs to.
    pub fn keep(&mut self, bytes: &[u8]) {
        if let Ok((header, _)) = NativeHeader::read_from_prefix(bytes) {
            let kept = self.kept.entry(header.tid).or_default();
            kept.clear();
            kept.extend_from_slice(bytes);
        }
    }

    /// The stack of a sample with the frames of C that its innermost function, called `name`, has called. It was itself called
    /// by `caller`.
    pub fn join(
        &mut self,
        symbols: &mut Symbols,
        header: &SampleHeader,
        stack: StackId,
        name: Option<&str>,
        caller: Option<Frame>,
    ) -> StackId {
        let outcome = match header.native {
            record::NATIVE_IN_VM => None,
            record::NATIVE_TOLD => self.find(symbols, header, name, caller),
            _ => {
                self.tally.untold += u64::from(header.weight);
                return stack;
            }
        };
        let count = match (header.native, outcome) {
            (record::NATIVE_IN_VM, _) => &mut self.tally.in_vm,
            (_, Some(Outcome::Whole)) => &mut self.tally.whole,
            (_, Some(Outcome::Cut)) => &mut self.tally.cut,
            (_, Some(Outcome::Apart) | None) => &mut self.tally.apart,
        };
        *count += u64::from(header.weight);
        if self.found.is_empty() {
            return stack;
        }
        self.found.extend_from_slice(symbols.stack(stack));
        let joined = symbols.intern_stack(&self.found);
        self.found.clear();
        joined
    }

    fn find(
        &mut self,
        symbols: &mut Symbols,
        sample: &SampleHeader,
        name: Option<&str>,
        caller: Option<Frame>,
    ) -> Option<Outcome> {
        let (header, stack) = NativeHeader::read_from_prefix(self.kept.get(&sample.tid)?).ok()?;
        let stack = stack.get(..header.stack_len as usize)?;
        let leaf = if header.leaf[0] & 0xff == INTERNAL {
            Leaf::Internal {
                words: &header.leaf[BEFORE_CODE..],
                name,
                is_of_php: caller.is_some_and(|frame| {
                    CALLS.contains(&frame.opcode) && frame.flags & record::DELEGATED == 0
                }),
            }
        } else {
            Leaf::User
        };
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
            leaf,
        };
        Some(self.frames.find(symbols, &seen, &mut self.found))
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
    }

    /// What the user should know.
    pub fn note(&self) -> String {
        let Tally {
            whole,
            in_vm,
            cut,
            apart,
            untold,
        } = self.tally;
        format!(
            "frames of C: {whole} samples have all of theirs, {in_vm} have none since the interpreter itself ran, {cut} lack \
             the outermost, {apart} could not be joined, {untold} were not looked at"
        )
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
        let with_c = joiner.join(&mut symbols, &header, stack, None, None);
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
