//! System calls that wait.

use super::{Target, set::Set};
use crate::{Error, Process, procfs};

/// What a wait waits for, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The other end of a connection, or somebody who connects.
    Network,
    /// A file: the disk, or what stands in for it.
    File,
    /// Somebody who holds a lock.
    Lock,
    /// A time.
    Timer,
    /// Another process: a pipe to it, or its end.
    Process,
    /// Something else.
    Other,
}

impl Kind {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::File => "file",
            Self::Lock => "lock",
            Self::Timer => "timer",
            Self::Process => "process",
            Self::Other => "other",
        }
    }

    /// Many calls take files, sockets and pipes: what it is in the end, its descriptors tell.
    pub(super) fn narrowed(self, targets: &[Target]) -> Self {
        if self != Self::Other {
            return self;
        }
        let kind_of = |target: &Target| match target {
            Target::Peer(_) | Target::Socket(_) => Self::Network,
            Target::File(name) if name.starts_with("pipe:[") => Self::Process,
            Target::File(name) if name.starts_with('/') => Self::File,
            Target::File(_) => Self::Other,
        };
        let mut kinds = targets.iter().map(kind_of);
        let first = kinds.next().unwrap_or(Self::Other);
        if kinds.all(|kind| kind == first) {
            first
        } else {
            Self::Other
        }
    }
}

/// What the arguments of a call mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// No descriptor.
    Nothing,
    /// One, in the first argument.
    Descriptor(i32),
    /// A set of them.
    Set(Set),
}

/// A system call in which a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    number: i64,
    arguments: [u64; 6],
}

impl Call {
    /// The one in which `thread` waits; `None` if it runs, or waits in the middle of its own code.
    pub fn of(thread: &Process) -> Result<Option<Self>, Error> {
        let read = procfs::read(thread.pid(), "syscall", 256);
        let bytes = read.map_err(|error| procfs::explain(error, thread.pid(), thread.uid(), "syscall"))?;
        Ok(Self::parse(&bytes))
    }

    /// One of which no more is known than its first argument; of those that take an array of descriptors, the first of them.
    pub const fn new(number: i64, first: i32) -> Self {
        let mut arguments = [0; 6];
        arguments[0] = first.cast_unsigned() as u64;
        Self { number, arguments }
    }

    /// The descriptor in [`Call::new`]; `None` if it is none.
    pub fn first_descriptor(&self) -> Option<i32> {
        let first = (self.arguments[0] as u32).cast_signed();
        let is_one = row(self.number).is_some_and(|row| matches!(row.takes, Takes::Descriptor | Takes::Poll));
        (is_one && first >= 0).then_some(first)
    }

    /// `7 0x7ffc… 0x1 0xffffffff 0x0 0x0 0x0 SP PC`, `-1 SP PC` or `running`.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut words = std::str::from_utf8(bytes).ok()?.split_ascii_whitespace();
        let number = words.next()?.parse().ok().filter(|&number| number >= 0)?;
        let mut arguments = [0; 6];
        for argument in &mut arguments {
            *argument = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        }
        Some(Self { number, arguments })
    }

    /// What it is, and its name.
    pub fn known(&self) -> (Kind, String) {
        row(self.number).map_or_else(
            || (Kind::Other, format!("call {}", self.number)),
            |row| (row.kind, row.name.to_owned()),
        )
    }

    /// What its arguments mean.
    pub fn means(&self) -> Means {
        let [first, second, third, ..] = self.arguments;
        // Descriptors are 32 bits wide, whatever else the register held.
        let descriptor = (first as u32).cast_signed();
        let Some(row) = row(self.number) else {
            return Means::Nothing;
        };
        match row.takes {
            Takes::Nothing => Means::Nothing,
            Takes::Descriptor => Means::Descriptor(descriptor),
            Takes::Poll => Means::Set(Set::Poll {
                address: first,
                count: second,
            }),
            Takes::Select => Means::Set(Set::Select {
                count: first,
                sets: [second, third, self.arguments[3]],
            }),
            Takes::Epoll => Means::Set(Set::Epoll(descriptor)),
        }
    }
}

#[derive(Clone, Copy)]
enum Takes {
    Nothing,
    Descriptor,
    Poll,
    Select,
    Epoll,
}

struct Row {
    name: &'static str,
    kind: Kind,
    takes: Takes,
}

/// Rows of calls by the name that libc has for their number.
macro_rules! rows {
    ($number:expr; $($call:ident $name:literal $kind:ident $takes:ident,)*) => {
        match $number {
            $(libc::$call => Some(Row { name: $name, kind: Kind::$kind, takes: Takes::$takes }),)*
            _ => None,
        }
    };
}

/// What is known of a call. One that is not here is told by its number.
fn row(number: i64) -> Option<Row> {
    rows!(number;
        SYS_accept "accept" Network Descriptor,
        SYS_accept4 "accept4" Network Descriptor,
        SYS_clock_nanosleep "clock_nanosleep" Timer Nothing,
        SYS_clone "clone" Process Nothing,
        SYS_clone3 "clone3" Process Nothing,
        SYS_close "close" Other Descriptor,
        SYS_connect "connect" Network Descriptor,
        SYS_copy_file_range "copy_file_range" Other Descriptor,
        SYS_epoll_pwait "epoll_pwait" Other Epoll,
        SYS_faccessat "faccessat" File Nothing,
        SYS_faccessat2 "faccessat2" File Nothing,
        SYS_fallocate "fallocate" File Descriptor,
        SYS_fcntl "fcntl" Lock Descriptor,
        SYS_fdatasync "fdatasync" File Descriptor,
        SYS_flock "flock" Lock Descriptor,
        SYS_fstat "fstat" Other Descriptor,
        SYS_fsync "fsync" File Descriptor,
        SYS_ftruncate "ftruncate" File Descriptor,
        SYS_futex "futex" Lock Nothing,
        SYS_getdents64 "getdents64" File Descriptor,
        SYS_io_uring_enter "io_uring_enter" Other Descriptor,
        SYS_linkat "linkat" File Nothing,
        SYS_lseek "lseek" Other Descriptor,
        SYS_mkdirat "mkdirat" File Nothing,
        SYS_msgrcv "msgrcv" Process Nothing,
        SYS_msgsnd "msgsnd" Process Nothing,
        SYS_nanosleep "nanosleep" Timer Nothing,
        SYS_newfstatat "newfstatat" File Nothing,
        SYS_openat "openat" File Nothing,
        SYS_ppoll "ppoll" Other Poll,
        SYS_pread64 "pread64" Other Descriptor,
        SYS_preadv "preadv" Other Descriptor,
        SYS_pselect6 "pselect6" Other Select,
        SYS_pwrite64 "pwrite64" Other Descriptor,
        SYS_pwritev "pwritev" Other Descriptor,
        SYS_read "read" Other Descriptor,
        SYS_readlinkat "readlinkat" File Nothing,
        SYS_readv "readv" Other Descriptor,
        SYS_recvfrom "recvfrom" Network Descriptor,
        SYS_recvmmsg "recvmmsg" Network Descriptor,
        SYS_recvmsg "recvmsg" Network Descriptor,
        SYS_renameat "renameat" File Nothing,
        SYS_renameat2 "renameat2" File Nothing,
        SYS_rt_sigtimedwait "rt_sigtimedwait" Process Nothing,
        SYS_semop "semop" Lock Nothing,
        SYS_semtimedop "semtimedop" Lock Nothing,
        SYS_sendfile "sendfile" Other Descriptor,
        SYS_sendmmsg "sendmmsg" Network Descriptor,
        SYS_sendmsg "sendmsg" Network Descriptor,
        SYS_sendto "sendto" Network Descriptor,
        SYS_statx "statx" File Nothing,
        SYS_symlinkat "symlinkat" File Nothing,
        SYS_truncate "truncate" File Nothing,
        SYS_unlinkat "unlinkat" File Nothing,
        SYS_wait4 "wait4" Process Nothing,
        SYS_waitid "waitid" Process Nothing,
        SYS_write "write" Other Descriptor,
        SYS_writev "writev" Other Descriptor,
    )
    .or_else(|| old_row(number))
}

/// Calls that newer machines have no more.
#[cfg(target_arch = "x86_64")]
fn old_row(number: i64) -> Option<Row> {
    rows!(number;
        SYS_access "access" File Nothing,
        SYS_epoll_wait "epoll_wait" Other Epoll,
        SYS_lstat "lstat" File Nothing,
        SYS_mkdir "mkdir" File Nothing,
        SYS_open "open" File Nothing,
        SYS_pause "pause" Process Nothing,
        SYS_poll "poll" Other Poll,
        SYS_readlink "readlink" File Nothing,
        SYS_rename "rename" File Nothing,
        SYS_rmdir "rmdir" File Nothing,
        SYS_select "select" Other Select,
        SYS_stat "stat" File Nothing,
        SYS_unlink "unlink" File Nothing,
    )
}

#[cfg(not(target_arch = "x86_64"))]
fn old_row(_number: i64) -> Option<Row> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_the_kernel_says_of_a_wait() {
        let call = Call::parse(b"45 0xffffffff00000007 0x2 0x3 0x4 0x5 0x6 0x7ffc 0x7f6e\n").unwrap();
        if cfg!(target_arch = "x86_64") {
            assert_eq!(call.known(), (Kind::Network, "recvfrom".to_owned()));
            assert_eq!(call.means(), Means::Descriptor(7));
        }
        assert_eq!(Call::parse(b"running\n"), None);
        assert_eq!(Call::parse(b"-1 0x7ffc 0x7f6e\n"), None);
        let unknown = Call::parse(b"9999 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0").unwrap();
        assert_eq!(unknown.known(), (Kind::Other, "call 9999".to_owned()));
    }

    #[test]
    fn files_and_sockets_tell_what_kind_a_call_is() {
        let file = || Target::File("/tmp/x".into());
        let peer = || Target::Peer("tcp 127.0.0.1:1".into());
        assert_eq!(Kind::Other.narrowed(&[file()]), Kind::File);
        assert_eq!(Kind::Other.narrowed(&[peer(), peer()]), Kind::Network);
        assert_eq!(Kind::Other.narrowed(&[peer(), file()]), Kind::Other);
        assert_eq!(Kind::Lock.narrowed(&[file()]), Kind::Lock);
        assert_eq!(
            Kind::Other.narrowed(&[Target::File("pipe:[5]".into())]),
            Kind::Process
        );
    }

    proptest! {
        #[test]
        fn any_bytes(bytes: Vec<u8>) {
            let _ = Call::parse(&bytes);
        }
    }
}
