//! A root with Debian 12, its PHP, its sites, and what building PHP takes.

use anyhow::{Context, Result, ensure};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use testbed::{Cache, Place, Release, Root, source};

/// What runs in it, and what `phperf build` asks for.
const PACKAGES: [&str; 24] = [
    "php8.2-fpm",
    "php8.2-cli",
    "php8.2-mysql",
    "php8.2-xml",
    "php8.2-mbstring",
    "php8.2-opcache",
    "ca-certificates",
    "gcc",
    "libc6-dev",
    "make",
    "dpkg-dev",
    "autoconf",
    "pkg-config",
    "systemtap-sdt-dev",
    "libacl1-dev",
    "libapparmor-dev",
    "libargon2-dev",
    "libpcre2-dev",
    "libsodium-dev",
    "libssl-dev",
    "libsystemd-dev",
    "libxml2-dev",
    "zlib1g-dev",
    "xz-utils",
];

/// The sites, unpacked in this order. They are not installed: their dependencies would bring a web server and another PHP.
/// `DokuWiki` comes with links in the place of what its libraries bring as folders, and these have to come after it.
const SITES: [&str; 8] = [
    "dokuwiki",
    "wordpress",
    "wordpress-theme-twentytwentythree",
    "php-getid3",
    "php-geshi",
    "php-phpseclib",
    "libphp-simplepie",
    "php-random-compat",
];

/// Programs there see their own processes, and this machine's temporary files as [`SHARED`]: a server that runs here as another
/// user cannot reach a root that lies below somebody's home.
const ENTER: &str =
    r#"mount -t proc proc "$0/proc" && mount --bind "$1" "$0/mnt" && shift && exec chroot "$0" "$@""#;
/// This machine's temporary files, inside of the root.
const SHARED: &str = "/mnt";

/// The root.
#[derive(Debug)]
pub struct Debian {
    root: PathBuf,
}

impl Debian {
    /// Makes it where it is not there.
    pub fn get() -> Result<Self> {
        let cache = Cache::of_user()?;
        let place = Root::get(&cache, Release::Bookworm, &PACKAGES)?.place();
        let debian = Self {
            root: place.outside("/"),
        };
        if !debian.outside("/srv/www").exists() {
            debian.unpack_sites()?;
        }
        let bench = source(&cache, Release::Bookworm, "php8.2")?.join("Zend/bench.php");
        fs::copy(bench, debian.outside("/srv/www/bench.php")).context("cannot copy Zend/bench.php")?;
        Ok(debian)
    }

    fn unpack_sites(&self) -> Result<()> {
        let packages = self.outside("/var/tmp/sites");
        fs::create_dir_all(&packages)?;
        run(self.command("apt-get").args(["-qq", "update"]))?;
        let fetch = ["-c", "cd /var/tmp/sites && apt-get -qq download \"$@\"", "sh"];
        run(self.command("sh").args(fetch).args(SITES))?;
        for site in SITES {
            let prefix = format!("{site}_");
            let names = fs::read_dir(&packages)?.map(|file| Ok(file?.file_name()));
            let names: Vec<_> = names.collect::<Result<_>>()?;
            let name = names
                .iter()
                .find(|name| name.to_string_lossy().starts_with(&prefix));
            let name = name.with_context(|| format!("apt-get did not fetch {site}"))?;
            let inside = Path::new("/var/tmp/sites").join(name);
            run(self.command("dpkg-deb").arg("-x").arg(inside).arg("/"))?;
        }
        for folder in [
            "/var/lib/dokuwiki",
            "/etc/dokuwiki",
            "/usr/share/wordpress/wp-content",
        ] {
            run(self.command("chown").args(["-R", "www-data", folder]))?;
        }
        let part = "/srv/www.part";
        run(self.command("mkdir").args(["-p", part]))?;
        run(self
            .command("ln")
            .args(["-s", "/usr/share/wordpress", &format!("{part}/wordpress")]))?;
        run(self
            .command("ln")
            .args(["-s", "/usr/share/dokuwiki", &format!("{part}/wiki")]))?;
        fs::rename(self.outside(part), self.outside("/srv/www")).context("cannot name the web root")
    }

    /// A program that runs in it.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "sh", "-c", ENTER])
            .arg(&self.root)
            .arg(env::temp_dir())
            .arg(program)
            .env(
                "PATH",
                "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            )
            .env("HOME", "/root")
            .env_remove("TMPDIR")
            .stdin(Stdio::null());
        command
    }

    /// The path here of a file in it.
    pub fn outside(&self, path: &str) -> PathBuf {
        Place::within(&self.root).outside(path)
    }

    /// The path in it of a temporary file here.
    pub fn shared(file: &Path) -> PathBuf {
        let within = file.strip_prefix(env::temp_dir());
        Path::new(SHARED).join(within.unwrap_or(file))
    }
}

/// Runs a command to its end, which has to be a good one.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {command:?}"))?;
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(())
}
