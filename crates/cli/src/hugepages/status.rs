//! `phperf hugepages status`.

use super::{json, size};
use crate::{
    UsageError,
    args::{
        Shape,
        hugepages::{Status as Asked, Target},
    },
    interrupt::{self, Interrupted},
};
use anyhow::{Result, bail};
use remote::huge;
use std::{
    io::{self, BufWriter, Write},
    sync::atomic::Ordering,
};
use tune::status::{Attempt, FileStatus, Kernel, LargeFolios, ProcessStatus, Status, Way, quoted};

/// Cells of the bar that shows a share.
const BAR: u64 = 8;
/// Columns where standard output is no terminal.
const WIDTH: usize = 120;
/// Columns before the last one.
const BEFORE_COMMAND: usize = 112;

/// Looks, and prints what was found.
pub fn run(asked: &Asked) -> Result<u8> {
    let status = match &asked.target {
        None => Status::of_all()?,
        Some(Target::Process(_)) if asked.attempt => bail!(UsageError(
            "a process that runs is not started again: name its binary with --try".into()
        )),
        Some(Target::Process(pid)) => Status::of_process(*pid)?,
        Some(Target::File(path)) if asked.attempt => {
            // What was started is ended before phperf is.
            let stop = interrupt::flag("what was started may be left".into())?;
            let status = Status::of_attempt(path)?;
            if stop.load(Ordering::Relaxed) {
                bail!(Interrupted);
            }
            status
        }
        Some(Target::File(path)) => Status::of_file(path)?,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    match asked.format {
        Shape::Json => writeln!(out, "{:#}", json::status(&status))?,
        Shape::Text => {
            let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| width.0.into());
            print(&status, width, &mut out)?;
        }
    }
    out.flush()?;
    Ok(0)
}

fn print(status: &Status, width: usize, out: &mut dyn Write) -> io::Result<()> {
    if !status.processes.is_empty() {
        let header = ["TEXT ON HUGE PAGES", "BY", "OPCACHE'S MEMORY", "HEAP"];
        let [text, by, opcache, heap] = header;
        writeln!(
            out,
            "{:>8}  {text:<27}  {by:<16}  {opcache:<26}  {heap:<25}  COMMAND",
            "PID"
        )?;
    }
    for process in &status.processes {
        writeln!(out, "{}", row(process, width))?;
    }
    if status.unreadable > 0 {
        writeln!(
            out,
            "{} more that may be PHP could not be looked at: run as root",
            status.unreadable
        )?;
    }
    for file in &status.files {
        if !status.processes.is_empty() {
            writeln!(out)?;
        }
        print_file(file, out)?;
    }
    if let Some(attempt) = &status.attempt {
        print_attempt(attempt, out)?;
    }
    writeln!(out)?;
    print_kernel(&status.kernel, out)?;
    let advice = status.advice();
    writeln!(out)?;
    match advice.command {
        Some(command) => writeln!(out, "{}:\n  {command}", advice.sentence),
        None => writeln!(out, "{}", advice.sentence),
    }
}

fn row(process: &ProcessStatus, width: usize) -> String {
    let cells = (process.huge * BAR).checked_div(process.text).unwrap_or(0);
    let bar: String = (0..BAR)
        .map(|cell| if cell < cells { '█' } else { '░' })
        .collect();
    let at_most = if process.is_exact { "" } else { "≤ " };
    let text = format!("{bar} {at_most}{} of {}", size(process.huge), size(process.text));
    let command: String = process
        .title
        .chars()
        .take(width.saturating_sub(BEFORE_COMMAND).max(16))
        .collect();
    format!(
        "{:>8}  {text:<27}  {:<16}  {:<26}  {:<25}  {command}",
        process.pid,
        by(process),
        process
            .opcache
            .map_or_else(|| "none".into(), |memory| share(memory.huge, memory.size)),
        share(process.heap.huge, process.heap.resident),
    )
}

fn by(process: &ProcessStatus) -> String {
    let names: Vec<_> = process.ways.iter().map(|&way| name_of(way)).collect();
    match (names.as_slice(), process.is_switched_off) {
        ([], true) => "switched off".into(),
        ([], _) if process.copied > 0 => "copy, not huge".into(),
        ([], _) => "-".into(),
        (names, _) => names.join(", "),
    }
}

/// A way as a table names it.
pub fn name_of(way: Way) -> &'static str {
    match way {
        Way::PageCache => "page cache",
        Way::SharedMemory => "tmpfs",
        Way::Anonymous => "opcache's copy",
        Way::Hugetlb => "hugetlb",
    }
}

fn share(huge: u64, of: u64) -> String {
    format!("{} of {} huge", size(huge), size(of))
}

fn print_file(file: &FileStatus, out: &mut dyn Write) -> io::Result<()> {
    let gone = if file.deleted {
        ", replaced or deleted since"
    } else if file.is_elsewhere {
        ", in a container"
    } else {
        ""
    };
    writeln!(
        out,
        "{} ({} of code, on {}{gone})",
        quoted(&file.path),
        size(file.size()),
        file.place
            .kind
            .as_deref()
            .unwrap_or("a file system that is not seen from here"),
    )?;
    let mut line = |name: &str, text: String| writeln!(out, "  {name:<24}  {text}");
    line("segments", segments(file))?;
    line("page cache", page_cache(file))?;
    let (least, most) = file.by_opcache();
    let amount = if least == most {
        size(most)
    } else {
        format!("{} to {}, by where the loader puts it", size(least), size(most))
    };
    line("opcache.huge_code_pages", format!("would copy {amount}"))
}

fn print_attempt(attempt: &Attempt, out: &mut dyn Write) -> io::Result<()> {
    let process = &attempt.process;
    let [before, with] = attempt.pool.map(|pool| pool.free);
    writeln!(
        out,
        "  {:<24}  copied {}, {} of {} on huge pages in one start; free pages of the pool: {before} before, {with} with it",
        "",
        size(process.copied),
        size(process.huge),
        size(process.text)
    )
}

fn segments(file: &FileStatus) -> String {
    let plan = match &file.plan {
        Ok(plan) => plan,
        Err(why) => return format!("cannot be moved: {why}"),
    };
    let pages = (plan.huge.end - plan.huge.start) / huge::SIZE;
    let part = plan.on_huge_pages(&file.code);
    let how_much = if part == file.size() {
        "all of the code".into()
    } else {
        format!("{} of the code", size(part))
    };
    if file.is_laid_out() {
        format!(
            "aligned to {}: {how_much} fits on {pages} huge pages",
            size(file.alignment)
        )
    } else {
        format!(
            "aligned to {}; with other headers {how_much} fits on {pages} huge pages",
            size(file.alignment)
        )
    }
}

fn page_cache(file: &FileStatus) -> String {
    let support = match file.large_folios {
        LargeFolios::Yes => "the file system has huge pages".into(),
        LargeFolios::WithOption => "tmpfs would have huge pages with huge=within_size".into(),
        LargeFolios::Since(release) => {
            format!(
                "the file system has huge pages since Linux {}.{}",
                release.0, release.1
            )
        }
        LargeFolios::Unknown => "whether the file system has huge pages is not known".into(),
    };
    match file.cached {
        None => format!("not looked at, since none would fit; {support}"),
        Some(cached) if cached.resident == 0 => format!("empty; {support}"),
        Some(cached) => format!(
            "{} of {} in huge pages; {support}",
            size(cached.huge),
            size(cached.resident)
        ),
    }
}

fn print_kernel(kernel: &Kernel, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Linux {}", kernel.name)?;
    let mut line = |name: &str, text: String| writeln!(out, "  {name:<24}  {text}");
    let word = |choice: &Option<String>| choice.clone().unwrap_or_else(|| "not there".into());
    line(
        "transparent huge pages",
        format!(
            "{} (defrag {}, shared memory {})",
            word(&kernel.enabled),
            word(&kernel.defrag),
            word(&kernel.shared)
        ),
    )?;
    line(
        "PHP's heap",
        match kernel.enabled.as_deref() {
            Some("always") => "lies on huge pages by itself".into(),
            Some("madvise") => {
                "lies on them where PHP starts with USE_ZEND_ALLOC_HUGE_PAGES=1 in its environment".into()
            }
            _ => "cannot lie on them".into(),
        },
    )?;
    line(
        "files of other systems",
        match kernel.read_only_files {
            Some(true) => "can be gathered into huge pages (CONFIG_READ_ONLY_THP_FOR_FS)".into(),
            Some(false) => "cannot be gathered into huge pages (no CONFIG_READ_ONLY_THP_FOR_FS)".into(),
            None => "not known: the kernel's configuration is neither in /proc nor in /boot".into(),
        },
    )?;
    let pool = kernel.pool;
    line(
        "pool (vm.nr_hugepages)",
        format!(
            "{} pages, {} free, {} of them promised",
            pool.total, pool.free, pool.reserved
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use remote::huge::Cached;
    use tune::{
        layout::Refusal,
        status::{Heap, OpcacheMemory, Place},
    };

    fn worker(pid: u32, huge: u64, ways: Vec<Way>) -> ProcessStatus {
        ProcessStatus {
            pid,
            title: "php-fpm: pool www".into(),
            path: "/usr/sbin/php-fpm8.2".into(),
            deleted: false,
            text: 3 << 20,
            huge,
            is_exact: true,
            ways,
            copied: 0,
            file: (1, 2),
            code: 0..3 << 20,
            opcache: Some(OpcacheMemory {
                size: 128 << 20,
                resident: 9 << 20,
                huge: 0,
            }),
            heap: Heap {
                resident: 6 << 20,
                huge: 4 << 20,
            },
            is_switched_off: false,
        }
    }

    #[test]
    fn a_table_and_one_line_of_advice() {
        let mut status = Status {
            kernel: Kernel {
                name: "6.18.1".into(),
                enabled: Some("madvise".into()),
                defrag: Some("madvise".into()),
                shared: Some("never".into()),
                read_only_files: None,
                ..Kernel::default()
            },
            processes: vec![
                worker(42, 3 << 20, vec![Way::PageCache]),
                ProcessStatus {
                    is_exact: false,
                    ..worker(4343, 2 << 20, vec![Way::Anonymous])
                },
                worker(44, 0, Vec::new()),
            ],
            files: vec![FileStatus {
                path: "/usr/sbin/php-fpm8.2".into(),
                id: (1, 2),
                deleted: true,
                is_elsewhere: false,
                code: 0..3 << 20,
                executable: 0..3 << 20,
                alignment: 4096,
                plan: Err(Refusal::SeveralTexts(2)),
                cached: Some(Cached {
                    resident: 4 << 20,
                    huge: 0,
                }),
                place: Place {
                    kind: Some("ext4".into()),
                    options: Vec::new(),
                },
                large_folios: LargeFolios::Yes,
            }],
            unreadable: 1,
            attempt: None,
        };
        let mut out = Vec::new();
        print(&status, 129, &mut out).unwrap();
        let expected =
            "     PID  TEXT ON HUGE PAGES           BY                OPCACHE'S MEMORY            HEAP                       COMMAND
      42  ████████ 3.0 MB of 3.0 MB    page cache        0 of 128.0 MB huge          4.0 MB of 6.0 MB huge      php-fpm: pool www
    4343  █████░░░ ≤ 2.0 MB of 3.0 MB  opcache's copy    0 of 128.0 MB huge          4.0 MB of 6.0 MB huge      php-fpm: pool www
      44  ░░░░░░░░ 0 of 3.0 MB         -                 0 of 128.0 MB huge          4.0 MB of 6.0 MB huge      php-fpm: pool www
1 more that may be PHP could not be looked at: run as root

/usr/sbin/php-fpm8.2 (3.0 MB of code, on ext4, replaced or deleted since)
  segments                  cannot be moved: it has 2 segments with code, and only one can be moved
  page cache                0 of 4.0 MB in huge pages; the file system has huge pages
  opcache.huge_code_pages   would copy 0 to 2.0 MB, by where the loader puts it

Linux 6.18.1
  transparent huge pages    madvise (defrag madvise, shared memory never)
  PHP's heap                lies on them where PHP starts with USE_ZEND_ALLOC_HUGE_PAGES=1 in its environment
  files of other systems    not known: the kernel's configuration is neither in /proc nor in /boot
  pool (vm.nr_hugepages)    0 pages, 0 free, 0 of them promised

/usr/sbin/php-fpm8.2 was replaced or deleted since it was started: start it anew, and look again
";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        status.files[0].deleted = false;
        assert_eq!(
            status.advice().sentence,
            "/usr/sbin/php-fpm8.2 cannot be moved (it has 2 segments with code, and only one can be moved); \
             opcache.huge_code_pages=1 may copy a part of it"
        );
        assert_eq!(status.advice().command, None);
    }
}
