//! The programs laid out anew by BOLT, after what they themselves do: linked once more so that it can take them apart, made
//! to count, trained, and put together again.

use super::Recipe;
use crate::{
    Coverage, Error, Training, Watch,
    counters::{BoltCounters, Counters as _, FDATA, files},
    depends,
    programs::Sapis,
    run,
    stage::Folder,
    stage::emptied,
};
use php::Sapi;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// LLVM's first version whose BOLT follows the computed jumps of PHP's executor.
const VERSION: u32 = 21;
/// Where the user says which one it is.
const VARIABLE: &str = "LLVM_BOLT";
/// Names of it, the preferred one first.
const NAME: &str = "llvm-bolt";
/// What it has to be able to find in the program again: addresses of everything. With calls bound lazily, BOLT mixes up which
/// function is which, where there are indirect ones (IRELATIVE) among them.
const LINKED: &str = "-Wl,--emit-relocs -Wl,-z,now";
/// How it lays out: what follows what often comes behind it, what never ran goes apart.
const LAYOUT: [&str; 6] = [
    "-reorder-blocks=ext-tsp",
    "-reorder-functions=cdsort",
    "-split-functions",
    "-split-all-cold",
    "-icf=all",
    "-use-gnu-stack",
];
/// Functions that BOLT has to have a profile for: those of an empty script are some hundred.
const FUNCTIONS_MIN: u64 = 100;

/// BOLT, of LLVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bolt {
    program: PathBuf,
    /// What joins counters of several processes, and lies beside it.
    merge: PathBuf,
    pub version: u32,
}

impl Bolt {
    /// The one that `$LLVM_BOLT` names, or the newest that is installed.
    pub fn find() -> Result<Self, Error> {
        Self::among(&match env::var_os(VARIABLE) {
            Some(named) => vec![PathBuf::from(named)],
            None => installed(),
        })
    }

    fn among(programs: &[PathBuf]) -> Result<Self, Error> {
        let mut newest: Option<Self> = None;
        for program in programs {
            let Ok(said) = run::output(Command::new(program).arg("--version")) else {
                continue;
            };
            let Some(version) = version(&said) else { continue };
            if newest.as_ref().is_none_or(|newest| version > newest.version) {
                newest = Some(Self {
                    merge: beside(program),
                    program: program.clone(),
                    version,
                });
            }
        }
        let cure = format!(
            "install bolt-{VERSION} or later (Debian 13 has bolt-22, other systems have them from apt.llvm.org), or name one by {VARIABLE}=/usr/lib/llvm-{VERSION}/bin/{NAME}"
        );
        match newest {
            None => Err(Error::NoBolt(format!("there is no {NAME}: {cure}"))),
            Some(Self { version, program, .. }) if version < VERSION => Err(Error::NoBolt(format!(
                "{} is of LLVM {version}, which cannot follow PHP's executor: {cure}",
                program.display()
            ))),
            Some(Self { merge, .. }) if !depends::is_there(&merge.to_string_lossy()) => Err(Error::NoBolt(
                format!("there is no {}, which comes with {NAME}: {cure}", merge.display()),
            )),
            Some(found) => Ok(found),
        }
    }
}

/// Of `LLVM version 21.1.8`.
fn version(said: &str) -> Option<u32> {
    let (_, number) = said.split_once("LLVM version ")?;
    number.split('.').next()?.parse().ok()
}

/// `merge-fdata-21` of `llvm-bolt-21`.
fn beside(program: &Path) -> PathBuf {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    program.with_file_name(name.replacen(NAME, "merge-fdata", 1))
}

/// Of all folders of programs, and of Debian's folders of LLVM.
fn installed() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let llvm = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let llvm = llvm
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("llvm-"))
        .map(|entry| entry.path().join("bin"));
    let mut found = Vec::new();
    for folder in env::split_paths(&path).chain(llvm) {
        let programs = fs::read_dir(&folder).into_iter().flatten().flatten();
        found.extend(
            programs
                .map(|entry| entry.path())
                .filter(|path| is_named(&path.file_name().unwrap_or_default().to_string_lossy())),
        );
    }
    found
}

/// `llvm-bolt`, `llvm-bolt-21`; not `llvm-bolt-heatmap`.
fn is_named(name: &str) -> bool {
    name.strip_prefix(NAME)
        .is_some_and(|rest| rest.chars().all(|c| c == '-' || c.is_ascii_digit()))
}

impl Recipe<'_> {
    /// Lays out the programs of the optimised build after a training of their own. One that the training does not run stays
    /// as it is.
    pub fn bolt(
        &self,
        tool: &Bolt,
        training: &Training,
        folder: &Folder,
        watch: &mut dyn Watch,
    ) -> Result<(), Error> {
        let name = self.level.compiled().named("bolting");
        let (place, bolted) = (folder.at(&name), self.bolted(folder));
        emptied(&place)?;
        emptied(&bolted)?;
        let log = folder.log(&name);
        fs::write(&log.path, "").map_err(folder.full(format!("write {}", log.path.display())))?;
        let [linked, counting, counts] = ["linked", "counting", "counters"].map(|within| place.join(within));
        fs::create_dir(&counts).map_err(folder.full(format!("make {}", counts.display())))?;
        let sapis = self.link(folder, &linked, LINKED, watch)?;
        let run = |arguments: &mut Command, watch: &mut dyn Watch, see: &mut dyn FnMut(&str)| {
            run::logged(NAME, arguments, &log, watch, |line, _| see(line))
        };
        let all = sapis.into_iter().map(|sapi| {
            let of = |folder: &Path| Sapis::program(folder, sapi);
            (of(&linked), of(&counting), of(&bolted), counts.join(file(sapi)))
        });
        let all: Vec<_> = all.collect();
        for (linked, counting, _, counts) in &all {
            within(counting, folder)?;
            let mut command = Command::new(&tool.program);
            command
                .arg(linked)
                .args(["-instrument", "-instrumentation-file-append-pid"])
                .arg(format!("-instrumentation-file={}", counts.display()))
                .arg("-o")
                .arg(counting);
            run(&mut command, watch, &mut |_| {})?;
        }
        let counters = BoltCounters {
            programs: &counting,
            written_to: &counts,
        };
        training.run(self.old, &counters, folder, watch)?.keep(&bolted)?;
        let found = files(&counts, FDATA)?;
        for (linked, _, bolted, counts) in &all {
            within(bolted, folder)?;
            let own: Vec<_> = found.iter().filter(|path| is_of(path, counts)).collect();
            if own.is_empty() {
                fs::copy(linked, bolted).map_err(folder.full(format!("write {}", bolted.display())))?;
                continue;
            }
            let merged = counts.with_extension("merged");
            run(
                Command::new(&tool.merge).args(own).arg("-o").arg(&merged),
                watch,
                &mut |_| {},
            )?;
            let mut functions = 0;
            let mut command = Command::new(&tool.program);
            command
                .arg(linked)
                .arg("-data")
                .arg(&merged)
                .args(LAYOUT)
                .arg("-o")
                .arg(bolted);
            run(&mut command, watch, &mut |line| {
                functions = profiled(line).unwrap_or(functions);
            })?;
            if functions < FUNCTIONS_MIN {
                return Err(Error::Lost(format!(
                    "BOLT found a profile for {functions} functions of {}, not for {FUNCTIONS_MIN} or more; what it says is \
                     in {}",
                    linked.display(),
                    log.path.display()
                )));
            }
        }
        // What counted is twice as large as what it counted for.
        counters.clear()?;
        fs::remove_dir_all(&counting).map_err(Error::io(format!("remove {}", counting.display())))
    }

    /// What the training of the programs that BOLT laid out counted.
    pub fn bolt_coverage(&self, folder: &Folder) -> Result<Coverage, Error> {
        Coverage::kept(&self.bolted(folder))
    }

    /// The folder of the programs that BOLT laid out.
    pub fn bolted(&self, folder: &Folder) -> PathBuf {
        folder.at(&self.level.compiled().named("bolted"))
    }
}

const fn file(sapi: Sapi) -> &'static str {
    match sapi {
        Sapi::Cli => "php",
        Sapi::Fpm => "php-fpm",
        Sapi::Cgi => "php-cgi",
        Sapi::Apache => "libphp",
    }
}

/// Whether counters, `php.4242.fdata`, are of the program whose are named `php`.
fn is_of(path: &Path, counts: &Path) -> bool {
    let name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    name(path).split('.').next() == Some(name(counts).as_str())
}

fn within(program: &Path, folder: &Folder) -> Result<(), Error> {
    fs::create_dir_all(program.parent().unwrap_or(program))
        .map_err(folder.full(format!("make a folder for {}", program.display())))
}

/// Of `BOLT-INFO: 849 out of 6814 functions in the binary (12.5%) have non-empty execution profile`.
fn profiled(line: &str) -> Option<u64> {
    let (number, rest) = line.strip_prefix("BOLT-INFO: ")?.split_once(" out of ")?;
    rest.contains("have non-empty execution profile")
        .then(|| number.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::program;

    /// Writes programs that say which version they are.
    fn programs(place: &Path, versions: &[(&str, u32)]) -> Vec<PathBuf> {
        versions
            .iter()
            .map(|(name, version)| {
                let path = place.join(name);
                program(&path, &format!("echo 'Debian LLVM version {version}.1.8'"));
                path
            })
            .collect()
    }

    #[test]
    fn the_newest_is_taken_and_an_old_one_refused() {
        let place = tempfile::tempdir().unwrap();
        let told = |found: Result<Bolt, Error>| found.unwrap_err().to_string();
        assert!(told(Bolt::among(&[])).starts_with("there is no llvm-bolt: install bolt-21"));
        let old = programs(place.path(), &[("llvm-bolt-16", 16), ("llvm-bolt-19", 19)]);
        let refused = told(Bolt::among(&old));
        assert!(
            refused.contains(
                "llvm-bolt-19 is of LLVM 19, which cannot follow PHP's executor: install bolt-21 or later"
            ),
            "{refused}"
        );
        let new = programs(place.path(), &[("llvm-bolt-21", 21), ("llvm-bolt-22", 22)]);
        let all = [old, new].concat();
        assert!(told(Bolt::among(&all)).contains("merge-fdata-22, which comes with llvm-bolt"));
        programs(place.path(), &[("merge-fdata-22", 22)]);
        let found = Bolt::among(&all).unwrap();
        assert_eq!(
            (found.version, found.program),
            (22, place.path().join("llvm-bolt-22"))
        );
    }

    #[test]
    fn names_and_lines_are_told_apart() {
        assert!(is_named("llvm-bolt") && is_named("llvm-bolt-21"));
        assert!(!is_named("llvm-bolt-heatmap") && !is_named("llvm-boltdiff"));
        assert!(is_of(Path::new("/a/php.12.fdata"), Path::new("/a/php")));
        assert!(!is_of(Path::new("/a/php-fpm.12.fdata"), Path::new("/a/php")));
        let line =
            "BOLT-INFO: 849 out of 6814 functions in the binary (12.5%) have non-empty execution profile";
        assert_eq!(profiled(line), Some(849));
        assert_eq!(
            profiled("BOLT-INFO: ICF folded 13 out of 7066 functions in 3 passes"),
            None
        );
    }
}
