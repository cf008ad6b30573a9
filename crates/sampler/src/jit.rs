//! Whether a PHP runs code that its JIT made, which keeps no current line.

use remote::Process;

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
