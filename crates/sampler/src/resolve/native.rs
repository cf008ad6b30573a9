//! What is told of functions and stacks to who joins them with frames of C.

use super::{Announced, INTERNAL, Resolver};
use crate::{
    joiner::Part,
    record::{CODE_WORDS, Frame, FunctionHeader, SampleHeader},
};
use profile::{StackId, Symbols};
use zerocopy::FromBytes;

impl Resolver {
    /// A function was announced: of one in C, where its code is.
    pub(super) fn learn(
        &mut self,
        symbols: &Symbols,
        header: &FunctionHeader,
        announced: &Announced,
        words: Option<&[u8]>,
    ) {
        let Some(joiner) = &mut self.joiner else { return };
        if header.function_type != INTERNAL {
            return;
        }
        let name = match announced {
            Announced::Named(Some(function)) => Some(symbols.function(*function).name.clone()),
            _ => None,
        };
        let words = words.and_then(|words| <[u64; CODE_WORDS]>::read_from_bytes(words).ok());
        joiner.learn(header.pid, header.id, words.unwrap_or_default(), name);
    }

    /// The same stack with the frames of C.
    pub(super) fn join(
        &mut self,
        symbols: &mut Symbols,
        header: &SampleHeader,
        raw: &[u8],
        stack: StackId,
    ) -> StackId {
        let Some(joiner) = &mut self.joiner else {
            return stack;
        };
        let announced = self.announced.get(&header.pid);
        let parts = raw
            .chunks_exact(size_of::<Frame>())
            .filter_map(|frame| Frame::read_from_bytes(frame).ok())
            .map(|frame| {
                let function = announced.and_then(|functions| functions.get(&frame.function));
                Part {
                    frame,
                    is_shown: !matches!(function, Some(Announced::Named(None))),
                }
            });
        joiner.join(symbols, header, parts, stack)
    }
}
