//! Names of any bytes become one short line of printable text.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use zend::naming::{Place, RawFunction, function};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    function_type: u8,
    name: Option<&'a [u8]>,
    class: Option<&'a [u8]>,
    file: Option<&'a [u8]>,
    first_line: u32,
    included: u32,
}

fuzz_target!(|input: Input| {
    let raw = RawFunction {
        function_type: input.function_type,
        fn_flags: 0,
        name: input.name,
        class: input.class,
        file: input.file,
        first_line: input.first_line,
    };
    for place in [Place::Outermost, Place::Called, Place::IncludedBy(input.included)] {
        let Some(function) = function(&raw, place) else {
            continue;
        };
        assert!(!function.name.is_empty() && function.name.len() < 16 * 1024);
        assert!(!function.name.contains(char::is_control));
        assert!(
            !function
                .file
                .as_deref()
                .unwrap_or_default()
                .contains(char::is_control)
        );
    }
});
