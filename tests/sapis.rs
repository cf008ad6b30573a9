//! PHP where it is neither on the command line nor in FPM: in Apache, as CGI, under phpdbg.

mod support;

use std::{
    fs,
    io::Write,
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};
use support::{Killed, Recording, SOURCES, run};

const READY_WITHIN: Duration = Duration::from_secs(120);
const MODULES: &str = "/usr/lib/apache2/modules";

/// Says that it runs, and then runs for ever.
const SPIN: &str = "<?php
function leaf(int $x): int {
    return crc32(str_repeat('x', $x % 64));
}
class Page {
    public static function render(): void {
        for ($i = 0; ; $i++) {
            leaf($i);
        }
    }
}
set_time_limit(0);
fwrite(fopen($_SERVER['SAYS'] ?? getenv('SAYS'), 'w'), \"ready\\n\");
Page::render();
";

/// The program, if it is installed.
fn installed(program: &str) -> Option<&Path> {
    let path = Path::new(program);
    if path.exists() {
        return Some(path);
    }
    assert!(
        std::env::var_os("PHPERF_REQUIRE_TOOLS").is_none(),
        "there is no {program}: scripts/setup.sh test installs it"
    );
    eprintln!("skipped: there is no {program}");
    None
}

/// Waits until the script has said that it runs.
fn wait_for(said: &Path, child: &mut Child) {
    let deadline = std::time::Instant::now() + READY_WITHIN;
    while fs::read(said).map_or(true, |said| said != b"ready\n") {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        assert!(
            std::time::Instant::now() < deadline,
            "it never said that it is ready: {}",
            fs::read_to_string(said.with_file_name("error.log")).unwrap_or_default()
        );
        std::thread::yield_now();
    }
}

/// Both sources see it, and so does a dump.
fn is_seen(pid: u32) {
    let pid = pid.to_string();
    for source in SOURCES {
        let arguments = ["-d", "1", "-H", "499", "--source", source, "-p", &pid];
        let recording = Recording::take("folded", arguments);
        let stacks = recording.stacks();
        let taken: u64 = stacks.iter().map(|(_, count)| count).sum();
        let inside: u64 = stacks
            .iter()
            .filter(|(stack, _)| stack.starts_with("<main>;Page::render"))
            .map(|(_, count)| count)
            .sum();
        assert!(taken > 100 && inside == taken, "{source}: {stacks:#?}");
        assert!(
            stacks
                .iter()
                .any(|(stack, _)| stack.starts_with("<main>;Page::render;leaf")),
            "{source}: {stacks:#?}"
        );
    }
    let ran = run(["dump", "-p", &pid]);
    assert!(
        ran.stdout.contains("Page::render"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

fn spins(program: &Path, options: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let (script, said) = (folder.path().join("spin.php"), folder.path().join("said"));
    fs::write(&script, SPIN).unwrap();
    let mut child = Killed(
        Command::new(program)
            .args(options)
            .arg(&script)
            .env("SAYS", &said)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    wait_for(&said, &mut child.0);
    is_seen(child.0.id());
}

#[test]
fn cgi() {
    if let Some(cgi) = installed("/usr/bin/php-cgi8.2") {
        spins(cgi, &["-n", "-q"]);
    }
}

#[test]
fn phpdbg() {
    if let Some(phpdbg) = installed("/usr/bin/phpdbg8.2") {
        spins(phpdbg, &["-n", "-qrr"]);
    }
}

#[test]
fn apache() {
    let (Some(apache), Some(_)) = (
        installed("/usr/sbin/apache2"),
        installed(&format!("{MODULES}/libphp8.2.so")),
    ) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let said = place.join("said");
    fs::write(place.join("spin.php"), SPIN).unwrap();
    // Apache serves as another user.
    fs::set_permissions(place, fs::Permissions::from_mode(0o777)).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let config = format!(
        "ServerRoot {place}\nServerName localhost\nListen 127.0.0.1:{port}\nPidFile {place}/pid\n\
         DefaultRuntimeDir {place}\nErrorLog {place}/error.log\nUser www-data\nGroup www-data\n\
         LoadModule mpm_prefork_module {MODULES}/mod_mpm_prefork.so\n\
         LoadModule authz_core_module {MODULES}/mod_authz_core.so\n\
         LoadModule mime_module {MODULES}/mod_mime.so\n\
         LoadModule env_module {MODULES}/mod_env.so\n\
         LoadModule php_module {MODULES}/libphp8.2.so\n\
         TypesConfig /etc/mime.types\nSetEnv SAYS {said}\n\
         DocumentRoot {place}\n<FilesMatch \\.php$>\nSetHandler application/x-httpd-php\n</FilesMatch>\n",
        place = place.display(),
        said = said.display(),
    );
    fs::write(place.join("apache.conf"), config).unwrap();
    // As one process, which serves by itself.
    let mut server = Killed(
        Command::new(apache)
            .arg("-X")
            .arg("-f")
            .arg(place.join("apache.conf"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let mut stream = connect(port, &mut server.0);
    write!(stream, "GET /spin.php HTTP/1.0\r\nHost: localhost\r\n\r\n").unwrap();
    wait_for(&said, &mut server.0);
    is_seen(server.0.id());
}

fn connect(port: u16, server: &mut Child) -> TcpStream {
    let deadline = std::time::Instant::now() + READY_WITHIN;
    loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(stream) => return stream,
            Err(error) => {
                assert!(server.try_wait().unwrap().is_none(), "Apache ended: {error}");
                assert!(std::time::Instant::now() < deadline, "{error}");
                std::thread::yield_now();
            }
        }
    }
}
