//! Reading memory, whatever is behind it.

/// Why memory could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Nothing readable lies at this address.
    #[error("address {0:#x} cannot be read")]
    Unmapped(u64),
    /// What lies at this address cannot be what was looked for.
    #[error("what lies at {0:#x} makes no sense")]
    Nonsense(u64),
    /// The kernel denies access.
    #[error(
        "not permitted to read the memory of process {0}: run as root or with CAP_SYS_PTRACE, or as the same \
         user with `sysctl kernel.yama.ptrace_scope=0`"
    )]
    NotPermitted(u32),
    /// The process ended.
    #[error("process {0} ended")]
    Gone(u32),
}

/// The memory of a process, or something that stands in for it.
pub trait Memory {
    /// Fills all of `buffer` from `address` on, or fails; then the buffer's content is not specified.
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        match self.read_prefix(address, buffer) {
            read if read == buffer.len() => Ok(()),
            read => Err(ReadError::Unmapped(address.wrapping_add(read as u64))),
        }
    }

    /// Fills as much of `buffer` as can be read from `address` on, and says how much that is.
    fn read_prefix(&self, address: u64, buffer: &mut [u8]) -> usize;

    /// Does what two calls of [`Memory::read_prefix`] do, where possible at the price of one. The second part
    /// may stay unread if the first cannot be read in full.
    fn read_pair(&self, first: (u64, &mut [u8]), second: (u64, &mut [u8])) -> (usize, usize) {
        let whole = first.1.len();
        match self.read_prefix(first.0, first.1) {
            read if read == whole => (read, self.read_prefix(second.0, second.1)),
            read => (read, 0),
        }
    }

    /// One byte.
    fn read_u8(&self, address: u64) -> Result<u8, ReadError> {
        let mut bytes = [0; 1];
        self.read(address, &mut bytes)?;
        Ok(bytes[0])
    }

    /// Two bytes, in the machine's order.
    fn read_u16(&self, address: u64) -> Result<u16, ReadError> {
        let mut bytes = [0; 2];
        self.read(address, &mut bytes)?;
        Ok(u16::from_ne_bytes(bytes))
    }

    /// Four bytes, in the machine's order.
    fn read_u32(&self, address: u64) -> Result<u32, ReadError> {
        let mut bytes = [0; 4];
        self.read(address, &mut bytes)?;
        Ok(u32::from_ne_bytes(bytes))
    }

    /// Eight bytes, in the machine's order: a pointer, too.
    fn read_u64(&self, address: u64) -> Result<u64, ReadError> {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }
}

impl<M: Memory + ?Sized> Memory for &M {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        (**self).read(address, buffer)
    }

    fn read_prefix(&self, address: u64, buffer: &mut [u8]) -> usize {
        (**self).read_prefix(address, buffer)
    }

    fn read_pair(&self, first: (u64, &mut [u8]), second: (u64, &mut [u8])) -> (usize, usize) {
        (**self).read_pair(first, second)
    }
}
