//! Apache with PHP in it (`mod_php`).

use crate::{
    Error, Info, Ini, Response,
    binary::in_path,
    daemon::{Daemon, Owner},
    http,
};
use rustix::process::{Signal, geteuid};
use std::{
    env,
    fmt::Write as _,
    fs,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
    time::Duration,
};

/// Names under which distributions install it.
const PROGRAMS: [&str; 2] = ["apache2", "httpd"];
/// Modules beyond PHP's, where they are not part of the program.
const MODULES: [&str; 3] = ["mpm_prefork", "authz_core", "dir"];
/// Where distributions and Apache's own build put them.
const FOLDERS: [&str; 3] = [
    "/usr/lib/apache2/modules",
    "/usr/lib64/httpd/modules",
    "/usr/local/apache2/modules",
];
/// What a library is asked.
const QUESTION: &str = "<?php phpinfo(); echo \"\\n[extensions]\\n\", str_replace(' ', '_', implode(\"\\n\", get_loaded_extensions()));";
const MARK: &str = "\n[extensions]\n";
/// User and group that own nothing.
const NOBODY: Owner = (65534, 65534);
/// What it says once it is configured, in its folder.
const LOG: &str = "error.log";
/// How often another port is tried.
const ATTEMPTS: usize = 5;

/// What an Apache is started for.
#[derive(Clone, Copy, Debug)]
pub struct Served<'a> {
    /// The library with PHP.
    pub library: &'a Path,
    /// The folder of the pages.
    pub root: &'a Path,
    /// Settings beyond those of the library's own php.ini; `None` for no settings from anywhere.
    pub ini: Option<&'a Ini>,
    /// Who serves them, where that is not who starts it. Apache does not serve as root.
    pub owner: Option<Owner>,
}

/// A master with one worker (prefork), on a port of the loopback device. Both are ended when this is dropped.
#[derive(Debug)]
pub struct Apache {
    daemon: Daemon,
    port: u16,
}

impl Apache {
    /// Starts it, and waits until it takes requests.
    pub fn start(served: &Served<'_>) -> Result<Self, Error> {
        let mut result = Self::on(free()?, served);
        for _ in 1..ATTEMPTS {
            match &result {
                // Somebody else was faster.
                Err(Error::Ended { said, .. }) if said.contains("no listening sockets") => {
                    result = Self::on(free()?, served);
                }
                _ => break,
            }
        }
        result
    }

    fn on(port: u16, served: &Served<'_>) -> Result<Self, Error> {
        let program = PROGRAMS
            .into_iter()
            .find_map(in_path)
            .ok_or_else(|| Error::NotFound {
                what: "Apache",
                tried: PROGRAMS.join(", "),
                variable: "PATH",
            })?;
        let folder = Daemon::folder("apache-", served.owner)?;
        let write = |name: &str, text: String| {
            let file = folder.path().join(name);
            fs::write(&file, text)
                .map(|()| file)
                .map_err(Error::io(format!("write {name} for Apache")))
        };
        let configuration = write("apache.conf", served.configuration(port, folder.path()))?;
        let mut command = Command::new(program);
        command.arg("-DFOREGROUND").arg("-f").arg(configuration);
        match served.ini.map(Ini::lines) {
            None => drop(command.env("PHP_INI_SCAN_DIR", folder.path().join("none"))),
            Some(lines) if lines.is_empty() => {}
            Some(lines) => {
                write("settings.ini", lines)?;
                let before = env::var("PHP_INI_SCAN_DIR").unwrap_or_default();
                command.env(
                    "PHP_INI_SCAN_DIR",
                    format!("{before}:{}", folder.path().display()),
                );
            }
        }
        let log = folder.path().join(LOG);
        let mut daemon = Daemon::start("Apache", command, served.owner, folder)?;
        daemon.wait_for("the readiness", |daemon| {
            let said = fs::read(&log).unwrap_or_default();
            let is_ready = String::from_utf8_lossy(&said).contains("resuming normal operations");
            (is_ready && child(daemon.pid()).is_some()).then_some(())
        })?;
        Ok(Self { daemon, port })
    }

    /// The process that serves.
    pub fn worker(&self) -> Option<u32> {
        child(self.daemon.pid())
    }

    /// Asks for a page, and waits for the answer.
    pub fn get(&self, uri: &str, host: &str) -> Result<Response, Error> {
        http::get(self.port, uri, host)
    }

    /// Asks it to end when its worker has ended what it does: whatever that writes at exit is written.
    pub fn quit(self, within: Duration) -> Result<ExitStatus, Error> {
        self.daemon.quit(Signal::WINCH, within)
    }

    /// What a library with PHP says of itself, and the extensions that it has: with its own settings, or without any.
    pub fn ask(library: &Path, with_settings: bool) -> Result<(Info, Vec<String>), Error> {
        let owner = geteuid().is_root().then_some(NOBODY);
        let pages = Daemon::folder("asked-", owner)?;
        fs::write(pages.path().join("index.php"), QUESTION).map_err(Error::io("write a page"))?;
        // As another user, who may not reach the folder that it is in.
        let copy = pages.path().join("libphp.so");
        fs::copy(library, &copy).map_err(Error::io(format!("copy {}", library.display())))?;
        let settings = Ini::new();
        let apache = Self::start(&Served {
            library: &copy,
            root: pages.path(),
            ini: with_settings.then_some(&settings),
            owner,
        })?;
        let said = apache.get("/", "localhost")?.body();
        let (info, extensions) = said.split_once(MARK).unwrap_or((&said, ""));
        let extensions = extensions.split_ascii_whitespace().map(str::to_owned).collect();
        Ok((Info::parse(info, library)?, extensions))
    }
}

impl Served<'_> {
    /// Pages are a file, a folder's `index.php`, or else the root's.
    fn configuration(&self, port: u16, folder: &Path) -> String {
        let Self {
            library, root, ini, ..
        } = self;
        let modules = modules(library);
        let (folder, root) = (folder.display(), root.display());
        let mut text = format!(
            "ServerRoot {folder}\nServerName localhost\nListen 127.0.0.1:{port}\nPidFile {folder}/pid\n\
             DefaultRuntimeDir {folder}\nMutex pthread\nErrorLog {folder}/{LOG}\nLogLevel notice\nKeepAlive Off\n"
        );
        for name in MODULES {
            let _ = writeln!(
                text,
                "<IfModule !{name}_module>\nLoadModule {name}_module {}/mod_{name}.so\n</IfModule>",
                modules.display()
            );
        }
        let _ = write!(
            text,
            "LoadModule php_module {}\nServerLimit 1\nStartServers 1\nMinSpareServers 1\nMaxRequestWorkers 1\n\
             GracefulShutdownTimeout 30\nDocumentRoot \"{root}\"\n\
             <Directory \"{root}\">\nRequire all granted\nAllowOverride None\nOptions FollowSymLinks\n\
             DirectoryIndex index.php\nFallbackResource /index.php\n</Directory>\n\
             <FilesMatch \"\\.php$\">\nSetHandler application/x-httpd-php\n</FilesMatch>\n",
            library.display()
        );
        if ini.is_none() {
            let _ = writeln!(text, "PHPINIDir {folder}/none");
        }
        text
    }
}

/// The folder of Apache's own modules.
fn modules(library: &Path) -> PathBuf {
    let beside = library.parent().unwrap_or(library);
    FOLDERS
        .iter()
        .map(Path::new)
        .chain([beside])
        .find(|folder| folder.join("mod_dir.so").is_file())
        .unwrap_or(beside)
        .into()
}

/// A port that is free at this moment. Nobody keeps it free.
fn free() -> Result<u16, Error> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(Error::io("find a free port"))
}

fn child(pid: u32) -> Option<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    children.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload;

    fn library() -> Option<PathBuf> {
        let library = PathBuf::from("/usr/lib/apache2/modules/libphp8.2.so");
        if library.is_file() {
            return Some(library);
        }
        assert!(
            env::var_os("PHPERF_REQUIRE_TOOLS").is_none(),
            "there is no mod_php: scripts/setup.sh test installs it"
        );
        eprintln!("skipped: there is no {}", library.display());
        None
    }

    #[test]
    fn a_library_is_asked_with_and_without_settings() {
        let Some(library) = library() else { return };
        let (info, own) = Apache::ask(&library, false).unwrap();
        assert_eq!(info.value("Server API"), Some("Apache 2.0 Handler"));
        assert_eq!(info.value("PHP API"), Some("20220829"));
        let (_, all) = Apache::ask(&library, true).unwrap();
        assert!(own.contains(&"standard".to_owned()) && own.len() < all.len());
        assert!(own.iter().all(|name| all.contains(name)));
    }

    #[test]
    fn pages_are_answered_with_settings_and_all_ends() {
        let Some(library) = library() else { return };
        let owner = geteuid().is_root().then_some(NOBODY);
        let root = Daemon::folder("pages-", owner).unwrap();
        fs::copy(workload("fpm/hello.php"), root.path().join("hello.php")).unwrap();
        let ini = Ini::new().set("precision", "3");
        let apache = Apache::start(&Served {
            library: &library,
            root: root.path(),
            ini: Some(&ini),
            owner,
        })
        .unwrap();
        let answer = apache.get("/hello.php?name=php", "shop.example").unwrap();
        assert_eq!((answer.status(), answer.body().as_str()), (200, "Hello, Php!\n"));
        assert_eq!(apache.get("/nowhere", "shop.example").unwrap().status(), 404);
        let worker = apache.worker().unwrap();
        assert!(apache.quit(Duration::from_secs(30)).unwrap().success());
        assert!(!Path::new(&format!("/proc/{worker}")).exists());
    }

    #[test]
    fn what_is_no_module_is_told() {
        let Some(library) = library() else { return };
        let nowhere = library.with_file_name("nowhere.so");
        let error = Apache::ask(&nowhere, false).unwrap_err().to_string();
        assert!(
            error.contains("cannot copy") && error.contains("nowhere.so"),
            "{error}"
        );
        let other = modules(&library).join("mod_dir.so");
        let error = Apache::ask(&other, false).unwrap_err().to_string();
        assert!(error.contains("`php_module' in file"), "{error}");
    }
}
