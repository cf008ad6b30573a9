//! The source package of a binary that apt installed.

use super::{Origin, archives};
use crate::{Error, Watch, run, stage::Folder, stage::emptied};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The source package of the file at `path`, in the version that is installed.
pub(super) fn package_of(path: &Path) -> Result<Origin, Error> {
    let path = path
        .canonicalize()
        .map_err(Error::io(format!("find {}", path.display())))?;
    let elsewhere = |_| {
        Error::NoSource(format!(
            "{} comes from no Debian or Ubuntu package: name its sources with --source",
            path.display()
        ))
    };
    let owner = run::output(Command::new("dpkg-query").arg("-S").arg(&path)).map_err(elsewhere)?;
    let package = owner.split(':').next().unwrap_or_default();
    let said = run::output(Command::new("dpkg-query").args([
        "-W",
        "-f",
        "${source:Package} ${source:Version}",
        package,
    ]))
    .map_err(elsewhere)?;
    match said.split_once(' ') {
        Some((name, version)) => Ok(Origin::Package {
            name: name.into(),
            version: version.into(),
            binary: package.into(),
        }),
        None => Err(Error::NoSource(format!("dpkg knows no source of {package}"))),
    }
}

/// Fetches a source package. The machine's lists and settings of apt stay as they are.
pub(super) fn fetch(
    [name, version, binary]: [&str; 3],
    tree: &Path,
    folder: &Folder,
    watch: &mut dyn Watch,
) -> Result<(), Error> {
    let place = folder.at("apt");
    emptied(&place)?;
    for part in ["lists/partial", "cache/archives/partial"] {
        fs::create_dir_all(place.join(part)).map_err(folder.full("make folders for apt-get".into()))?;
    }
    let list = place.join("archives.sources");
    fs::write(&list, archives::of(binary)?).map_err(folder.full(format!("write {}", list.display())))?;
    let log = folder.log("source");
    let apt = |words: &[&str]| {
        let mut command = Command::new("apt-get");
        command.current_dir(&place).arg("-qq");
        for option in [
            format!("Dir::Etc::sourcelist={}", list.display()),
            "Dir::Etc::sourceparts=/dev/null".into(),
            format!("Dir::State::lists={}", place.join("lists").display()),
            format!("Dir::Cache={}", place.join("cache").display()),
            "APT::Sandbox::User=".into(),
        ] {
            command.arg("-o").arg(option);
        }
        command.args(words);
        command
    };
    run::logged("apt-get update", &mut apt(&["update"]), &log, watch, |_, _| {})?;
    let wanted = format!("{name}={version}");
    run::logged(
        "apt-get source",
        &mut apt(&["source", "--download-only", &wanted]),
        &log,
        watch,
        |_, _| {},
    )
    .map_err(|error| match error {
        Error::Step { said, .. } => Error::NoSource(format!(
            "apt does not have {wanted} ({said}): upgrade PHP, or name its sources with --source"
        )),
        other => other,
    })?;
    unpack(&description(&place)?, tree, folder, watch)
}

/// Unpacks a source package, by its `.dsc`, and prepares it as its own rules do.
pub(super) fn unpack(
    description: &Path,
    tree: &Path,
    folder: &Folder,
    watch: &mut dyn Watch,
) -> Result<(), Error> {
    let log = folder.log("source");
    // dpkg-source makes it itself.
    let _ = fs::remove_dir_all(tree);
    run::logged(
        "dpkg-source",
        Command::new("dpkg-source")
            // apt checked who made it, or the user did.
            .args(["--no-check", "-x"])
            .arg(description)
            .arg(tree),
        &log,
        watch,
        |_, _| {},
    )?;
    // The package's patches change what configure is made from.
    run::logged(
        "buildconf",
        Command::new("./buildconf").current_dir(tree).arg("--force"),
        &log,
        watch,
        |_, _| {},
    )
}

fn description(place: &Path) -> Result<PathBuf, Error> {
    fs::read_dir(place)
        .map_err(Error::io(format!("list {}", place.display())))?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|it| it == "dsc"))
        .ok_or_else(|| Error::NoSource("apt fetched no source package".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_owns_no_file_is_told_what_to_do() {
        let error = package_of(Path::new("/proc/self/exe")).unwrap_err().to_string();
        assert!(
            error.ends_with("comes from no Debian or Ubuntu package: name its sources with --source"),
            "{error}"
        );
    }
}
