//! The connections that `/proc/PID/net` lists: those of the network namespace of that process.

use super::Target;
use crate::{Process, procfs};
use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

/// A busy server has some thousand connections of 150 bytes a line.
const MOST_BYTES: u64 = 16 << 20;

/// The lists, the one first that most are in.
const LISTS: [(&str, &str); 4] = [
    ("net/tcp", "tcp"),
    ("net/tcp6", "tcp"),
    ("net/udp", "udp"),
    ("net/udp6", "udp"),
];

/// The internet sockets of the network namespace of a thread, by inode.
#[derive(Debug)]
pub struct Sockets<'a> {
    thread: &'a Process,
    /// How many of the lists were read: each takes the kernel milliseconds, however few are in it.
    read: usize,
    known: HashMap<u64, Target>,
}

impl<'a> Sockets<'a> {
    /// None is read yet.
    pub fn of(thread: &'a Process) -> Self {
        Self {
            thread,
            read: 0,
            known: HashMap::new(),
        }
    }

    /// The socket with this inode.
    pub fn find(&mut self, inode: u64) -> Option<Target> {
        loop {
            if let Some(found) = self.known.get(&inode) {
                return Some(found.clone());
            }
            let &(file, protocol) = LISTS.get(self.read)?;
            self.read += 1;
            let bytes = procfs::read(self.thread.pid(), file, MOST_BYTES).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            self.known
                .extend(text.lines().filter_map(|line| parse(line, protocol)));
        }
    }
}

/// `0: 0100007F:1538 0100007F:A1B2 01 … INODE …`
fn parse(line: &str, protocol: &str) -> Option<(u64, Target)> {
    let mut fields = line.split_ascii_whitespace();
    let (local, remote) = (address(fields.nth(1)?)?, address(fields.next()?)?);
    // Counted from 0, the inode is field 9.
    let inode = fields.nth(6)?.parse().ok().filter(|&inode| inode != 0)?;
    let target = if remote.port() == 0 {
        let how = if protocol == "tcp" {
            "listens"
        } else {
            "not connected"
        };
        Target::Socket(format!("{protocol} {local} ({how})"))
    } else {
        Target::Peer(format!("{protocol} {remote}"))
    };
    Some((inode, target))
}

/// An address as words in the order of the machine, and a port.
fn address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| {
        Some(
            u32::from_str_radix(address.get(at..at + 8)?, 16)
                .ok()?
                .to_ne_bytes(),
        )
    };
    let ip = match address.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for (index, part) in bytes.chunks_exact_mut(4).enumerate() {
                part.copy_from_slice(&word(index * 8)?);
            }
            IpAddr::V6(Ipv6Addr::from(bytes)).to_canonical()
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, port))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    #[cfg(target_endian = "little")]
    fn connections_and_listeners() {
        let line = "   1: 0100007F:A1B2 0200000A:1538 01 00000000:00000000 00:00000000 00000000     0        0 4711 1 0";
        assert_eq!(
            parse(line, "tcp"),
            Some((4711, Target::Peer("tcp 10.0.0.2:5432".into())))
        );
        let line = "   0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000   107        0 9 1 0";
        assert_eq!(
            parse(line, "tcp"),
            Some((9, Target::Socket("tcp 127.0.0.1:5432 (listens)".into())))
        );
        assert_eq!(parse("  sl  local_address rem_address   st", "tcp"), None);
        assert_eq!(
            address("0000000000000000FFFF00000100007F:0050"),
            Some("127.0.0.1:80".parse().unwrap())
        );
        assert_eq!(address("B80D01200000000000000000010000000:0050"), None);
        assert_eq!(
            address("B80D0120000000000000000001000000:0050"),
            Some("[2001:db8::1]:80".parse().unwrap())
        );
    }

    proptest! {
        #[test]
        fn any_line(line in ".*", numbers in "[0-9A-Fa-f:é ]*") {
            let _ = (parse(&line, "tcp"), parse(&numbers, "udp"), address(&numbers));
        }
    }
}
