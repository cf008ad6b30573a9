//! Where a suite runs: what may change its figures.

use crate::{
    discover::PhpInfo,
    model::{Environment, EnvironmentGroup},
    settings::Settings,
};
use std::{fs, path::Path, process::Command};

/// Asks the machine, PHP and the repository. `fork` says how iterations are started, `counting` what counts instructions, if
/// anything does.
pub(crate) fn collect(php: &PhpInfo, settings: &Settings, fork: bool, counting: &str) -> Environment {
    let mut groups = vec![
        group(
            "php",
            vec![
                ("version", php.version.clone()),
                ("binary", php.binary.clone()),
                ("ini", php.ini.clone()),
                ("xdebug", php.xdebug.to_string()),
                ("zts", php.zts.to_string()),
                ("debug", php.debug.to_string()),
                ("extensions", php.extensions.join(", ")),
            ],
        ),
        group(
            "opcache",
            vec![("enabled", php.opcache.to_string()), ("jit", php.jit.to_string())],
        ),
        group("uname", uname()),
        group("unix_sysload", load()),
        group("vcs", git(&settings.working_dir)),
        group("sampler", sampler(php, fork, counting)),
    ];
    if let Some(wanted) = &settings.environment {
        // How samples are taken is shown in any case.
        groups.retain(|group| wanted.contains(&group.name) || group.name == "sampler");
    }
    groups.retain(|group| !group.values.is_empty());
    Environment { groups }
}

/// Groups in which runs may differ without a word: they are of the moment.
const OF_THE_MOMENT: [&str; 2] = ["unix_sysload", "vcs"];
/// What is shown of a value.
const SHOWN: usize = 60;

/// In what two environments differ that changes figures, one line each. What only one of them names is no difference.
pub fn differences(baseline: &Environment, now: &Environment) -> Vec<String> {
    let mut lines = Vec::new();
    let groups = baseline
        .groups
        .iter()
        .filter(|group| !OF_THE_MOMENT.contains(&group.name.as_str()));
    for theirs in groups {
        let Some(ours) = now.groups.iter().find(|group| group.name == theirs.name) else {
            continue;
        };
        for (key, was) in &theirs.values {
            let is = ours.values.iter().find(|(name, _)| name == key);
            if let Some((_, is)) = is.filter(|(_, is)| is != was) {
                let short = |text: &str| text.chars().take(SHOWN).collect::<String>();
                lines.push(format!(
                    "{} {key} was {}, is {}",
                    theirs.name,
                    short(was),
                    short(is)
                ));
            }
        }
    }
    lines
}

fn group(name: &str, values: Vec<(&str, String)>) -> EnvironmentGroup {
    EnvironmentGroup {
        name: name.into(),
        values: values
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    }
}

fn sampler(php: &PhpInfo, fork: bool, counting: &str) -> Vec<(&'static str, String)> {
    let mut values = vec![
        ("isolation", if fork { "fork" } else { "process" }.into()),
        ("clock", if php.hrtime { "hrtime" } else { "microtime" }.into()),
    ];
    if !counting.is_empty() {
        values.push(("instructions", counting.into()));
    }
    values
}

fn uname() -> Vec<(&'static str, String)> {
    let name = rustix::system::uname();
    let text = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    vec![
        ("os", text(name.sysname())),
        ("host", text(name.nodename())),
        ("release", text(name.release())),
        ("machine", text(name.machine())),
        (
            "cpu",
            model.map_or("unknown", |(_, model)| model.trim()).to_owned(),
        ),
        (
            "cpus",
            std::thread::available_parallelism()
                .map_or(0, usize::from)
                .to_string(),
        ),
    ]
}

fn load() -> Vec<(&'static str, String)> {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    ["l1", "l5", "l15"]
        .into_iter()
        .zip(text.split(' ').map(str::to_owned))
        .collect()
}

fn git(folder: &Path) -> Vec<(&'static str, String)> {
    let ask = |arguments: &[&str]| {
        let output = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(arguments)
            .output()
            .ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(version) = ask(&["rev-parse", "HEAD"]) else {
        return Vec::new();
    };
    vec![
        ("system", "git".into()),
        (
            "branch",
            ask(&["rev-parse", "--abbrev-ref", "HEAD"]).unwrap_or_default(),
        ),
        ("version", version),
        ("subject", ask(&["log", "-1", "--format=%s"]).unwrap_or_default()),
        ("date", ask(&["log", "-1", "--format=%cI"]).unwrap_or_default()),
        (
            "changed",
            ask(&["status", "--porcelain", "--untracked-files=no"])
                .map_or_else(String::new, |text| (!text.is_empty()).to_string()),
        ),
    ]
}
