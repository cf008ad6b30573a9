//! Where a profile is written, so that neither an old one nor a new one is lost.

use crate::fresh::Fresh;
use anyhow::{Context, Result};
use export::{Exporter, Format, Recording, Seen};
use profile::Symbols;
use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// Text formats write some 200 bytes a sample: a call to the system for each 150 samples is few enough.
const BUFFER: usize = 32 << 10;

/// A profile that is being written.
///
/// A format that writes only at the end goes to a neighbour of the file, which takes the file's name when it is
/// whole; one that writes as samples come goes to the file itself, so that what is there is kept, whatever happens. Until the
/// first sample that is what the file held before.
pub struct Output {
    exporter: Box<dyn Exporter>,
    writer: BufWriter<Box<dyn Write>>,
    place: Place,
}

enum Place {
    /// Standard output, a pipe, a device.
    Stream,
    /// The file itself.
    File(PathBuf),
    /// A file that is to become another one.
    Neighbour { file: PathBuf, neighbour: PathBuf },
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
        let (writer, place): (Box<dyn Write>, Place) = if path.as_os_str() == "-" {
            (Box::new(io::stdout()), Place::Stream)
        } else if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
            (
                Box::new(
                    File::options()
                        .write(true)
                        .open(path)
                        .with_context(|| cannot(path))?,
                ),
                Place::Stream,
            )
        } else if is_streaming(format) {
            (
                Box::new(Fresh::open(path).with_context(|| cannot(path))?),
                Place::File(path.to_owned()),
            )
        } else {
            // The file must be writable too, and it is there from the start.
            File::options()
                .append(true)
                .create(true)
                .open(path)
                .with_context(|| cannot(path))?;
            let neighbour = neighbour(path);
            let file = File::create(&neighbour).with_context(|| cannot(path))?;
            (
                Box::new(file),
                Place::Neighbour {
                    file: path.to_owned(),
                    neighbour,
                },
            )
        };
        Ok(Self {
            exporter,
            writer: BufWriter::with_capacity(BUFFER, writer),
            place,
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
        match (result, self.place) {
            (Ok(()), Place::Stream) => Ok(Written::Stream),
            (Ok(()), Place::File(path)) => Ok(Written::File(path)),
            (Ok(()), Place::Neighbour { file, neighbour }) => {
                fs::rename(&neighbour, &file).with_context(|| cannot(&file))?;
                Ok(Written::File(file))
            }
            (Err(error), Place::Stream) => Err(error.into()),
            (Err(why), Place::File(path)) => Ok(Written::Elsewhere { path, why }),
            (Err(why), Place::Neighbour { file, neighbour }) => {
                drop(self.writer.into_parts());
                let _ = fs::remove_file(neighbour);
                let name = file.file_name().unwrap_or_default();
                let path = std::env::temp_dir().join(name);
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

impl Output {
    /// Nothing was recorded: leaves no trace but what was there before.
    pub fn discard(self) {
        if let Place::Neighbour { file, neighbour } = self.place {
            let _ = fs::remove_file(neighbour);
            if fs::metadata(&file).is_ok_and(|metadata| metadata.len() == 0) {
                let _ = fs::remove_file(file);
            }
        }
    }
}

/// Whether a format writes samples as they come.
pub const fn is_streaming(format: Format) -> bool {
    matches!(format, Format::Phpspy | Format::PhpspyLine)
}

fn neighbour(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
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
