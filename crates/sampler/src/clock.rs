//! The clock that both sources and the kernel share, and waiting on it.

#[cfg(feature = "kernel")]
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::time::{ClockId, clock_gettime};
#[cfg(feature = "kernel")]
use std::os::fd::BorrowedFd;
use std::time::Duration;

/// `CLOCK_MONOTONIC` in nanoseconds, as `bpf_ktime_get_ns` counts.
pub fn monotonic_ns() -> u64 {
    nanoseconds(ClockId::Monotonic)
}

/// Time since the machine was started, that for which it slept included.
pub fn since_boot() -> Duration {
    Duration::from_nanos(nanoseconds(ClockId::Boottime))
}

/// CPU time that this process has used.
pub fn own_cpu() -> Duration {
    Duration::from_nanos(nanoseconds(ClockId::ProcessCPUTime))
}

fn nanoseconds(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Waits until `fd` can be read, or until `timeout` has passed or a signal came.
#[cfg(feature = "kernel")]
pub fn wait_readable(fd: BorrowedFd<'_>, timeout: Duration) {
    let timeout = Timespec {
        tv_sec: timeout.as_secs().cast_signed(),
        tv_nsec: timeout.subsec_nanos().into(),
    };
    // An error is a signal: whoever waits looks round and waits again.
    let _ = poll(&mut [PollFd::from_borrowed_fd(fd, PollFlags::IN)], Some(&timeout));
}
