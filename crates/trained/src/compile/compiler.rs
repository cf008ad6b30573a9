//! The compiler, and how it counts and uses what was counted.

use super::Level;
use crate::{
    Coverage, Error,
    counters::{ClangCounters, Counters, GCDA, GccCounters, PROFRAW, clang_writes_to},
    depends, run,
};
use std::{env, fmt::Write as _, path::Path, process::Command};

/// Whose profiles they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Gcc,
    Clang,
}

/// The compiler, and the tool that reads its counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compiler {
    kind: Kind,
    /// What it says of itself.
    version: String,
    /// The name of its gcov, or of its llvm-profdata.
    reader: String,
    /// Its name, where the user gave it: configure is told.
    asked: Option<String>,
    /// More of its options for code that is compiled after a profile.
    more: &'static str,
    /// More of them for PHP's executor.
    executors: &'static str,
}

/// What never ran is compiled as without a profile. Else GCC makes it small and puts it far away, handlers of PHP's executor
/// among them: loops with floating point numbers, which no page has, took a fifth more. GCC 10 and later.
const UNTRAINED_AS_EVER: &str = " -fprofile-partial-training";

impl Compiler {
    /// The one that is asked for, or that configure takes: `$CC`, or gcc. All that is not there of it and of `tools` is
    /// named at once.
    pub fn find(asked: Option<&str>, tools: &[&str]) -> Result<Self, Error> {
        let name = match asked {
            Some(name) => name.to_owned(),
            None => env::var("CC").unwrap_or_else(|_| "gcc".into()),
        };
        depends::programs(&[&[name.as_str(), "make"], tools].concat())?;
        let said = run::output(Command::new(&name).arg("--version"))?;
        let version = said.lines().next().unwrap_or_default().to_owned();
        let kind = if version.contains("clang version") {
            Kind::Clang
        } else if name.contains("gcc") {
            Kind::Gcc
        } else {
            return Err(Error::Asked(format!(
                "{name} is neither GCC nor Clang, whose profiles phperf knows: name one with --cc gcc"
            )));
        };
        let reader = match kind {
            Kind::Gcc => name.replacen("gcc", "gcov", 1),
            Kind::Clang => profdata(&name, &version)?,
        };
        match kind {
            Kind::Gcc => run::output(Command::new(&reader).arg("--version")).map(drop)?,
            Kind::Clang => runtime(&name, &version)?,
        }
        let known = |options: &'static str| match kind {
            Kind::Gcc if takes(&name, options) => options,
            _ => "",
        };
        let (more, executors) = (known(UNTRAINED_AS_EVER), known(HANDLERS_IN_PLACE));
        Ok(Self {
            kind,
            version,
            reader,
            asked: asked.map(str::to_owned),
            more,
            executors,
        })
    }

    /// What another compiler has otherwise.
    pub fn key(&self) -> (&str, &str) {
        (&self.version, &self.reader)
    }

    /// What configure is told of it: nothing, where it finds it itself.
    pub fn option(&self) -> Option<String> {
        self.asked.as_ref().map(|name| format!("CC={name}"))
    }

    /// Where configure keeps its answers, which are those of one compiler.
    pub fn cache(&self) -> String {
        match &self.asked {
            None => "config.cache".into(),
            Some(name) => format!(
                "config-{}.cache",
                name.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
            ),
        }
    }

    /// What the build with counters in `built` is compiled with. GCC's notes let gcov name the functions.
    pub fn counting(&self, built: &Path, zts: bool) -> String {
        let mut flags = match self.kind {
            Kind::Gcc => "-fprofile-generate -ftest-coverage".to_owned(),
            Kind::Clang => format!(
                "-fprofile-instr-generate={}/%m.{PROFRAW}",
                clang_writes_to(built).display()
            ),
        };
        if zts {
            flags += match self.kind {
                Kind::Gcc => " -fprofile-update=prefer-atomic",
                Kind::Clang => " -fprofile-update=atomic",
            };
        }
        flags
    }

    /// What is compiled after the counters in `profile`. A profile of other code is an error; code that never ran has none.
    pub fn optimising(&self, profile: &Path, level: Level, jobs: usize) -> String {
        let mut flags = match self.kind {
            Kind::Gcc => {
                "-fprofile-use -fprofile-correction -Werror=coverage-mismatch -Wmissing-profile".to_owned()
            }
            Kind::Clang => format!(
                "-fprofile-instr-use={}/{MERGED} -Werror=profile-instr-out-of-date -Wno-profile-instr-unprofiled",
                profile.display()
            ),
        };
        flags += self.more;
        if level.lto {
            let _ = match self.kind {
                Kind::Gcc => write!(flags, " -flto={jobs}"),
                Kind::Clang => write!(flags, " -flto=thin"),
            };
        }
        flags
    }

    /// What the programs of a build count.
    pub fn counters<'a>(&'a self, built: &'a Path) -> Box<dyn Counters + 'a> {
        match self.kind {
            Kind::Gcc => Box::new(GccCounters {
                built,
                gcov: &self.reader,
            }),
            Kind::Clang => Box::new(ClangCounters {
                built,
                profdata: &self.reader,
            }),
        }
    }

    /// How the names of the files of a profile end.
    pub fn ending(&self) -> &'static str {
        match self.kind {
            Kind::Gcc => GCDA,
            Kind::Clang => PROFDATA,
        }
    }

    /// How many files of counters there are where so much was counted.
    pub fn files(&self, coverage: Coverage) -> usize {
        match self.kind {
            Kind::Gcc => coverage.units,
            Kind::Clang => 1,
        }
    }

    /// Whether it looks for counters beside the object that it makes.
    pub fn looks_beside(&self) -> bool {
        self.kind == Kind::Gcc
    }

    /// What PHP's executor is compiled with besides.
    pub fn for_executor(&self) -> String {
        format!("{ON_A_LINE}{}", self.executors)
    }

    /// The objects of PHP's executor. They keep global variables in registers: GCC compiles them alone only, not with all
    /// others when it links.
    pub fn executor(&self) -> &'static [&'static str] {
        match self.kind {
            Kind::Gcc => &["Zend/zend_execute", "ext/opcache/jit/zend_jit_vm_helpers"],
            Kind::Clang => &[],
        }
    }
}

/// Functions of the executor begin with a line of the processor's cache, wherever the linker puts them: what lies in one line
/// is not left to what else there is. Calls of PHP's functions took 7 % more otherwise, with one linking and not with the next.
const ON_A_LINE: &str = " -falign-functions=64";

/// Handlers that ran often become part of the executor: PHP's sources choose some of them for that, as every PHP has to run
/// them, and GCC leaves a call to all others, since they are long. Those that never ran are called as ever.
const HANDLERS_IN_PLACE: &str = " --param=max-inline-insns-auto=500 --param=large-function-growth=1000";

/// Whether a compiler knows options.
fn takes(name: &str, options: &str) -> bool {
    let mut command = Command::new(name);
    command.args(options.split_whitespace());
    run::output(command.args(["-fsyntax-only", "-x", "c", "/dev/null"])).is_ok()
}

/// How the name of a merged profile of Clang ends.
const PROFDATA: &str = "profdata";
/// The merged profile of Clang.
const MERGED: &str = "counters/merged.profdata";

/// Of `Debian clang version 14.0.6`.
fn major(version: &str) -> String {
    let number = version.split_once("clang version ").map(|(_, number)| number);
    let digits = number.unwrap_or_default().chars();
    digits.take_while(char::is_ascii_digit).collect()
}

/// The llvm-profdata of a Clang: files of another version's cannot be read.
fn profdata(name: &str, version: &str) -> Result<String, Error> {
    let major = major(version);
    let known = [
        name.replacen("clang", "llvm-profdata", 1),
        format!("llvm-profdata-{major}"),
        format!("/usr/lib/llvm-{major}/bin/llvm-profdata"),
    ];
    let is_its = |name: &&String| {
        depends::is_there(name)
            && run::output(Command::new(name).args(["merge", "--version"]))
                .is_ok_and(|said| said.contains(&format!("version {major}.")))
    };
    known
        .iter()
        .find(is_its)
        .cloned()
        .ok_or_else(|| Error::NoProgram {
            program: format!("llvm-profdata of {name} {major}"),
            package: format!("llvm-{major}"),
        })
}

/// Whether the library is there that writes a Clang's counters: Debian's Clang comes without. Clang tells where it would
/// link it from.
fn runtime(name: &str, version: &str) -> Result<(), Error> {
    let mut command = Command::new(name);
    command.args(["-###", "-fprofile-instr-generate", "-x", "c", "/dev/null"]);
    let said = command
        .output()
        .map_err(|error| run::not_started(&command, error))?;
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    let library = said.split('"').find(|word| word.contains("clang_rt.profile"));
    match library {
        Some(library) if !Path::new(library).is_file() => Err(Error::NoProgram {
            program: library.to_owned(),
            package: format!("libclang-rt-{}-dev", major(version)),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::program;
    use std::fs;

    #[test]
    fn gcc_is_told_from_clang_and_from_others() {
        let gcc = Compiler::find(None, &[]).unwrap();
        assert!(gcc.looks_beside() && gcc.option().is_none());
        let flags = gcc.optimising(Path::new("profile"), Level::default(), 1);
        assert!(flags.ends_with(UNTRAINED_AS_EVER), "{flags}");
        assert_eq!(gcc.for_executor(), format!("{ON_A_LINE}{HANDLERS_IN_PLACE}"));
        assert!(takes("gcc", "-fprofile-use") && !takes("gcc", "-fprofile-of-tomorrow"));
        let error = Compiler::find(Some("sh"), &[]).unwrap_err().to_string();
        assert!(error.contains("sh"), "{error}");
        let error = Compiler::find(Some("clang-of-tomorrow"), &["nothing"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no clang-of-tomorrow, nothing: run apt-get install clang-of-tomorrow nothing, then try again"
        );
    }

    /// A Clang that says where its library would be, and has no tools beside it.
    #[test]
    fn what_a_clang_lacks_is_named() {
        let place = tempfile::tempdir().unwrap();
        let clang = place.path().join("clang");
        let library = place.path().join("libclang_rt.profile.a");
        let text = format!(
            "echo 'Debian clang version 97.1.2'; echo ' \"ld\" \"{}\"' >&2",
            library.display()
        );
        let named = |name: &str, text: &str| program(&place.path().join(name), text);
        named("clang", &text);
        let asked = clang.to_str().unwrap();
        let told = || Compiler::find(Some(asked), &[]).unwrap_err().to_string();
        assert!(
            told().contains("97: run apt-get install llvm-97, then try again"),
            "{}",
            told()
        );
        named("llvm-profdata", "echo 'LLVM version 97.1.2'");
        assert_eq!(
            told(),
            format!(
                "there is no {}: run apt-get install libclang-rt-97-dev, then try again",
                library.display()
            )
        );
        fs::write(&library, "").unwrap();
        let found = Compiler::find(Some(asked), &[]).unwrap();
        assert!(!found.looks_beside());
        assert_eq!(found.option(), Some(format!("CC={asked}")));
        assert!(found.cache().ends_with("-clang.cache"), "{}", found.cache());
    }
}
