//! Free ports.

use crate::Error;
use std::net::{Ipv4Addr, TcpListener};

/// A port of the loopback device that is free at this moment. Nobody keeps it free, so that a server that finds
/// it taken is to be started again with another one.
pub(super) fn free() -> Result<u16, Error> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(Error::io("find a free port"))
}

/// How often another port is tried.
const ATTEMPTS: usize = 5;

/// Starts something on a free port, and on another one when it does not start.
pub(super) fn on_a_free_port<T>(mut start: impl FnMut(u16) -> Result<T, Error>) -> Result<T, Error> {
    let mut result = start(free()?);
    for _ in 1..ATTEMPTS {
        match result {
            Err(Error::Server(php::Error::Ended { .. })) => result = start(free()?),
            _ => break,
        }
    }
    result
}
