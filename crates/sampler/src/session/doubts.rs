//! Workers of which it is not known yet whether they are of the pool that was asked for: at first they have the title of their
//! master, and whoever forks tells nothing. What is seen of one meanwhile is held.

use super::{
    intake::Intake,
    known::{Known, Whose},
};
use crate::Told;
use foldhash::HashMap;

/// So many samples are held of one worker, which names itself within a moment.
const MOST: usize = 1024;

/// What is held, by thread.
#[derive(Default)]
pub struct Doubts {
    held: HashMap<u32, Vec<Told>>,
    /// Periods that nobody will know the pool of.
    pub lost: u64,
}

impl Doubts {
    pub fn hold(&mut self, told: Told) {
        let of_worker = self.held.entry(told.sample.tid).or_default();
        if of_worker.len() < MOST {
            of_worker.push(told);
        } else {
            self.lost += weight(&told);
        }
    }

    fn take(&mut self, tid: u32) -> Vec<Told> {
        self.held.remove(&tid).unwrap_or_default()
    }

    fn lose(&mut self, tid: u32) {
        self.lost += self.take(tid).iter().map(weight).sum::<u64>();
    }

    /// What the ids in the samples mean is about to be forgotten, or the recording is over.
    pub fn lose_all(&mut self) {
        let held = self.held.drain().flat_map(|(_, told)| told);
        self.lost += held.map(|told| weight(&told)).sum::<u64>();
    }
}

fn weight(told: &Told) -> u64 {
    told.sample.weight.into()
}

impl Intake<'_> {
    /// A worker has no name yet.
    pub fn doubt(&mut self, pid: u32) {
        self.known.entry(pid).or_default().whose = Whose::Unnamed;
    }

    /// A process is one of those that were asked for: what was seen of it before this was known counts, too. Its id may have
    /// been another one's.
    pub fn trust(&mut self, pid: u32) {
        if let Some(known) = self.known.get_mut(&pid) {
            known.whose = Whose::Ours;
        }
        self.release(pid);
    }

    /// Takes what was held of a target, if it is known to be one.
    pub fn release(&mut self, pid: u32) {
        let is_ours = self.known.get(&pid).is_some_and(Known::is_ours);
        if let Some(doubts) = self.doubts.as_mut().filter(|_| is_ours) {
            for told in doubts.take(pid) {
                self.take(told);
            }
        }
    }

    /// A process turned out not to be one of those that were asked for.
    pub fn disown(&mut self, pid: u32) {
        self.known.entry(pid).or_default().whose = Whose::Foreign;
        self.order.retain(|&other| other != pid);
        if let Some(doubts) = &mut self.doubts {
            doubts.take(pid);
        }
    }

    /// A worker ended before it could be asked for its name.
    pub fn lose(&mut self, pid: u32) {
        if let Some(doubts) = &mut self.doubts {
            doubts.lose(pid);
        }
        self.disown(pid);
    }

    /// A thread ended that is no target. Its id may come to one.
    pub fn forget_stranger(&mut self, tid: u32) {
        if let Some(doubts) = &mut self.doubts {
            doubts.lose(tid);
        }
        self.known.remove(&tid);
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{Nobody, settings, told},
        *,
    };
    use profile::Symbols;

    #[test]
    fn a_worker_without_a_name_counts_once_it_has_one() {
        let settings = settings();
        let (mut symbols, mut watcher) = (Symbols::default(), Nobody);
        let mut intake = Intake::new(&settings, &mut symbols, &mut watcher);
        intake.doubts = Some(Doubts::default());
        let stack = intake.symbols.intern_stack(&[]);
        let see = |intake: &mut Intake<'_>, tid| intake.take(told(tid, 2, stack));
        // Of the pool that was asked for.
        see(&mut intake, 7);
        intake.known.insert(7, Known::of("8.2"));
        intake.doubt(7);
        see(&mut intake, 7);
        assert_eq!(intake.taken, 0);
        intake.trust(7);
        assert_eq!(intake.taken, 4);
        see(&mut intake, 7);
        assert_eq!(intake.taken, 6);
        // Of another one; ended without a name.
        see(&mut intake, 8);
        intake.disown(8);
        see(&mut intake, 9);
        intake.lose(9);
        intake.trust(9);
        see(&mut intake, 9);
        // Whoever has an id of another one's is not taken for that.
        intake.known.insert(8, Known::of("8.2"));
        intake.disown(8);
        intake.trust(8);
        see(&mut intake, 8);
        // Its id may come to one of ours.
        intake.disown(8);
        intake.forget_stranger(8);
        intake.known.insert(8, Known::of("8.2"));
        see(&mut intake, 8);
        assert_eq!(intake.taken, 10);
        // And one that was never met.
        see(&mut intake, 10);
        intake.close(&[]);
        assert_eq!((intake.taken, intake.doubts.as_ref().unwrap().lost), (10, 6));
        let left_out = "6 samples without a known pool, left out: their workers ended before they had a name";
        assert_eq!(intake.notes(), [left_out]);
    }
}
