//! Whether a PHP runs code that its JIT made, which keeps no current line.

use crate::clock;
use remote::Process;
use std::time::Duration;

/// A PHP that is older has made room for JIT code, or never will.
const YOUNG: Duration = Duration::from_secs(10);
/// How the kernel counts time for users on every machine that phperf knows (`USER_HZ`).
const TICKS_PER_SECOND: u64 = 100;

/// Whether a process that has no JIT code now may still get some, as it started only just now.
pub fn may_come(process: &Process) -> bool {
    let started = Duration::from_millis(process.start_time() * 1000 / TICKS_PER_SECOND);
    clock::since_boot().saturating_sub(started) < YOUNG
}

/// Whether a process has memory for JIT-compiled code: executable, writable once, and no file.
pub fn runs_in(process: &Process) -> bool {
    process.maps().is_ok_and(|maps| {
        maps.iter().any(|mapping| {
            let name = mapping
                .path
                .as_deref()
                .map_or(&b""[..], |path| path.as_os_str().as_encoded_bytes());
            mapping.execute && (name.is_empty() || name.starts_with(b"/dev/zero"))
        })
    })
}
