//! Several ranges of a process's memory in one call.

use crate::ReadError;
use std::io;

/// The most parts that one call takes.
pub const PARTS_MAX: usize = 32;

/// A range of the memory of a process, and where it goes.
#[derive(Debug)]
pub struct Part<'a> {
    /// Where it begins.
    pub address: u64,
    /// What is filled.
    pub buffer: &'a mut [u8],
}

/// Reads the parts (of more than [`PARTS_MAX`] only the first) in their order by one `process_vm_readv`, and
/// says how many bytes that gave: where a part cannot be read, it and all after it are missing.
#[expect(unsafe_code)]
pub fn gather(pid: u32, parts: &mut [Part<'_>]) -> Result<usize, ReadError> {
    const NONE: libc::iovec = libc::iovec {
        iov_base: std::ptr::null_mut(),
        iov_len: 0,
    };
    let (mut local, mut remote) = ([NONE; PARTS_MAX], [NONE; PARTS_MAX]);
    for ((local, remote), part) in local.iter_mut().zip(&mut remote).zip(parts.iter_mut()) {
        local.iov_base = part.buffer.as_mut_ptr().cast();
        local.iov_len = part.buffer.len();
        remote.iov_base = part.address as *mut libc::c_void;
        remote.iov_len = part.buffer.len();
    }
    let count = parts.len().min(PARTS_MAX) as libc::c_ulong;
    // SAFETY: each local range is a buffer that `parts` borrows mutably until the end of this function; the
    // kernel checks the remote addresses, which are never dereferenced here.
    let read = unsafe {
        libc::process_vm_readv(
            pid.cast_signed(),
            local.as_ptr(),
            count,
            remote.as_ptr(),
            count,
            0,
        )
    };
    if let Ok(read) = usize::try_from(read) {
        return Ok(read);
    }
    Err(match io::Error::last_os_error().raw_os_error() {
        Some(libc::ESRCH) => ReadError::Gone(pid),
        Some(libc::EPERM) => ReadError::NotPermitted(pid),
        _ => ReadError::Unmapped(parts.first().map_or(0, |part| part.address)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(address: u64, buffer: &mut [u8]) -> Part<'_> {
        Part { address, buffer }
    }

    #[test]
    fn parts_are_filled_in_order() {
        let (one, two) = ([1_u8; 8], [2_u8; 16]);
        let (mut first, mut second) = ([0; 8], [0; 16]);
        let mut parts = [
            part(one.as_ptr() as u64, &mut first),
            part(two.as_ptr() as u64, &mut second),
        ];
        assert_eq!(gather(std::process::id(), &mut parts), Ok(24));
        assert_eq!((first, second), (one, two));
    }

    #[test]
    fn what_cannot_be_read_ends_it() {
        let one = [1_u8; 8];
        let (mut first, mut second) = ([0; 8], [0; 8]);
        let here = one.as_ptr() as u64;
        let pid = std::process::id();
        let mut parts = [part(here, &mut first), part(8, &mut second)];
        assert_eq!(gather(pid, &mut parts), Ok(8));
        assert_eq!(gather(pid, &mut parts[1..]), Err(ReadError::Unmapped(8)));
        assert_eq!(gather(1 << 23, &mut parts), Err(ReadError::Gone(1 << 23)));
        assert_eq!(first, one);
    }

    #[test]
    fn too_many_parts_are_left_out() {
        let one = [1_u8; 1];
        let mut buffers = [[0_u8; 1]; PARTS_MAX + 4];
        let mut parts: Vec<_> = buffers
            .iter_mut()
            .map(|buffer| part(one.as_ptr() as u64, buffer))
            .collect();
        assert_eq!(gather(std::process::id(), &mut parts), Ok(PARTS_MAX));
    }
}
