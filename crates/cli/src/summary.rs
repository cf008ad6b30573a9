//! The account of a recording: for people, and as JSON.

use profile::{Account, Tally, TargetAccount};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Targets that get a line of their own; more are summed up.
const LINES: usize = 20;

/// Prints the account to standard error.
pub fn print(account: &Account, rate: u32) {
    eprint!("{}", text(account, rate, LINES));
}

/// The same, without lines for single targets.
pub fn print_total(account: &Account, rate: u32) {
    eprint!("{}", text(account, rate, 0));
}

fn text(account: &Account, rate: u32, most_lines: usize) -> String {
    let total = account.total();
    let seconds = account.duration.as_secs_f64();
    let mut lines = vec![format!(
        "{} samples of {} due in {seconds:.1} s at {rate} Hz ({}), from the {} source",
        total.taken(),
        total.due,
        percent(total.taken(), total.due),
        account.source,
    )];
    lines.extend(
        account
            .why_not_kernel
            .iter()
            .map(|why| format!("  not the kernel source: {why}")),
    );
    lines.extend(account.notes.iter().map(|note| format!("  {note}")));
    lines.push(format!("  {}", counts(&total)));
    if account.targets.len() > 1 && most_lines > 0 {
        lines.extend(
            account
                .targets
                .iter()
                .take(most_lines)
                .map(|target| format!("  {}", line(target))),
        );
        let more = account.targets.len().saturating_sub(most_lines);
        if more > 0 {
            lines.push(format!("  and {more} more processes (--summary-json has all)"));
        }
    }
    let own = account.own_cpu.as_secs_f64();
    // To start takes some, which in a moment is more than a core.
    let share = if seconds < 1.0 {
        String::new()
    } else {
        format!(" ({:.2} % of a core)", own / seconds * 100.0)
    };
    let kernel = account.kernel_cpu.map_or_else(String::new, |kernel| {
        format!(", in the kernel's programs {:.3} s", kernel.as_secs_f64())
    });
    lines.push(format!("  own CPU {own:.2} s{share}{kernel}"));
    lines.join("\n") + "\n"
}

fn counts(tally: &Tally) -> String {
    format!(
        "on CPU {} · waiting {} (blocked {}, runnable {}) · idle {} · missed {} · lost {} · unreadable {} · cut {} · read twice {} · told by the next {}",
        tally.on_cpu,
        tally.waiting(),
        tally.blocked,
        tally.runnable,
        tally.idle,
        tally.missed,
        tally.lost,
        tally.unreadable,
        tally.cut,
        tally.retried,
        tally.carried,
    )
}

fn line(target: &TargetAccount) -> String {
    let tally = &target.tally;
    format!(
        "{:>7}{} {} {}{}: {} of {} · on CPU {} · blocked {} · runnable {} · idle {} · missed {} · lost {} · unreadable {}",
        target.pid,
        if target.tid == target.pid {
            String::new()
        } else {
            format!("/{}", target.tid)
        },
        target.php,
        target.name,
        if target.ended { " (ended)" } else { "" },
        tally.taken(),
        tally.due,
        tally.on_cpu,
        tally.blocked,
        tally.runnable,
        tally.idle,
        tally.missed,
        tally.lost,
        tally.unreadable,
    )
}

fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        "none was due".into()
    } else {
        format!("{:.1} %", part as f64 / whole as f64 * 100.0)
    }
}

/// Why there is not one sample, of a command or of what else runs.
pub fn why_empty(account: &Account, is_command: bool) -> String {
    let total = account.total();
    if is_command && account.targets.is_empty() {
        "no samples: the command ran no PHP".into()
    } else if is_command && total.idle > 0 {
        format!(
            "no samples: no PHP code ran at a tick ({} ticks while PHP started and ended); raise the rate with -H",
            total.idle
        )
    } else if account.targets.is_empty() {
        "no samples: no PHP process came; check the pool's name or the pattern, or send a request".into()
    } else if total.idle > 0 {
        format!(
            "no samples: no PHP code ran ({} idle ticks); send requests while recording",
            total.idle
        )
    } else if total.lost + total.unreadable > 0 {
        format!(
            "no samples: {} were lost and {} could not be read; lower the rate with -H, or try --source reader",
            total.lost, total.unreadable
        )
    } else if total.due > 0 {
        "no samples: nobody looked in time; the machine is short of CPUs, or try --source reader".into()
    } else {
        "no samples: it was over before the first tick; record longer, or raise the rate with -H".into()
    }
}

/// Writes the account as JSON.
pub fn write_json(account: &Account, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:#}", json(account))
}

fn json(account: &Account) -> Value {
    let targets: Vec<Value> = account
        .targets
        .iter()
        .map(|target| {
            json!({
                "pid": target.pid, "tid": target.tid, "name": target.name, "php": target.php, "ended": target.ended,
                "tally": tally(&target.tally),
            })
        })
        .collect();
    json!({
        "source": account.source.to_string(),
        "why_not_kernel": account.why_not_kernel,
        "notes": account.notes,
        "period_ns": account.period.as_nanos() as u64,
        "duration_ns": account.duration.as_nanos() as u64,
        "own_cpu_ns": account.own_cpu.as_nanos() as u64,
        "kernel_cpu_ns": account.kernel_cpu.map(|time| time.as_nanos() as u64),
        "total": tally(&account.total()),
        "targets": targets,
    })
}

fn tally(tally: &Tally) -> Value {
    json!({
        "due": tally.due, "taken": tally.taken(), "on_cpu": tally.on_cpu, "runnable": tally.runnable,
        "blocked": tally.blocked, "idle": tally.idle, "missed": tally.missed, "lost": tally.lost,
        "unreadable": tally.unreadable, "cut": tally.cut, "retried": tally.retried,
        "carried": tally.carried,
    })
}
