//! The interner of contexts: each set of labels once, named by a small number.

use crate::{Label, label::bounded};
use foldhash::fast::RandomState;
use indexmap::IndexSet;

/// What is known of the circumstances of a sample, in [`crate::Symbols`]: a set of labels with their texts. The default
/// is the empty set: nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContextId(u32);

impl ContextId {
    /// Nothing is known.
    pub const NONE: Self = Self(0);

    /// Its number, counted from 1 in the order of first sight; 0 is [`ContextId::NONE`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A label and the number of its text.
type Pair = (Label, u32);

/// Texts, and sets of labels with them, in the order of the labels; each label is in a set once.
#[derive(Debug, Default)]
pub(crate) struct Contexts {
    texts: IndexSet<Box<str>, RandomState>,
    sets: IndexSet<Box<[Pair]>, RandomState>,
}

impl Contexts {
    /// The number of `base` with these labels, which replace those of the same name; an empty text is none.
    pub fn extend(&mut self, base: ContextId, labels: &[(Label, &str)]) -> ContextId {
        let mut set = [None; Label::ALL.len()];
        for &(label, text) in self.pairs(base) {
            set[label as usize] = Some(text);
        }
        for &(label, text) in labels {
            set[label as usize] = (!text.is_empty()).then(|| self.text(text));
        }
        let mut pairs = [(Label::Method, 0); Label::ALL.len()];
        let mut length = 0;
        for (label, text) in Label::ALL.into_iter().zip(set) {
            if let Some(text) = text {
                pairs[length] = (label, text);
                length += 1;
            }
        }
        let pairs = &pairs[..length];
        if pairs.is_empty() {
            return ContextId::NONE;
        }
        let index = self
            .sets
            .get_index_of(pairs)
            .unwrap_or_else(|| self.sets.insert_full(pairs.into()).0);
        ContextId(index as u32 + 1)
    }

    fn text(&mut self, text: &str) -> u32 {
        let text = bounded(text);
        let index = self
            .texts
            .get_index_of(&*text)
            .unwrap_or_else(|| self.texts.insert_full(text.into()).0);
        index as u32
    }

    fn pairs(&self, id: ContextId) -> &[Pair] {
        id.index().checked_sub(1).map_or(&[], |index| &self.sets[index])
    }

    pub fn labels(&self, id: ContextId) -> impl ExactSizeIterator<Item = (Label, &str)> {
        self.pairs(id)
            .iter()
            .map(|&(label, text)| (label, &*self.texts[text as usize]))
    }

    pub fn len(&self) -> usize {
        self.sets.len()
    }

    pub fn clear(&mut self) {
        self.texts.clear();
        self.sets.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_have_one_number_whatever_their_order() {
        let mut contexts = Contexts::default();
        assert_eq!(contexts.extend(ContextId::NONE, &[]), ContextId::NONE);
        let one = contexts.extend(ContextId::NONE, &[(Label::Uri, "/a"), (Label::Method, "GET")]);
        let other = contexts.extend(ContextId::NONE, &[(Label::Method, "GET"), (Label::Uri, "/a")]);
        assert_eq!((one, one.index(), contexts.len()), (other, 1, 1));
        let waits = contexts.extend(one, &[(Label::Wait, "sleep")]);
        assert_eq!(
            contexts.labels(waits).collect::<Vec<_>>(),
            [(Label::Method, "GET"), (Label::Uri, "/a"), (Label::Wait, "sleep")]
        );
        let moved = contexts.extend(waits, &[(Label::Uri, "/b")]);
        assert_eq!(contexts.labels(moved).nth(1), Some((Label::Uri, "/b")));
        assert_eq!(contexts.labels(ContextId::NONE).len(), 0);
        assert_eq!(contexts.extend(waits, &[(Label::Wait, "")]), one);
    }
}
