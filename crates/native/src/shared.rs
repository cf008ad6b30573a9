//! An address space that processes share, and what was found in it.

use crate::{
    frames::{Code, PhpFrame},
    join::{OfC, OfPhp, Runs},
    names,
    space::{Made, Place, Space},
};
use foldhash::HashMap;
use profile::{LocationId, Symbols};

pub struct Shared {
    pub space: Space,
    /// By where a function begins, or else by the place itself.
    locations: HashMap<Place, LocationId>,
    /// The same of functions that PHP itself has told the names of.
    codes: HashMap<Place, LocationId>,
}

impl Shared {
    pub fn new(space: Space) -> Self {
        Self {
            space,
            locations: HashMap::default(),
            codes: HashMap::default(),
        }
    }

    /// A frame of C as it is joined.
    pub fn of_c(&self, place: Place) -> OfC {
        OfC {
            start: self.start(place),
            part: self.space.part(place),
        }
    }

    /// A frame of PHP as it is joined.
    pub fn of_php(&mut self, symbols: &mut Symbols, made: &Made, frame: &PhpFrame<'_>) -> OfPhp {
        let runs = match frame.runs {
            Code::User => Runs::User,
            Code::Internal { words, name } => Runs::Internal(self.code(symbols, made, words, name)),
            Code::Delegates => Runs::Nothing,
            Code::Fiber => Runs::Fiber,
        };
        OfPhp {
            runs,
            by_c: frame.by_c,
        }
    }

    /// The function at a place.
    pub fn location(&mut self, symbols: &mut Symbols, place: Place) -> LocationId {
        let place = self.function_at(place);
        let space = &self.space;
        self.codes.get(&place).copied().unwrap_or_else(|| {
            *self
                .locations
                .entry(place)
                .or_insert_with(|| names::location(symbols, space, place, None))
        })
    }

    /// Where the code of a function in C begins, which is called `name` from here on.
    fn code(&mut self, symbols: &mut Symbols, made: &Made, words: &[u64], name: Option<&str>) -> Option<u64> {
        let code = words
            .iter()
            .map(|&word| self.space.place(made, word))
            .find(|&place| self.space.is_covered(place))?;
        let code = self.function_at(code);
        if let Some(name) = name {
            let space = &self.space;
            self.codes
                .entry(code)
                .or_insert_with(|| names::location(symbols, space, code, Some(&names::of_php(name))));
        }
        Some(self.start(code))
    }

    /// The function at a place; where that is not known, the place itself.
    fn function_at(&self, place: Place) -> Place {
        match place {
            Place::Code { module, address } => {
                let binary = self.space.binary(module);
                let symbol = binary.function(address).map(|function| function.range.start);
                let start = symbol.or_else(|| binary.covered(address).map(|range| range.start));
                Place::Code {
                    module,
                    address: start.unwrap_or(address),
                }
            }
            other => other,
        }
    }

    /// A number for the function at a place.
    fn start(&self, place: Place) -> u64 {
        match self.function_at(place) {
            Place::Code { module, address } => (module as u64) << 48 | address,
            _ => u64::MAX,
        }
    }
}
