//! A copy of a PHP whose text fits on huge pages. The original, and whatever runs, is left as it is.

mod attributes;
mod check;
mod write;

use crate::{
    Error,
    layout::{Plan, Reach, rewrite},
    status::{Kernel, LargeFolios, Place, open_file, parse_php},
};
use remote::huge::{self, Cached};
use std::{
    fs::File,
    io::Read,
    ops::Range,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

/// No PHP is larger.
const LARGEST: u64 = 1 << 30;

/// What to copy, and where to.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The original.
    pub from: PathBuf,
    /// The copy.
    pub to: PathBuf,
    /// How much may become executable.
    pub reach: Reach,
    /// Whether a file that is there may be replaced.
    pub replace: bool,
}

/// A copy that is planned, and not yet made.
#[derive(Debug)]
pub struct Prepared {
    wanted: Wanted,
    source: File,
    bytes: Vec<u8>,
    /// How its segments change.
    pub plan: Plan,
    /// Where its code lies.
    pub code: Range<u64>,
    /// Whether it is started by the kernel; a library is not.
    is_program: bool,
}

/// A copy that was made.
#[derive(Debug)]
pub struct Copied {
    /// What lies in its page cache; `None` where that could not be looked at.
    pub cached: Option<Cached>,
    /// Where it lies.
    pub place: Place,
    /// Whether the page cache has huge pages there.
    pub large_folios: LargeFolios,
    /// What was asked of both, and answered the same.
    pub checks: Vec<&'static str>,
    /// What of owner, mode and extended attributes could not be kept, and why.
    pub lost: Vec<String>,
}

impl Prepared {
    /// Reads and plans; writes nothing.
    pub fn new(wanted: Wanted) -> Result<Self, Error> {
        let source = open_file(&wanted.from)?;
        let (code, plan, is_program) = {
            let elf = parse_php(&source, &wanted.from)?;
            let plan = Plan::new(elf.segments(), wanted.reach).map_err(|why| Error::Layout {
                path: wanted.from.clone(),
                why,
            })?;
            let code = elf.code().ok_or_else(|| Error::NotPhp(wanted.from.clone()))?;
            (code, plan, elf.has_interpreter())
        };
        let mut old = Vec::new();
        (&source)
            .take(LARGEST)
            .read_to_end(&mut old)
            .map_err(Error::io(format!("read {}", wanted.from.display())))?;
        let bytes = rewrite(&old, &plan).map_err(|why| Error::Layout {
            path: wanted.from.clone(),
            why,
        })?;
        match (wanted.to.canonicalize(), wanted.from.canonicalize()) {
            (Ok(to), Ok(from)) if to == from => return Err(Error::Itself(wanted.to)),
            (Ok(_), _) if !wanted.replace => return Err(Error::Exists(wanted.to)),
            _ => {}
        }
        Ok(Self {
            wanted,
            source,
            bytes,
            plan,
            code,
            is_program,
        })
    }

    /// Bytes of the new file.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// What of the code can lie on huge pages, and all of it.
    pub fn text(&self) -> (u64, u64) {
        (
            self.plan.on_huge_pages(&self.code),
            self.code.end - self.code.start,
        )
    }

    /// Writes the copy, checks it, and gives it its name only then. Once `stop` is set nothing is left of it.
    pub fn make(self, stop: &AtomicBool) -> Result<Copied, Error> {
        self.write(stop).map_err(|error| {
            // Ctrl-C ends what was started for a check as well, which then answers otherwise.
            go_on(stop).err().unwrap_or(error)
        })
    }

    fn write(self, stop: &AtomicBool) -> Result<Copied, Error> {
        let to = &self.wanted.to;
        let mut file = write::beside(to)?;
        write::fill(file.as_file_mut(), &self.bytes, to, stop)?;
        let lost = attributes::keep(&self.source, file.as_file(), to)?;
        // A file that somebody could still write to is not executed.
        let path = file.into_temp_path();
        let reading = File::open(&path).map_err(Error::io(format!("read {}", to.display())))?;
        let cached = into_huge_pages(&reading, &self.plan);
        let checks = if self.is_program {
            check::same_answers(&self.wanted.from, &path, stop)?
        } else {
            Vec::new()
        };
        let place = Place::of(&reading);
        go_on(stop)?;
        let renamed = if self.wanted.replace {
            path.persist(to)
        } else {
            path.persist_noclobber(to)
        };
        renamed.map_err(|error| {
            if error.error.kind() == std::io::ErrorKind::AlreadyExists {
                Error::Exists(to.clone())
            } else {
                Error::io(format!("write {}", to.display()))(error.error)
            }
        })?;
        Ok(Copied {
            cached,
            large_folios: place.large_folios(&Kernel::read()),
            place,
            checks,
            lost,
        })
    }
}

fn go_on(stop: &AtomicBool) -> Result<(), Error> {
    if stop.load(Ordering::Relaxed) {
        return Err(Error::Interrupted);
    }
    Ok(())
}

/// Where the huge pages of the text begin and end in the file.
fn in_file(plan: &Plan) -> Option<Range<u64>> {
    let text = plan.loads.iter().find(|load| load.memory == plan.executable)?;
    let start = plan.huge.start.checked_sub(text.memory.start)? + text.file.start;
    Some(start..start + (plan.huge.end - plan.huge.start))
}

/// What was written in large pieces is there in huge pages already, unless memory was in too small pieces.
fn into_huge_pages(file: &File, plan: &Plan) -> Option<Cached> {
    let range = in_file(plan)?;
    match huge::cached(file, range.clone()) {
        Ok(cached) if cached.huge == range.end - range.start => Some(cached),
        _ => huge::read_in(file, range).ok(),
    }
}

/// Reads the text of a file that is laid out for it into huge pages of the page cache; says what is there then, and what
/// was wanted.
pub fn warm(path: &Path) -> Result<(Cached, u64), Error> {
    let file = open_file(path)?;
    let plan = Plan::new(parse_php(&file, path)?.segments(), Reach::Segments);
    let refused = |why| Error::Layout {
        path: path.into(),
        why,
    };
    let plan = plan.map_err(refused)?;
    let range = in_file(&plan)
        .filter(|_| plan.is_as_before)
        .ok_or_else(|| Error::NotLaidOut(path.into()))?;
    let wanted = range.end - range.start;
    let before = huge::cached(&file, range.clone())?;
    if before.huge == wanted {
        return Ok((before, wanted));
    }
    Ok((huge::read_in(&file, range)?, wanted))
}
