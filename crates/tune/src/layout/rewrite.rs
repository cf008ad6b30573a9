//! A file as a plan wants it.

use super::{Plan, Refusal};
use object::{
    LittleEndian as LE, U32, U64,
    elf::{self, FileHeader64, ProgramHeader64, SectionHeader64},
    pod,
};
use remote::elf::Elf;
use std::mem::size_of;

/// The bytes of the new file. Whatever was loaded to an address is loaded there again, which is checked.
pub fn rewrite(old: &[u8], plan: &Plan) -> Result<Vec<u8>, Refusal> {
    let mut new = spread(old, plan)?;
    write_headers(old, &mut new, plan)?;
    if holds_the_same(old, &new) {
        Ok(new)
    } else {
        Err(Refusal::Contradiction("parts that would lie elsewhere in memory"))
    }
}

/// The old bytes at their new places, with zeros between them.
fn spread(old: &[u8], plan: &Plan) -> Result<Vec<u8>, Refusal> {
    let cut_off = Refusal::Contradiction("segments that the file does not have");
    let length = old.len() as u64;
    let from = plan.shifts.iter().map(|&(from, _)| from).chain([length]);
    let starts = std::iter::once((0, 0)).chain(plan.shifts.iter().copied());
    let mut new = Vec::with_capacity((length + plan.growth()) as usize);
    for ((start, by), end) in starts.zip(from) {
        let part = old.get(start as usize..end as usize).ok_or(cut_off)?;
        new.resize((start + by) as usize, 0);
        new.extend_from_slice(part);
    }
    // Behind a text that was filled up there may be nothing else.
    let needed = plan.loads.iter().map(|load| load.file.end).max().unwrap_or(0);
    new.resize(new.len().max(needed as usize), 0);
    Ok(new)
}

fn write_headers(old: &[u8], new: &mut [u8], plan: &Plan) -> Result<(), Refusal> {
    const CUT_OFF: Refusal = Refusal::Contradiction("headers that the file does not have");
    let (header, _) = pod::from_bytes::<FileHeader64<LE>>(old).map_err(|()| CUT_OFF)?;
    let mut header = *header;
    if usize::from(header.e_phentsize.get(LE)) != size_of::<ProgramHeader64<LE>>() {
        return Err(Refusal::Contradiction("headers of such a size"));
    }
    let programs: Vec<ProgramHeader64<LE>> =
        table(old, header.e_phoff.get(LE), header.e_phnum.get(LE)).ok_or(CUT_OFF)?;
    let programs_at = header.e_phoff.get(LE) as usize;
    let programs_end = programs_at + size_of::<ProgramHeader64<LE>>() * programs.len();
    if plan
        .shifts
        .first()
        .is_some_and(|&(from, _)| from < programs_end as u64)
    {
        return Err(Refusal::Contradiction("program headers that would move"));
    }
    let sections_at = header.e_shoff.get(LE);
    let mut sections: Vec<SectionHeader64<LE>> =
        table(old, sections_at, header.e_shnum.get(LE)).unwrap_or_default();

    let programs = program_headers(&programs, plan)?;
    write(new, programs_at, &programs).ok_or(CUT_OFF)?;
    for section in &mut sections {
        if section.sh_type.get(LE) != elf::SHT_NULL {
            section.sh_offset = U64::new(LE, plan.moved(section.sh_offset.get(LE)));
        }
    }
    if sections.is_empty() {
        return Ok(());
    }
    let sections_at = plan.moved(sections_at);
    write(new, sections_at as usize, &sections).ok_or(CUT_OFF)?;
    header.e_shoff = U64::new(LE, sections_at);
    write(new, 0, &[header]).ok_or(CUT_OFF)
}

/// The planned segments in place of those that were loaded; what is left over means nothing and comes last.
fn program_headers(old: &[ProgramHeader64<LE>], plan: &Plan) -> Result<Vec<ProgramHeader64<LE>>, Refusal> {
    let mut loads = plan.loads.iter();
    let mut new = Vec::with_capacity(old.len());
    for header in old {
        let mut header = *header;
        if header.p_type.get(LE) != elf::PT_LOAD {
            header.p_offset = U64::new(LE, plan.moved(header.p_offset.get(LE)));
        } else if let Some(load) = loads.next() {
            let like = old
                .get(load.like)
                .ok_or(Refusal::Contradiction("fewer headers than segments"))?;
            header.p_flags = like.p_flags;
            header.p_offset = U64::new(LE, load.file.start);
            header.p_vaddr = U64::new(LE, load.memory.start);
            header.p_paddr = header.p_vaddr;
            header.p_filesz = U64::new(LE, load.file.end - load.file.start);
            header.p_memsz = U64::new(LE, load.memory.end - load.memory.start);
            header.p_align = U64::new(LE, load.alignment);
        } else {
            continue;
        }
        new.push(header);
    }
    if loads.next().is_some() {
        return Err(Refusal::Contradiction("more segments than headers"));
    }
    let zero = U64::new(LE, 0);
    new.resize(
        old.len(),
        ProgramHeader64 {
            p_type: U32::new(LE, elf::PT_NULL),
            p_flags: U32::new(LE, elf::ProgramFlags(0)),
            p_offset: zero,
            p_vaddr: zero,
            p_paddr: zero,
            p_filesz: zero,
            p_memsz: zero,
            p_align: zero,
        },
    );
    Ok(new)
}

fn table<T: pod::Pod>(bytes: &[u8], at: u64, count: u16) -> Option<Vec<T>> {
    let from = bytes.get(usize::try_from(at).ok()?..)?;
    let (values, _) = pod::slice_from_bytes::<T>(from, count.into()).ok()?;
    Some(values.to_vec())
}

fn write<T: pod::Pod>(bytes: &mut [u8], at: usize, values: &[T]) -> Option<()> {
    let values = pod::bytes_of_slice(values);
    bytes
        .get_mut(at..at.checked_add(values.len())?)?
        .copy_from_slice(values);
    Some(())
}

/// Whether every byte that was loaded to an address still is; the headers themselves are, changed.
fn holds_the_same(old: &[u8], new: &[u8]) -> bool {
    let (Ok(before), Ok(after)) = (Elf::parse(old), Elf::parse(new)) else {
        return false;
    };
    let headers = old.get(32..40).map_or(0, |bytes| {
        let at = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        at.saturating_add((before.segments().len() * size_of::<ProgramHeader64<LE>>()) as u64)
    });
    let loaded = before.segments().iter().filter(|segment| segment.is_loaded());
    loaded.filter(|segment| !segment.file.is_empty()).all(|segment| {
        // Between the header and the table of programs nothing is loaded that anybody reads.
        let from = segment.file.start.max(headers.min(segment.file.end));
        let Some(here) = old.get(from as usize..segment.file.end as usize) else {
            return false;
        };
        // Parts of it may now belong to different segments.
        let mut address = segment.memory.start + (from - segment.file.start);
        let mut rest = here;
        while !rest.is_empty() {
            let holder = after.segments().iter().find(|holder| {
                holder.is_loaded() && holder.memory.contains(&address) && !holder.file.is_empty()
            });
            let Some(holder) = holder else { return false };
            let at = holder.file.start + (address - holder.memory.start);
            let length = (holder.file.end.saturating_sub(at) as usize).min(rest.len());
            let (now, later) = rest.split_at(length);
            if length == 0 || new.get(at as usize..at as usize + length) != Some(now) {
                return false;
            }
            address += length as u64;
            rest = later;
        }
        true
    })
}

#[cfg(test)]
mod tests {
    use super::super::{
        Reach,
        testing::{Load, R, RW, RX, debian, file_of, segments},
    };
    use super::*;
    use proptest::prelude::*;
    use remote::huge;

    fn rewritten(old: &[u8], reach: Reach) -> Result<(Plan, Vec<u8>), Refusal> {
        let elf = Elf::parse(old).map_err(|_| Refusal::NoText)?;
        let plan = Plan::new(elf.segments(), reach)?;
        let new = rewrite(old, &plan)?;
        Ok((plan, new))
    }

    #[test]
    fn headers_say_what_was_planned() {
        for reach in [Reach::Segments, Reach::Pages] {
            let (plan, new) = rewritten(&debian(), reach).unwrap();
            let loads: Vec<_> = segments(&new)
                .into_iter()
                .filter(remote::elf::Segment::is_loaded)
                .collect();
            assert_eq!(loads.len(), plan.loads.len());
            for (load, planned) in loads.iter().zip(&plan.loads) {
                assert_eq!((&load.file, &load.memory), (&planned.file, &planned.memory));
                assert_eq!(
                    load.file.start % load.alignment,
                    load.memory.start % load.alignment
                );
            }
            let text = loads.iter().find(|load| load.is_executable()).unwrap();
            assert_eq!(
                (text.alignment, text.memory.clone()),
                (huge::SIZE, plan.executable)
            );
        }
    }

    #[test]
    fn a_second_time_changes_nothing() {
        let (_, once) = rewritten(&debian(), Reach::Segments).unwrap();
        let (plan, twice) = rewritten(&once, Reach::Segments).unwrap();
        assert!(plan.is_as_before);
        assert!(once == twice);
    }

    #[test]
    fn a_file_that_ends_early_is_refused() {
        let whole = debian();
        for length in [64, 200, 4096, whole.len() / 2, whole.len() - 1] {
            assert!(rewritten(&whole[..length], Reach::Segments).is_err(), "{length}");
        }
    }

    fn any_load() -> impl Strategy<Value = (u32, u64, u64, u64)> {
        let flags = prop_oneof![Just(R), Just(RX), Just(RW)];
        (flags, 0_u64..3, 1_u64..0x30_0000, 0_u64..0x30_0000)
    }

    /// Segments one after another, with gaps, as linkers lay them out.
    fn laid(parts: &[(u32, u64, u64, u64)]) -> Vec<Load> {
        let (mut offset, mut address) = (0, 0);
        parts
            .iter()
            .map(|&(flags, pages, length, gap)| {
                offset += pages * 4096;
                address += pages * 4096 + gap / 4096 * 4096;
                // Both leave the same of a page.
                address = address - address % 4096 + offset % 4096;
                let load = (flags, offset, address, length, length);
                offset += length;
                address = (address + length).next_multiple_of(4096) + offset % 4096;
                load
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn whatever_is_accepted_is_the_same_in_memory(
            parts in prop::collection::vec(any_load(), 1..6),
            pages: bool,
        ) {
            let old = file_of(&laid(&parts));
            let reach = if pages { Reach::Pages } else { Reach::Segments };
            if let Ok((plan, new)) = rewritten(&old, reach) {
                let after = Elf::parse(&new[..]).unwrap();
                let text = after.segments().iter().find(|one| one.is_executable()).unwrap();
                prop_assert_eq!(text.file.start % huge::SIZE, text.memory.start % huge::SIZE);
                prop_assert!(plan.huge.start >= text.memory.start && plan.huge.end <= text.memory.end);
                // Nothing that is written to shares a page with it.
                let apart = after.segments().iter().filter(|one| one.is_writable()).all(|one| {
                    one.memory.end <= plan.huge.start || one.memory.start / 4096 * 4096 >= plan.huge.end
                });
                prop_assert!(apart);
                prop_assert!(new.len() >= old.len());
            }
        }

        #[test]
        fn any_bytes_in_the_headers(
            changes in prop::collection::vec((0_usize..400, any::<u8>()), 1..12),
            pages: bool,
        ) {
            let mut old = file_of(&[
                (R, 0, 0, 0x1000, 0x1000),
                (RX, 0x1000, 0x1000, 0x20_0000, 0x20_0000),
                (R, 0x20_2000, 0x20_2000, 0x20_0000, 0x20_0000),
                (RW, 0x40_3000, 0x40_4000, 0x1000, 0x2000),
            ]);
            for (at, value) in changes {
                old[at] = value;
            }
            let _ = rewritten(&old, if pages { Reach::Pages } else { Reach::Segments });
        }

        #[test]
        fn any_bytes_at_all(bytes: Vec<u8>) {
            let _ = rewritten(&bytes, Reach::Segments);
        }
    }
}
