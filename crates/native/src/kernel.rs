//! Names of the kernel's functions.

use std::{
    fs::File,
    io::{BufRead, BufReader},
};

/// A kernel with all its modules has some 200,000 symbols.
const MOST: usize = 1 << 20;
const MOST_BYTES: u64 = 256 << 20;
/// A program of ours that asks for the stack is on it, below what it interrupted.
const TRACERS: [&str; 3] = ["__traceiter_", "bpf_trace_run", "perf_trace_"];
const MOST_TRACERS: usize = 10;
/// Where every wait ends: that it waits is known already, and for what says their caller.
const SCHEDULERS: [&str; 2] = ["__schedule", "schedule"];

/// The kernel's functions, by address.
#[derive(Debug, Default)]
pub struct Kernel {
    starts: Vec<(u64, u32)>,
    names: String,
}

impl Kernel {
    /// Reads `/proc/kallsyms`; without permission, no names are known.
    pub fn read() -> Self {
        File::open("/proc/kallsyms")
            .map_or_else(|_| Self::default(), |file| Self::parse(BufReader::new(file)))
    }

    fn parse(lines: impl BufRead) -> Self {
        let mut kernel = Self::default();
        for line in lines
            .take(MOST_BYTES)
            .split(b'\n')
            .map_while(Result::ok)
            .take(MOST)
        {
            let mut fields = line.split(u8::is_ascii_whitespace);
            let mut field = || fields.next().and_then(|field| str::from_utf8(field).ok());
            if let (Some(address), Some("t" | "T" | "w" | "W"), Some(name)) = (field(), field(), field())
                && let Ok(address @ 1..) = u64::from_str_radix(address, 16)
            {
                kernel.starts.push((address, kernel.names.len() as u32));
                kernel.names.push_str(name);
                kernel.names.push('\n');
            }
        }
        kernel.starts.sort_unstable();
        kernel
    }

    /// The function that an address belongs to.
    pub fn function(&self, address: u64) -> Option<&str> {
        let after = self.starts.partition_point(|&(start, _)| start <= address);
        let &(_, at) = self.starts[..after].last()?;
        self.names[at as usize..].split('\n').next()
    }

    /// What the kernel did for the process: without what was done to tell us, and without the change to another process.
    pub fn done_for_it<'a>(&self, addresses: &'a [u64]) -> &'a [u64] {
        let is_tracer = |address: &u64| {
            let name = self.function(*address).unwrap_or_default();
            TRACERS.iter().any(|tracer| name.starts_with(tracer))
        };
        let outermost = addresses.len().min(MOST_TRACERS);
        let tracers = addresses[..outermost].iter().rposition(is_tracer);
        let addresses = &addresses[tracers.map_or(0, |last| last + 1)..];
        let schedules = addresses
            .iter()
            .take_while(|address| {
                self.function(**address)
                    .is_some_and(|name| SCHEDULERS.contains(&name))
            })
            .count();
        &addresses[schedules..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYMBOLS: &[u8] = b"ffffffff81000000 T _stext\n\
        ffffffff81000100 t do_sys_poll\n\
        ffffffff81000180 d not_code\n\
        ffffffff81000200 T __traceiter_sched_switch\t[of_a_module]\n\
        what is this\n\
        ffffffff81000300 T schedule\n";

    #[test]
    fn names_are_those_of_the_functions_before() {
        let kernel = Kernel::parse(SYMBOLS);
        assert_eq!(kernel.function(0xffff_ffff_8100_0190), Some("do_sys_poll"));
        assert_eq!(
            kernel.function(0xffff_ffff_8100_0200),
            Some("__traceiter_sched_switch")
        );
        assert_eq!(kernel.function(0x1000), None);
        assert_eq!(Kernel::default().function(0x1000), None);
    }

    #[test]
    fn our_own_programs_and_the_scheduler_are_not_shown() {
        let kernel = Kernel::parse(SYMBOLS);
        let (own, tracer, schedule, poll) = (
            0xffff_ffff_8100_0000,
            0xffff_ffff_8100_0210,
            0xffff_ffff_8100_0310,
            0xffff_ffff_8100_0110,
        );
        assert_eq!(kernel.done_for_it(&[own, tracer, schedule, poll]), [poll]);
        assert_eq!(kernel.done_for_it(&[schedule, poll]), [poll]);
        assert_eq!(kernel.done_for_it(&[poll, schedule]), [poll, schedule]);
    }

    #[test]
    fn hidden_addresses_name_nothing() {
        let kernel = Kernel::parse(&b"0000000000000000 T _stext\n0000000000000000 t do_sys_poll\n"[..]);
        assert_eq!(kernel.function(0xffff_ffff_8100_0190), None);
    }
}
