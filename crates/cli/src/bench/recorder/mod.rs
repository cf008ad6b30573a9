//! Records the subjects that the executor `profile` runs: a flame graph of each, and where its time went.

mod files;
mod session;
mod subject;

use bench::{Profiler, output::shown};
use export::{Format, Recording, Report};
use files::Folder;
use profile::{Account, State};
use session::{RATE, Session};
use std::{
    io::{self, Write},
    path::Path,
    time::{Duration, SystemTime},
};
use subject::Samples;

/// Functions of each subject in the terminal.
const ROWS: usize = 10;
/// Columns where there is no terminal.
const WIDTH: usize = 100;

/// Records one variant after another.
pub struct Recorder {
    folder: Folder,
    now: Option<Session>,
    /// Of the variant that is being measured.
    so_far: SoFar,
    done: Vec<Done>,
}

/// What is recorded of a variant, over its iterations.
#[derive(Default)]
struct SoFar {
    samples: Samples,
    account: Option<Account>,
    took: Duration,
}

/// A variant that was recorded.
struct Done {
    name: String,
    files: Vec<String>,
    report: Report,
    took: Duration,
    taken: u64,
    left_out: u64,
    notes: Vec<String>,
}

impl Recorder {
    /// Writes to `folder`, in each of `formats`.
    pub fn new(folder: &Path, formats: &[Format]) -> Self {
        Self {
            folder: Folder::new(folder, formats),
            now: None,
            so_far: SoFar::default(),
            done: Vec::new(),
        }
    }

    /// Where the time of each subject went.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| width.0.into());
        for done in &self.done {
            writeln!(
                out,
                "\n{}, {:.1} s at {RATE} Hz",
                shown(&done.name),
                done.took.as_secs_f64()
            )?;
            done.files
                .iter()
                .try_for_each(|file| writeln!(out, "wrote {file}"))?;
            if done.taken == 0 {
                writeln!(
                    out,
                    "no stacks: it was over before the first one was due; name more revolutions (--revs)"
                )?;
            } else {
                done.report.write_text(width, Some(ROWS), out)?;
            }
            writeln!(
                out,
                "left out, since the subject did not run: {} samples",
                done.left_out
            )?;
            for note in &done.notes {
                writeln!(out, "note: {note}")?;
            }
        }
        Ok(())
    }
}

impl Profiler for Recorder {
    fn begin(&mut self, name: &str, pid: u32) -> Result<(), String> {
        self.folder.make().map_err(|error| format!("{error:#}"))?;
        let method = name.split(" # ").next().unwrap_or_default();
        let method = method.rsplit("::").next().unwrap_or_default();
        let samples = std::mem::take(&mut self.so_far.samples);
        self.now = Some(Session::start(pid, method, self.so_far.took, samples)?);
        Ok(())
    }

    fn end(&mut self) -> Result<(), String> {
        let Some(session) = self.now.take() else {
            return Err("what was not begun cannot end".into());
        };
        let (account, took, samples) = session.end()?;
        self.so_far.samples = samples;
        self.so_far.took += took;
        match &mut self.so_far.account {
            None => self.so_far.account = Some(account),
            Some(whole) => {
                whole.targets.extend(account.targets);
                whole.own_cpu += account.own_cpu;
                for note in account.notes {
                    if !whole.notes.contains(&note) {
                        whole.notes.push(note);
                    }
                }
            }
        }
        Ok(())
    }

    fn keep(&mut self, name: &str) -> Result<(), String> {
        let SoFar {
            samples,
            account,
            took,
        } = std::mem::take(&mut self.so_far);
        let Some(mut account) = account else {
            return Err("its executor says nowhere that the measured loop begins".into());
        };
        account.duration = took;
        let mut notes = samples.warnings.clone();
        notes.extend(
            account
                .why_not_kernel
                .iter()
                .map(|why| format!("not the kernel source: {why}")),
        );
        notes.extend(account.notes.iter().cloned());
        leave_out(&mut account, &samples);
        let recording = Recording::new(name.to_owned(), SystemTime::now() - took, &account);
        let cannot = |error: anyhow::Error| format!("{error:#}");
        let files = self.folder.write(name, &samples, &recording).map_err(cannot)?;
        self.done.push(Done {
            name: name.to_owned(),
            files,
            report: files::report(&samples, &recording).map_err(cannot)?,
            took,
            taken: samples.taken.iter().map(|sample| u64::from(sample.weight)).sum(),
            left_out: samples.left_out.values().sum(),
            notes,
        });
        Ok(())
    }

    fn discard(&mut self) {
        if let Some(session) = self.now.take() {
            let _ = session.end();
        }
        self.so_far = SoFar::default();
    }
}

/// Takes what is not the subject's out of the account, too.
fn leave_out(account: &mut Account, samples: &Samples) {
    let left = |state| samples.left_out.get(&state).copied().unwrap_or(0);
    let mut to_go = [State::OnCpu, State::Runnable, State::Blocked].map(left);
    for target in &mut account.targets {
        let tally = &mut target.tally;
        let counts = [&mut tally.on_cpu, &mut tally.runnable, &mut tally.blocked];
        for (count, to_go) in counts.into_iter().zip(&mut to_go) {
            let taken = (*count).min(*to_go);
            *count -= taken;
            *to_go -= taken;
            tally.due = tally.due.saturating_sub(taken);
        }
    }
    let sum: u64 = samples.left_out.values().sum();
    if sum > 0 {
        account
            .notes
            .push(format!("{sum} samples outside of the subject are left out"));
    }
}
