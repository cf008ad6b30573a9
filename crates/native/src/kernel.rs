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

/// What runs when an interrupt is over, and lets another process have the CPU.
const AFTER_INTERRUPTS: [&str; 5] = [
    "irqentry_exit",
    "raw_irqentry_exit_cond_resched",
    "preempt_schedule_irq",
    "exit_to_user_mode_",
    "arm64_preempt_schedule_irq",
];
/// What an interrupt comes to first: `asm_sysvec_apic_timer_interrupt`.
const INTERRUPT: &str = "asm_";
const INTERRUPTS_OF_ARM: [&str; 2] = ["el0t_64_irq", "el1h_64_irq"];
/// So many functions may be between both.
const MOST_OF_ENTRY: usize = 4;

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
        let addresses = &addresses[schedules..];
        if schedules > 0 {
            self.before_interrupt(addresses)
        } else {
            addresses
        }
    }

    /// Who lost its CPU to an interrupt, when that was over, was at what the interrupt came upon.
    fn before_interrupt<'a>(&self, addresses: &'a [u64]) -> &'a [u64] {
        let name = |address: &u64| self.function(*address).unwrap_or_default();
        let is_over = |address: &u64| {
            AFTER_INTERRUPTS
                .iter()
                .any(|after| name(address).starts_with(after))
        };
        let is_entry = |address: &u64| {
            name(address).starts_with(INTERRUPT) || INTERRUPTS_OF_ARM.contains(&name(address))
        };
        let over = addresses.iter().take_while(|address| is_over(address)).count();
        let entry = addresses.iter().take(over + MOST_OF_ENTRY).position(is_entry);
        match entry {
            Some(entry) if over > 0 => &addresses[entry + 1..],
            _ => addresses,
        }
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
        ffffffff81000300 T schedule\n\
        ffffffff81000400 T irqentry_exit_to_user_mode\n\
        ffffffff81000500 T asm_sysvec_apic_timer_interrupt\n";

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
    fn who_lost_its_cpu_was_at_what_was_interrupted() {
        let kernel = Kernel::parse(SYMBOLS);
        let (poll, schedule, exit, timer) = (
            0xffff_ffff_8100_0110,
            0xffff_ffff_8100_0310,
            0xffff_ffff_8100_0410,
            0xffff_ffff_8100_0510,
        );
        assert_eq!(kernel.done_for_it(&[schedule, exit, timer]), [0; 0]);
        assert_eq!(kernel.done_for_it(&[schedule, exit, timer, poll]), [poll]);
        // The interrupt itself took time on a CPU, and this waits for something.
        assert_eq!(kernel.done_for_it(&[exit, timer]), [exit, timer]);
        assert_eq!(kernel.done_for_it(&[schedule, poll, timer]), [poll, timer]);
        assert_eq!(kernel.done_for_it(&[schedule, exit, poll]), [exit, poll]);
    }

    #[test]
    fn hidden_addresses_name_nothing() {
        let kernel = Kernel::parse(&b"0000000000000000 T _stext\n0000000000000000 t do_sys_poll\n"[..]);
        assert_eq!(kernel.function(0xffff_ffff_8100_0190), None);
    }
}
