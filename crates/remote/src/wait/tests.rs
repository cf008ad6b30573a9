use super::*;
use std::{
    fs::File,
    io::Read,
    net::{TcpListener, TcpStream},
    os::{
        fd::AsRawFd,
        unix::net::{UnixListener, UnixStream},
    },
    sync::mpsc,
    thread::{self, Scope},
};

/// Starts a thread that does `what`, and returns what it waits for once that is `call`.
fn waits<'scope>(
    scope: &'scope Scope<'scope, '_>,
    calls: &[&str],
    what: impl FnOnce() + Send + 'scope,
) -> (Wait, Process) {
    let (tell, told) = mpsc::channel();
    scope.spawn(move || {
        let link = std::fs::read_link("/proc/thread-self").unwrap();
        let tid: u32 = link.file_name().unwrap().to_str().unwrap().parse().unwrap();
        tell.send(tid).unwrap();
        what();
    });
    let thread = Process::open(told.recv().unwrap()).unwrap();
    let mut seen = Waits::default();
    loop {
        match seen.look(&thread).unwrap() {
            Some(look) if calls.contains(&&*look.wait.call) => return (look.wait, thread),
            _ => thread::yield_now(),
        }
    }
}

fn peer(name: impl Into<String>) -> Vec<Target> {
    vec![Target::Peer(name.into())]
}

#[test]
fn the_other_end_of_a_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let mut client = TcpStream::connect(address).unwrap();
    thread::scope(|scope| {
        let (wait, thread) = waits(scope, &["recvfrom"], || {
            let _ = client.read(&mut [0; 1]);
        });
        assert_eq!(
            (wait.kind, wait.targets),
            (Kind::Network, peer(format!("tcp {address}")))
        );
        // As long as it waits, it is the same wait.
        let mut seen = Waits::default();
        let first = seen.look(&thread).unwrap().unwrap();
        let second = seen.look(&thread).unwrap().unwrap();
        assert_eq!((second.times, second.wait), (first.times, first.wait));
        drop(listener);
    });
}

#[test]
fn the_path_of_a_socket_on_this_machine() {
    let folder = std::env::temp_dir().join(format!("wait-{}", std::process::id()));
    let listener = UnixListener::bind(&folder).unwrap();
    let mut client = UnixStream::connect(&folder).unwrap();
    let (server, _) = listener.accept().unwrap();
    thread::scope(|scope| {
        let (wait, _) = waits(scope, &["recvfrom", "read"], || {
            let _ = client.read(&mut [0; 1]);
        });
        assert_eq!(wait.targets, peer(format!("unix {}", folder.display())));
        assert_eq!(wait.kind, Kind::Network);
        drop(server);
    });
    std::fs::remove_file(folder).unwrap();
}

#[test]
fn a_listener_a_pipe_and_a_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (mut reader, writer) = std::io::pipe().unwrap();
    let (end, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let (wait, _) = waits(scope, &["accept4", "accept"], || drop(listener.accept()));
        assert_eq!(wait.targets, [Target::Socket(format!("tcp {address} (listens)"))]);
        let _ = TcpStream::connect(address);

        let (wait, _) = waits(scope, &["read"], move || {
            let _ = reader.read(&mut [0; 1]);
        });
        assert_eq!(wait.kind, Kind::Process);
        assert!(wait.targets[0].name().starts_with("pipe:["), "{wait:?}");
        drop(writer);

        let (wait, _) = waits(scope, &["futex"], move || {
            let _ = ended.recv();
        });
        assert_eq!((wait.kind, wait.targets.len()), (Kind::Lock, 0));
        drop(end);
    });
}

#[test]
#[expect(unsafe_code)]
fn all_that_a_set_holds() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let client = TcpStream::connect(address).unwrap();
    let (server, _) = listener.accept().unwrap();
    let (one, mut other) = UnixStream::pair().unwrap();
    let file = File::open("/proc/self/stat").unwrap();
    let descriptors = [client.as_raw_fd(), one.as_raw_fd()];
    thread::scope(|scope| {
        let (wait, _) = waits(scope, &["poll", "ppoll"], move || {
            let mut polled = descriptors.map(|fd| libc::pollfd {
                fd,
                events: libc::POLLIN,
                revents: 0,
            });
            // SAFETY: as many as are counted live through the call.
            unsafe { libc::poll(polled.as_mut_ptr(), 2, -1) };
        });
        assert_eq!(
            wait.targets,
            [
                Target::Peer(format!("tcp {address}")),
                Target::Socket("unix socket".into())
            ]
        );
        assert_eq!((wait.kind, wait.more), (Kind::Network, 0));
        std::io::Write::write_all(&mut other, b"x").unwrap();
    });
    drop((server, file));
}

#[test]
fn who_runs_waits_for_nothing() {
    let own = Process::open(std::process::id()).unwrap();
    let spinning = std::sync::atomic::AtomicBool::new(true);
    let order = std::sync::atomic::Ordering::Relaxed;
    thread::scope(|scope| {
        let (tell, told) = mpsc::channel();
        let spins = &spinning;
        scope.spawn(move || {
            let link = std::fs::read_link("/proc/thread-self").unwrap();
            tell.send(
                link.file_name()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .parse::<u32>()
                    .unwrap(),
            )
            .unwrap();
            while spins.load(order) {
                std::hint::spin_loop();
            }
        });
        let thread = Process::open(told.recv().unwrap()).unwrap();
        let mut seen = Waits::default();
        // It may be about to start, or off its CPU.
        while seen.look(&thread).unwrap().is_some() {
            thread::yield_now();
        }
        for _ in 0..100 {
            assert_eq!(seen.look(&thread).unwrap(), None);
        }
        spinning.store(false, order);
    });
    assert!(own.is_alive());
    assert!(Waits::default().look(&own).is_ok());
}
