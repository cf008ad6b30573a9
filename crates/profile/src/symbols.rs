//! The interner: every function, location, stack and set of labels once, named by a small number.

use crate::{ContextId, Function, Label, Location, context::Contexts};
use foldhash::fast::RandomState;
use indexmap::IndexSet;

/// A function in [`Symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(u32);

/// A location in [`Symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocationId(u32);

/// A stack in [`Symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackId(u32);

impl FunctionId {
    /// Its number, counted from 0 in the order of first sight.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl LocationId {
    /// Its number, counted from 0 in the order of first sight.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl StackId {
    /// Its number, counted from 0 in the order of first sight.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Functions, locations, stacks and contexts of one recording.
#[derive(Debug, Default)]
pub struct Symbols {
    functions: IndexSet<Function, RandomState>,
    locations: IndexSet<Location, RandomState>,
    stacks: IndexSet<Box<[LocationId]>, RandomState>,
    contexts: Contexts,
}

impl Symbols {
    /// The number of an equal function, new or known.
    pub fn intern_function(&mut self, function: Function) -> FunctionId {
        FunctionId(self.functions.insert_full(function).0 as u32)
    }

    /// The number of an equal location, new or known.
    pub fn intern_location(&mut self, location: Location) -> LocationId {
        LocationId(self.locations.insert_full(location).0 as u32)
    }

    /// The number of an equal stack, new or known; the innermost frame comes first.
    pub fn intern_stack(&mut self, stack: &[LocationId]) -> StackId {
        let index = self
            .stacks
            .get_index_of(stack)
            .unwrap_or_else(|| self.stacks.insert_full(stack.into()).0);
        StackId(index as u32)
    }

    /// Forgets all stacks: their numbers mean nothing any more, and are given anew. Functions and locations stay.
    pub fn forget_stacks(&mut self) {
        self.stacks.clear();
    }

    /// The number of the context that has the labels of `base` and these: new ones, or others instead of those of the
    /// same name. Texts are cut to [`crate::LONGEST_TEXT`]; an empty one takes the label away.
    pub fn extend_context(&mut self, base: ContextId, labels: &[(Label, &str)]) -> ContextId {
        self.contexts.extend(base, labels)
    }

    /// Forgets all contexts but [`ContextId::NONE`]: their numbers are given anew.
    pub fn forget_contexts(&mut self) {
        self.contexts.clear();
    }

    /// A function by its number.
    ///
    /// # Panics
    /// If `id` comes from other symbols.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// A location by its number.
    ///
    /// # Panics
    /// If `id` comes from other symbols.
    pub fn location(&self, id: LocationId) -> Location {
        self.locations[id.index()]
    }

    /// A stack by its number, the innermost frame first.
    ///
    /// # Panics
    /// If `id` comes from other symbols.
    pub fn stack(&self, id: StackId) -> &[LocationId] {
        &self.stacks[id.index()]
    }

    /// The labels of a context in the order of [`Label`], each at most once.
    ///
    /// # Panics
    /// If `id` comes from other symbols, or was forgotten.
    pub fn context(&self, id: ContextId) -> impl ExactSizeIterator<Item = (Label, &str)> {
        self.contexts.labels(id)
    }

    /// The text of a label in a context.
    ///
    /// # Panics
    /// If `id` comes from other symbols, or was forgotten.
    pub fn label(&self, id: ContextId, label: Label) -> Option<&str> {
        self.context(id)
            .find(|&(other, _)| other == label)
            .map(|(_, text)| text)
    }

    /// Function and location of each frame of a stack, the innermost first.
    pub fn frames(
        &self,
        id: StackId,
    ) -> impl DoubleEndedIterator<Item = (&Function, Location)> + ExactSizeIterator {
        self.stack(id).iter().map(|&location| {
            let location = self.location(location);
            (self.function(location.function), location)
        })
    }

    /// Every function, in the order of [`FunctionId::index`].
    pub fn functions(&self) -> impl ExactSizeIterator<Item = &Function> {
        self.functions.iter()
    }

    /// Every location, in the order of [`LocationId::index`].
    pub fn locations(&self) -> impl ExactSizeIterator<Item = Location> + '_ {
        self.locations.iter().copied()
    }

    /// How many different stacks there are.
    pub fn stack_count(&self) -> usize {
        self.stacks.len()
    }

    /// How many different contexts there are, besides [`ContextId::NONE`].
    pub fn context_count(&self) -> usize {
        self.contexts.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, Line};

    #[test]
    fn equal_things_have_one_number() {
        let mut symbols = Symbols::default();
        let function = |name: &str| Function {
            name: name.into(),
            file: None,
            first_line: 0,
            kind: Kind::Internal,
        };
        let sleep = symbols.intern_function(function("usleep"));
        let sort = symbols.intern_function(function("ksort"));
        assert_ne!(sleep, sort);
        assert_eq!(sleep, symbols.intern_function(function("usleep")));

        let at = |function, line| Location { function, line };
        let first = symbols.intern_location(at(sleep, Line::None));
        let second = symbols.intern_location(at(sort, Line::Exact(3)));
        let stack = symbols.intern_stack(&[first, second]);
        assert_eq!(stack, symbols.intern_stack(&[first, second]));
        assert_ne!(stack, symbols.intern_stack(&[second, first]));
        let names: Vec<_> = symbols
            .frames(stack)
            .map(|(function, _)| &*function.name)
            .collect();
        assert_eq!(names, ["usleep", "ksort"]);

        symbols.forget_stacks();
        assert_eq!(symbols.stack_count(), 0);
        assert_eq!(first, symbols.intern_location(at(sleep, Line::None)));
        let stack = symbols.intern_stack(&[second]);
        assert_eq!((stack.index(), symbols.stack(stack)), (0, &[second][..]));
    }
}
