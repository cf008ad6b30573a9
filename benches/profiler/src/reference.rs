//! The reference for what is true: it stops the process, reads its stack while nothing can move, and lets it
//! run again, at random moments.
//!
//! It shares no code with phperf, and knows PHP 8.0 to 8.4 (NTS, x86-64) by a handful of offsets of its own.
//! It would be a bad profiler: it stops what it looks at. As a reference it is right.

use crate::{machine, random::Random, shares::Shares};
use anyhow::{Context, Result, bail, ensure};
use nix::{
    sys::{
        ptrace,
        signal::Signal,
        wait::{WaitPidFlag, WaitStatus, waitpid},
    },
    unistd::Pid,
};
use object::{Object, ObjectSymbol};
use php::Binary;
use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    thread,
    time::{Duration, Instant},
};

/// `offsetof(zend_executor_globals, current_execute_data)`.
const CURRENT: u64 = 488;
/// `offsetof(zend_execute_data, func)`.
const FUNC: u64 = 24;
/// `offsetof(zend_function, common.function_name)`.
const NAME: u64 = 8;
/// `offsetof(zend_function, common.scope)`.
const SCOPE: u64 = 16;
/// `offsetof(zend_class_entry, name)`.
const CLASS_NAME: u64 = 8;
/// `offsetof(zend_string, len)`.
const LENGTH: u64 = 16;
/// `offsetof(zend_string, val)`.
const VALUE: u64 = 24;
/// No name in the workloads is longer.
const NAME_MAX: u64 = 256;

/// A process that is looked at by stopping it.
#[derive(Debug)]
pub struct Reference {
    pid: Pid,
    memory: File,
    globals: u64,
    random: Random,
}

impl Reference {
    /// Of a process that runs `php`.
    pub fn attach(php: &Binary, pid: u32) -> Result<Self> {
        let known = ["8.0.", "8.1.", "8.2.", "8.3.", "8.4."];
        ensure!(
            !php.zts && !php.debug && known.iter().any(|version| php.version.starts_with(version)),
            "the reference knows PHP 8.0 to 8.4 without threads only, not {}",
            php.label()
        );
        let memory = File::open(format!("/proc/{pid}/mem")).context("cannot read the process")?;
        let globals = address_of_globals(pid)?;
        let process = Pid::from_raw(pid.cast_signed());
        ptrace::seize(process, ptrace::Options::empty()).context("cannot attach to the process")?;
        Ok(Self {
            pid: process,
            memory,
            globals,
            random: Random::new(u64::from(pid) ^ machine::run_time(pid).unwrap_or(0)),
        })
    }

    /// The innermost functions of stacks taken for so long, `hz` a second on average.
    pub fn leaves(&mut self, hz: u32, window: Duration) -> Result<Shares> {
        let start = Instant::now();
        let mut shares = Shares::default();
        while start.elapsed() < window {
            // Half a period to one and a half, so that no rhythm of the process is met again and again.
            let period = 1.0 / f64::from(hz);
            thread::sleep(Duration::from_secs_f64(period * (0.5 + self.random.unit())));
            if let Some(name) = self.leaf()? {
                shares.add(crate::stacks::plain_name(&name));
            }
        }
        Ok(shares)
    }

    /// The innermost function of now; none if no PHP code runs.
    fn leaf(&self) -> Result<Option<String>> {
        ptrace::interrupt(self.pid)?;
        loop {
            match waitpid(self.pid, Some(WaitPidFlag::__WALL))? {
                WaitStatus::PtraceEvent(..) => break,
                // A signal on its way to the process goes on; the stop that was asked for still comes.
                WaitStatus::Stopped(_, signal) => ptrace::cont(self.pid, Some(signal))?,
                other => bail!("the process ended: {other:?}"),
            }
        }
        let name = self.name_of_leaf();
        ptrace::cont(self.pid, None::<Signal>)?;
        name
    }

    fn name_of_leaf(&self) -> Result<Option<String>> {
        let frame = self.word(self.globals + CURRENT)?;
        if frame == 0 {
            return Ok(None);
        }
        let function = self.word(frame + FUNC)?;
        if function == 0 {
            return Ok(None);
        }
        let name = self.word(function + NAME)?;
        if name == 0 {
            return Ok(Some("<main>".into()));
        }
        let name = self.string(name)?;
        let class = self.word(function + SCOPE)?;
        if class == 0 {
            return Ok(Some(name));
        }
        let class = self.string(self.word(class + CLASS_NAME)?)?;
        Ok(Some(format!("{class}::{name}")))
    }

    fn word(&self, address: u64) -> Result<u64> {
        let mut bytes = [0; 8];
        self.memory
            .read_exact_at(&mut bytes, address)
            .with_context(|| format!("cannot read {address:#x}"))?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn string(&self, address: u64) -> Result<String> {
        let length = self.word(address + LENGTH)?;
        ensure!(length <= NAME_MAX, "no name is {length} bytes long");
        let mut bytes = vec![0; length as usize];
        self.memory.read_exact_at(&mut bytes, address + VALUE)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        // Only a stopped process can be left; one that is gone needs nothing.
        if ptrace::interrupt(self.pid).is_ok() && waitpid(self.pid, Some(WaitPidFlag::__WALL)).is_ok() {
            let _ = ptrace::detach(self.pid, None);
        }
    }
}

/// Where the executor's globals are in a process: the symbol's value, moved by where the binary was loaded.
fn address_of_globals(pid: u32) -> Result<u64> {
    let exe = fs::read(format!("/proc/{pid}/exe")).context("cannot read the binary")?;
    let file = object::File::parse(&*exe).context("the binary is not ELF")?;
    let symbol = file
        .dynamic_symbols()
        .find(|symbol| symbol.name() == Ok("executor_globals"))
        .context("the binary does not export executor_globals")?;
    if !matches!(file.kind(), object::ObjectKind::Dynamic) {
        return Ok(symbol.address());
    }
    let path = fs::read_link(format!("/proc/{pid}/exe"))?;
    let maps = fs::read_to_string(format!("/proc/{pid}/maps"))?;
    let base = maps
        .lines()
        .find(|line| line.ends_with(&*path.to_string_lossy()))
        .and_then(|line| u64::from_str_radix(line.split('-').next()?, 16).ok())
        .context("the binary is not mapped")?;
    Ok(base + symbol.address())
}

#[cfg(test)]
mod tests {
    use super::*;
    use php::{Launch, workload};

    #[test]
    fn only_functions_that_exist_are_seen() {
        let php = Binary::cli().unwrap();
        let script = Launch::new(&php, workload("framework.php")).ready().unwrap();
        let reference = Reference::attach(&php, script.pid()).unwrap();
        let known = [
            "<main>",
            // It may not be back from saying that it is ready.
            "Workload\\Budget::begin",
            "fwrite",
            "App\\Controller\\HelloController::index",
            "App\\Repository\\GreetingRepository::find",
            "Workload\\Budget::more",
            "json_encode",
            "ucfirst",
            "hrtime",
            "count",
        ];
        for _ in 0..50 {
            let leaf = reference.leaf().unwrap().unwrap();
            assert!(known.contains(&&*leaf), "{leaf}");
        }
    }
}
