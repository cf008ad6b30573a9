//! `cargo xtask layouts`: where things lie in the structs of a PHP, asked of its own headers.
//!
//! A compiler turns [`PROBE`] into assembly in which every wanted number stands on a line of its own. Nothing is
//! linked or run, so that a cross compiler serves as well as the machine's own.

mod neighbour;
mod rows;

use anyhow::{Context, bail, ensure};
use rows::{Evidence, Key, Row};
use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

const PROBE: &str = include_str!("layouts/probe.c");
const USAGE: &str = "usage: cargo xtask layouts [--check] [--headers DIR]… [--out FILE] [--cc COMPILER] [--zts]
                           [--neighbour]

Writes a row for each DIR, such as /usr/include/php/20220829 (without --headers: those of the installed
php-config's), and keeps the rows of other versions. --check writes nothing and fails if a row would change.
COMPILER may have arguments: --cc 'aarch64-linux-gnu-gcc'. --zts asks headers of a PHP without threads as if it
had them. --neighbour derives, from the headers of a version, the one before it whose headers nobody has (8.0 from 8.1).
Both are marked in the row.";

struct Arguments {
    check: bool,
    headers: Vec<PathBuf>,
    out: PathBuf,
    compiler: String,
    zts: bool,
    neighbour: bool,
}

impl Arguments {
    fn parse(mut arguments: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut parsed = Self {
            check: false,
            headers: Vec::new(),
            out: root.join("crates/zend/src/layout/rows.rs"),
            compiler: env::var("CC").unwrap_or_else(|_| "cc".into()),
            zts: false,
            neighbour: false,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || {
                arguments
                    .next()
                    .with_context(|| format!("{argument} wants a value\n{USAGE}"))
            };
            match argument.as_str() {
                "--check" => parsed.check = true,
                "--headers" => parsed.headers.push(value()?.into()),
                "--out" => parsed.out = value()?.into(),
                "--cc" => parsed.compiler = value()?,
                "--zts" => parsed.zts = true,
                "--neighbour" => parsed.neighbour = true,
                _ => bail!("{argument}? {USAGE}"),
            }
        }
        if parsed.headers.is_empty() {
            parsed.headers = installed();
            ensure!(
                !parsed.headers.is_empty(),
                "no PHP headers are installed: install php8.2-dev, or name their folder with --headers"
            );
        }
        Ok(parsed)
    }
}

/// The header folders of every `phpX-dev` that is installed.
fn installed() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir("/usr/include/php")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("Zend/zend_compile.h").exists())
        .collect();
    found.sort();
    found
}

/// Runs the chore.
pub fn main(arguments: impl Iterator<Item = String>) -> anyhow::Result<()> {
    let arguments = Arguments::parse(arguments)?;
    let before = fs::read_to_string(&arguments.out).unwrap_or_default();
    let mut rows = rows::parse(&before)?;
    let mut asked = Vec::new();
    for headers in &arguments.headers {
        let (key, row) = ask(headers, &arguments)?;
        asked.push(key.name());
        rows.insert(key, row);
    }
    let after = rows::render(&rows);
    if arguments.check {
        ensure!(
            before == after,
            "{} is not what these headers say ({}): run `cargo xtask layouts` and look at the difference",
            arguments.out.display(),
            asked.join(", ")
        );
        println!("layouts: {} as committed", asked.join(", "));
    } else {
        fs::write(&arguments.out, after)
            .with_context(|| format!("cannot write {}", arguments.out.display()))?;
        println!(
            "layouts: wrote {} to {}",
            asked.join(", "),
            arguments.out.display()
        );
    }
    Ok(())
}

/// Asks one folder of headers.
fn ask(headers: &Path, arguments: &Arguments) -> anyhow::Result<(Key, Row)> {
    // A PHP that is built with threads says so itself.
    let config = fs::read_to_string(headers.join("main/php_config.h")).unwrap_or_default();
    let asked = arguments.zts && !config.lines().any(|line| line.trim_end() == "#define ZTS 1");
    let folder = env::temp_dir().join(format!("phperf-layouts-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let source = folder.join("probe.c");
    fs::write(&source, PROBE)?;
    let mut words = arguments.compiler.split_whitespace();
    let output = Command::new(words.next().context("--cc names no compiler")?)
        .args(words)
        .args(["-S", "-O0", "-w", "-o", "-"])
        .args(["", "/main", "/Zend", "/TSRM"].map(|part| format!("-I{}{part}", headers.display())))
        .args(asked.then_some("-DZTS=1"))
        .arg(&source)
        .output();
    fs::remove_dir_all(&folder)?;
    let output = output.with_context(|| format!("cannot run {}", arguments.compiler))?;
    ensure!(
        output.status.success(),
        "{} does not accept the headers in {}:\n{}",
        arguments.compiler,
        headers.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    let mut numbers = numbers(&String::from_utf8(output.stdout)?)?;
    let mut evidence = if asked { Evidence::Asked } else { Evidence::Headers };
    if arguments.neighbour {
        neighbour::derive(&mut numbers)?;
        evidence = Evidence::Neighbour;
    }
    Row::new(numbers, evidence).with_context(|| format!("with the headers in {}", headers.display()))
}

/// The lines that the probe left in the assembly: `@phperf NAME NUMBER`.
fn numbers(assembly: &str) -> anyhow::Result<BTreeMap<String, u64>> {
    let mut numbers = BTreeMap::new();
    for line in assembly.lines() {
        let Some((_, rest)) = line.split_once("@phperf ") else {
            continue;
        };
        let mut words = rest.trim_end_matches('"').split_whitespace();
        let (Some(name), Some(number)) = (words.next(), words.next()) else {
            bail!("the compiler wrote {line:?}, which holds no name and number");
        };
        numbers.insert(name.to_owned(), number.parse().with_context(|| line.to_owned())?);
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_from_assembly_of_any_kind() {
        let found =
            numbers("main:\n\t.ascii \"@phperf op_size 32\"\n#APP\n.ascii \"@phperf zts 0\"\nret\n").unwrap();
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [("op_size".to_owned(), 32), ("zts".to_owned(), 0)]
        );
        assert!(numbers("@phperf half").is_err());
    }

    #[test]
    fn what_is_committed_is_what_the_installed_headers_say() {
        if installed().is_empty() {
            eprintln!("skipped: no PHP headers are installed");
            return;
        }
        main(["--check".to_owned()].into_iter()).unwrap();
    }
}
