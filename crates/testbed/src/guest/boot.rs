//! Booting.

use super::{Files, Kernel};
use crate::Error;
use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

/// Far more than any of them needs: 86 s of a processor on a busy machine.
const ENDS_WITHIN: Duration = Duration::from_secs(1800);

/// What a kernel is told. An emulated timer is late where this machine is busy: Linux is not to check it at its start, and end.
const TOLD: &str = "console=ttyS0 quiet rdinit=/init panic=-1 no_timer_check";

/// How much of what a kernel said an error repeats, in lines.
const REPEATED: usize = 30;

/// The last of what a job prints that went well.
const ENDED: &str = "the job ended with 0\n";

/// Mounts what programs look for, runs the job, and ends. What the job prints goes to the second serial line: the kernel
/// writes to the first as it likes, and what waits there to be sent is lost at the end. Whoever closes a line waits for that.
const INIT: &str = "\
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/ LANG=C
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
{ /job </dev/null; echo the job ended with $?; } >/dev/ttyS1
echo b >/proc/sysrq-trigger
";

/// Boots the kernel with these files, and runs `job`, a shell script, as root. What it printed, when it has ended.
///
/// The machine has two processors that are emulated, so that it is the same everywhere: slow, and not in need of
/// anything that this machine would have to permit. They take turns in one thread: as two threads, QEMU 7.2 let Linux 6.12 meet
/// breakpoints that it had taken out of its code again, and lists that were not whole, of which it died. Its clock is this machine's: one that counts instructions (`-icount`)
/// would not see how busy that is, but with it Linux 5.10 never gets past the start of the second processor.
pub fn boot(kernel: &Kernel, files: &Files, job: &str) -> Result<String, Error> {
    files.script(Path::new("/init"), INIT)?;
    files.script(Path::new("/job"), job)?;
    let folder = tempfile::tempdir().map_err(Error::io("make a folder for a machine"))?;
    let (archive, printed) = (folder.path().join("files"), folder.path().join("printed"));
    files.pack(&archive)?;
    let mut command = Command::new("qemu-system-x86_64");
    command
        .args(["-accel", "tcg,thread=single"])
        .args(["-cpu", "max", "-smp", "2", "-m", "1G"])
        .args(["-nodefaults", "-display", "none", "-no-reboot"])
        .args(["-append", TOLD])
        .arg("-kernel")
        .arg(kernel.image())
        .arg("-initrd")
        .arg(&archive)
        .args(["-serial", "stdio", "-serial"])
        .arg(format!("file:{}", printed.display()));
    let said = run(&mut command)?;
    let printed = fs::read(&printed).map_err(Error::io("read what a machine printed"))?;
    let printed = String::from_utf8_lossy(&printed).replace('\r', "");
    let Some(printed) = printed.strip_suffix(ENDED) else {
        let lines: Vec<&str> = said.lines().chain(printed.lines().next_back()).collect();
        return Err(Error::Failed {
            command: format!("the job under Linux {}", kernel.version()),
            said: lines[lines.len().saturating_sub(REPEATED)..].join(" / "),
        });
    };
    Ok(printed.to_owned())
}

/// What it printed until it ended. It is killed if it does not end.
fn run(command: &mut Command) -> Result<String, Error> {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(Error::io("start qemu-system-x86_64"))?;
    let mut machine = Machine(child);
    let output = machine.0.stdout.take().expect("standard output is piped");
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let _ = sender.send(std::io::read_to_string(output));
    });
    receiver
        .recv_timeout(ENDS_WITHIN)
        .map_err(|_| Error::Failed {
            command: "qemu-system-x86_64".into(),
            said: format!("nothing that would end it within {ENDS_WITHIN:?}"),
        })?
        .map_err(Error::io("read what a kernel said"))
}

/// A machine that is switched off when this is dropped.
struct Machine(Child);

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
