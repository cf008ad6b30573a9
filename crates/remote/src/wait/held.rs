//! What descriptors were over a time, as far as that can be told from looking now and then.

use super::descriptor::Descriptor;
use crate::{Process, task::thread::now_ns};
use std::collections::HashMap;

/// Descriptors that are remembered; beyond, the memory of them starts anew.
const MOST: usize = 4096;

/// A descriptor that was the same each time that it was looked at.
#[derive(Debug)]
struct Stretch {
    descriptor: Descriptor,
    /// After the first look and before the last one.
    first_ns: u64,
    last_ns: u64,
}

/// Descriptors by their process and number.
#[derive(Debug, Default)]
pub struct Held(HashMap<(u32, i32), Stretch>);

impl Held {
    /// What it is now.
    pub fn now(&mut self, thread: &Process, number: i32) -> Option<Descriptor> {
        let key = (thread.group(), number);
        let before_ns = now_ns();
        let Some(descriptor) = Descriptor::of(thread, number) else {
            self.0.remove(&key);
            return None;
        };
        let known = self
            .0
            .get_mut(&key)
            .filter(|known| known.descriptor == descriptor);
        if let Some(known) = known {
            known.last_ns = before_ns;
        } else {
            if self.0.len() >= MOST {
                self.0.clear();
            }
            let now_ns = now_ns();
            let stretch = Stretch {
                descriptor: descriptor.clone(),
                first_ns: now_ns,
                last_ns: now_ns,
            };
            self.0.insert(key, stretch);
        }
        Some(descriptor)
    }

    /// What it was from one moment to the other, both past, if that is sure.
    ///
    /// A socket and a pipe have a number that no other one has while the machine runs. Where it was the same one before and
    /// after, it was so in between: what is closed is gone. A file may be opened again under its number.
    pub fn during(&mut self, thread: &Process, number: i32, from_ns: u64, to_ns: u64) -> Option<Descriptor> {
        let key = (thread.group(), number);
        let is_known = |held: &Self| held.0.get(&key).is_some_and(|known| to_ns <= known.last_ns);
        if !is_known(self) {
            self.now(thread, number)?;
        }
        let known = self.0.get(&key)?;
        let is_sure = known.descriptor.is_unique() && known.first_ns <= from_ns && to_ns <= known.last_ns;
        is_sure.then(|| known.descriptor.clone())
    }

    /// Forgets a process that ended, whose number may be given to another one.
    pub fn forget(&mut self, group: u32) {
        self.0.retain(|&(of, _), _| of != group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs::File,
        io::PipeReader,
        os::fd::{AsRawFd, OwnedFd},
    };

    /// This process as others see it.
    fn own() -> Process {
        Process::open(std::process::id()).unwrap()
    }

    /// Waits until a later time than `after_ns` can be told.
    fn later(after_ns: u64) -> u64 {
        loop {
            let now = now_ns();
            if now > after_ns {
                return now;
            }
        }
    }

    #[test]
    fn a_pipe_is_sure_between_two_looks_and_not_before() {
        let (pipe, _writer): (PipeReader, _) = std::io::pipe().unwrap();
        let number = pipe.as_raw_fd();
        let mut held = Held::default();
        let before = now_ns();
        assert!(held.now(&own(), number).is_some());
        let from = later(now_ns());
        let to = later(from);
        later(to);
        assert!(held.during(&own(), number, from, to).is_some());
        assert_eq!(
            held.during(&own(), number, before, to),
            None,
            "it was not looked at then"
        );
        held.forget(std::process::id());
        assert_eq!(held.during(&own(), number, from, to), None);
    }

    #[test]
    #[expect(unsafe_code)]
    fn what_is_another_one_now_is_not_sure() {
        let (first, _one) = std::io::pipe().unwrap();
        let (second, _two) = std::io::pipe().unwrap();
        let shown = OwnedFd::from(first.try_clone().unwrap());
        let mut held = Held::default();
        held.now(&own(), shown.as_raw_fd());
        let from = later(now_ns());
        // SAFETY: both are open, and the second one is this test's own.
        assert!(unsafe { libc::dup2(second.as_raw_fd(), shown.as_raw_fd()) } >= 0);
        let to = later(from);
        later(to);
        assert_eq!(held.during(&own(), shown.as_raw_fd(), from, to), None);
    }

    #[test]
    fn a_file_is_never_sure() {
        let file = File::open("/proc/self/exe").unwrap();
        let mut held = Held::default();
        assert!(held.now(&own(), file.as_raw_fd()).is_some());
        let from = later(now_ns());
        let to = later(from);
        later(to);
        assert_eq!(held.during(&own(), file.as_raw_fd(), from, to), None);
    }
}
