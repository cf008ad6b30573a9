//! A tap on the line between `PostgreSQL` and its clients: it passes everything on, and counts what clients say.

use super::{Postgres, postgres::dsn};
use crate::Error;
use std::{
    collections::BTreeMap,
    io::{self, ErrorKind, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

/// The protocol's version 3 of a start-up message; other numbers there ask for encryption or a cancellation.
const VERSION_3: u32 = 3 << 16;
/// Longer messages than `PostgreSQL` itself takes.
const LENGTH_MAX: usize = 1 << 30;

/// What clients have said: messages by the letter that the protocol gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    messages: BTreeMap<u8, u64>,
    connections: u64,
}

impl Said {
    /// How often the server was waited for: simple queries and ends of extended ones.
    pub fn round_trips(&self) -> u64 {
        self.of(b'Q') + self.of(b'S')
    }

    /// Statements that the server had to parse in an extended query.
    pub fn parses(&self) -> u64 {
        self.of(b'P')
    }

    /// Connections that were started.
    pub fn connections(&self) -> u64 {
        self.connections
    }

    fn of(&self, letter: u8) -> u64 {
        self.messages.get(&letter).copied().unwrap_or(0)
    }
}

/// A tap on a server. Connections through it end when it is dropped.
#[derive(Debug)]
pub struct Tap {
    port: u16,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    said: Mutex<Said>,
    ended: AtomicBool,
}

impl Tap {
    /// Taps the line to a server.
    pub fn on(server: &Postgres) -> Result<Self, Error> {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(Error::io("listen on a free port"))?;
        let port = listener.local_addr().map_err(Error::io("learn a port"))?.port();
        let shared = Arc::new(Shared::default());
        let listening = thread::spawn({
            let (shared, server) = (shared.clone(), server.port());
            move || listen(&listener, server, &shared)
        });
        Ok(Self {
            port,
            shared,
            listening: Some(listening),
        })
    }

    /// What PDO takes to connect to a database through it.
    pub fn dsn(&self, database: &str) -> String {
        dsn("127.0.0.1", self.port, database)
    }

    /// What clients have said since this was asked for the last time.
    pub fn take(&self) -> Said {
        std::mem::take(&mut *self.shared.said())
    }

    /// The same of clients that have ended: also what they said to a server that was gone, for which nobody waited.
    pub fn end(mut self) -> Said {
        self.stop();
        self.take()
    }

    fn stop(&mut self) {
        self.shared.ended.store(true, Ordering::Release);
        // Wakes the listener, which looks at the flag.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn listen(listener: &TcpListener, server: u16, shared: &Arc<Shared>) {
    let mut relays: Vec<(TcpStream, JoinHandle<()>)> = Vec::new();
    for client in listener.incoming() {
        if shared.ended.load(Ordering::Acquire) {
            break;
        }
        let Ok(client) = client else { continue };
        let Ok(copy) = client.try_clone() else { continue };
        let shared = shared.clone();
        let relay = thread::spawn(move || {
            // A client or a server that goes away is their business.
            let _ = relay(&client, server, &shared);
        });
        relays.push((copy, relay));
        relays.retain(|(_, relay)| !relay.is_finished());
    }
    for (client, relay) in relays {
        let _ = client.shutdown(Shutdown::Both);
        let _ = relay.join();
    }
}

fn relay(client: &TcpStream, server: u16, shared: &Shared) -> io::Result<()> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, server))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (mut answers, mut back) = (server.try_clone()?, client.try_clone()?);
    let answering = thread::spawn(move || {
        let _ = io::copy(&mut answers, &mut back);
        // Only this direction: the client may be about to say something.
        let _ = back.shutdown(Shutdown::Write);
    });
    let result = pass_on(client, &server, shared);
    let _ = server.shutdown(Shutdown::Both);
    let _ = answering.join();
    result
}

/// Passes on what a client says, message by message.
fn pass_on(mut client: &TcpStream, mut server: &TcpStream, shared: &Shared) -> io::Result<()> {
    loop {
        let message = read_message(&mut client, 0)?;
        let started = message.get(4..8) == Some(&VERSION_3.to_be_bytes()[..]);
        if started {
            shared.said().connections += 1;
        }
        server.write_all(&message)?;
        if started {
            break;
        }
    }
    loop {
        let message = read_message(&mut client, 1)?;
        *shared.said().messages.entry(message[0]).or_default() += 1;
        // How much of it a server takes that goes away is a matter of chance; what was said is not.
        let _ = server.write_all(&message);
    }
}

/// A whole message: so many bytes of a letter, its length, and the rest of it.
fn read_message(from: &mut impl Read, letters: usize) -> io::Result<Vec<u8>> {
    let mut head = [0; 5];
    let head = &mut head[..letters + 4];
    from.read_exact(head)?;
    let length = u32::from_be_bytes(head[letters..].try_into().expect("four bytes")) as usize;
    if !(4..LENGTH_MAX).contains(&length) {
        return Err(io::Error::from(ErrorKind::InvalidData));
    }
    let mut message = head.to_vec();
    // As much as there is, and not as much as is claimed.
    from.take(length as u64 - 4).read_to_end(&mut message)?;
    if message.len() == letters + length {
        Ok(message)
    } else {
        Err(ErrorKind::UnexpectedEof.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use php::{Binary, Launch};
    use std::{process::Command, time::Duration};

    #[test]
    fn counts_what_stock_php_says() {
        let server = Postgres::start().unwrap();
        let tap = Tap::on(&server).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("three.php");
        let code = "<?php $pdo = new PDO($argv[1]); for ($i = 0; $i < 3; $i++) { \
                    $s = $pdo->prepare('SELECT ?::int'); $s->execute([$i]); $s->fetch(); unset($s); }";
        std::fs::write(&script, code).unwrap();
        let launch = Launch::new(&Binary::cli().unwrap(), script).arg(tap.dsn("postgres"));
        let line = launch.command_line();
        assert!(
            Command::new(&line[0])
                .args(&line[1..])
                .status()
                .unwrap()
                .success()
        );
        let said = tap.take();
        assert_eq!((said.connections(), said.parses()), (1, 3));
        // Each is prepared, executed and deallocated.
        assert_eq!(said.round_trips(), 9);
        assert_eq!(tap.take(), Said::default());
    }

    #[test]
    fn counts_what_is_said_to_a_server_that_is_gone() {
        let server = Postgres::start().unwrap();
        let tap = Tap::on(&server).unwrap();
        let client = TcpStream::connect((Ipv4Addr::LOCALHOST, tap.port)).unwrap();
        let mut start = VERSION_3.to_be_bytes().to_vec();
        start.extend_from_slice(b"user\0postgres\0\0");
        let length = u32::try_from(start.len() + 4).unwrap();
        (&client).write_all(&length.to_be_bytes()).unwrap();
        (&client).write_all(&start).unwrap();
        // Up to the end of the greeting, a letter, a length, and the state of the transaction.
        let mut greeting = Vec::new();
        while !greeting.ends_with(b"Z\0\0\0\x05I") {
            let mut byte = [0];
            (&client).read_exact(&mut byte).unwrap();
            greeting.push(byte[0]);
        }
        drop(server);
        (&client).read_to_end(&mut Vec::new()).unwrap();
        for _ in 0..10 {
            (&client).write_all(b"S\0\0\0\x04").unwrap();
        }
        drop(client);
        assert_eq!(tap.end().round_trips(), 10);
    }

    #[test]
    fn ends_with_connections_that_are_open() {
        let server = Postgres::start().unwrap();
        let tap = Tap::on(&server).unwrap();
        let client = TcpStream::connect((Ipv4Addr::LOCALHOST, tap.port)).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        (&client).write_all(&[0, 0, 0, 8, 4, 210, 22, 47]).unwrap();
        let mut answer = [0];
        (&client).read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"N");
        drop(tap);
        assert_eq!((&client).read(&mut answer).unwrap_or(0), 0);
    }

    #[test]
    fn lengths_that_cannot_be_are_refused() {
        assert!(read_message(&mut &b"Q\0\0\0\x03"[..], 1).is_err());
        assert!(read_message(&mut &b"Q\xff\xff\xff\xff"[..], 1).is_err());
        assert!(read_message(&mut &b"Q\0\0\0\x09ab"[..], 1).is_err());
        assert_eq!(
            read_message(&mut &b"Q\0\0\0\x06ab"[..], 1).unwrap(),
            b"Q\0\0\0\x06ab"
        );
    }
}
