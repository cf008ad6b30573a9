//! How much of the stack the programs of an object use. The kernel that an object is tried on may allow more than those that
//! users have, which refuse it.

use anyhow::{Context, Result, ensure};
use object::{File, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionIndex, SymbolKind};

/// What a program and all that it calls may use together, each rounded up to [`UNIT`]: `MAX_BPF_STACK`.
const ALLOWED: u64 = 512;
const UNIT: u64 = 32;
const INSTRUCTION: u64 = 8;
/// The register that points to the end of the stack.
const FRAME_POINTER: u8 = 10;
/// `BPF_JMP | BPF_CALL` to a function of the object, `BPF_ALU64 | BPF_ADD | BPF_K`, `BPF_ALU64 | BPF_MOV | BPF_X`.
const CALL: u8 = 0x85;
const ADD: u8 = 0x07;
const COPY: u8 = 0xbf;
/// Classes of instructions that read memory by the source register, and write it by the destination.
const LOAD: u8 = 1;
const STORES: [u8; 2] = [2, 3];

/// Refuses an object of which a program uses more than all kernels allow; else says how much the greediest does.
pub fn check(object: &[u8]) -> Result<u64> {
    let file = File::parse(object)?;
    let functions = functions(&file)?;
    let mut most = 0;
    for function in &functions {
        let used = function.with_calls(&functions, functions.len());
        ensure!(
            used <= ALLOWED,
            "{} uses {used} bytes of stack with what it calls, and Linux 6.1 allows {ALLOWED}: keep more in maps",
            function.name
        );
        most = most.max(used);
    }
    Ok(most)
}

/// A function or a program.
#[derive(Debug)]
struct Function {
    name: String,
    place: Place,
    size: u64,
    /// What it uses itself.
    own: u64,
    calls: Vec<Place>,
}

/// A section, and the place in it.
type Place = (SectionIndex, u64);

impl Function {
    fn with_calls(&self, all: &[Self], depth: usize) -> u64 {
        let called = self
            .calls
            .iter()
            .filter_map(|place| all.iter().find(|other| other.holds(*place)));
        let deepest = called.map(|other| match depth {
            // Nobody calls so far down but in a circle.
            0 => ALLOWED + 1,
            _ => other.with_calls(all, depth - 1),
        });
        self.own.max(1).next_multiple_of(UNIT) + deepest.max().unwrap_or(0)
    }

    fn holds(&self, (section, address): Place) -> bool {
        self.place.0 == section && (self.place.1..self.place.1 + self.size).contains(&address)
    }
}

fn functions(file: &File<'_>) -> Result<Vec<Function>> {
    let mut found = Vec::new();
    for symbol in file
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0)
    {
        let name = symbol.name()?.to_owned();
        let index = symbol
            .section_index()
            .with_context(|| format!("{name} is nowhere"))?;
        let section = file.section_by_index(index)?;
        let (start, size) = (symbol.address(), symbol.size());
        let code = section
            .data()?
            .get(start as usize..(start + size) as usize)
            .with_context(|| format!("{name} ends behind its section"))?;
        let (own, near) = look(code);
        let mut calls: Vec<Place> = near
            .into_iter()
            .map(|offset| (index, start.wrapping_add_signed(offset)))
            .collect();
        for (at, relocation) in section.relocations() {
            let Some(instruction) = at.checked_sub(start).and_then(|at| code.get(at as usize..)) else {
                continue;
            };
            if instruction.first() != Some(&CALL) {
                continue;
            }
            if let RelocationTarget::Symbol(target) = relocation.target() {
                let target = file.symbol_by_index(target)?;
                let section = target
                    .section_index()
                    .with_context(|| format!("{name} calls what is nowhere"))?;
                // By a section, the instruction says where in it.
                let address = match target.kind() {
                    SymbolKind::Section => {
                        (i64::from(immediate(instruction)) + 1).cast_unsigned() * INSTRUCTION
                    }
                    _ => target.address(),
                };
                calls.push((section, address));
            }
        }
        found.push(Function {
            name,
            place: (index, start),
            size,
            own,
            calls,
        });
    }
    Ok(found)
}

/// How far down code uses its stack, and what it calls beside itself that needs no relocation, from its start.
fn look(code: &[u8]) -> (u64, Vec<i64>) {
    let mut own = 0;
    let mut calls = Vec::new();
    let mut copy = None;
    for (at, instruction) in (0..)
        .step_by(INSTRUCTION as usize)
        .zip(code.chunks_exact(INSTRUCTION as usize))
    {
        let (operation, destination, source) = (instruction[0], instruction[1] & 15, instruction[1] >> 4);
        let offset = i16::from_le_bytes([instruction[2], instruction[3]]);
        let class = operation & 7;
        let by = if class == LOAD { source } else { destination };
        let mut down = 0;
        if (class == LOAD || STORES.contains(&class)) && by == FRAME_POINTER {
            down = i64::from(offset);
        } else if operation == ADD && copy == Some(destination) {
            down = i64::from(immediate(instruction));
        } else if operation == CALL && source == 1 && immediate(instruction) != -1 {
            calls.push(at + (i64::from(immediate(instruction)) + 1) * INSTRUCTION.cast_signed());
        }
        own = own.max(down.min(0).unsigned_abs());
        copy = (operation == COPY && source == FRAME_POINTER).then_some(destination);
    }
    (own, calls)
}

fn immediate(instruction: &[u8]) -> i32 {
    instruction.get(4..8).map_or(0, |bytes| {
        i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_committed_fits_every_kernel() {
        for machine in &super::super::MACHINES {
            let object = std::fs::read(super::super::folder().join(machine.object)).unwrap();
            let most = check(&object).unwrap();
            assert!(
                most > 256,
                "{}: {most} bytes are too few to be right",
                machine.object
            );
        }
    }

    #[test]
    fn stores_loads_and_pointers_count() {
        // *(u64 *)(r10 - 8) = r1; r2 = *(u64 *)(r10 - 16); r3 = r10; r3 += -40; call +2; exit
        let code = [
            [0x7b, 0x1a, 0xf8, 0xff, 0, 0, 0, 0],
            [0x79, 0xa2, 0xf0, 0xff, 0, 0, 0, 0],
            [0xbf, 0xa3, 0, 0, 0, 0, 0, 0],
            [0x07, 0x03, 0, 0, 0xd8, 0xff, 0xff, 0xff],
            [0x85, 0x10, 0, 0, 2, 0, 0, 0],
            [0x95, 0, 0, 0, 0, 0, 0, 0],
        ];
        assert_eq!(look(code.as_flattened()), (40, vec![56]));
    }

    #[test]
    fn a_chain_of_calls_is_added_up() {
        let section = SectionIndex(1);
        let function = |name: &str, at: u64, own: u64, calls: &[u64]| Function {
            name: name.into(),
            place: (section, at),
            size: 8,
            own,
            calls: calls.iter().map(|at| (section, *at)).collect(),
        };
        let all = [
            function("program", 0, 100, &[8, 16]),
            function("one", 8, 0, &[16]),
            function("two", 16, 33, &[]),
        ];
        assert_eq!(all[0].with_calls(&all, 3), 128 + 32 + 64);
        let circle = [function("itself", 0, 8, &[0])];
        assert!(circle[0].with_calls(&circle, 1) > ALLOWED);
    }
}
