//! What the program headers should say.

use super::Refusal;
use remote::{elf::Segment, huge};
use std::ops::Range;

/// The least that the kernel maps, and that places in the file and in memory agree on.
pub const PAGE: u64 = 4096;
/// No PHP is larger; hostile addresses are.
const LARGEST: u64 = 1 << 30;
/// No linker makes more.
const MAX_LOADS: usize = 32;

/// How much of what is only read may become executable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Whole segments: tools such as `strip` still understand the file.
    #[default]
    Segments,
    /// No more than lies on a huge page together with code. `strip` cannot rewrite such a file.
    Pages,
}

/// A segment that is loaded, as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// Where it lies in the new file.
    pub file: Range<u64>,
    /// Where it lies in memory, as before.
    pub memory: Range<u64>,
    /// Of its address.
    pub alignment: u64,
    /// Which of the old segments gives its flags; those of the text are given to all that it takes in.
    pub like: usize,
}

/// How the segments of a file change. Places in memory are those before the load bias is added, and do not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The segments that are loaded, by address.
    pub loads: Vec<Load>,
    /// From which place of the old file on all lies how much further back in the new one.
    pub shifts: Vec<(u64, u64)>,
    /// What can lie on huge pages: whole ones.
    pub huge: Range<u64>,
    /// What is executable.
    pub executable: Range<u64>,
    /// How many bytes of the file are executable that were not.
    pub newly_executable: u64,
    /// Whether the headers stay as they are.
    pub is_as_before: bool,
}

impl Plan {
    /// Plans for the segments of a file, of which those that are not loaded are passed over.
    pub fn new(segments: &[Segment], reach: Reach) -> Result<Self, Refusal> {
        let loads = Loads::new(segments)?;
        let text = loads.text()?;
        let taken = loads.take_in(text);
        let new = loads.place(text, &taken, reach)?;
        if new.huge.is_empty() {
            return Err(Refusal::TooSmall);
        }
        Ok(new)
    }

    /// Where a byte of the old file lies in the new one.
    pub fn moved(&self, offset: u64) -> u64 {
        let shift = self.shifts.iter().rev().find(|(from, _)| *from <= offset);
        offset.saturating_add(shift.map_or(0, |(_, by)| *by))
    }

    /// How much longer the file becomes.
    pub fn growth(&self) -> u64 {
        self.shifts.last().map_or(0, |(_, by)| *by)
    }

    /// What of `code`, a place in memory, can lie on huge pages.
    pub fn on_huge_pages(&self, code: &Range<u64>) -> u64 {
        overlap(code, &self.huge)
    }
}

/// How many bytes two ranges share.
pub fn overlap(a: &Range<u64>, b: &Range<u64>) -> u64 {
    a.end.min(b.end).saturating_sub(a.start.max(b.start))
}

/// The segments that are loaded, in the order of their addresses, which is that of their places in the file.
struct Loads<'a>(Vec<(usize, &'a Segment)>);

/// Which neighbours the text takes in.
struct Taken {
    /// Of those that are loaded: the text, and what lies beside it.
    range: Range<usize>,
    /// Where it begins to fill huge pages, and where that ends.
    huge: Range<u64>,
    /// The end in memory, which may lie behind the last segment that was taken in.
    end: u64,
}

const fn length(range: &Range<u64>) -> u64 {
    range.end - range.start
}

impl<'a> Loads<'a> {
    fn new(segments: &'a [Segment]) -> Result<Self, Refusal> {
        let loads: Vec<_> = segments
            .iter()
            .enumerate()
            .filter(|(_, segment)| segment.is_loaded() && !segment.memory.is_empty())
            .collect();
        if loads.len() > MAX_LOADS {
            return Err(Refusal::Contradiction("too many segments"));
        }
        for (_, segment) in &loads {
            if segment.file.end > LARGEST
                || segment.memory.end - segment.memory.start > LARGEST
                || length(&segment.file) > length(&segment.memory)
            {
                return Err(Refusal::Contradiction("a segment of such a size"));
            }
            if segment.alignment > huge::SIZE
                || (segment.alignment > 1 && !segment.alignment.is_power_of_two())
                || segment.file.start % PAGE != segment.memory.start % PAGE
            {
                return Err(Refusal::Contradiction("a segment that is aligned so"));
            }
        }
        let in_order = |two: &[(usize, &Segment)]| {
            two[0].1.memory.end <= two[1].1.memory.start && two[0].1.file.end <= two[1].1.file.start
        };
        if !loads.windows(2).all(in_order) {
            return Err(Refusal::Contradiction("segments over one another"));
        }
        let far = loads
            .last()
            .zip(loads.first())
            .is_some_and(|(last, first)| last.1.memory.end - first.1.memory.start > LARGEST);
        if far {
            return Err(Refusal::Contradiction("segments far from one another"));
        }
        Ok(Self(loads))
    }

    fn text(&self) -> Result<usize, Refusal> {
        let mut texts = (0..self.0.len()).filter(|&at| self.0[at].1.is_executable());
        let text = texts.next().ok_or(Refusal::NoText)?;
        match texts.count() {
            0 if self.0[text].1.is_writable() => Err(Refusal::Writable),
            0 if !self.is_whole(text) => Err(Refusal::Contradiction("code without bytes")),
            0 => Ok(text),
            more => Err(Refusal::SeveralTexts(more + 1)),
        }
    }

    /// Whether all of it comes from the file.
    fn is_whole(&self, at: usize) -> bool {
        let segment = self.0[at].1;
        length(&segment.file) == length(&segment.memory)
    }

    fn is_constant(&self, at: usize) -> bool {
        !self.0[at].1.is_writable() && self.is_whole(at)
    }

    /// Takes in what is read-only beside the text, as far as the huge pages go that hold its ends. A side on which
    /// the last huge page cannot be filled stays as it is.
    fn take_in(&self, text: usize) -> Taken {
        let own = &self.0[text].1.memory;
        let from = own.start / huge::SIZE * huge::SIZE;
        let to = own.end.next_multiple_of(huge::SIZE);
        let mut taken = Taken {
            range: text..text + 1,
            huge: own.start.next_multiple_of(huge::SIZE)..own.end / huge::SIZE * huge::SIZE,
            end: own.end,
        };
        let mut first = text;
        while self.0[first].1.memory.start > from && first > 0 && self.is_constant(first - 1) {
            first -= 1;
        }
        // The file's own header stays where it is.
        let segment = self.0[first].1;
        let can_move = segment.file.start > 0 || segment.memory.start.is_multiple_of(huge::SIZE);
        if segment.memory.start <= from && can_move {
            taken.range.start = first;
            taken.huge.start = from;
        }
        let mut last = text;
        let next_starts = |last: usize| self.0.get(last + 1).map_or(u64::MAX, |next| next.1.memory.start);
        while self.0[last].1.memory.end < to
            && next_starts(last) < to
            && last + 1 < self.0.len()
            && self.is_constant(last + 1)
        {
            last += 1;
        }
        if self.0[last].1.memory.end >= to || next_starts(last) / PAGE * PAGE >= to {
            taken.range.end = last + 1;
            taken.huge.end = to;
            taken.end = self.0[last].1.memory.end.max(to);
        }
        taken
    }

    /// Lays the file out.
    fn place(&self, text: usize, taken: &Taken, reach: Reach) -> Result<Plan, Refusal> {
        let text_like = self.0[text].0;
        let base = self.0[taken.range.start].1.memory.start;
        let mut plan = Plan {
            loads: Vec::new(),
            shifts: Vec::new(),
            huge: taken.huge.clone(),
            executable: match reach {
                Reach::Segments => base..taken.end,
                Reach::Pages => {
                    let own = &self.0[text].1.memory;
                    taken.huge.start.min(own.start).max(base)..taken.huge.end.max(own.end)
                }
            },
            newly_executable: 0,
            is_as_before: false,
        };
        // Behind a text that stands alone there is nothing but zeros.
        if taken.range.len() > 1 {
            plan.newly_executable = length(&plan.executable) - length(&self.0[text].1.memory);
        }
        let mut shift = 0;
        let mut text_at = 0;
        // Up to where the new file is taken.
        let mut end = 0_u64;
        for (at, (index, segment)) in self.0.iter().enumerate() {
            let least = end.max(segment.file.start + shift);
            let (file, memory) = (&segment.file, &segment.memory);
            let alignment = segment.alignment.max(PAGE);
            let place = if at == taken.range.start {
                text_at = congruent(least, base, huge::SIZE);
                text_at
            } else if taken.range.contains(&at) {
                text_at + (memory.start - base)
            } else {
                congruent(least, memory.start, alignment)
            };
            let by = place
                .checked_sub(file.start)
                .filter(|_| place >= least && place <= LARGEST)
                .ok_or(Refusal::Contradiction("segments that lie closer in memory"))?;
            if by % PAGE != 0 || (at == 0 && by != 0) {
                return Err(Refusal::Contradiction("a segment that cannot be moved"));
            }
            if by != shift {
                plan.shifts.push((file.start, by));
                shift = by;
            }
            end = place + length(file);
            if taken.range.contains(&at) {
                if at + 1 == taken.range.end {
                    end = text_at + (taken.end - base);
                    self.lay_text(&mut plan, taken, text_at, text_like);
                }
                continue;
            }
            plan.loads.push(Load {
                file: place..end,
                memory: memory.clone(),
                alignment,
                like: *index,
            });
        }
        self.make_room(&mut plan, taken, text_at + (taken.end - base));
        plan.is_as_before = plan.shifts.is_empty()
            && taken.range.len() == 1
            && taken.end == self.0[text].1.memory.end
            && self.0[text].1.alignment >= huge::SIZE;
        Ok(plan)
    }

    /// The segments that the text and what it took in become: one, or up to three where less is to be executable.
    fn lay_text(&self, plan: &mut Plan, taken: &Taken, text_at: u64, like: usize) {
        let (first, last) = (taken.range.start, taken.range.end - 1);
        let base = self.0[first].1.memory.start;
        let executable = plan.executable.clone();
        let parts = [
            (base..executable.start, self.0[first].0, PAGE),
            (executable.clone(), like, huge::SIZE),
            (executable.end..taken.end, self.0[last].0, PAGE),
        ];
        for (memory, like, alignment) in parts {
            if !memory.is_empty() {
                plan.loads.push(Load {
                    file: text_at + (memory.start - base)..text_at + (memory.end - base),
                    memory,
                    alignment,
                    like,
                });
            }
        }
    }

    /// What follows the text in the file without being loaded goes behind what the text was filled up with.
    fn make_room(&self, plan: &mut Plan, taken: &Taken, until: u64) {
        let last = self.0[taken.range.end - 1].1.file.end;
        if taken.range.end == self.0.len() && plan.moved(last) < until {
            let by = (until - last).next_multiple_of(PAGE);
            plan.shifts.push((last, by));
        }
    }
}

/// The least place from `least` on that leaves the same as `address` when it is divided by `alignment`.
fn congruent(least: u64, address: u64, alignment: u64) -> u64 {
    least + (address % alignment + alignment - least % alignment) % alignment
}

#[cfg(test)]
mod tests {
    use super::super::testing::{R, RW, RX, debian, file_of, segments};
    use super::*;

    #[test]
    fn the_least_place_that_fits() {
        assert_eq!(congruent(0, 0, 4096), 0);
        assert_eq!(congruent(1, 0, 4096), 4096);
        assert_eq!(congruent(0x4d_de08, 0x4d_ef08, 4096), 0x4d_df08);
        assert_eq!(congruent(0x20_0000, 0x1000, huge::SIZE), 0x20_1000);
    }

    #[test]
    fn debians_php_becomes_one_segment_and_moves_nothing() {
        let plan = Plan::new(&segments(&debian()), Reach::Segments).unwrap();
        assert_eq!(plan.loads.len(), 2);
        assert_eq!(plan.loads[0].memory, 0..0x4d_d718);
        assert_eq!(plan.huge, 0..0x40_0000);
        assert!(plan.shifts.is_empty());
        // All of its code, which is a little less than its segment.
        assert_eq!(plan.on_huge_pages(&(0xe_b000..0x3f_681d)), 0x3f_681d - 0xe_b000);
        assert_eq!(plan.newly_executable, 0x4d_d718 - 0x30_b81d);
    }

    #[test]
    fn less_is_executable_where_that_is_asked_for() {
        let plan = Plan::new(&segments(&debian()), Reach::Pages).unwrap();
        let memory: Vec<_> = plan.loads.iter().map(|load| load.memory.clone()).collect();
        assert_eq!(memory, [0..0x40_0000, 0x40_0000..0x4d_d718, 0x4d_ef08..0x59_14b0]);
        assert_eq!(plan.executable, 0..0x40_0000);
    }

    #[test]
    fn constants_before_the_text_and_a_page_that_both_share() {
        // As lld lays it out: the text's first page of the file is the constants' last one.
        let loads = [
            (R, 0, 0, 0x2e_0680, 0x2e_0680),
            (RX, 0x2e_0680, 0x2e_1680, 0x40_0000, 0x40_0000),
            (RW, 0x6e_0680, 0x6e_2680, 0x1000, 0x2000),
        ];
        let plan = Plan::new(&segments(&file_of(&loads)), Reach::Segments).unwrap();
        assert_eq!(plan.shifts, [(0x2e_0680, 0x1000)]);
        assert_eq!(plan.loads[0].file, plan.loads[0].memory);
        // The last 1.9 MB share a huge page with what is written to.
        assert_eq!(plan.huge, 0x20_0000..0x60_0000);
    }

    #[test]
    fn a_text_with_room_behind_it_is_filled_up() {
        let loads = [
            (R, 0, 0, 0x1000, 0x1000),
            (RX, 0x20_0000, 0x20_0000, 0x30_0000, 0x30_0000),
            (RW, 0x50_0000, 0x80_0000, 0x1000, 0x1000),
        ];
        let plan = Plan::new(&segments(&file_of(&loads)), Reach::Segments).unwrap();
        assert_eq!(plan.huge, 0x20_0000..0x60_0000);
        assert_eq!(plan.loads[1].file, 0x20_0000..0x60_0000);
        assert_eq!(plan.shifts, [(0x50_0000, 0x10_0000)]);
        assert_eq!(plan.newly_executable, 0);
    }

    #[test]
    fn what_cannot_be_moved_is_refused() {
        let refused = |loads: &[_]| Plan::new(&segments(&file_of(loads)), Reach::Segments).unwrap_err();
        assert_eq!(refused(&[(R, 0, 0, 0x1000, 0x1000)]), Refusal::NoText);
        assert_eq!(
            refused(&[(RX, 0, 0, 0x1000, 0x1000), (RW, 0x1000, 0x1000, 0x1000, 0x1000)]),
            Refusal::TooSmall
        );
        let two = [(RX, 0, 0, 0x1000, 0x1000), (RX, 0x1000, 0x1000, 0x1000, 0x1000)];
        assert_eq!(refused(&two), Refusal::SeveralTexts(2));
        assert_eq!(
            refused(&[(RX | RW, 0, 0, 0x40_0000, 0x40_0000)]),
            Refusal::Writable
        );
        let over = [
            (R, 0, 0, 0x3000, 0x3000),
            (RX, 0x1000, 0x1000, 0x40_0000, 0x40_0000),
        ];
        assert!(matches!(refused(&over), Refusal::Contradiction(_)));
    }
}
