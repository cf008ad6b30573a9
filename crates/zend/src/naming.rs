//! Functions as a PHP developer names them.

mod text;

use profile::{Function, Kind};
use std::sync::Arc;
pub use text::printable;
use text::{FILE_MAX, NAME_MAX};

/// `ZEND_INTERNAL_FUNCTION`.
const INTERNAL: u8 = 1;
/// `ZEND_EVAL_CODE`.
const EVAL_CODE: u8 = 4;

/// `ZEND_EVAL`, `ZEND_INCLUDE` and so on: the `extended_value` of a `ZEND_INCLUDE_OR_EVAL`, unchanged since PHP 5.
const INCLUDES: [(u32, &str); 5] = [
    (1, "eval"),
    (2, "include"),
    (4, "include_once"),
    (8, "require"),
    (16, "require_once"),
];

/// What PHP's memory says of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawFunction<'a> {
    /// `zend_function.type`: 1 internal, 2 user, 4 eval.
    pub function_type: u8,
    /// `zend_function.common.fn_flags`.
    pub fn_flags: u32,
    /// Its name; none for the code of a file.
    pub name: Option<&'a [u8]>,
    /// The class that it belongs to.
    pub class: Option<&'a [u8]>,
    /// The file that declares it; none for internal functions.
    pub file: Option<&'a [u8]>,
    /// The line of its declaration.
    pub first_line: u32,
}

/// Where in a stack a function stands, which tells what nameless code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nothing called it: the script that was started.
    Outermost,
    /// Something called it.
    Called,
    /// A `ZEND_INCLUDE_OR_EVAL` with this `extended_value` called it.
    IncludedBy(u32),
}

/// Names a function. `None` means that no frame is to be shown: PHP puts nameless internal functions into its
/// stack, such as the one at the bottom of a fiber's, which no developer wrote or called.
pub fn function(raw: &RawFunction<'_>, place: Place) -> Option<Function> {
    let name = raw.name.filter(|name| !name.is_empty());
    if raw.function_type == INTERNAL {
        return Some(Function {
            name: qualified(raw.class, &printable(name?, NAME_MAX)).into(),
            file: None,
            first_line: 0,
            kind: Kind::Internal,
        });
    }
    let file: Option<Arc<str>> = raw
        .file
        .filter(|file| !file.is_empty())
        .map(|file| printable(file, FILE_MAX).into());
    let (name, kind): (Box<str>, _) = match (name, place) {
        (Some(name), _) => (user(raw, name, file.as_deref()).into(), Kind::User),
        (None, Place::Outermost) => ("<main>".into(), Kind::Main),
        (None, _) => (include(raw.function_type, place).into(), Kind::Include),
    };
    Some(Function {
        name,
        file,
        first_line: raw.first_line,
        kind,
    })
}

fn user(raw: &RawFunction<'_>, name: &[u8], file: Option<&str>) -> String {
    let is_closure = name == b"{closure}" || name.ends_with(b"\\{closure}");
    if is_closure && let Some(file) = file {
        return qualified(raw.class, &format!("{{closure:{file}:{}}}", raw.first_line));
    }
    let name = printable(name, NAME_MAX);
    if name.contains("{closure:") {
        // Since 8.4 PHP itself says in the name where a closure comes from, its class included.
        return name;
    }
    qualified(raw.class, &name)
}

fn qualified(class: Option<&[u8]>, name: &str) -> String {
    match class {
        Some(class) if !class.is_empty() => format!("{}::{name}", class_name(class)),
        _ => name.to_owned(),
    }
}

/// PHP calls an anonymous class `class@anonymous`, a NUL, and `/file.php:12$0`.
fn class_name(class: &[u8]) -> String {
    let Some(end) = memchr::memchr(0, class) else {
        return printable(class, NAME_MAX);
    };
    let name = printable(&class[..end], NAME_MAX);
    let origin = &class[end + 1..];
    let origin = memchr::memrchr(b'$', origin).map_or(origin, |end| &origin[..end]);
    let digits = origin
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let has_line = digits > 0 && origin[..origin.len() - digits].ends_with(b":");
    if has_line {
        format!("{name}:{}", printable(origin, FILE_MAX))
    } else {
        name
    }
}

fn include(function_type: u8, place: Place) -> &'static str {
    let by_caller = match place {
        Place::IncludedBy(value) => INCLUDES.iter().find(|(known, _)| *known == value),
        Place::Called | Place::Outermost => None,
    };
    match by_caller {
        Some((_, name)) => name,
        None if function_type == EVAL_CODE => "eval",
        None => "include",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const USER: RawFunction<'_> = RawFunction {
        function_type: 2,
        fn_flags: 0,
        name: None,
        class: None,
        file: Some(b"/srv/a.php"),
        first_line: 12,
    };
    const NATIVE: RawFunction<'_> = RawFunction {
        function_type: 1,
        file: None,
        first_line: 0,
        ..USER
    };

    fn name(raw: RawFunction<'_>) -> String {
        function(&raw, Place::Called).unwrap().name.into()
    }

    fn user(class: Option<&'static str>, called: &'static str) -> String {
        name(RawFunction {
            name: Some(called.as_bytes()),
            class: class.map(str::as_bytes),
            ..USER
        })
    }

    #[test]
    fn functions_and_methods() {
        assert_eq!(user(None, "App\\run"), "App\\run");
        assert_eq!(user(Some("App\\Kernel"), "boot"), "App\\Kernel::boot");
        let query = RawFunction {
            name: Some(b"query"),
            class: Some(b"PDO"),
            ..NATIVE
        };
        let query = function(&query, Place::Called).unwrap();
        assert_eq!(
            (&*query.name, query.kind, query.file),
            ("PDO::query", Kind::Internal, None)
        );
    }

    #[test]
    fn closures() {
        assert_eq!(user(None, "{closure}"), "{closure:/srv/a.php:12}");
        assert_eq!(user(None, "App\\{closure}"), "{closure:/srv/a.php:12}");
        assert_eq!(
            user(Some("App\\K"), "App\\{closure}"),
            "App\\K::{closure:/srv/a.php:12}"
        );
        for own in ["{closure:/srv/a.php:12}", "{closure:App\\K::boot():12}"] {
            assert_eq!(user(Some("App\\K"), own), own);
        }
        let lost = RawFunction {
            name: Some(b"{closure}"),
            file: None,
            ..USER
        };
        assert_eq!(name(lost), "{closure}");
    }

    #[test]
    fn anonymous_classes() {
        assert_eq!(
            user(Some("class@anonymous\0/srv/a.php:7$0"), "run"),
            "class@anonymous:/srv/a.php:7::run"
        );
        assert_eq!(
            user(Some("Base@anonymous\0/srv/$a.php:70$1f"), "run"),
            "Base@anonymous:/srv/$a.php:70::run"
        );
        assert_eq!(
            user(Some("class@anonymous\0/srv/cut of"), "run"),
            "class@anonymous::run"
        );
        assert_eq!(user(Some("class@anonymous\0"), "run"), "class@anonymous::run");
    }

    #[test]
    fn code_of_files() {
        let main = function(&USER, Place::Outermost).unwrap();
        assert_eq!((&*main.name, main.kind), ("<main>", Kind::Main));
        assert_eq!(main.file.as_deref(), Some("/srv/a.php"));
        for (value, expected) in INCLUDES {
            let code = function(&USER, Place::IncludedBy(value)).unwrap();
            assert_eq!((&*code.name, code.kind), (expected, Kind::Include));
        }
        assert_eq!(name(USER), "include");
        assert_eq!(&*function(&USER, Place::IncludedBy(3)).unwrap().name, "include");
        let eval = RawFunction {
            function_type: 4,
            ..USER
        };
        assert_eq!(name(eval), "eval");
        // As in `php -r`.
        assert_eq!(&*function(&eval, Place::Outermost).unwrap().name, "<main>");
    }

    #[test]
    fn the_bottom_of_a_fiber_is_not_shown() {
        assert_eq!(function(&NATIVE, Place::Called), None);
        let empty = RawFunction {
            name: Some(b""),
            ..NATIVE
        };
        assert_eq!(function(&empty, Place::Outermost), None);
    }

    proptest! {
        #[test]
        fn any_bytes_become_one_short_printable_line(
            function_type: u8,
            name: Option<Vec<u8>>,
            class in prop::option::of(prop::collection::vec(any::<u8>(), 0..3000)),
            file in prop::option::of(prop::collection::vec(any::<u8>(), 0..3000)),
            first_line: u32,
            included: u32,
        ) {
            let raw = RawFunction {
                function_type,
                fn_flags: 0,
                name: name.as_deref(),
                class: class.as_deref(),
                file: file.as_deref(),
                first_line,
            };
            for place in [Place::Outermost, Place::Called, Place::IncludedBy(included)] {
                let Some(function) = function(&raw, place) else { continue };
                prop_assert!(!function.name.is_empty());
                prop_assert!(!function.name.contains(char::is_control));
                prop_assert!(function.name.len() < 16 * 1024);
                let file = function.file.as_deref().unwrap_or_default();
                prop_assert!(!file.contains(char::is_control));
            }
        }
    }
}
