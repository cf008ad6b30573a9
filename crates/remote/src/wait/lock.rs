//! Who holds the lock on a file that a process waits for.

use crate::Process;
use std::{
    fs::File,
    io::{self, Read},
};

/// A line has some 60 bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The process that holds the lock on a file that this one waits for (`flock`, `fcntl`), as the kernel lists it; `None`
/// where it waits for no such lock, or whoever took it cannot be seen from here.
pub fn lock_holder(process: &Process) -> Option<u32> {
    let text = read().ok()?;
    holder(&text, process.group()).filter(|&pid| pid != 0)
}

fn read() -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open("/proc/locks")?
        .take(MOST_BYTES)
        .read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// `7: FLOCK  ADVISORY  WRITE 13662 fe:00:6202464 0 EOF` holds, `7: -> FLOCK  ADVISORY  WRITE 2420 …` waits for it.
fn holder(locks: &str, waits: u32) -> Option<u32> {
    let mut last = None;
    for line in locks.lines() {
        let mut fields = line.split_ascii_whitespace();
        let number = fields.next()?;
        let is_waiting = fields.next()? == "->";
        let pid: u32 = fields.nth(if is_waiting { 3 } else { 2 })?.parse().ok()?;
        match (is_waiting, last) {
            (false, _) => last = Some((number, pid)),
            (true, Some((held, holder))) if held == number && pid == waits => {
                return Some(holder);
            }
            (true, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LOCKS: &str = "\
1: FLOCK  ADVISORY  WRITE 13662 fe:00:6202464 0 EOF
2: POSIX  ADVISORY  WRITE 12625 fe:00:5466043 0 EOF
2: -> POSIX  ADVISORY  WRITE 9 fe:00:5466043 0 EOF
2: -> FLOCK  ADVISORY  READ 2420 fe:00:5466043 0 EOF
3: FLOCK  ADVISORY  WRITE 0 fe:00:5499286 0 EOF
3: -> FLOCK  ADVISORY  WRITE 10 fe:00:5499286 0 EOF
";

    #[test]
    fn who_waits_is_told_who_holds() {
        assert_eq!(holder(LOCKS, 2420), Some(12625));
        assert_eq!(holder(LOCKS, 10), Some(0));
        assert_eq!(holder(LOCKS, 13662), None, "it holds one itself");
        assert_eq!(holder("", 1), None);
    }

    proptest! {
        #[test]
        fn whatever_the_list_holds(text in ".{0,300}", pid in 0_u32..30) {
            let _ = holder(&text, pid);
        }
    }
}
