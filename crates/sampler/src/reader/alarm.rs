//! Wakes a sampling thread at each tick of the schedule.
//!
//! Who sleeps until the next tick makes the kernel set the CPU's timer anew, on the sleeper's account; on a
//! virtual machine that leaves the machine, and is a quarter of all that a tick costs. So there are several
//! timers in turn: while one is waited for, the others are set already, and the one that just rang is set again
//! behind them, which asks nothing of the CPU's timer.

use super::schedule::Schedule;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use std::{
    io,
    os::fd::OwnedFd,
    sync::atomic::{AtomicU64, Ordering},
};

/// Two would do; with four, one tick that comes late does not meet an unset timer.
const TIMERS: u64 = 4;

/// The timers of one thread. Tick `n` is told by timer `n % TIMERS`.
#[derive(Debug)]
pub struct Alarm {
    schedule: Schedule,
    timers: Vec<OwnedFd>,
    /// The tick that the thread waits for.
    awaited: AtomicU64,
}

impl Alarm {
    /// Sets all timers, the first for the tick after `tick`.
    pub fn new(schedule: Schedule, tick: u64) -> io::Result<Self> {
        let timers = (0..TIMERS)
            .map(|_| Ok(timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)?))
            .collect::<io::Result<_>>()?;
        let alarm = Self {
            schedule,
            timers,
            awaited: AtomicU64::new(0),
        };
        for next in tick + 1..=tick + TIMERS {
            alarm.set(next, schedule.due_ns(next))?;
        }
        Ok(alarm)
    }

    /// Says that the thread is about to [`Alarm::wait`] for `tick`. What others do before they [`Alarm::ring`] is
    /// seen after this, or ends the wait.
    pub fn expect(&self, tick: u64) {
        self.awaited.store(tick, Ordering::SeqCst);
    }

    /// Waits for the expected tick, or until somebody rings. May end early: whoever waits looks at the clock.
    pub fn wait(&self) {
        let timer = self.timer(self.awaited.load(Ordering::Relaxed));
        // Reading it sets it again. An error is a signal.
        let _ = rustix::io::read(timer, &mut [0; 8]);
    }

    /// Ends the wait of the thread.
    pub fn ring(&self) {
        let tick = self.awaited.load(Ordering::SeqCst);
        // A whole turn ago: at once, and what follows comes when it should.
        let turn = TIMERS * self.schedule.period_ns();
        let _ = self.set(tick, self.schedule.due_ns(tick).saturating_sub(turn).max(1));
    }

    fn timer(&self, tick: u64) -> &OwnedFd {
        &self.timers[(tick % TIMERS) as usize]
    }

    fn set(&self, tick: u64, at_ns: u64) -> io::Result<()> {
        let turn = Itimerspec {
            it_interval: timespec(TIMERS.saturating_mul(self.schedule.period_ns())),
            it_value: timespec(at_ns),
        };
        timerfd_settime(self.timer(tick), TimerfdTimerFlags::ABSTIME, &turn)?;
        Ok(())
    }
}

const fn timespec(ns: u64) -> Timespec {
    Timespec {
        tv_sec: (ns / 1_000_000_000).cast_signed(),
        tv_nsec: (ns % 1_000_000_000).cast_signed(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use remote::task::thread::now_ns;
    use std::sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    };

    #[test]
    fn no_tick_is_told_early_and_the_next_one_is_told() {
        let schedule = Schedule::new(now_ns(), 200_000);
        let mut tick = schedule.tick_at(now_ns());
        let alarm = Alarm::new(schedule, tick).unwrap();
        for _ in 0..50 {
            let next = tick + 1;
            alarm.expect(next);
            while schedule.tick_at(now_ns()) < next {
                alarm.wait();
            }
            // A machine that is busy may let more than one pass.
            tick = schedule.tick_at(now_ns());
        }
    }

    #[test]
    fn a_ring_ends_a_wait_that_would_take_days() {
        let schedule = Schedule::new(now_ns(), 86_400_000_000_000);
        let alarm = Arc::new(Alarm::new(schedule, 0).unwrap());
        let rung = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let (alarm, rung) = (alarm.clone(), rung.clone());
            move || {
                alarm.expect(1);
                while !rung.load(Ordering::SeqCst) {
                    alarm.wait();
                }
            }
        });
        rung.store(true, Ordering::SeqCst);
        // Whether the thread has begun to expect the tick or not.
        while !thread.is_finished() {
            alarm.ring();
            std::thread::yield_now();
        }
        thread.join().unwrap();
    }
}
