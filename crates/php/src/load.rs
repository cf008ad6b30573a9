//! Requests that keep a pool busy.

use crate::{Error, Request, fastcgi::connect};
use std::{
    io,
    net::Shutdown,
    os::unix::net::UnixStream,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
};

/// Clients need little: they only wait.
const CLIENT_STACK: usize = 128 * 1024;

/// Keeps a number of requests in flight until it is dropped: each client sends the next one when it has its
/// answer.
#[derive(Debug)]
pub struct Load {
    shared: Arc<Shared>,
    clients: Vec<(Connection, JoinHandle<()>)>,
}

type Connection = Arc<Mutex<UnixStream>>;

#[derive(Debug)]
struct Shared {
    socket: PathBuf,
    request: Request,
    stopped: AtomicBool,
    answered: AtomicU64,
    failed: AtomicU64,
}

impl Load {
    /// Starts `in_flight` clients of the pool that listens at `socket`. When this returns, each of them has its
    /// connection.
    pub fn start(socket: impl Into<PathBuf>, request: &Request, in_flight: usize) -> Result<Self, Error> {
        let shared = Arc::new(Shared {
            socket: socket.into(),
            request: request.clone(),
            stopped: AtomicBool::new(false),
            answered: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        });
        let mut load = Self {
            shared,
            clients: Vec::with_capacity(in_flight),
        };
        for _ in 0..in_flight {
            let first = connect(&load.shared.socket)?;
            let connection = Arc::new(Mutex::new(first));
            let client = thread::Builder::new()
                .stack_size(CLIENT_STACK)
                .spawn({
                    let (shared, connection) = (load.shared.clone(), connection.clone());
                    move || shared.serve(&connection)
                })
                .map_err(Error::io("start a client"))?;
            load.clients.push((connection, client));
        }
        Ok(load)
    }

    /// Requests that were answered so far.
    pub fn answered(&self) -> u64 {
        self.shared.answered.load(Ordering::Relaxed)
    }

    /// Requests that failed so far, as while a pool reloads.
    pub fn failed(&self) -> u64 {
        self.shared.failed.load(Ordering::Relaxed)
    }
}

impl Shared {
    fn serve(&self, connection: &Mutex<UnixStream>) {
        while !self.stopped.load(Ordering::Acquire) {
            if self.request_once(connection).is_ok() {
                self.answered.fetch_add(1, Ordering::Relaxed);
            } else {
                self.failed.fetch_add(1, Ordering::Relaxed);
            }
            self.renew(connection);
        }
    }

    fn request_once(&self, connection: &Mutex<UnixStream>) -> Result<(), Error> {
        // A copy to talk on, so that the lock is free while the answer is awaited.
        let stream = lock(connection).try_clone().map_err(Error::io("copy a socket"))?;
        self.request.send_on(&stream).map(drop)
    }

    /// A new connection for the next request, once the pool lets it in.
    fn renew(&self, connection: &Mutex<UnixStream>) {
        while !self.stopped.load(Ordering::Acquire) {
            match connect(&self.socket) {
                Ok(stream) => {
                    *lock(connection) = stream;
                    return;
                }
                // A pool that is gone for good does not come back under this path.
                Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return,
                Err(_) => thread::yield_now(),
            }
        }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Release);
        for (connection, client) in self.clients.drain(..) {
            // A client that connects just now sees the flag on its way round; one that waits is woken by this.
            while !client.is_finished() {
                let _ = lock(&connection).shutdown(Shutdown::Both);
                thread::yield_now();
            }
            let _ = client.join();
        }
    }
}

fn lock(connection: &Mutex<UnixStream>) -> std::sync::MutexGuard<'_, UnixStream> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Binary, Fpm, Manager, workload};

    #[test]
    fn keeps_on_asking_until_it_is_dropped() {
        let fpm = Fpm::www(&Binary::fpm().unwrap(), Manager::Static(2)).unwrap();
        let hello = workload("fpm/hello.php");
        let load = Load::start(fpm.socket("www"), &Request::get(hello, ""), 3).unwrap();
        while load.answered() < 20 {
            thread::yield_now();
        }
        assert_eq!(load.failed(), 0);
    }
}
