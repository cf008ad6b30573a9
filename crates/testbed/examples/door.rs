//! `door RELEASE VERSION SCRIPT`: makes the root of a release with that version of PHP, SCRIPT, which runs it, and SCRIPT-fpm,
//! which runs its FPM.

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};
use testbed::{Cache, Error, Release, Toolchain, door};

const RELEASES: [Release; 6] = [
    Release::Bullseye,
    Release::Bookworm,
    Release::Trixie,
    Release::Experimental,
    Release::Jammy,
    Release::Noble,
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [release, version, script] = &arguments[..] else {
        eprintln!("usage: door RELEASE VERSION SCRIPT");
        return ExitCode::from(2);
    };
    let Some(&release) = RELEASES.iter().find(|known| known.name() == release) else {
        eprintln!("door: no release {release} is known");
        return ExitCode::from(2);
    };
    match make(release, version, Path::new(script)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("door: {error}");
            ExitCode::FAILURE
        }
    }
}

fn make(release: Release, version: &str, script: &Path) -> Result<(), Error> {
    let toolchain = Toolchain::of_release(&Cache::of_user()?, release, version)?;
    // The workspace, with the scripts that are to be run.
    let here: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [here.canonicalize().unwrap_or(here)];
    door(toolchain.place(), toolchain.php(), &folders, script)?;
    let fpm = PathBuf::from(format!("/usr/sbin/php-fpm{version}"));
    let beside = PathBuf::from(format!("{}-fpm", script.display()));
    door(toolchain.place(), &fpm, &folders, &beside)
}
