//! The memory that opcache shares between processes.

use super::{Change, Pool, settings::set_aside};
use crate::{
    Error,
    status::{Status, by_path},
};
use php::{Apache, Info};
use remote::huge;
use std::path::{self, Path};

/// As many pages of hugetlb as opcache's memory takes with a PHP's settings, which it uses by itself where they are free. With
/// a `file`, that is also written down for the next start of the machine.
pub fn by_memory(binary: &Path, file: Option<&Path>) -> Result<Vec<Change>, Error> {
    Status::of_file(binary)?;
    let is_library = binary.extension().is_some_and(|it| it == "so");
    let info = if is_library {
        Apache::ask(binary, true)?.0
    } else {
        Info::with_settings(&by_path(binary))?
    };
    let pages = pages(&info).map_err(|why| Error::OpcacheMemory {
        path: binary.into(),
        why,
    })?;
    // It is undone from another folder, maybe.
    let file = file.map(path::absolute).transpose();
    let file = file.map_err(Error::io("tell where the file is to be"))?;
    let (setting, total) = set_aside(pages)?;
    let kept = file.map(|path| Change::File {
        path,
        text: format!(
            "# written by `phperf hugepages apply`, removed by `phperf hugepages revert`\nvm.nr_hugepages = {total}\n"
        ),
    });
    Ok([setting].into_iter().chain(kept).collect())
}

/// What `opcache.memory_consumption` and the JIT's buffer take together; else why huge pages are not taken.
fn pages(info: &Info) -> Result<Pool, String> {
    let value = |name: &str| info.value(name).unwrap_or_default();
    let is_on = |name: &str| matches!(value(name).to_ascii_lowercase().as_str(), "on" | "1");
    let switch = match value("Server API") {
        "Command Line Interface" => "opcache.enable_cli",
        _ => "opcache.enable",
    };
    if !is_on("opcache.enable") || !is_on(switch) {
        return Err(format!("opcache is not loaded, or off: set {switch}=1"));
    }
    let model = value("opcache.preferred_memory_model");
    if !matches!(model, "" | "no value" | "mmap") {
        return Err(format!(
            "opcache.preferred_memory_model={model} has none: leave it out"
        ));
    }
    // PHP reads the digits, and nothing behind them.
    let memory = value("opcache.memory_consumption");
    let digits = memory.find(|c: char| !c.is_ascii_digit()).unwrap_or(memory.len());
    let megabytes = quantity(&memory[..digits])
        .filter(|megabytes| (1..=1 << 24).contains(megabytes))
        .ok_or("opcache.memory_consumption is no number")?;
    let jit = match value("opcache.jit") {
        "disable" => 0,
        _ => quantity(value("opcache.jit_buffer_size")).unwrap_or(0),
    };
    let bytes = (megabytes << 20).saturating_add(jit);
    if bytes % huge::SIZE != 0 {
        return Err(format!(
            "opcache takes them for a multiple of 2 MB only, and its memory with that of the JIT is not: set \
             opcache.memory_consumption={} and opcache.jit_buffer_size={}M",
            megabytes.next_multiple_of(2),
            (jit >> 20).next_multiple_of(2)
        ));
    }
    let pages = bytes / huge::SIZE;
    u32::try_from(pages)
        .map(Pool)
        .map_err(|_| format!("opcache's memory takes {pages}"))
}

/// A number as php.ini has it, such as 64M.
fn quantity(text: &str) -> Option<u64> {
    let (digits, shift) = match text.as_bytes().last()?.to_ascii_lowercase() {
        b'k' => (&text[..text.len() - 1], 10),
        b'm' => (&text[..text.len() - 1], 20),
        b'g' => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    digits.trim().parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(settings: &[(&str, &str)]) -> Result<u32, String> {
        let mut rows = [
            ("PHP Version", "8.2.32"),
            ("Thread Safety", "disabled"),
            ("Server API", "FPM/FastCGI"),
            ("opcache.enable", "On"),
            ("opcache.jit", "tracing"),
            ("opcache.jit_buffer_size", "0"),
            ("opcache.memory_consumption", "128"),
            ("opcache.preferred_memory_model", "no value"),
        ];
        for (name, value) in &mut rows {
            if let Some((_, other)) = settings.iter().find(|(changed, _)| changed == name) {
                *value = other;
            }
        }
        let lines = rows.map(|(name, value)| format!("{name} => {value} => {value}"));
        pages(&Info::parse(&lines.join("\n"), Path::new("php")).unwrap()).map(|pool| pool.0)
    }

    #[test]
    fn the_jits_buffer_is_a_part_of_it() {
        assert_eq!(told(&[]), Ok(64));
        assert_eq!(told(&[("opcache.jit_buffer_size", "64M")]), Ok(96));
        assert_eq!(told(&[("opcache.memory_consumption", "256M")]), Ok(128));
        let off = [("opcache.jit_buffer_size", "64M"), ("opcache.jit", "disable")];
        assert_eq!(told(&off), Ok(64));
        assert_eq!(
            told(&[
                ("opcache.memory_consumption", "127"),
                ("opcache.jit_buffer_size", "1m")
            ]),
            Ok(64)
        );
    }

    #[test]
    fn what_takes_no_huge_pages_is_told_with_the_cure() {
        let why = |name, value| told(&[(name, value)]).unwrap_err();
        assert!(why("opcache.memory_consumption", "127").contains("opcache.memory_consumption=128"));
        assert!(why("opcache.jit_buffer_size", "1025K").contains("opcache.jit_buffer_size=2M"));
        assert!(why("opcache.memory_consumption", "99999999999999999999").contains("no number"));
        assert!(why("opcache.memory_consumption", "0").contains("no number"));
        assert!(why("opcache.enable", "Off").contains("opcache.enable=1"));
        assert!(why("Server API", "Command Line Interface").contains("opcache.enable_cli=1"));
        assert!(why("opcache.preferred_memory_model", "shm").contains("leave it out"));
    }

    #[test]
    fn numbers_are_read_as_php_reads_them() {
        assert_eq!(quantity("64M"), Some(64 << 20));
        assert_eq!(quantity("2g"), Some(2 << 30));
        assert_eq!(quantity("33554432"), Some(32 << 20));
        assert_eq!(
            (quantity(""), quantity("M"), quantity("99999999999G")),
            (None, None, None)
        );
    }
}
