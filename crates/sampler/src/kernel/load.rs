//! Loads the committed object: sizes of its maps, programs, tracepoints.

use super::{KernelSettings, Refusal};
use aya::{
    Ebpf, EbpfLoader,
    maps::Map,
    programs::{PerfEvent, RawTracePoint},
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::sync::{Mutex, OnceLock, PoisonError};

#[repr(C, align(8))]
struct Aligned<const N: usize>([u8; N]);

#[cfg(target_arch = "x86_64")]
const BYTES: &[u8] = include_bytes!("../../bpf/sampler.x86_64.o");
#[cfg(target_arch = "aarch64")]
const BYTES: &[u8] = include_bytes!("../../bpf/sampler.aarch64.o");
/// There is none for other machines, which [`super::permission::check`] says before it is loaded.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const BYTES: &[u8] = &[];

static OBJECT: Aligned<{ BYTES.len() }> = Aligned(*BYTES.first_chunk().expect("it is as long as it is"));

/// About this much time's worth of records must fit the ring: twice what passes between two polls. Busier rings ask to
/// be emptied before they are full.
const RING_SECONDS: f64 = 0.5;
/// What a sample of eight frames takes.
const BYTES_PER_SAMPLE: f64 = 160.0;

/// The same with the stack of C: it ends where the thread's does, mostly before its bound.
const BYTES_WITH_NATIVE: f64 = 12288.0;
/// The largest ring, with and without.
const LARGEST: u32 = 1 << 20;
const LARGEST_WITH_NATIVE: u32 = 8 << 20;

/// The programs, loaded but attached to nothing.
pub fn programs(asked: &KernelSettings) -> Result<Ebpf, Refusal> {
    let rate = 1.0 / asked.period.as_secs_f64();
    let (bytes, largest) = if asked.asked.native {
        (BYTES_WITH_NATIVE, LARGEST_WITH_NATIVE)
    } else {
        (BYTES_PER_SAMPLE, LARGEST)
    };
    let ring = (rate * asked.targets.max(1) as f64 * RING_SECONDS * bytes) as u32;
    let ring = ring.clamp(64 << 10, largest).next_power_of_two();
    let tasks = (asked.targets as u32 * 2 + 64).min(8192);

    let mut loader = LOADER
        .get_or_init(|| Mutex::new(EbpfLoader::new()))
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    loader
        .btf(None)
        .map_max_entries("RING", ring)
        .map_max_entries("TASKS", tasks)
        .map_max_entries("TARGETS", tasks * 2);
    let mut bpf = loader.load(&OBJECT.0).map_err(refused)?;
    let program: &mut PerfEvent = bpf
        .program_mut("on_cpu")
        .and_then(|program| program.try_into().ok())
        .ok_or_else(|| Refusal::Failed("the object has no program on_cpu".into()))?;
    program.load().map_err(refused)?;
    Ok(bpf)
}

/// Has a task's stack walked when it is back on a CPU; says whether this kernel tells when that is.
///
/// Linux does since 6.15. What it says otherwise does not matter: without it, each wait's stack is kept when it begins.
pub fn attach_return(bpf: &mut Ebpf) -> Result<bool, Refusal> {
    let program = raw_tracepoint(bpf, "back")?;
    program.load().map_err(refused)?;
    Ok(program.attach("sched_exit_tp").is_ok())
}

/// Attaches everything else that is not bound to a process.
pub fn attach_tracepoints(bpf: &mut Ebpf) -> Result<(), Refusal> {
    for name in [
        "sched_switch",
        "sched_process_fork",
        "sched_process_exec",
        "sched_process_exit",
        "sched_process_free",
    ] {
        let program = raw_tracepoint(bpf, name)?;
        program.load().map_err(refused)?;
        program.attach(name).map_err(refused)?;
    }
    Ok(())
}

fn raw_tracepoint<'a>(bpf: &'a mut Ebpf, name: &str) -> Result<&'a mut RawTracePoint, Refusal> {
    bpf.program_mut(name)
        .and_then(|program| program.try_into().ok())
        .ok_or_else(|| Refusal::Failed(format!("the object has no program {name}")))
}

/// A map of the object, as the type that it is used as.
pub fn map<T: TryFrom<Map>>(bpf: &mut Ebpf, name: &str) -> Result<T, Refusal>
where
    T::Error: std::fmt::Display,
{
    let map = bpf
        .take_map(name)
        .ok_or_else(|| Refusal::Failed(format!("the object has no map {name}")))?;
    T::try_from(map).map_err(|error| Refusal::Failed(error.to_string()))
}

/// What the kernel said, with its causes, in one line.
pub fn refused(error: impl std::error::Error) -> Refusal {
    let mut reason = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        // Some of aya's errors say their cause themselves.
        if !reason.ends_with(&text) {
            reason.push_str(": ");
            reason.push_str(&text);
        }
        cause = error.source();
    }
    Refusal::Failed(in_one_line(&reason))
}

/// A verifier's log is for whoever works on the programs, and is many lines. Why is what it says before it counts its work.
fn in_one_line(reason: &str) -> String {
    let (first, log) = reason.split_once('\n').unwrap_or((reason, ""));
    let head = first.split("Verifier output:").next().unwrap_or(first);
    log.lines()
        .take_while(|line| {
            !["verification time", "processed "]
                .iter()
                .any(|counts| line.starts_with(counts))
        })
        .last()
        .map_or_else(
            || first.to_owned(),
            |why| format!("{head}The verifier: {}", why.trim()),
        )
}

/// What reads the object; its settings are made anew each time.
static LOADER: OnceLock<Mutex<EbpfLoader<'static>>> = OnceLock::new();

/// Spares a later recording the memory that its loader would take: some 12 MB at the peak.
///
/// `EbpfLoader::new` reads and parses all of the kernel's BTF, though `btf(None)` says right after that it is not wanted.
/// It takes an unreadable BTF for an absent one, so no file can be opened while it is made. That holds for all threads, and
/// for processes that are started meanwhile: it must be called before there are any.
pub fn prepare() {
    LOADER.get_or_init(|| {
        let limit = getrlimit(Resource::Nofile);
        let _ = setrlimit(
            Resource::Nofile,
            Rlimit {
                current: Some(0),
                ..limit
            },
        );
        let loader = EbpfLoader::new();
        let _ = setrlimit(Resource::Nofile, limit);
        Mutex::new(loader)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_verifiers_log_stays_why() {
        let log = "the syscall returned Permission denied. Verifier output: Func#4 is safe\n12: (85) call 130\n\
                   R3 unbounded memory access\nverification time 8 usec\nstack depth 8\nprocessed 2 insns\n: denied";
        assert_eq!(
            in_one_line(log),
            "the syscall returned Permission denied. The verifier: R3 unbounded memory access"
        );
        assert_eq!(in_one_line("no such map"), "no such map");
    }
}
