//! Functions of C and of the kernel: their names say which binary has them, `memcpy [libc.so.6]`.

use profile::{Function, Kind};

/// What a function of the kernel has for a file.
const KERNEL: &str = "[kernel]";
/// The same in brackets of a format's own.
const KERNEL_MARK: &str = "kernel";

/// The binary of a function of C, as short as people say it; `None` of any other function.
pub fn mark(function: &Function) -> Option<&str> {
    match function.kind {
        Kind::Native | Kind::Kernel => Some(shortened(function.file.as_deref().unwrap_or_default())),
        _ => None,
    }
}

fn shortened(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'))
        .unwrap_or(name)
}

/// The kind and the file of a function whose file is told in brackets.
pub fn kind(mark: &str) -> (Kind, &str) {
    match mark {
        KERNEL_MARK | KERNEL => (Kind::Kernel, KERNEL),
        file => (Kind::Native, file),
    }
}

/// Name, kind and file of a function of C, from its name with its binary and the file, where that is told too.
pub fn parse<'a>(label: &'a str, file: Option<&'a str>) -> Option<(&'a str, Kind, &'a str)> {
    let (name, mark) = label.strip_suffix(']')?.rsplit_once(" [")?;
    let (kind, short) = kind(mark);
    match file {
        None => Some((name, kind, short)),
        Some(KERNEL) if kind == Kind::Kernel => Some((name, kind, KERNEL)),
        Some(file) if shortened(file) == mark => Some((name, Kind::Native, file)),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_its_binary() {
        let library = "/usr/lib/libc.so.6";
        let function = |file: &str, kind| Function {
            name: "memcpy".into(),
            file: Some(file.into()),
            first_line: 0,
            kind,
        };
        assert_eq!(mark(&function(library, Kind::Native)), Some("libc.so.6"));
        assert_eq!(mark(&function("[vdso]", Kind::Native)), Some("vdso"));
        assert_eq!(mark(&function(KERNEL, Kind::Kernel)), Some("kernel"));
        assert_eq!(mark(&function(library, Kind::User)), None);

        assert_eq!(
            parse("memcpy [libc.so.6]", None),
            Some(("memcpy", Kind::Native, "libc.so.6"))
        );
        let told = parse("memcpy [libc.so.6]", Some(library));
        assert_eq!(told, Some(("memcpy", Kind::Native, library)));
        assert_eq!(
            parse("do_sys_poll [kernel]", None),
            Some(("do_sys_poll", Kind::Kernel, KERNEL))
        );
        assert_eq!(parse("{closure} [x]", Some("/srv/app.php")), None);
        assert_eq!(parse("memcpy", None), None);
    }
}
