//! What the calling thread asks of the scheduler, and what it got.

use std::{io, mem};

/// How many CPUs the machine may have; each has a number below this.
#[expect(unsafe_code)]
pub fn processors() -> u32 {
    // SAFETY: takes and returns plain numbers.
    let count = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) };
    count.clamp(1, i64::from(libc::CPU_SETSIZE)) as u32
}

/// Keeps the calling thread on one CPU. Refused where the thread may not use it, as in a container with a cpuset.
#[expect(unsafe_code)]
pub fn pin(processor: u32) -> io::Result<()> {
    if processor >= libc::CPU_SETSIZE as u32 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: a CPU set is plain bits, for which all zeros is the empty set.
    let mut set: libc::cpu_set_t = unsafe { mem::zeroed() };
    // SAFETY: the number was checked against the set's size.
    unsafe { libc::CPU_SET(processor as usize, &mut set) };
    // SAFETY: the set lives through the call, and its size is its own.
    check(unsafe { libc::sched_setaffinity(0, size_of_val(&set), &raw const set) })
}

/// Whether the calling thread may use this CPU.
#[expect(unsafe_code)]
pub fn may_use(processor: u32) -> bool {
    if processor >= libc::CPU_SETSIZE as u32 {
        return false;
    }
    // SAFETY: a CPU set is plain bits, for which all zeros is the empty set.
    let mut set: libc::cpu_set_t = unsafe { mem::zeroed() };
    // SAFETY: the set lives through the call, and its size is its own.
    let result = unsafe { libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) };
    // SAFETY: the number was checked against the set's size.
    result == 0 && unsafe { libc::CPU_ISSET(processor as usize, &set) }
}

/// Lets the calling thread go before all ordinary ones (`SCHED_FIFO`). Needs `CAP_SYS_NICE` or a limit of
/// real-time priority (`ulimit -r`).
#[expect(unsafe_code)]
pub fn go_first() -> io::Result<()> {
    // SAFETY: plain numbers, for which all zeros is valid; some systems have fields besides the priority.
    let mut parameters: libc::sched_param = unsafe { mem::zeroed() };
    parameters.sched_priority = 1;
    // The system call itself, since musl's wrapper refuses.
    // SAFETY: the parameters live through the call.
    let result = unsafe {
        libc::syscall(
            libc::SYS_sched_setscheduler,
            0,
            libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK,
            &raw const parameters,
        )
    };
    check(result as i32)
}

/// Lets the timers of the calling thread expire on time, and not up to 50 µs later with others'.
#[expect(unsafe_code)]
pub fn fine_timers() {
    // SAFETY: takes plain numbers; where it is refused, the timers stay as they were.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0) };
}

/// `CLOCK_MONOTONIC`, in nanoseconds.
pub fn now_ns() -> u64 {
    // The clock is always there.
    clock_ns(libc::CLOCK_MONOTONIC).unwrap_or(0)
}

/// The CPU time of the calling thread, in nanoseconds.
pub fn own_cpu_ns() -> u64 {
    clock_ns(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or(0)
}

/// The CPU time of a process, in nanoseconds; `None` if there is none with this id.
pub(super) fn process_cpu_ns(pid: u32) -> Option<u64> {
    // How Linux numbers the CPU clock of a process (see clock_getcpuclockid(3)).
    clock_ns((!pid.cast_signed() << 3) | 2)
}

/// How often the calling thread was taken off its CPU, of its own will or not. While this does not change, no
/// other task ran on that CPU.
#[expect(unsafe_code)]
fn switches() -> u64 {
    // SAFETY: plain numbers, for which all zeros is valid.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: `usage` lives through the call.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    (usage.ru_nvcsw as u64).wrapping_add(usage.ru_nivcsw as u64)
}

/// Notices whether the calling thread was taken off its CPU, with one call for each question.
#[derive(Debug, Default)]
pub struct Presence {
    switches: u64,
}

impl Presence {
    /// Whether it was not since this was asked last: no other task ran on that CPU meanwhile.
    pub fn lasts(&mut self) -> bool {
        let before = mem::replace(&mut self.switches, switches());
        before == self.switches
    }
}

#[expect(unsafe_code)]
fn clock_ns(clock: libc::clockid_t) -> Option<u64> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` lives through the call.
    let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
    (result == 0).then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

fn check(result: i32) -> io::Result<()> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_advance() {
        let (wall, own) = (now_ns(), own_cpu_ns());
        while own_cpu_ns() == own {}
        assert!(now_ns() > wall);
        assert!(process_cpu_ns(std::process::id()).unwrap() > 0);
        assert_eq!(process_cpu_ns(1 << 23), None);
    }

    #[test]
    fn a_thread_stays_where_it_is_pinned() {
        // In a thread of its own, which takes the setting with it.
        std::thread::spawn(|| {
            let allowed = (0..processors())
                .find(|&processor| pin(processor).is_ok())
                .unwrap();
            let task = std::fs::read_link("/proc/thread-self").unwrap();
            let stat = std::fs::read(std::path::Path::new("/proc").join(task).join("stat")).unwrap();
            assert_eq!(super::super::parse_stat(&stat).unwrap().processor, allowed);
            assert!(pin(1 << 20).is_err());
            assert!(may_use(allowed) && !may_use(1 << 20));
        })
        .join()
        .unwrap();
    }

    #[test]
    fn who_sleeps_is_taken_off_its_cpu() {
        let mut presence = Presence::default();
        presence.lasts();
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(!presence.lasts());
        // Sooner or later nothing comes in between.
        while !presence.lasts() {}
    }
}
