//! The lines of a map: address and size in hexadecimal, and a name.

use crate::layout::overlap;
use remote::elf::Function;
use std::{fmt::Write, ops::Range};

/// Functions as they lie in memory.
pub struct Names<'a>(Vec<(Range<u64>, &'a str)>);

impl<'a> Names<'a> {
    /// Those that touch one of `ranges`.
    pub fn new(functions: &'a [Function], bias: u64, ranges: &[Range<u64>]) -> Self {
        let placed = functions.iter().map(|function| {
            let start = function.range.start.wrapping_add(bias);
            let length = function.range.end - function.range.start;
            (start..start.saturating_add(length), function.name.as_str())
        });
        Self(
            placed
                .filter(|(range, _)| ranges.iter().any(|copied| overlap(range, copied) > 0))
                .collect(),
        )
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Bytes that they take, those that lie over one another counted once.
    pub fn bytes(&self) -> u64 {
        let mut until = 0;
        let mut sum = 0;
        for (range, _) in &self.0 {
            sum += range.end.saturating_sub(range.start.max(until));
            until = until.max(range.end);
        }
        sum
    }

    /// The lines. What would end one within a name is replaced.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (range, name) in &self.0 {
            let name: String = name
                .chars()
                .map(|c| if c.is_control() { '?' } else { c })
                .collect();
            let _ = writeln!(text, "{:x} {:x} {name}", range.start, range.end - range.start);
        }
        text
    }
}

/// The lines of a map that was there, but for those that are about `ranges`.
pub fn others(text: &str, ranges: &[Range<u64>]) -> String {
    let is_other = |line: &&str| {
        let start = line
            .split(' ')
            .next()
            .and_then(|field| u64::from_str_radix(field, 16).ok());
        start.is_some_and(|start| !ranges.iter().any(|range| range.contains(&start)))
    };
    text.lines()
        .filter(is_other)
        .flat_map(|line| [line, "\n"])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(range: Range<u64>, name: &str) -> Function {
        Function {
            range,
            name: name.into(),
        }
    }

    #[test]
    fn lines_are_as_perf_reads_them() {
        let functions = [
            function(0x100..0x180, "before"),
            function(0x1100..0x1180, "execute_ex"),
            function(0x1140..0x1190, "a\nb"),
        ];
        let names = Names::new(&functions, 0x7000, std::slice::from_ref(&(0x8000..0x9000)));
        assert_eq!(names.text(), "8100 80 execute_ex\n8140 50 a?b\n");
        assert_eq!((names.len(), names.bytes()), (2, 0x90));
    }

    #[test]
    fn what_was_there_of_other_code_is_kept() {
        let before = "8100 80 old\n7f00 10 JIT$1\nnonsense\n";
        assert_eq!(
            others(before, std::slice::from_ref(&(0x8000..0x9000))),
            "7f00 10 JIT$1\n"
        );
    }
}
