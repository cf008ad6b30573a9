//! Every function that a file names.

use super::{Elf, ReadAt, Section};
use object::{
    LittleEndian as LE,
    elf::{self, Sym64},
    pod,
};
use std::ops::Range;

/// PHP has some 30,000 symbols, and a few MB of names.
const MAX_TABLE: u64 = 64 << 20;
/// C++ has long ones.
const MAX_NAME: usize = 1024;

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// What it takes, before the load bias is added.
    pub range: Range<u64>,
    /// Its name.
    pub name: String,
}

impl<R: ReadAt + ?Sized> Elf<'_, R> {
    /// Every function of known size that the file defines, by address: exported ones, and where it was not stripped all
    /// others too. Of several names of one place, one is told.
    pub fn functions(&self) -> Vec<Function> {
        let mut found = Vec::new();
        for kind in [elf::SHT_SYMTAB, elf::SHT_DYNSYM] {
            for table in self
                .sections
                .iter()
                .filter(|section| section.kind == kind)
                .take(1)
            {
                self.collect(table, &mut found);
            }
        }
        found.sort_by(|a, b| (a.range.start, &a.name).cmp(&(b.range.start, &b.name)));
        found.dedup_by_key(|function| function.range.start);
        found
    }

    fn collect(&self, table: &Section, found: &mut Vec<Function>) {
        let strings = self
            .sections
            .get(table.link as usize)
            .and_then(|section| self.bytes(section));
        let (Some(strings), Some(symbols)) = (strings, self.bytes(table)) else {
            return;
        };
        let count = symbols.len() / size_of::<Sym64<LE>>();
        let Ok((symbols, _)) = pod::slice_from_bytes::<Sym64<LE>>(&symbols, count) else {
            return;
        };
        for symbol in symbols {
            let is_function = matches!(symbol.st_type(), elf::STT_FUNC | elf::STT_GNU_IFUNC);
            let size = symbol.st_size.get(LE);
            if !is_function || size == 0 || symbol.st_shndx.get(LE) == elf::SHN_UNDEF {
                continue;
            }
            let name = strings.get(symbol.st_name.get(LE) as usize..).unwrap_or_default();
            let name = &name[..name.len().min(MAX_NAME)];
            let end = memchr::memchr(0, name).unwrap_or(name.len());
            if end > 0 {
                let start = symbol.st_value.get(LE);
                found.push(Function {
                    range: start..start.saturating_add(size),
                    name: String::from_utf8_lossy(&name[..end]).into_owned(),
                });
            }
        }
    }

    /// All of a section; `None` if it is not there, or larger than any that makes sense.
    pub fn bytes(&self, section: &Section) -> Option<Vec<u8>> {
        let length = section.file.end - section.file.start;
        if length > MAX_TABLE {
            return None;
        }
        let mut bytes = vec![0; length as usize];
        self.source.read_at(section.file.start, &mut bytes).ok()?;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn knows_the_functions_of_this_very_program() {
        let file = File::open("/proc/self/exe").unwrap();
        let functions = Elf::parse(&file).unwrap().functions();
        assert!(functions.len() > 100);
        assert!(
            functions
                .windows(2)
                .all(|two| two[0].range.start < two[1].range.start)
        );
        let main = functions.iter().find(|function| function.name == "main").unwrap();
        assert!(main.range.end > main.range.start);
    }

    #[test]
    fn a_hostile_table_is_passed_over() {
        let mut bytes = std::fs::read("/proc/self/exe").unwrap();
        let sections = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
        let count = usize::from(bytes[60]) | usize::from(bytes[61]) << 8;
        for index in 0..count {
            // The length of each.
            bytes[sections + 64 * index + 32..][..8].fill(0xff);
        }
        assert!(Elf::parse(&bytes[..]).unwrap().functions().is_empty());
    }
}
