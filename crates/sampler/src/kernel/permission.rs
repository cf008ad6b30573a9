//! Whether the kernel source may run here, and what would allow it.

use super::AttachError;
use aya::programs::ProgramError;
use std::{error::Error, fs, io};

/// Why the kernel source does not run.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The user lacks capabilities.
    #[error("it takes {missing}: run as root, or `setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep` on phperf")]
    Capability {
        /// What is missing.
        missing: String,
    },
    /// Processes have other numbers in the kernel's eyes.
    #[error(
        "this is a container with process numbers of its own, and the kernel counts as the host does: record from the host, or share its processes (docker run --pid=host)"
    )]
    PidNamespace,
    /// The kernel is too old.
    #[error("it takes Linux 5.8 or later, this is {0}")]
    Old(String),
    /// This build has no programs for this machine.
    #[error("it is built for x86_64 and aarch64 only")]
    Architecture,
    /// The kernel refused, in a container's seccomp filter or under lockdown.
    #[error("the kernel refused: {0}")]
    Failed(String),
}

const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
const CAP_BPF: u32 = 39;

/// Looks before the programs are loaded, since the kernel's own answer is just "not permitted".
pub fn check() -> Result<(), Refusal> {
    if !cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        return Err(Refusal::Architecture);
    }
    if !kernel_at_least(5, 8) {
        return Err(Refusal::Old(release()));
    }
    if !in_first_pid_namespace() {
        return Err(Refusal::PidNamespace);
    }
    let effective = effective_capabilities();
    let has = |capability: u32| effective & (1 << capability) != 0 || effective & (1 << CAP_SYS_ADMIN) != 0;
    let missing: Vec<&str> = [(CAP_BPF, "CAP_BPF"), (CAP_PERFMON, "CAP_PERFMON")]
        .iter()
        .filter(|(capability, _)| !has(*capability))
        .map(|(_, name)| *name)
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Refusal::Capability {
            missing: missing.join(" and "),
        })
    }
}

/// The inode of the first PID namespace is fixed (`PROC_PID_INIT_INO` in the kernel's `proc_ns.h`).
fn in_first_pid_namespace() -> bool {
    const FIRST: &str = "pid:[4026531836]";
    fs::read_link("/proc/self/ns/pid").is_ok_and(|link| link.as_os_str() == FIRST)
}

fn effective_capabilities() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

fn release() -> String {
    fs::read_to_string("/proc/sys/kernel/osrelease")
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// Whether the running kernel is this version or a later one.
pub fn kernel_at_least(major: u32, minor: u32) -> bool {
    parse_release(&release()).is_some_and(|version| version >= (major, minor))
}

fn parse_release(release: &str) -> Option<(u32, u32)> {
    let mut parts = release.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Turns what `perf_event_open` said into a cause and a cure.
pub fn explain_attach(pid: u32, error: &ProgramError) -> AttachError {
    let mut cause: Option<&dyn Error> = Some(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            return match io.raw_os_error() {
                Some(libc::ESRCH) => AttachError::Gone(pid),
                Some(libc::EACCES | libc::EPERM) => AttachError::NotPermitted(pid),
                _ => AttachError::Failed {
                    pid,
                    reason: io.to_string(),
                },
            };
        }
        cause = error.source();
    }
    AttachError::Failed {
        pid,
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_distributions_are_read() {
        assert_eq!(parse_release("6.18.44-fc-v669"), Some((6, 18)));
        assert_eq!(parse_release("5.15.0-1051-aws"), Some((5, 15)));
        assert_eq!(parse_release("6.1-rc3"), Some((6, 1)));
        assert_eq!(parse_release(""), None);
    }
}
