//! The new PHP as a Debian package, in a prefix of its own.

use crate::{Built, Error, copy, depends, install, run, stage::emptied};
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::Command,
};

/// Where a package of ours may put anything.
const PREFIX: &str = "opt";
/// What programs have to be there for it.
const TOOLS: [&str; 3] = ["dpkg-deb", "dpkg-shlibdeps", "md5sum"];

/// What is told before anything is compiled: tools that are missing, and a file in the way.
pub(crate) fn can_be_made(file: &Path) -> Result<(), Error> {
    depends::programs(&TOOLS)?;
    if file.exists() {
        return Err(Error::Asked(format!(
            "{} is there already: remove it, or name another file (--deb)",
            file.display()
        )));
    }
    Ok(())
}

/// Writes a package with the programs to `file`, under a name that no PHP of the distribution has. It replaces nothing, and
/// depends on the libraries that the programs were linked with.
pub fn package(built: &Built, file: &Path) -> Result<PathBuf, Error> {
    can_be_made(file)?;
    let work = built.state.join("package");
    let tree = work.join("tree");
    emptied(&tree)?;
    let mut files = Vec::new();
    let programs = install::programs(built);
    let name = programs
        .first()
        .map(|program| named(&program.name))
        .ok_or_else(|| Error::Asked("nothing was built that a package could hold".into()))?;
    for program in &programs {
        let within = Path::new(PREFIX)
            .join(&name)
            .join(program.folder)
            .join(&program.name);
        copy::program(&program.from, &tree.join(&within))?;
        files.push(within);
    }
    files.push(copyright(built, &name, &tree)?);
    let control = tree.join("DEBIAN");
    fs::create_dir_all(&control).map_err(Error::io("make a folder for the package"))?;
    let architecture = run::output(Command::new("dpkg").arg("--print-architecture"))?;
    let text = Control {
        name: &name,
        version: &version(built, &programs)?,
        architecture: architecture.trim(),
        size: size(&tree, &files)?,
        depends: &libraries(&work, &tree, &files[..programs.len()])?,
        like: &programs
            .iter()
            .map(|program| program.name.as_str())
            .collect::<Vec<_>>()
            .join(" and "),
        prefix: &format!("/{PREFIX}/{name}"),
    };
    write(&control.join("control"), &text.written())?;
    let sums = run::output(Command::new("md5sum").current_dir(&tree).args(&files))?;
    write(&control.join("md5sums"), &sums)?;
    open(&tree)?;
    let part = file.with_extension("deb-part");
    run::output(
        Command::new("dpkg-deb")
            .args(["--root-owner-group", "--build"])
            .arg(&tree)
            .arg(&part),
    )?;
    fs::rename(&part, file).map_err(Error::io(format!("write {}", file.display())))?;
    fs::remove_dir_all(&work).map_err(Error::io(format!("remove {}", work.display())))?;
    Ok(file.into())
}

/// The description that dpkg reads.
struct Control<'a> {
    name: &'a str,
    version: &'a str,
    architecture: &'a str,
    /// In KiB, as dpkg counts.
    size: u64,
    depends: &'a str,
    like: &'a str,
    prefix: &'a str,
}

impl Control<'_> {
    fn written(&self) -> String {
        let Self {
            name,
            version,
            architecture,
            size,
            depends,
            like,
            prefix,
        } = self;
        let depends = match depends.trim() {
            "" => String::new(),
            some => format!("Depends: {some}\n"),
        };
        format!(
            "Package: {name}\nVersion: {version}\nArchitecture: {architecture}\n\
             Maintainer: whoever built it <root@localhost>\nInstalled-Size: {size}\n{depends}\
             Section: php\nPriority: optional\n\
             Description: PHP trained on a load of its own ({like})\n \
             Built by phperf build. It lies in {prefix} beside the PHP of the distribution, whose\n \
             settings and shared extensions it reads: build it anew after each upgrade of those.\n"
        )
    }
}

/// `php-fpm8.2` becomes `php-fpm8.2-trained`, `libphp8.2.so` becomes `php8.2-trained`; names of packages have few characters.
fn named(program: &str) -> String {
    let kept: String = program
        .trim_start_matches("lib")
        .trim_end_matches(".so")
        .to_lowercase()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "+-.".contains(*c))
        .collect();
    format!(
        "{}-trained",
        kept.trim_start_matches(|c: char| !c.is_ascii_alphanumeric())
    )
}

/// PHP's version, and when it was built: a later build upgrades an earlier one.
fn version(built: &Built, programs: &[install::Program]) -> Result<String, Error> {
    let mut newest = 0;
    for program in programs {
        let metadata = fs::metadata(&program.from);
        let metadata = metadata.map_err(Error::io(format!("read {}", program.from.display())))?;
        newest = newest.max(metadata.mtime());
    }
    Ok(format!("{}+trained{newest}", built.version))
}

/// The licence, as every package has to tell it.
fn copyright(built: &Built, name: &str, tree: &Path) -> Result<PathBuf, Error> {
    let within = Path::new("usr/share/doc").join(name).join("copyright");
    let to = tree.join(&within);
    let source = built.state.join(crate::source::SOURCE);
    let from = ["debian/copyright", "LICENSE"]
        .map(|file| source.join(file))
        .into_iter()
        .find(|file| file.is_file())
        .ok_or_else(|| Error::NoSource(format!("{} tells no licence", source.display())))?;
    fs::create_dir_all(to.parent().unwrap_or(&to))
        .and_then(|()| fs::copy(&from, &to).map(drop))
        .map_err(Error::io(format!("copy {}", from.display())))?;
    Ok(within)
}

fn size(tree: &Path, files: &[PathBuf]) -> Result<u64, Error> {
    let mut bytes = 0;
    for file in files {
        bytes += fs::metadata(tree.join(file))
            .map_err(Error::io(format!("read {}", file.display())))?
            .len();
    }
    Ok(bytes.div_ceil(1024))
}

/// Packages of the libraries that the programs need: `libc6 (>= 2.34), …`.
fn libraries(work: &Path, tree: &Path, programs: &[PathBuf]) -> Result<String, Error> {
    // The tool wants to be in a source package.
    let debian = work.join("debian");
    fs::create_dir_all(&debian).map_err(Error::io("make a folder for dpkg-shlibdeps"))?;
    write(
        &debian.join("control"),
        "Source: trained\n\nPackage: trained\nArchitecture: any\n",
    )?;
    let said = run::output(
        Command::new("dpkg-shlibdeps")
            .current_dir(work)
            .env("LC_ALL", "C")
            .arg("-O")
            .args(programs.iter().map(|program| tree.join(program))),
    )?;
    Ok(said
        .lines()
        .find_map(|line| line.strip_prefix("shlibs:Depends="))
        .unwrap_or_default()
        .to_owned())
}

/// Folders that everybody may enter, files that everybody may read.
fn open(folder: &Path) -> Result<(), Error> {
    run::output(Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(folder)).map(drop)
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(Error::io(format!("write {}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_packages() {
        assert_eq!(named("php-fpm8.2"), "php-fpm8.2-trained");
        assert_eq!(named("libphp8.2.so"), "php8.2-trained");
        assert_eq!(named("_My PHP_8"), "myphp8-trained");
    }

    #[test]
    fn dpkg_reads_what_is_written() {
        let text = Control {
            name: "php8.2-trained",
            version: "8.2.36+trained1700000000",
            architecture: "amd64",
            size: 12,
            depends: "libc6 (>= 2.34)",
            like: "php8.2 and php-fpm8.2",
            prefix: "/opt/php8.2-trained",
        };
        let place = tempfile::tempdir().unwrap();
        let control = place.path().join("tree/DEBIAN");
        fs::create_dir_all(&control).unwrap();
        write(&control.join("control"), &text.written()).unwrap();
        let file = place.path().join("a.deb");
        run::output(
            Command::new("dpkg-deb")
                .arg("--build")
                .arg(place.path().join("tree"))
                .arg(&file),
        )
        .unwrap();
        let said = run::output(
            Command::new("dpkg-deb")
                .arg("-f")
                .arg(&file)
                .args(["Package", "Depends"]),
        )
        .unwrap();
        assert_eq!(said, "Package: php8.2-trained\nDepends: libc6 (>= 2.34)\n");
    }

    #[test]
    fn the_libraries_of_a_php_are_named() {
        let place = tempfile::tempdir().unwrap();
        let php = php::Binary::cli().unwrap().path.canonicalize().unwrap();
        let said = libraries(place.path(), Path::new("/"), &[php]).unwrap();
        assert!(said.contains("libc6 (>= "), "{said}");
    }
}
