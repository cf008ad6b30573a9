//! `phperf hugepages apply BINARY -o COPY`, and `warm`.

use super::{size, unit};
use crate::{
    FAILURE,
    args::hugepages::{Apply, Warm},
    interrupt::{self, Interrupted},
};
use anyhow::{Result, bail};
use remote::huge;
use std::path::Path;
use tune::{
    copy::{self, Copied, Prepared, Wanted},
    layout::Reach,
    status::{LargeFolios, quoted},
};

/// Makes a copy; says before what it will be, and afterwards what became of it.
pub fn run(asked: &Apply, binary: &Path, to: &Path) -> Result<u8> {
    unit::can_be_written(asked)?;
    let prepared = prepare(asked, binary, to)?;
    announce(asked, binary, to, &prepared);
    if asked.dry_run {
        println!("nothing was written (--dry-run)");
        return Ok(0);
    }
    let code = make(prepared, to)?;
    if asked.unit.is_some() {
        unit::write(asked, &unit::on_disk(to)?)?;
    } else if code == 0 {
        println!(
            "after a reboot, before PHP starts: phperf hugepages warm {} (--unit writes a service that does)",
            quoted(to)
        );
    }
    Ok(code)
}

/// Plans it; nothing is written.
pub fn prepare(asked: &Apply, binary: &Path, to: &Path) -> Result<Prepared> {
    Ok(Prepared::new(Wanted {
        from: binary.into(),
        to: to.into(),
        reach: if asked.narrow {
            Reach::Pages
        } else {
            Reach::Segments
        },
        replace: asked.force,
    })?)
}

/// Says what it will be.
pub fn announce(asked: &Apply, binary: &Path, to: &Path, prepared: &Prepared) {
    let (part, whole) = prepared.text();
    let pages = (prepared.plan.huge.end - prepared.plan.huge.start) / huge::SIZE;
    println!("{} -> {}", binary.display(), to.display());
    println!(
        "  code        {} of {} fits on {pages} huge pages",
        size(part),
        size(whole)
    );
    println!(
        "  headers     {}",
        if prepared.plan.is_as_before {
            "as they are".into()
        } else {
            format!("one segment of {}, aligned to 2.0 MB", {
                let executable = &prepared.plan.executable;
                size(executable.end - executable.start)
            })
        }
    );
    let more = prepared.plan.newly_executable;
    if more > 0 {
        let other = if asked.narrow {
            "this is the least; opcache.huge_code_pages=1 needs none, and reaches less of the code"
        } else {
            "--narrow makes less so"
        };
        println!(
            "  executable  {} of constants and tables that were only read before ({other})",
            size(more)
        );
    }
    println!("  size        {}", size(prepared.size()));
}

/// Writes it; the exit code.
pub fn make(prepared: Prepared, to: &Path) -> Result<u8> {
    let wanted = prepared.plan.huge.end - prepared.plan.huge.start;
    let kept = format!("a file .phperf-* may be left beside {}", to.display());
    let stop = interrupt::flag(kept)?;
    match prepared.make(&stop) {
        Err(tune::Error::Interrupted) => bail!(Interrupted),
        made => Ok(tell(to, &made?, wanted)),
    }
}

fn tell(to: &Path, copied: &Copied, wanted: u64) -> u8 {
    if copied.checks.is_empty() {
        println!("  checked     no: a library is not started by itself");
    } else {
        println!("  checked     {}: the same answers", copied.checks.join(", "));
    }
    for lost in &copied.lost {
        println!("  not kept    {lost}");
    }
    let kind = copied.place.kind.as_deref().unwrap_or("this file system");
    let copy = quoted(to);
    match copied.cached {
        Some(cached) if cached.huge == wanted => {
            println!("  page cache  {} in huge pages ({kind})", size(wanted));
            println!("start {copy} in place of the original: its code lies on huge pages");
            0
        }
        cached => {
            let huge = cached.map_or_else(|| "nothing".into(), |cached| size(cached.huge));
            println!("  page cache  {huge} of {} in huge pages ({kind})", size(wanted));
            let why = match copied.large_folios {
                LargeFolios::Since(release) => {
                    format!("{kind} has huge pages since Linux {}.{}", release.0, release.1)
                }
                LargeFolios::WithOption => "this tmpfs is mounted without huge=within_size".into(),
                LargeFolios::Unknown => format!("{kind} is not known to have huge pages"),
                LargeFolios::Yes => "memory is too fragmented, or transparent huge pages are off".into(),
            };
            eprintln!(
                "phperf: the copy is whole, but its code does not lie on huge pages: {why}; `phperf hugepages status \
                 {copy}` names what helps"
            );
            FAILURE
        }
    }
}

/// Reads a copy into huge pages again.
pub fn warm(asked: &Warm) -> Result<u8> {
    let (cached, wanted) = copy::warm(&asked.binary)?;
    println!(
        "{}: {} of {} in huge pages of the page cache",
        asked.binary.display(),
        size(cached.huge),
        size(wanted)
    );
    if cached.huge == wanted {
        return Ok(0);
    }
    eprintln!(
        "phperf: what a process runs keeps its small pages, and not every file system has others: end what runs {0}, \
         then try again; `phperf hugepages status {0}` tells more",
        quoted(&asked.binary)
    );
    Ok(FAILURE)
}
