//! speedscope's own importer reads its JSON, out of the bundle that its npm package ships.

use crate::{Format, is_there, output, saved, skip};
use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const PACKAGE: &str = "speedscope@1.25.0";

/// The folder with speedscope's bundle, installed into the cache if it is not there yet.
fn release() -> Result<PathBuf, String> {
    if !is_there("node", "--version") {
        return Err("node is not installed, so speedscope cannot check the file".into());
    }
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = env::var_os("PHPERF_CACHE").map(PathBuf::from).or_else(|| {
        let user = env::var_os("XDG_CACHE_HOME")
            .filter(|cache| !cache.is_empty())
            .map(PathBuf::from);
        Some(user.or_else(home)?.join("phperf"))
    });
    let cache = cache.ok_or("neither PHPERF_CACHE nor HOME is set, so speedscope cannot be kept anywhere")?;
    let installed = cache.join(PACKAGE);
    if !installed.exists() {
        install(&cache, &installed)?;
    }
    Ok(installed.join("node_modules/speedscope/dist/release"))
}

/// Installs beside the place and moves it there, so that what is there is whole.
fn install(cache: &Path, installed: &Path) -> Result<(), String> {
    std::fs::create_dir_all(cache).map_err(|error| format!("cannot make {}: {error}", cache.display()))?;
    let folder = tempfile::tempdir_in(cache).map_err(|error| error.to_string())?;
    let status = Command::new("npm")
        .args([
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-save",
            "--silent",
            "--prefix",
        ])
        .arg(folder.path())
        .arg(PACKAGE)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status();
    match status {
        Ok(status) if status.success() => {
            // Another test may have been faster; then its folder stays.
            let _ = std::fs::rename(folder.path(), installed);
            Ok(())
        }
        Ok(status) => Err(format!(
            "npm could not install {PACKAGE} ({status}); is there a network?"
        )),
        Err(error) => Err(format!("npm cannot be run: {error}")),
    }
}

fn import(path: &Path) -> Option<serde_json::Value> {
    let release = match release() {
        Ok(release) => release,
        Err(why) => {
            skip(&why);
            return None;
        }
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools/speedscope-import.mjs");
    let text = output(Command::new("node").arg(script).arg(release).arg(path));
    Some(serde_json::from_str(&text).expect("JSON"))
}

#[test]
fn its_importer_finds_threads_frames_and_weights() {
    let (_folder, path) = saved(Format::Speedscope);
    let Some(group) = import(&path) else { return };
    let profiles = group["profiles"].as_array().unwrap();
    let names: Vec<_> = profiles
        .iter()
        .map(|profile| profile["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "php index.php --name=\"<a & b>\" (pid 101)",
            "php index.php --name=\"<a & b>\" (pid 202, thread 203)"
        ]
    );
    assert_eq!(profiles[0]["unit"], "nanoseconds");
    assert_eq!(profiles[0]["total"], 80_000_000);
    assert_eq!(profiles[1]["total"], 40_000_000);
    let frame = |profile: usize, name: &str| {
        let frames = profiles[profile]["frames"].as_array().unwrap();
        frames
            .iter()
            .find(|frame| frame["name"] == name)
            .cloned()
            .unwrap_or_else(|| panic!("no {name}"))
    };
    let bar = frame(0, "App\\Foo::bar");
    assert_eq!(
        (&bar["file"], &bar["line"]),
        (&"/srv/app/Foo.php".into(), &20.into())
    );
    assert_eq!(
        (&bar["self"], &bar["total"]),
        (&30_000_000.into(), &70_000_000.into())
    );
    assert_eq!(frame(0, "usleep")["self"], 40_000_000);
    assert_eq!(frame(1, "<main>")["total"], 40_000_000);
}

#[test]
fn its_importer_takes_a_file_without_samples() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.speedscope.json");
    std::fs::write(&path, crate::testing::export_empty(Format::Speedscope)).unwrap();
    let Some(group) = import(&path) else { return };
    assert_eq!(group["profiles"][0]["total"], 0);
}
