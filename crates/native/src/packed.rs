//! What Red Hat's distributions leave of a file's symbols in the file itself: `.gnu_debugdata`, another ELF file, packed.

use lzma_rust2::XzReader;
use remote::elf::{Elf, Function, ReadAt};
use std::io::Read;

/// That of a browser unpacks to some 20 MB.
const MOST_BYTES: u64 = 64 << 20;
/// `xz` takes 9 MB to unpack what it packs at its best.
const MOST_MEMORY_KB: u32 = 64 << 10;

/// Its functions; none where it has no such part, or one that cannot be read.
pub fn functions<R: ReadAt + ?Sized>(elf: &Elf<'_, R>) -> Vec<Function> {
    let packed = elf
        .section(".gnu_debugdata")
        .and_then(|section| elf.bytes(section));
    packed
        .and_then(|packed| unpacked(&packed))
        .and_then(|unpacked| Some(Elf::parse(&unpacked).ok()?.functions()))
        .unwrap_or_default()
}

fn unpacked(packed: &[u8]) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    let mut reader = XzReader::new_mem_limit(packed, false, MOST_MEMORY_KB).take(MOST_BYTES);
    reader.read_to_end(&mut unpacked).ok()?;
    Some(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::{fs, path::Path, process::Command, sync::OnceLock};

    #[track_caller]
    fn run(folder: &Path, program: &str, arguments: &[&str]) {
        let status = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .status()
            .unwrap();
        assert!(status.success(), "{program} {arguments:?}");
    }

    fn names(file: &[u8]) -> Vec<String> {
        let functions = functions(&Elf::parse(file).unwrap());
        functions.into_iter().map(|function| function.name).collect()
    }

    /// A stripped program that has these bytes in place of its packed symbols.
    fn with(folder: &Path, packed: &[u8]) -> Vec<u8> {
        fs::write(folder.join("packed"), packed).unwrap();
        let add = [
            "--strip-all",
            "--add-section",
            ".gnu_debugdata=packed",
            "whole",
            "stripped",
        ];
        run(folder, "objcopy", &add);
        fs::read(folder.join("stripped")).unwrap()
    }

    #[test]
    fn functions_that_were_stripped_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let source = "__attribute__((noinline)) static int hidden(int x) { return x * 3; }
            int main(int count, char **words) { (void)words; return hidden(count); }\n";
        fs::write(folder.join("source.c"), source).unwrap();
        run(folder, "cc", &["-O1", "source.c", "-o", "whole"]);
        run(folder, "xz", &["--keep", "whole"]);
        let packed = fs::read(folder.join("whole.xz")).unwrap();

        let found = names(&with(folder, &packed));
        assert!(found.iter().any(|name| name.starts_with("hidden")), "{found:?}");
        assert!(names(&fs::read(folder.join("whole")).unwrap()).is_empty());
        // What is broken has none.
        assert!(names(&with(folder, &packed[..packed.len() / 2])).is_empty());
        assert!(names(&with(folder, b"no xz")).is_empty());
    }

    /// This file, packed.
    fn sound() -> &'static [u8] {
        static SOUND: OnceLock<Vec<u8>> = OnceLock::new();
        SOUND.get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("source"), include_str!("packed.rs")).unwrap();
            run(folder.path(), "xz", &["source"]);
            let packed = fs::read(folder.path().join("source.xz")).unwrap();
            assert_eq!(unpacked(&packed).unwrap(), include_bytes!("packed.rs"));
            packed
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_is_broken_is_no_reason_to_end(
            broken in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        ) {
            let mut packed = sound().to_vec();
            for (at, byte) in broken {
                let at = at.index(packed.len());
                packed[at] = byte;
            }
            unpacked(&packed);
        }
    }
}
