//! A recursion, of which one round tells as much as a thousand.

use std::ops::Range;

/// So many functions call each other in turn at most: through closures, `array_map` and the like.
const LONGEST: usize = 8;
/// Fewer rounds are shown as they are.
const FEWEST: usize = 4;

/// Which of the frames from `from` on say nothing new: all rounds of a recursion but the first and the last.
pub fn alike<T: PartialEq>(frames: &[T], from: usize) -> Option<Range<usize>> {
    let frames = frames.get(from..)?;
    (1..=LONGEST).find_map(|round| {
        let same = frames.iter().zip(frames.get(round..)?);
        let same = same.take_while(|(one, next)| one == next).count();
        let rounds = same / round + 1;
        (rounds >= FEWEST).then(|| from + round..from + (rounds - 1) * round)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(frames: &str) -> String {
        let frames: Vec<char> = frames.chars().collect();
        let (mut at, mut shown) = (0, String::new());
        while at < frames.len() {
            shown.push(frames[at]);
            at += 1;
            if let Some(alike) = alike(&frames, at - 1) {
                shown.extend(&frames[at..alike.start]);
                shown.push_str(&alike.len().to_string());
                at = alike.end;
            }
        }
        shown
    }

    #[test]
    fn of_a_recursion_the_first_and_the_last_round_are_shown() {
        assert_eq!(shown("xaaaaaaaam"), "xa6am");
        assert_eq!(shown("abcabcabcabcabcm"), "abc9abcm");
        assert_eq!(shown("sabababababm"), "sab6abm");
        assert_eq!(shown("aaaabbbbb"), "a2ab3b");
    }

    #[test]
    fn what_is_short_is_shown_as_it_is() {
        for frames in ["", "a", "aaa", "abcabcabcm", "abcdefghijklm"] {
            assert_eq!(shown(frames), frames);
        }
    }
}
