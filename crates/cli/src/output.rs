//! Where a profile is written, so that neither an old one nor a new one is lost.

use crate::replacement::{AtOnce, Replacement};
use anyhow::{Context, Result};
use export::{Exporter, Format, Recording, Seen};
use profile::Symbols;
use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// Text formats write some 200 bytes a sample: a call to the system for each 150 samples is few enough.
const BUFFER: usize = 32 << 10;

/// A profile that is being written.
///
/// A format that writes only at the end takes the file's place when it is whole; one that writes as samples come takes it
/// with the first one, so that what is there is kept, whatever happens.
pub struct Output {
    exporter: Box<dyn Exporter>,
    writer: BufWriter<Place>,
    path: PathBuf,
}

enum Place {
    /// Standard output, a pipe, a device.
    Stream(Box<dyn Write>),
    /// A file that grows.
    AsItComes(AtOnce),
    /// A file that is whole at the end.
    AtTheEnd(Replacement),
}

impl Write for Place {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stream(stream) => stream.write(bytes),
            Self::AsItComes(file) => file.write(bytes),
            Self::AtTheEnd(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stream(stream) => stream.flush(),
            Self::AsItComes(file) => file.flush(),
            Self::AtTheEnd(file) => file.flush(),
        }
    }
}

/// Where a profile came to lie.
pub enum Written {
    /// Standard output, a pipe or a device.
    Stream,
    /// The file that was asked for.
    File(PathBuf),
    /// Elsewhere, since the file that was asked for could not be written to the end.
    Elsewhere {
        /// Where.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
}

impl Output {
    /// Opens `path` (`-` is standard output) for a profile in `format`. What cannot be written is found out here,
    /// before anything is recorded.
    pub fn open(path: &Path, format: Format) -> Result<Self> {
        let exporter = format.exporter()?;
        let place = if path.as_os_str() == "-" {
            Place::Stream(Box::new(io::stdout()))
        } else {
            let file = Replacement::open(path).with_context(|| cannot(path))?;
            if file.is_in_place() {
                Place::Stream(Box::new(file))
            } else if is_streaming(format) {
                Place::AsItComes(AtOnce(file))
            } else {
                Place::AtTheEnd(file)
            }
        };
        Ok(Self {
            exporter,
            writer: BufWriter::with_capacity(BUFFER, place),
            path: path.to_owned(),
        })
    }

    /// Takes a stack that was seen.
    pub fn add(&mut self, symbols: &Symbols, seen: &Seen) -> io::Result<()> {
        self.exporter.add(symbols, seen, &mut self.writer)
    }

    /// Writes what is left to write. Where the disk is full, a format that is written at the end goes to the
    /// folder for temporary files; one that is written as samples come keeps what is there.
    pub fn finish(mut self, symbols: &Symbols, recording: &Recording) -> Result<Written> {
        let result = self
            .exporter
            .finish(symbols, recording, &mut self.writer)
            .and_then(|()| self.writer.flush());
        // What could not be written is not tried again.
        let (place, _) = self.writer.into_parts();
        let file = self.path;
        match (place, result) {
            (Place::Stream(_), result) => result.map(|()| Written::Stream).map_err(Into::into),
            (Place::AsItComes(_), Ok(())) => Ok(Written::File(file)),
            (Place::AsItComes(AtOnce(begun)), Err(why)) if begun.is_in_place() => {
                Ok(Written::Elsewhere { path: file, why })
            }
            (Place::AsItComes(_), Err(why)) => Err(why).with_context(|| cannot(&file)),
            (Place::AtTheEnd(mut replacement), Ok(())) => {
                replacement.commit().with_context(|| cannot(&file))?;
                Ok(Written::File(file))
            }
            (Place::AtTheEnd(replacement), Err(why)) => {
                drop(replacement);
                let path = std::env::temp_dir().join(file.file_name().unwrap_or_default());
                let mut writer = BufWriter::new(File::create(&path).with_context(|| cannot(&file))?);
                self.exporter
                    .finish(symbols, recording, &mut writer)
                    .and_then(|()| writer.flush())
                    .with_context(|| {
                        format!("cannot write {} ({why}), nor {}", file.display(), path.display())
                    })?;
                Ok(Written::Elsewhere { path, why })
            }
        }
    }
}

/// Whether a format writes samples as they come.
pub const fn is_streaming(format: Format) -> bool {
    matches!(format, Format::Phpspy | Format::PhpspyLine)
}

fn cannot(path: &Path) -> String {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => {
            format!(
                "cannot write {}: there is no folder {}; make it, or name another with -o",
                path.display(),
                folder.display()
            )
        }
        _ => format!("cannot write {}; name another file with -o", path.display()),
    }
}
