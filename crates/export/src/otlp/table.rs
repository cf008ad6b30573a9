//! The dictionary while it grows: each entry once, named by its place.

use super::message::{
    AnyValue, Empty, Function, KeyValueAndUnit, Line, Location, ProfilesDictionary, Stack, Value, ValueType,
};
use crate::{folded::label, strings::Strings};
use indexmap::IndexSet;
use profile::{Kind, Line as PhpLine, LocationId, StackId, Symbols};

/// Entries that were asked for so far.
pub struct Dictionary<'a> {
    pub symbols: &'a Symbols,
    strings: Strings<'a>,
    /// Key, value, unit.
    attributes: IndexSet<(i32, Value, i32)>,
    stacks: IndexSet<StackId>,
}

/// A place in a table. No table of 2^31 entries fits the memory that the profile itself has to fit.
fn place(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

impl<'a> Dictionary<'a> {
    pub fn new(symbols: &'a Symbols) -> Self {
        Self {
            symbols,
            strings: Strings::new(),
            attributes: IndexSet::new(),
            stacks: IndexSet::new(),
        }
    }

    fn text(&mut self, text: impl Into<std::borrow::Cow<'a, str>>) -> i32 {
        i32::try_from(self.strings.id(text)).unwrap_or(0)
    }

    pub fn value_type(&mut self, name: &'static str, unit: &'static str) -> ValueType {
        ValueType {
            type_strindex: self.text(name),
            unit_strindex: self.text(unit),
        }
    }

    pub fn attribute(&mut self, key: &'static str, value: Value) -> i32 {
        self.attribute_in(key, value, "")
    }

    /// An attribute with a unit, which may be none.
    pub fn attribute_in(&mut self, key: &'static str, value: Value, unit: &'static str) -> i32 {
        let (key, unit) = (self.text(key), self.text(unit));
        // The first entry stands for nothing, in the other tables too.
        place(self.attributes.insert_full((key, value, unit)).0 + 1)
    }

    pub fn stack(&mut self, stack: StackId) -> i32 {
        place(self.stacks.insert_full(stack).0 + 1)
    }

    /// All tables.
    pub fn finish(mut self) -> ProfilesDictionary {
        let symbols = self.symbols;
        let mut locations: IndexSet<LocationId> = IndexSet::new();
        let stacks = std::mem::take(&mut self.stacks);
        let stack_table = stacks.iter().map(|&stack| Stack {
            location_indices: symbols
                .stack(stack)
                .iter()
                .map(|&location| place(locations.insert_full(location).0 + 1))
                .collect(),
        });
        let stack_table = std::iter::once(Stack::default()).chain(stack_table).collect();
        let mut functions = IndexSet::new();
        let mut location_table = vec![Location::default()];
        for &id in &locations {
            let location = symbols.location(id);
            let kind = match symbols.function(location.function).kind {
                Kind::Native => "native",
                Kind::Kernel => "kernel",
                _ => "php",
            };
            let kind = self.attribute("profile.frame.type", Value::Text(kind.into()));
            let mut attribute_indices = vec![kind];
            if matches!(location.line, PhpLine::FunctionStart(_)) {
                attribute_indices
                    .push(self.attribute("phperf.line", Value::Text("first of function".into())));
            }
            location_table.push(Location {
                lines: vec![Line {
                    function_index: place(functions.insert_full(location.function).0 + 1),
                    line: i64::from(location.line.number()),
                }],
                attribute_indices,
            });
        }
        let mut function_table = vec![Function::default()];
        for &id in &functions {
            let function = symbols.function(id);
            function_table.push(Function {
                name_strindex: self.text(label(function)),
                filename_strindex: self.text(function.file.as_deref().unwrap_or_default()),
                start_line: i64::from(function.first_line),
            });
        }
        let attributes = self
            .attributes
            .into_iter()
            .map(|(key_strindex, value, unit_strindex)| KeyValueAndUnit {
                key_strindex,
                value: Some(AnyValue { value: Some(value) }),
                unit_strindex,
            });
        ProfilesDictionary {
            mapping_table: vec![Empty {}],
            location_table,
            function_table,
            link_table: vec![Empty {}],
            attribute_table: std::iter::once(KeyValueAndUnit::default())
                .chain(attributes)
                .collect(),
            string_table: self.strings.iter().map(str::to_owned).collect(),
            stack_table,
        }
    }
}
