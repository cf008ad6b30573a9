//! PHP, compiled from its sources the way that no package has it.

use super::Toolchain;
use crate::{Cache, Error, error::output};
use std::{fs, path::Path, process::Command};

/// A way to compile PHP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// With threads, and PHP's own checks of memory and of itself.
    Zts,
    /// With the compiler's checks of addresses.
    Asan,
    /// With threads as people run it: optimised, stripped, with the JIT, and as a library too, which a program can embed.
    /// (Builds are kept by the place in this list: what is new comes last.)
    ZtsEmbed,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Zts => "zts",
            Self::ZtsEmbed => "zts-embed",
            Self::Asan => "asan",
        }
    }

    const fn options(self) -> &'static [&'static str] {
        match self {
            Self::Zts => &["--enable-zts", "--enable-debug"],
            // Servers of threads handle signals themselves.
            Self::ZtsEmbed => &[
                "--enable-zts",
                "--enable-embed=shared",
                "--enable-opcache",
                "--disable-zend-signals",
            ],
            Self::Asan => &["--enable-debug", "--enable-address-sanitizer"],
        }
    }

    /// What it is compiled with itself.
    const fn build_flags(self) -> &'static str {
        match self {
            Self::Zts | Self::Asan => "-g -O1",
            Self::ZtsEmbed => "-O2",
        }
    }

    /// What it is linked with.
    const fn link_flags(self) -> &'static str {
        match self {
            Self::Zts | Self::Asan => "",
            // As packages have it: without symbols that the loader does not need.
            Self::ZtsEmbed => "-Wl,-s",
        }
    }

    /// What extensions for it are compiled with.
    pub(super) const fn flags(self) -> &'static str {
        match self {
            Self::Zts => "-g -O1",
            Self::ZtsEmbed => "-O2",
            Self::Asan => "-g -O1 -fsanitize=address -fno-omit-frame-pointer",
        }
    }
}

/// The command-line PHP of these sources, with PDO and the drivers for `PostgreSQL` and `SQLite` and little else.
/// Compiling takes minutes, if `cache` does not have it.
pub(super) fn compile(cache: &Cache, sources: &Path, kind: Kind) -> Result<Toolchain, Error> {
    let name = format!("php-{}", kind.name());
    let prefix = cache.folder(
        &name,
        (sources, kind, OPTIONS, kind.options()),
        |folder, prefix| {
            let build = folder.join("build");
            fs::create_dir(&build).map_err(Error::io("make a folder to build in"))?;
            let configure = sources.join("configure");
            output(
                Command::new("sh")
                    .arg(&configure)
                    .current_dir(&build)
                    .arg(format!("--prefix={}", prefix.display()))
                    .args(OPTIONS)
                    .args(kind.options())
                    .env("CFLAGS", kind.build_flags())
                    .env("LDFLAGS", kind.link_flags()),
            )?;
            // The compiler's checks find leaks of tools that run while it builds, which are none of ours.
            let make = |words: &[&str]| {
                let mut command = Command::new("make");
                command
                    .args(words)
                    .current_dir(&build)
                    .env("ASAN_OPTIONS", "detect_leaks=0");
                output(&mut command)
            };
            make(&["-j2"])?;
            let stage = folder.join("stage");
            make(&["install", &format!("INSTALL_ROOT={}", stage.display())])?;
            let installed = stage.join(prefix.strip_prefix("/").unwrap_or(prefix));
            for part in ["bin", "include", "lib"] {
                fs::rename(installed.join(part), folder.join(part))
                    .map_err(Error::io(format!("move {part}")))?;
            }
            fs::remove_dir_all(&stage)
                .and_then(|()| fs::remove_dir_all(&build))
                .map_err(Error::io("remove what was built in between"))
        },
    )?;
    let program = |name: &str| prefix.join("bin").join(name);
    let toolchain = Toolchain::describe(
        crate::Place::here(),
        program("php"),
        program("phpize"),
        program("php-config"),
    )?;
    Ok(toolchain.compiled_as(kind))
}

const OPTIONS: &[&str] = &[
    "--disable-all",
    "--disable-cgi",
    "--disable-phpdbg",
    "--enable-cli",
    "--enable-pdo",
    "--with-pdo-pgsql",
    "--with-pdo-sqlite",
    "--enable-session",
    "--enable-tokenizer",
    "--with-config-file-path=/nonexistent",
];
