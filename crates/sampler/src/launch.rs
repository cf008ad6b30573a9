//! Starts the user's command, but holds it until somebody watches it.
//!
//! The child is this very program, which waits at an abstract socket and then becomes the command: so its first
//! instruction is seen, nothing has to be stopped or signalled, and no code runs between fork and exec.

use std::{
    ffi::{OsStr, OsString},
    io::{self, Read, Write},
    os::{
        linux::net::SocketAddrExt,
        unix::{
            net::{SocketAddr, UnixListener, UnixStream},
            process::CommandExt,
        },
    },
    process::{Child, Command},
};

/// The hidden first argument with which this program becomes a command: `phperf HOLD SOCKET COMMAND…`.
pub const HOLD: &str = "__hold";

/// A command that waits to be released.
pub struct Held {
    child: Child,
    release: UnixStream,
}

impl Held {
    /// Starts `command` and holds it.
    pub fn start(command: &[OsString]) -> io::Result<Self> {
        let name = format!("phperf-{}-{}", std::process::id(), crate::clock::monotonic_ns());
        let listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
        let child = Command::new(std::env::current_exe()?)
            .arg(HOLD)
            .arg(name)
            .args(command)
            .spawn()?;
        let (release, _) = listener.accept()?;
        Ok(Self { child, release })
    }

    /// The process that will be the command.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Lets it go.
    pub fn release(mut self) -> io::Result<Child> {
        self.release.write_all(&[1])?;
        Ok(self.child)
    }
}

/// The child's side: waits to be released, then becomes the command. Returns only if that failed, with the
/// reason and the exit code that shells use for it.
pub fn hold(mut arguments: impl Iterator<Item = OsString>) -> (String, i32) {
    let (Some(socket), Some(command)) = (arguments.next(), arguments.next()) else {
        return (format!("{HOLD} is for phperf itself"), 2);
    };
    if let Err(error) = wait(&socket) {
        return (
            format!(
                "phperf went away before it started {}: {error}",
                command.display()
            ),
            1,
        );
    }
    let error = Command::new(&command).args(arguments).exec();
    let code = if error.kind() == io::ErrorKind::NotFound {
        127
    } else {
        126
    };
    (format!("cannot run {}: {error}", command.display()), code)
}

fn wait(socket: &OsStr) -> io::Result<()> {
    let address = SocketAddr::from_abstract_name(socket.as_encoded_bytes())?;
    UnixStream::connect_addr(&address)?.read_exact(&mut [0])
}
