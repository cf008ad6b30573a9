//! The other end of a socket between processes of one machine, which `/proc` does not tell: the kernel is asked.

use super::Target;
use crate::Process;
use std::{
    fs, io,
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
};

/// `SOCK_DIAG_BY_FAMILY`.
const BY_FAMILY: u16 = 20;
/// `UDIAG_SHOW_NAME | UDIAG_SHOW_PEER`.
const SHOW: u32 = 1 | 4;
/// `UNIX_DIAG_NAME`, `UNIX_DIAG_PEER`.
const NAME: u16 = 0;
const PEER: u16 = 2;
/// `struct nlmsghdr`, and with `struct unix_diag_msg` behind it.
const HEADER: usize = 16;
const ANSWER: usize = HEADER + 16;

/// The end that the socket with this inode is connected to: its path. `None` if it is none of this kind, or belongs to
/// another network namespace than this process.
pub fn peer(thread: &Process, inode: u64) -> Option<Target> {
    let namespace = |of: &str| fs::read_link(format!("/proc/{of}/ns/net")).ok();
    if namespace(&thread.pid().to_string())? != namespace("self")? {
        return None;
    }
    let asked = Asked::new()?;
    let own = asked.socket(u32::try_from(inode).ok()?)?;
    let Some(peer) = own.peer else {
        let name = own.name.map(|name| format!("unix {name} (listens)"));
        return Some(Target::Socket(name.unwrap_or_else(|| "unix socket".into())));
    };
    // Who accepts a connection has the name; a pair has none.
    let name = own.name.or_else(|| asked.socket(peer)?.name);
    Some(name.map_or_else(
        || Target::Socket("unix socket".into()),
        |name| Target::Peer(format!("unix {name}")),
    ))
}

/// What the kernel says of a socket.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    name: Option<String>,
    peer: Option<u32>,
}

/// A line to the kernel.
struct Asked(OwnedFd);

impl Asked {
    #[expect(unsafe_code)]
    fn new() -> Option<Self> {
        // SAFETY: takes no pointer.
        let socket = unsafe {
            libc::socket(
                libc::AF_NETLINK,
                libc::SOCK_DGRAM | libc::SOCK_CLOEXEC,
                libc::NETLINK_SOCK_DIAG,
            )
        };
        // SAFETY: the call above returned this descriptor, which nobody else has.
        (socket >= 0).then(|| Self(unsafe { OwnedFd::from_raw_fd(socket) }))
    }

    fn socket(&self, inode: u32) -> Option<Told> {
        let mut question = Vec::with_capacity(40);
        for part in [
            40_u32,
            u32::from(BY_FAMILY) | (libc::NLM_F_REQUEST as u32) << 16,
            0,
            0,
        ] {
            question.extend(part.to_ne_bytes());
        }
        // `struct unix_diag_req`: any state, any cookie.
        for part in [libc::AF_UNIX as u32, u32::MAX, inode, SHOW, u32::MAX, u32::MAX] {
            question.extend(part.to_ne_bytes());
        }
        self.send(&question).ok()?;
        let mut answer = [0; 1024];
        let length = self.receive(&mut answer).ok()?;
        parse(answer.get(..length)?)
    }

    #[expect(unsafe_code)]
    fn send(&self, bytes: &[u8]) -> io::Result<()> {
        // SAFETY: the kernel reads `bytes`, which live through the call, by their own length.
        let sent = unsafe { libc::send(self.0.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), 0) };
        if sent < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(())
        }
    }

    #[expect(unsafe_code)]
    fn receive(&self, buffer: &mut [u8]) -> io::Result<usize> {
        // SAFETY: the kernel writes to `buffer`, which lives through the call, no more than its length.
        let read = unsafe {
            libc::recv(
                self.0.as_raw_fd(),
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                libc::MSG_DONTWAIT,
            )
        };
        if read < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(read as usize)
        }
    }
}

/// One message: a header, what the socket is, attributes.
fn parse(message: &[u8]) -> Option<Told> {
    let kind = u16::from_ne_bytes(*message.get(4..)?.first_chunk()?);
    if kind != BY_FAMILY {
        // An error: there is no such socket.
        return None;
    }
    let length = u32::from_ne_bytes(*message.first_chunk()?) as usize;
    let mut rest = message.get(ANSWER..length.min(message.len()))?;
    let mut told = Told::default();
    while let Some((header, after)) = rest.split_first_chunk::<4>() {
        let length = usize::from(u16::from_ne_bytes([header[0], header[1]]));
        let kind = u16::from_ne_bytes([header[2], header[3]]);
        let Some(value) = length.checked_sub(4).and_then(|length| after.get(..length)) else {
            break;
        };
        match kind {
            NAME if !value.is_empty() => told.name = Some(name(value)),
            PEER => told.peer = value.first_chunk().map(|peer| u32::from_ne_bytes(*peer)),
            _ => {}
        }
        rest = after.get(value.len().next_multiple_of(4)..).unwrap_or_default();
    }
    Some(told)
}

/// A path; what begins with a NUL is a name outside of the file system.
fn name(value: &[u8]) -> String {
    let (mark, value) = value.strip_prefix(b"\0").map_or(("", value), |rest| ("@", rest));
    let end = if mark.is_empty() {
        memchr::memchr(0, value)
    } else {
        None
    };
    format!(
        "{mark}{}",
        String::from_utf8_lossy(&value[..end.unwrap_or(value.len())])
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(kind: u16, attributes: &[u8]) -> Vec<u8> {
        let mut message = ((ANSWER + attributes.len()) as u32).to_ne_bytes().to_vec();
        message.extend(kind.to_ne_bytes());
        message.resize(ANSWER, 0);
        message.extend(attributes);
        message
    }

    #[test]
    fn attributes_are_padded() {
        let mut attributes = vec![9, 0, 0, 0];
        attributes.extend(b"/x/y\0\0\0\0");
        attributes.extend([8, 0, 2, 0]);
        attributes.extend(77_u32.to_ne_bytes());
        let told = Told {
            name: Some("/x/y".into()),
            peer: Some(77),
        };
        assert_eq!(parse(&message(BY_FAMILY, &attributes)), Some(told));
        assert_eq!(parse(&message(2, &attributes)), None);
        assert_eq!(name(b"\0name"), "@name");
    }

    proptest! {
        #[test]
        fn any_answer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = (parse(&bytes), parse(&message(BY_FAMILY, &bytes)));
        }
    }
}
