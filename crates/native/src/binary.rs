//! What an ELF file says of its code: how frames are unwound, which functions there are, and which of them is PHP's
//! interpreter.

use crate::packed;
use gimli::{BaseAddresses, CieOrFde, EhFrame, LittleEndian, UnwindSection};
use remote::elf::{Elf, Function, ReadAt, Section, Segment};
use std::{ops::Range, sync::Arc};

/// PHP has some 10,000 functions with an entry each, a browser some 500,000.
const MOST_ENTRIES: usize = 1 << 20;

/// What a function is to PHP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// Nothing that matters here.
    #[default]
    Other,
    /// The interpreter proper: it runs a function of PHP in each of its frames.
    Interpreter,
    /// What lies between a function in C and the function of PHP that it calls.
    Call,
}

/// The functions by which C enters PHP, all exported.
const CALLS: [&str; 3] = ["zend_call_function", "zend_execute", "zend_generator_resume"];
const INTERPRETER: &str = "execute_ex";

/// The tables by which frames are unwound, as framehop wants them.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    pub eh_frame: Option<(Range<u64>, Arc<[u8]>)>,
    pub eh_frame_hdr: Option<(Range<u64>, Arc<[u8]>)>,
    pub text: Option<Range<u64>>,
    pub got: Option<Range<u64>>,
}

/// An ELF file with code. All addresses are those in the file.
#[derive(Debug)]
pub struct Binary {
    /// The file as the process names it.
    pub path: Arc<str>,
    pub segments: Vec<Segment>,
    /// Where its code lies, which may share a segment with other things.
    pub text: Range<u64>,
    pub tables: Tables,
    /// What each entry of the tables covers, by address: a function, or a part of one.
    covered: Vec<Range<u64>>,
    functions: Vec<Function>,
    parts: Vec<(Range<u64>, Part)>,
}

impl Binary {
    /// Reads what is needed; `None` where it is no ELF file with code. `debug` opens what was split from it, by build id.
    pub fn read<R: ReadAt + ?Sized>(
        path: &str,
        file: &R,
        debug: impl FnOnce(&[u8]) -> Option<std::fs::File>,
    ) -> Option<Self> {
        let elf = Elf::parse(file).ok()?;
        let text = elf.text()?;
        let mut functions = elf.functions();
        let split = elf.build_id().and_then(|id| debug(&id));
        let more = split
            .as_ref()
            .and_then(|file| Some(Elf::parse(file).ok()?.functions()))
            .unwrap_or_else(|| packed::functions(&elf));
        if !more.is_empty() {
            functions.extend(more);
            functions.sort_by(|a, b| (a.range.start, &a.name).cmp(&(b.range.start, &b.name)));
            functions.dedup_by_key(|function| function.range.start);
        }
        let tables = Tables {
            eh_frame: with_bytes(&elf, ".eh_frame"),
            eh_frame_hdr: with_bytes(&elf, ".eh_frame_hdr"),
            text: elf.section(".text").map(|section| section.memory.clone()),
            got: elf.section(".got").map(|section| section.memory.clone()),
        };
        let covered = covered(&tables);
        let parts = parts(&elf, &functions);
        Some(Self {
            path: path.into(),
            segments: elf.segments().to_vec(),
            text,
            covered,
            functions,
            parts,
            tables,
        })
    }

    /// The last part of its path.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// What the tables tell of an address: the function, or the part of one, that it belongs to. `None` where they do not know
    /// it, and nothing can be unwound.
    pub fn covered(&self, address: u64) -> Option<&Range<u64>> {
        let after = self.covered.partition_point(|range| range.start <= address);
        self.covered[..after]
            .last()
            .filter(|range| range.contains(&address))
    }

    /// The symbol that an address belongs to.
    pub fn function(&self, address: u64) -> Option<&Function> {
        let after = self
            .functions
            .partition_point(|function| function.range.start <= address);
        // A symbol may lie within a longer one.
        self.functions[..after]
            .iter()
            .rev()
            .take(4)
            .find(|function| function.range.contains(&address))
    }

    /// Whether it has PHP's interpreter, and says where.
    pub fn has_interpreter(&self) -> bool {
        self.parts.iter().any(|&(_, part)| part == Part::Interpreter)
    }

    /// What the code at an address is to PHP.
    pub fn part(&self, address: u64) -> Part {
        let found = self.parts.iter().find(|(range, _)| range.contains(&address));
        found.map_or(Part::Other, |&(_, part)| part)
    }
}

fn with_bytes<R: ReadAt + ?Sized>(elf: &Elf<'_, R>, name: &str) -> Option<(Range<u64>, Arc<[u8]>)> {
    let section: &Section = elf.section(name)?;
    let bytes = elf.bytes(section).filter(|bytes| !bytes.is_empty())?;
    Some((section.memory.clone(), bytes.into()))
}

/// What the entries of `.eh_frame` cover, up to the first that makes no sense.
fn covered(tables: &Tables) -> Vec<Range<u64>> {
    let Some((range, bytes)) = &tables.eh_frame else {
        return Vec::new();
    };
    let mut bases = BaseAddresses::default().set_eh_frame(range.start);
    if let Some(text) = &tables.text {
        bases = bases.set_text(text.start);
    }
    if let Some(got) = &tables.got {
        bases = bases.set_got(got.start);
    }
    let section = EhFrame::new(bytes, LittleEndian);
    let mut entries = section.entries(&bases);
    let mut covered = Vec::new();
    while let Ok(Some(entry)) = entries.next() {
        if covered.len() >= MOST_ENTRIES {
            break;
        }
        let CieOrFde::Fde(partial) = entry else { continue };
        if let Ok(entry) = partial.parse(EhFrame::cie_from_offset) {
            let start = entry.initial_address();
            covered.push(start..start.saturating_add(entry.len()));
        }
    }
    covered.sort_unstable_by_key(|range| (range.start, range.end));
    covered
}

/// Which functions matter to PHP. What the compiler split off from the interpreter has a symbol only where all have.
fn parts<R: ReadAt + ?Sized>(elf: &Elf<'_, R>, functions: &[Function]) -> Vec<(Range<u64>, Part)> {
    let [first, second, third] = CALLS;
    let [interpreter, calls @ ..] = elf.symbols([INTERPRETER, first, second, third]);
    let Some(interpreter) = interpreter else {
        return Vec::new();
    };
    let split = functions
        .iter()
        .filter(|function| {
            function
                .name
                .strip_prefix(INTERPRETER)
                .is_some_and(|rest| rest.starts_with('.'))
        })
        .map(|function| function.range.clone());
    let interpreter = std::iter::once(interpreter)
        .chain(split)
        .map(|range| (range, Part::Interpreter));
    let calls = calls.into_iter().flatten().map(|range| (range, Part::Call));
    interpreter.chain(calls).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    fn own() -> Binary {
        Binary::read("/proc/self/exe", &File::open("/proc/self/exe").unwrap(), |_| None).unwrap()
    }

    #[test]
    fn knows_the_code_of_this_very_program() {
        let own = own();
        assert_eq!(own.name(), "exe");
        let main = own
            .functions
            .iter()
            .find(|function| function.name == "main")
            .unwrap();
        let inside = main.range.start + 1;
        assert_eq!(own.function(inside).unwrap().name, "main");
        assert_eq!(own.covered(inside).unwrap().start, main.range.start);
        assert!(own.covered(own.text.end + 1).is_none());
        assert_eq!(own.part(inside), Part::Other);
    }

    #[test]
    fn php_says_where_its_interpreter_is() {
        let path = "/usr/bin/php8.2";
        let Ok(file) = File::open(path) else {
            panic!("it takes Debian's {path}")
        };
        let php = Binary::read(path, &file, |_| None).unwrap();
        let kinds = |part| php.parts.iter().filter(|(_, other)| *other == part).count();
        assert_eq!((kinds(Part::Interpreter), kinds(Part::Call)), (1, 3));
        for (range, part) in &php.parts {
            assert_eq!(php.part(range.end - 1), *part);
            assert_eq!(php.covered(range.start).unwrap().start, range.start);
        }
    }
}
