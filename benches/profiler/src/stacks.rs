//! Reads stacks in phpspy's text format, which all profilers here can write.
//!
//! A sample is a block of lines `NUMBER NAME FILE:LINE`, the innermost frame first, then an empty line. Lines
//! that start with `#` say more: phperf's `# first_line = NUMBER` says that the line of that frame is where
//! its function begins.

use anyhow::{Context, Result};
use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

/// One frame, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The function.
    pub name: &'a str,
    /// Its file, `<internal>` where it has none.
    pub file: &'a str,
    /// The line; below 1 where there is none.
    pub line: i64,
    /// Whether the line is that of the function's beginning, and said to be.
    pub first_line: bool,
}

/// Calls `each` with every stack of a file, its innermost frame first. The answer is how many there are.
pub fn read(path: &Path, each: impl FnMut(&[Frame])) -> Result<u64> {
    let file = File::open(path).with_context(|| format!("no stacks at {}", path.display()))?;
    parse(BufReader::with_capacity(1 << 16, file), each)
}

/// How many stacks a file has.
pub fn count(path: &Path) -> Result<u64> {
    read(path, |_| {})
}

fn parse(mut input: impl BufRead, mut each: impl FnMut(&[Frame])) -> Result<u64> {
    let mut count = 0;
    let mut block = Vec::new();
    loop {
        let start = block.len();
        let read = input.read_until(b'\n', &mut block)?;
        if read == 0 || block[start..] == *b"\n" {
            let text = String::from_utf8_lossy(&block);
            let frames = frames(&text);
            if !frames.is_empty() {
                each(&frames);
                count += 1;
            }
            block.clear();
        }
        if read == 0 {
            return Ok(count);
        }
    }
}

fn frames(block: &str) -> Vec<Frame<'_>> {
    let mut frames: Vec<Frame> = block.lines().filter_map(frame).collect();
    for line in block.lines() {
        let number = line
            .strip_prefix("# first_line = ")
            .and_then(|number| number.parse::<usize>().ok());
        if let Some(frame) = number.and_then(|number| frames.get_mut(number)) {
            frame.first_line = true;
        }
    }
    frames
}

fn frame(line: &str) -> Option<Frame<'_>> {
    let (number, rest) = line.split_once(' ')?;
    number.parse::<u32>().ok()?;
    let (rest, line) = rest.rsplit_once(':')?;
    // Files may have spaces in their names, functions do not.
    let (name, file) = rest.split_once(' ')?;
    Some(Frame {
        name,
        file,
        line: line.parse().ok()?,
        first_line: false,
    })
}

/// A function's name as all profilers could write it: where a closure was declared, only some tell.
pub fn plain_name(name: &str) -> &str {
    if name.contains("{closure") {
        "{closure}"
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stacks(text: &str) -> Vec<Vec<(String, String, i64, bool)>> {
        let mut stacks = Vec::new();
        let count = parse(text.as_bytes(), |frames| {
            stacks.push(
                frames
                    .iter()
                    .map(|it| (it.name.into(), it.file.into(), it.line, it.first_line))
                    .collect(),
            );
        })
        .unwrap();
        assert_eq!(count as usize, stacks.len());
        stacks
    }

    #[test]
    fn reads_both_profilers_text() {
        let text = "0 usleep <internal>:-1\n1 Nest::enter /x y.php:14\n\n\
                    0 {closure:/x%20y.php:5} /x y.php:6\n1 <main> /x y.php:1\n# pid = 3\n# first_line = 0\n\n";
        let stacks = stacks(text);
        assert_eq!(stacks.len(), 2);
        assert_eq!(stacks[0][0], ("usleep".into(), "<internal>".into(), -1, false));
        assert_eq!(stacks[0][1], ("Nest::enter".into(), "/x y.php".into(), 14, false));
        assert_eq!(
            stacks[1][0],
            ("{closure:/x%20y.php:5}".into(), "/x y.php".into(), 6, true)
        );
        assert!(!stacks[1][1].3);
    }

    #[test]
    fn a_last_block_counts_without_its_empty_line_and_noise_does_not() {
        assert_eq!(stacks("0 f /a.php:1\n").len(), 1);
        assert_eq!(stacks("\n\n# nothing\n\n").len(), 0);
    }

    #[test]
    fn closures_have_one_name() {
        assert_eq!(plain_name("Truth\\{closure}"), "{closure}");
        assert_eq!(plain_name("{closure:/a.php:3}"), "{closure}");
        assert_eq!(plain_name("Truth\\delta"), "Truth\\delta");
    }
}
