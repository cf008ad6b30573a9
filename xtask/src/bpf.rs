//! The kernel source's object: compiled from C by clang, committed, so that users need neither.

mod lines;
mod stack;

use anyhow::{Context, Result, bail, ensure};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const FOLDER: &str = "crates/sampler/bpf";
const SOURCE: &str = "sampler.bpf.c";

/// A machine, as files are named for it, and as the programs know it.
struct Machine {
    object: &'static str,
    define: &'static str,
}

const MACHINES: [Machine; 2] = [
    Machine {
        object: "sampler.x86_64.o",
        define: "-D__TARGET_ARCH_x86",
    },
    Machine {
        object: "sampler.aarch64.o",
        define: "-D__TARGET_ARCH_arm64",
    },
];

/// The chore: without an argument compiles, with `--check` compares.
pub fn main(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    match arguments.next().as_deref() {
        None => MACHINES.iter().try_for_each(compile),
        Some("--check") => MACHINES.iter().try_for_each(check),
        Some(other) => bail!("{other} is none of its arguments; there is: --check"),
    }
}

/// Compiles and puts the object where it is committed.
fn compile(machine: &Machine) -> Result<()> {
    let object = build(machine)?;
    let place = folder().join(machine.object);
    fs::write(&place, &object).with_context(|| format!("cannot write {}", place.display()))?;
    println!(
        "{}: {} bytes, {}",
        place.display(),
        object.len(),
        clang_version()?
    );
    Ok(())
}

/// Compares what is committed with what the source gives. Another clang gives other bytes, so that only the
/// version that the committed object names can tell; with another one this says so and compares nothing.
fn check(machine: &Machine) -> Result<()> {
    let name = machine.object;
    let place = folder().join(name);
    let committed = fs::read(&place).with_context(|| format!("cannot read {}", place.display()))?;
    let fresh = build(machine)?;
    let (theirs, ours) = (producer(&committed), producer(&fresh));
    if theirs != ours {
        println!("{name} was compiled by {theirs:?}, here is {ours:?}: not compared");
        return Ok(());
    }
    ensure!(
        committed == fresh,
        "{} is not what {SOURCE} gives: run `cargo xtask bpf`",
        place.display()
    );
    println!("{name} is current");
    Ok(())
}

fn folder() -> PathBuf {
    crate::root().join(FOLDER)
}

fn build(machine: &Machine) -> Result<Vec<u8>> {
    let out = std::env::temp_dir().join(format!("phperf-bpf-{}.o", std::process::id()));
    // asm/ lies in a folder that has the name of the machine on Debian.
    let include = format!("/usr/include/{}-linux-gnu", std::env::consts::ARCH);
    let version = clang_version()?;
    run(Command::new("clang")
        .current_dir(folder())
        .args([
            "-O2",
            "-g",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-target",
            "bpf",
            machine.define,
        ])
        .arg(format!("-DCOMPILER=\"{version}\""))
        // A folder that is not there: else the text of each line is copied into the object.
        .args([
            "-fdebug-compilation-dir=/none",
            "-I",
            &include,
            "-c",
            SOURCE,
            "-o",
        ])
        .arg(&out))?;
    strip(&out)?;
    let object = fs::read(&out)?;
    fs::remove_file(&out)?;
    stack::check(&object)?;
    Ok(object)
}

/// Leaves in an object what the kernel needs.
fn strip(object: &Path) -> Result<()> {
    let section = object.with_extension("BTF.ext");
    let argument = |option: &str| format!("{option}=.BTF.ext={}", section.display());
    run(Command::new("llvm-objcopy")
        .arg(argument("--dump-section"))
        .arg(object)
        .arg("/dev/null"))?;
    let kept = lines::leave_out(&fs::read(&section)?).context("cannot read the section .BTF.ext")?;
    fs::write(&section, kept)?;
    // BTF is what it is: its relocations are for linkers, and the labels of lines are for them.
    run(Command::new("llvm-objcopy")
        .arg(argument("--update-section"))
        .args([
            "--remove-section=.rel.BTF",
            "--remove-section=.rel.BTF.ext",
            "--remove-section=.llvm_addrsig",
        ])
        .arg(object))?;
    fs::remove_file(&section)?;
    // DWARF goes, BTF stays: the kernel verifies global functions one by one only if it has their types.
    run(Command::new("llvm-strip")
        .args(["-g", "--strip-unneeded"])
        .arg(object))
}

fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot run {command:?}: install clang, llvm and libbpf-dev"))?;
    if !status.success() {
        bail!("{command:?}: {status}");
    }
    Ok(())
}

fn clang_version() -> Result<String> {
    let output = Command::new("clang")
        .arg("--version")
        .output()
        .context("cannot run clang: install it")?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().next().unwrap_or_default().trim().to_owned())
}

/// The clang that made an object, from its section `compiler`.
fn producer(object: &[u8]) -> String {
    let mark = b"clang version ";
    let start = object.windows(mark.len()).position(|window| window == mark);
    // Debian's begins with its own name; from there to the NUL.
    let rest = start.map_or(&[][..], |start| &object[start..]);
    String::from_utf8_lossy(rest.split(|&byte| byte == 0).next().unwrap_or_default()).into_owned()
}
