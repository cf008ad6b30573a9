//! Places become locations of a profile.

use crate::{
    kernel::Kernel,
    space::{Place, Space},
};
use profile::{Function, Kind, Line, Location, LocationId, Symbols};
use std::sync::Arc;

/// The file of the kernel's functions.
pub const KERNEL: &str = "[kernel]";
/// The file and the name of code that was made while the process ran.
const MADE: &str = "[jit]";
const MADE_NAME: &str = "code";

/// The location of a function in C. One that has no symbol is called `known`, or by its place in its file.
pub fn location(symbols: &mut Symbols, space: &Space, place: Place, known: Option<&str>) -> LocationId {
    let Place::Code { module, address } = place else {
        return intern(symbols, MADE_NAME.into(), MADE.into(), Kind::Native);
    };
    let binary = space.binary(module);
    let name = match (binary.function(address), known, binary.covered(address)) {
        (Some(function), _, _) => function.name.replace(profile::is_unprintable, "?"),
        (None, Some(known), _) => known.to_owned(),
        (None, None, Some(covered)) => format!("{}+{:#x}", binary.name(), covered.start),
        (None, None, None) => binary.name().to_owned(),
    };
    intern(symbols, name, Arc::clone(&binary.path), Kind::Native)
}

/// The location of one of the kernel's functions.
pub fn in_kernel(symbols: &mut Symbols, kernel: &Kernel, address: u64) -> LocationId {
    let name = kernel.function(address).unwrap_or(KERNEL);
    intern(symbols, name.to_owned(), KERNEL.into(), Kind::Kernel)
}

/// What PHP's sources call the code of one of its functions.
pub fn of_php(name: &str) -> String {
    let name = name.rsplit('\\').next().unwrap_or(name);
    match name.split_once("::") {
        Some((class, method)) => format!("zim_{class}_{method}"),
        None => format!("zif_{name}"),
    }
}

fn intern(symbols: &mut Symbols, name: String, file: Arc<str>, kind: Kind) -> LocationId {
    let function = symbols.intern_function(Function {
        name: name.into(),
        file: Some(file),
        first_line: 0,
        kind,
    });
    symbols.intern_location(Location {
        function,
        line: Line::None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_php_are_called_as_its_sources_do() {
        assert_eq!(of_php("preg_match"), "zif_preg_match");
        assert_eq!(of_php("PDOStatement::execute"), "zim_PDOStatement_execute");
        assert_eq!(of_php("Random\\Randomizer::nextInt"), "zim_Randomizer_nextInt");
    }
}
