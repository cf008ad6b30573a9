//! Where symbols lie: by the hash table that the loader uses, or by a walk over a symbol table.

use super::{Elf, ReadAt, Scan, Section, file::read_pod};
use object::{
    LittleEndian as LE, U32,
    elf::{self, Dyn64, GnuHashHeader, Sym64},
    pod,
};
use std::ops::Range;

/// Bounds for hostile tables: PHP exports some 3,000 symbols and has some 30,000.
const MAX_TABLES: usize = 2;
const MAX_DYNAMIC: u64 = 1024;
const MAX_CHAIN: u64 = 4096;
const MAX_CANDIDATES: usize = 64;
const MAX_NAME: usize = 128;
const SYMBOL: u64 = size_of::<Sym64<LE>>() as u64;

impl<R: ReadAt + ?Sized> Elf<'_, R> {
    /// The addresses, before the load bias is added, of the symbols called `names`: exported ones, and where
    /// the file was not stripped all others too. Thread-local ones have no address and are not found.
    pub fn symbols<const N: usize>(&self, names: [&str; N]) -> [Option<u64>; N] {
        let dynamic = self.dynamic();
        let mut found = names.map(|name| self.exported(dynamic.as_ref()?, name));
        for kind in [elf::SHT_DYNSYM, elf::SHT_SYMTAB] {
            if found.iter().all(Option::is_some) {
                break;
            }
            let tables = self.sections.iter().filter(|section| section.kind == kind);
            for table in tables.take(MAX_TABLES) {
                self.walk(table, &names, &mut found);
            }
        }
        found
    }

    fn dynamic(&self) -> Option<Dynamic> {
        let segment = self
            .segments
            .iter()
            .find(|segment| segment.kind == elf::PT_DYNAMIC)?;
        let size = size_of::<Dyn64<LE>>() as u64;
        let count = (segment.file.end - segment.file.start) / size;
        let (mut symbols, mut strings, mut hash) = (None, None, None);
        for index in 0..count.min(MAX_DYNAMIC) {
            let entry: Dyn64<LE> = read_pod(self.source, segment.file.start.checked_add(index * size)?)?;
            let place = match entry.d_tag.get(LE) {
                elf::DT_NULL => break,
                elf::DT_SYMTAB => &mut symbols,
                elf::DT_STRTAB => &mut strings,
                elf::DT_GNU_HASH => &mut hash,
                _ => continue,
            };
            *place = self.file_offset(entry.d_val.get(LE));
        }
        Some(Dynamic {
            symbols: symbols?,
            strings: strings?,
            hash: hash?,
        })
    }

    /// Looks a name up as the loader does, in a handful of short reads.
    fn exported(&self, dynamic: &Dynamic, name: &str) -> Option<u64> {
        let header: GnuHashHeader<LE> = read_pod(self.source, dynamic.hash)?;
        let buckets_at = dynamic
            .hash
            .checked_add(size_of::<GnuHashHeader<LE>>() as u64)?
            .checked_add(u64::from(header.bloom_count.get(LE)) * 8)?;
        let (buckets, base) = (header.bucket_count.get(LE), header.symbol_base.get(LE));
        let hash = elf::gnu_hash(name.as_bytes());
        let bucket = u64::from(hash.checked_rem(buckets)?);
        let first: U32<LE> = read_pod(self.source, buckets_at.checked_add(bucket * 4)?)?;
        let first = first.get(LE);
        let values_at = buckets_at.checked_add(u64::from(buckets) * 4)?;
        let first = u64::from(first.checked_sub(base)?);
        for index in first..first + MAX_CHAIN {
            let value: U32<LE> = read_pod(self.source, values_at.checked_add(index * 4)?)?;
            let value = value.get(LE);
            // The lowest bit says that the chain ends here.
            if value | 1 == hash | 1 {
                let at = dynamic.symbols.checked_add((index + u64::from(base)) * SYMBOL)?;
                let symbol: Sym64<LE> = read_pod(self.source, at)?;
                let called = dynamic.strings.checked_add(u64::from(symbol.st_name.get(LE)))?;
                if self.is_string_at(called, name) {
                    return defined(&symbol);
                }
            }
            if value & 1 == 1 {
                return None;
            }
        }
        None
    }

    fn is_string_at(&self, at: u64, name: &str) -> bool {
        let mut buffer = [0; MAX_NAME];
        buffer.get_mut(..=name.len()).is_some_and(|buffer| {
            self.source.read_at(at, buffer).is_ok() && buffer.strip_suffix(b"\0") == Some(name.as_bytes())
        })
    }

    /// Walks over a whole table. The strings come first, so that no symbol needs a read of its own.
    fn walk(&self, table: &Section, names: &[&str], found: &mut [Option<u64>]) {
        let Some(strings) = self.sections.get(table.link as usize) else {
            return;
        };
        let wanted = self.find_strings(strings.file.clone(), names, found);
        if wanted.is_empty() {
            return;
        }
        // Half a symbol at the end of a chunk comes again, whole, at the start of the next.
        let mut at = table.file.start;
        while at < table.file.end {
            let mut scan = Scan::new(self.source, at..table.file.end, 0);
            let Some((_, chunk)) = scan.next_chunk() else {
                return;
            };
            let count = chunk.len() / SYMBOL as usize;
            let Ok((symbols, _)) = pod::slice_from_bytes::<Sym64<LE>>(chunk, count) else {
                return;
            };
            if symbols.is_empty() {
                return;
            }
            for symbol in symbols {
                let called = symbol.st_name.get(LE);
                for &(_, index) in wanted.iter().filter(|&&(offset, _)| offset == called) {
                    if found[index].is_none() {
                        found[index] = defined(symbol);
                    }
                }
            }
            at += count as u64 * SYMBOL;
        }
    }

    /// Where in a string table the names that are still missing stand. A name may be the end of a longer one:
    /// linkers store such a pair once.
    fn find_strings(&self, range: Range<u64>, names: &[&str], found: &[Option<u64>]) -> Vec<(u32, usize)> {
        let missing: Vec<_> = names
            .iter()
            .enumerate()
            .filter(|&(index, name)| found[index].is_none() && name.len() < MAX_NAME)
            .map(|(index, name)| (index, [name.as_bytes(), b"\0"].concat()))
            .collect();
        let mut places = Vec::new();
        let mut scan = Scan::new(self.source, range.clone(), MAX_NAME);
        while let Some((start, chunk)) = scan.next_chunk() {
            for (index, needle) in &missing {
                for at in memchr::memmem::find_iter(chunk, needle) {
                    let place = ((start - range.start + at as u64) as u32, *index);
                    if places.len() < MAX_CANDIDATES && !places.contains(&place) {
                        places.push(place);
                    }
                }
            }
        }
        places
    }
}

/// Where the tables of the loader lie in the file.
struct Dynamic {
    symbols: u64,
    strings: u64,
    hash: u64,
}

/// The address of a symbol that this file defines.
fn defined(symbol: &Sym64<LE>) -> Option<u64> {
    let is_elsewhere = symbol.st_shndx.get(LE) == elf::SHN_UNDEF;
    (!is_elsewhere && symbol.st_type() != elf::STT_TLS).then(|| symbol.st_value.get(LE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mapping, Process};
    use proptest::prelude::*;
    use std::fs::File;

    #[unsafe(no_mangle)]
    #[expect(unsafe_code)]
    static PHPERF_TEST_SYMBOL: u64 = 0x5eed;

    fn own() -> (File, Mapping) {
        let process = Process::open(std::process::id()).unwrap();
        let (path, _) = process.executable().unwrap();
        let mut maps = process.maps().unwrap().into_iter();
        let mapping = maps.find(|mapping| mapping.path.as_ref() == Some(&path)).unwrap();
        (process.open_mapped(&mapping).unwrap(), mapping)
    }

    #[test]
    fn finds_a_symbol_of_this_very_program() {
        let (file, mapping) = own();
        let elf = Elf::parse(&file).unwrap();
        let bias = elf.load_bias(&mapping).unwrap();
        let [here, nowhere] = elf.symbols(["PHPERF_TEST_SYMBOL", "PHPERF_NO_SUCH_SYMBOL"]);
        assert_eq!(
            here.unwrap().wrapping_add(bias),
            &raw const PHPERF_TEST_SYMBOL as u64
        );
        assert_eq!(nowhere, None);
        let text = elf.text().unwrap();
        let function = own as *const () as u64;
        assert!(text.contains(&function.wrapping_sub(bias)));
    }

    #[test]
    fn every_mapping_of_a_file_tells_the_same_bias() {
        let (file, first) = own();
        let elf = Elf::parse(&file).unwrap();
        let maps = Process::open(std::process::id()).unwrap().maps().unwrap();
        let biases: Vec<_> = maps
            .iter()
            .filter(|mapping| mapping.path == first.path)
            .map(|mapping| elf.load_bias(mapping))
            .collect();
        assert!(biases.len() > 1);
        assert!(biases.iter().all(|bias| bias.is_some() && *bias == biases[0]));
    }

    #[test]
    fn an_exported_symbol_of_the_c_library() {
        let process = Process::open(std::process::id()).unwrap();
        let maps = process.maps().unwrap();
        let library = maps.iter().find(|mapping| {
            mapping
                .path
                .as_ref()
                .is_some_and(|path| path.ends_with("libc.so.6"))
        });
        let library = library.unwrap();
        let file = process.open_mapped(library).unwrap();
        let elf = Elf::parse(&file).unwrap();
        let dynamic = elf.dynamic().unwrap();
        let address = elf.exported(&dynamic, "getpid").unwrap();
        let bias = elf.load_bias(library).unwrap();
        assert_eq!(address.wrapping_add(bias), libc::getpid as *const () as u64);
        assert_eq!(elf.exported(&dynamic, "getpid_or_what"), None);
        // The walk over the table finds the same.
        let table = elf
            .sections
            .iter()
            .find(|section| section.kind == elf::SHT_DYNSYM);
        let mut found = [None];
        elf.walk(table.unwrap(), &["getpid"], &mut found);
        assert_eq!(found, [Some(address)]);
        assert_eq!(elf.build_id().unwrap().len(), 20);
    }

    proptest! {
        #[test]
        fn any_bytes_after_a_good_start(bytes in prop::collection::vec(any::<u8>(), 0..2048), programs in 0_u16..8) {
            let mut file = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 62, 0];
            file.extend(bytes);
            if file.len() > 64 {
                file[32..40].copy_from_slice(&64_u64.to_le_bytes());
                file[40..48].copy_from_slice(&128_u64.to_le_bytes());
                file[56..58].copy_from_slice(&programs.to_le_bytes());
                file[60..62].copy_from_slice(&4_u16.to_le_bytes());
            }
            if let Ok(elf) = Elf::parse(&file[..]) {
                let _ = elf.symbols(["executor_globals"]);
                let _ = (elf.text(), elf.build_id(), elf.constants());
            }
        }
    }
}
