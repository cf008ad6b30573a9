//! The memory of a running process.

use crate::{Memory, ReadError};
use std::io;

/// Pages are at least this large; a larger one only costs more calls after a failure.
const PAGE: u64 = 4096;

/// The memory of a running process, read by `process_vm_readv`: the process neither stops nor notices.
///
/// The process id is all that it knows: whether the id still means the same process is for
/// [`crate::Process::is_alive`] to say.
#[derive(Clone, Copy, Debug)]
pub struct LiveMemory {
    pid: u32,
}

impl LiveMemory {
    /// The memory of process `pid`.
    pub const fn new(pid: u32) -> Self {
        Self { pid }
    }

    /// The process.
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// One call; may read less than asked for.
    fn read_once(self, address: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
        self.read_parts([(address, buffer)])
    }

    /// One call for all parts, in their order; it ends at the first byte that cannot be read.
    #[expect(unsafe_code)]
    fn read_parts<const N: usize>(self, mut parts: [(u64, &mut [u8]); N]) -> Result<usize, ReadError> {
        if parts.iter().all(|(_, buffer)| buffer.is_empty()) {
            return Ok(0);
        }
        let local = parts.each_mut().map(|(_, buffer)| libc::iovec {
            iov_base: buffer.as_mut_ptr().cast(),
            iov_len: buffer.len(),
        });
        let remote = parts.each_ref().map(|(address, buffer)| libc::iovec {
            iov_base: *address as *mut libc::c_void,
            iov_len: buffer.len(),
        });
        // SAFETY: each of the N entries of `local` describes exactly one buffer, which `parts` borrows mutably
        // until after the call; the kernel checks the remote addresses, which are never dereferenced here.
        let read = unsafe {
            libc::process_vm_readv(
                self.pid.cast_signed(),
                local.as_ptr(),
                N as libc::c_ulong,
                remote.as_ptr(),
                N as libc::c_ulong,
                0,
            )
        };
        if read > 0 {
            return Ok(read as usize);
        }
        Err(match io::Error::last_os_error().raw_os_error() {
            Some(libc::ESRCH) if read < 0 => ReadError::Gone(self.pid),
            Some(libc::EPERM) if read < 0 => ReadError::NotPermitted(self.pid),
            _ => ReadError::Unmapped(parts[0].0),
        })
    }
}

impl Memory for LiveMemory {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        match self.read_once(address, buffer) {
            Ok(read) if read == buffer.len() => Ok(()),
            Ok(read) => Err(ReadError::Unmapped(address.wrapping_add(read as u64))),
            Err(error) => Err(error),
        }
    }

    fn read_prefix(&self, address: u64, buffer: &mut [u8]) -> usize {
        match self.read_once(address, buffer) {
            Ok(read) => read,
            Err(ReadError::Unmapped(_)) => {
                // The kernel may refuse a whole range of which it could have read the start.
                let mut done = 0;
                while done < buffer.len() {
                    let at = address.wrapping_add(done as u64);
                    let end = buffer.len().min(done + (PAGE - at % PAGE) as usize);
                    match self.read_once(at, &mut buffer[done..end]) {
                        Ok(read) => done += read,
                        Err(_) => break,
                    }
                }
                done
            }
            Err(_) => 0,
        }
    }

    fn read_pair(&self, first: (u64, &mut [u8]), second: (u64, &mut [u8])) -> (usize, usize) {
        let whole = first.1.len();
        let read = self.read_parts([first, second]).unwrap_or(0);
        (read.min(whole), read.saturating_sub(whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_itself() {
        let memory = LiveMemory::new(std::process::id());
        let number = 0x1234_5678_9abc_def0_u64;
        assert_eq!(memory.read_u64(std::ptr::from_ref(&number) as u64), Ok(number));
    }

    #[test]
    fn nothing_lies_at_null() {
        let memory = LiveMemory::new(std::process::id());
        assert_eq!(memory.read_u64(0), Err(ReadError::Unmapped(0)));
        assert_eq!(memory.read_prefix(0, &mut [0; 8192]), 0);
    }

    #[test]
    fn a_prefix_ends_where_the_memory_ends() {
        let maps = crate::Process::open(std::process::id()).unwrap().maps().unwrap();
        let (last, _) = maps
            .iter()
            .zip(maps.iter().skip(1))
            .find(|(this, next)| this.read && this.end < next.start)
            .unwrap();
        let memory = LiveMemory::new(std::process::id());
        let mut buffer = [0; 3 * PAGE as usize];
        assert_eq!(memory.read_prefix(last.end - 16, &mut buffer), 16);
        assert!(memory.read(last.end - 16, &mut buffer).is_err());
    }

    #[test]
    fn a_pair_is_read_at_once_up_to_the_first_gap() {
        let memory = LiveMemory::new(std::process::id());
        let (one, two) = (0x1111_u64, [0x2222_u64; 2]);
        let (here, there) = (&raw const one as u64, &raw const two as u64);
        let (mut first, mut second) = ([0; 8], [0; 16]);
        assert_eq!(
            memory.read_pair((here, &mut first), (there, &mut second)),
            (8, 16)
        );
        assert_eq!(first, one.to_ne_bytes());
        assert_eq!(second[8..], two[1].to_ne_bytes());
        assert_eq!(memory.read_pair((here, &mut first), (8, &mut second)), (8, 0));
        assert_eq!(memory.read_pair((8, &mut first), (there, &mut second)), (0, 0));
    }

    #[test]
    fn an_empty_read_is_a_success() {
        let memory = LiveMemory::new(std::process::id());
        assert_eq!(memory.read(0, &mut []), Ok(()));
        assert_eq!(memory.read_prefix(0, &mut []), 0);
    }

    #[test]
    fn no_such_process() {
        // Above any pid_max that Linux allows.
        let memory = LiveMemory::new(1 << 23);
        assert_eq!(memory.read_u8(4096), Err(ReadError::Gone(1 << 23)));
    }
}
