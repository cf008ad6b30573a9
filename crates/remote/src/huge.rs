//! Huge pages: whether those of a file can be mapped as such, reading a file into them, and asking the kernel to
//! gather those of a process.

use crate::{Error, Process};
use std::{fs::File, io, ops::Range, os::fd::AsRawFd};

/// A huge page of `x86_64`, and of `aarch64` with pages of 4 KB, in bytes.
pub const SIZE: u64 = 2 << 20;
/// A text is some MB; of a larger one only the start is looked at.
const MOST: u64 = 1 << 30;

/// What of a range of a file is in memory, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cached {
    /// In the page cache. The kernel claims that all is, of a file that the caller may not write.
    pub resident: u64,
    /// Mapped by huge pages, when it was mapped for this.
    pub huge: u64,
}

/// Looks at what of `range` of `file`, a multiple of [`SIZE`] at both ends, lies in the page cache in a form that a process maps as
/// huge pages. Nothing is read into the cache by that.
pub fn cached(file: &File, range: Range<u64>) -> Result<Cached, Error> {
    let window = Window::over(file, range).map_err(failed("the mapping of a file"))?;
    let page = page_size();
    let pages = window
        .resident()
        .map_err(failed("which pages of a file are cached"))?;
    // Whole huge pages alone are touched: one that is there in part would be completed in small ones.
    let per_huge = (SIZE as usize / page).max(1);
    for (index, part) in pages.chunks(per_huge).enumerate() {
        if part.iter().all(|&is_there| is_there) {
            let start = index as u64 * SIZE;
            window
                .advise(start..(start + SIZE).min(window.length), libc::MADV_POPULATE_READ)
                .map_err(failed("a file that is cached"))?;
        }
    }
    let resident = pages.iter().filter(|&&is_there| is_there).count() * page;
    Ok(Cached {
        resident: resident as u64,
        huge: window.huge()?,
    })
}

/// Reads `range` of `file`, a multiple of [`SIZE`] at both ends, into huge pages of the page cache, where the file system
/// has such. What is cached in small ones is dropped first; what a process maps stays as it is. Returns what [`cached`] does.
pub fn read_in(file: &File, range: Range<u64>) -> Result<Cached, Error> {
    let length = range.end.saturating_sub(range.start);
    let drop = |file: &File| {
        // SAFETY: takes no pointer.
        #[expect(unsafe_code)]
        unsafe {
            libc::posix_fadvise(
                file.as_raw_fd(),
                range.start.cast_signed(),
                length.cast_signed(),
                libc::POSIX_FADV_DONTNEED,
            );
        }
    };
    // What was just written has to be on the disk before the cache may forget it.
    file.sync_data().map_err(failed("a file that was written"))?;
    drop(file);
    {
        let window = Window::over(file, range.clone()).map_err(failed("the mapping of a file"))?;
        let whole = 0..window.length;
        // A kernel without huge pages refuses this, and still reads.
        let _ = window.advise(whole.clone(), libc::MADV_HUGEPAGE);
        window
            .advise(whole, libc::MADV_POPULATE_READ)
            .map_err(failed("a file into the page cache"))?;
    }
    cached(file, range)
}

/// Asks the kernel to gather `range` of the memory of `process`, a multiple of [`SIZE`] at both ends, into huge pages. Needs
/// Linux 6.1, root or `CAP_SYS_NICE` and what reading its memory needs. The process waits for some milliseconds where it
/// touches that memory meanwhile; what it holds stays the same.
#[expect(unsafe_code)]
pub fn collapse(process: &Process, range: &Range<u64>) -> Result<(), Error> {
    let what = || format!("gather the pages of process {}", process.pid());
    let say = |why| Error::Refused { what: what(), why };
    // SAFETY: takes no pointer.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, process.pid(), 0) };
    if descriptor < 0 {
        return Err(say(io::Error::last_os_error()));
    }
    // SAFETY: the call above returned this descriptor, which nobody else has.
    let descriptor =
        unsafe { <std::os::fd::OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(descriptor as libc::c_int) };
    // The id may have been given to another process before it was opened.
    if !process.is_alive() {
        return Err(Error::Gone(process.pid()));
    }
    let part = libc::iovec {
        iov_base: range.start as *mut libc::c_void,
        iov_len: range.end.saturating_sub(range.start) as usize,
    };
    // SAFETY: one entry is passed and counted; the kernel checks the remote address, which is never dereferenced here,
    // and this advice changes no byte of the memory.
    let done = unsafe {
        libc::syscall(
            libc::SYS_process_madvise,
            descriptor.as_raw_fd(),
            &raw const part,
            1_usize,
            libc::MADV_COLLAPSE,
            0_u32,
        )
    };
    if done < 0 {
        return Err(say(io::Error::last_os_error()));
    }
    Ok(())
}

fn failed(what: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |why| Error::Io {
        what: what.to_owned(),
        why,
    }
}

#[expect(unsafe_code)]
fn page_size() -> usize {
    // SAFETY: takes no pointer.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// A part of a file, mapped at an address that is a multiple of [`SIZE`], to be read.
struct Window {
    reserved: *mut libc::c_void,
    reserved_length: usize,
    start: usize,
    length: u64,
}

impl Window {
    #[expect(unsafe_code)]
    fn over(file: &File, range: Range<u64>) -> io::Result<Self> {
        let length = range.end.saturating_sub(range.start).min(MOST);
        if length == 0 || !range.start.is_multiple_of(SIZE) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let reserved_length = (length + SIZE) as usize;
        // SAFETY: a new mapping at a place of the kernel's choice, without access.
        let reserved = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                reserved_length,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if reserved == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let window = Self {
            reserved,
            reserved_length,
            start: (reserved as usize).next_multiple_of(SIZE as usize),
            length,
        };
        // SAFETY: `start..start + length` lies in what was reserved above: `SIZE` bytes more than `length`, of which the
        // rounding takes fewer. Nothing is ever dereferenced there.
        let mapped = unsafe {
            libc::mmap(
                window.start as *mut libc::c_void,
                length as usize,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_FIXED,
                file.as_raw_fd(),
                range.start.cast_signed(),
            )
        };
        if mapped == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(window)
    }

    /// For each page, whether it is cached.
    #[expect(unsafe_code)]
    fn resident(&self) -> io::Result<Vec<bool>> {
        let mut pages = vec![0_u8; (self.length as usize).div_ceil(page_size())];
        // SAFETY: the range is mapped, and `pages` has a byte for each page of it.
        let done = unsafe {
            libc::mincore(
                self.start as *mut libc::c_void,
                self.length as usize,
                pages.as_mut_ptr(),
            )
        };
        if done != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(pages.into_iter().map(|page| page & 1 == 1).collect())
    }

    /// Advice on a part, given from the start of the window.
    #[expect(unsafe_code)]
    fn advise(&self, part: Range<u64>, advice: libc::c_int) -> io::Result<()> {
        let end = part.end.min(self.length);
        // SAFETY: within the window, which is mapped, and no advice that is given here changes what it holds.
        let done = unsafe {
            libc::madvise(
                (self.start as u64 + part.start) as *mut libc::c_void,
                end.saturating_sub(part.start) as usize,
                advice,
            )
        };
        if done == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// How much of it is mapped by huge pages.
    fn huge(&self) -> Result<u64, Error> {
        let (start, end) = (self.start as u64, self.start as u64 + self.length);
        Ok(Process::open(std::process::id())?
            .usage()?
            .iter()
            .filter(|usage| start <= usage.mapping.start && usage.mapping.end <= end)
            .map(|usage| usage.file_huge + usage.shared_huge)
            .sum())
    }
}

impl Drop for Window {
    #[expect(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: mapped by `over`, and never handed out.
        unsafe {
            libc::munmap(self.reserved, self.reserved_length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, fs, io::Write};

    fn own(size: usize) -> (File, std::path::PathBuf) {
        let path = env::temp_dir().join(format!("phperf-huge-{}-{size}", std::process::id()));
        let mut file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)
            .unwrap();
        file.write_all(&vec![7; size]).unwrap();
        (file, path)
    }

    #[test]
    fn a_file_is_looked_at_and_read_in() {
        let (file, path) = own(4 << 20);
        let before = cached(&file, 0..2 * SIZE).unwrap();
        assert_eq!(before.resident, 2 * SIZE);
        let after = read_in(&file, 0..2 * SIZE).unwrap();
        fs::remove_file(path).unwrap();
        assert_eq!(after.resident, 2 * SIZE);
        assert!(after.huge <= 2 * SIZE && after.huge.is_multiple_of(SIZE));
    }

    #[test]
    fn a_file_that_is_shorter_than_said_is_an_error_and_no_signal() {
        let (file, path) = own(1 << 20);
        assert!(read_in(&file, 0..2 * SIZE).is_err());
        fs::remove_file(path).unwrap();
        assert!(cached(&file, 0..0).is_err());
        assert!(cached(&file, 4096..SIZE).is_err());
    }

    #[test]
    fn memory_that_is_not_there_cannot_be_gathered() {
        let own = Process::open(std::process::id()).unwrap();
        let error = collapse(&own, &(SIZE..2 * SIZE)).unwrap_err();
        assert!(matches!(error, Error::Refused { .. }), "{error}");
    }
}
