//! Where a profile is written, so that neither an old one nor a new one is lost.

use crate::replacement::{AtOnce, Replacement, cannot, fresh};
use anyhow::{Context, Result};
use export::{Exporter, Format, Recording, Seen};
use profile::Symbols;
use std::{
    fs,
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
    format: Format,
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
    /// Nowhere, or not to the end, and nothing is left that could be written elsewhere.
    Broken(io::Error),
}

impl Output {
    /// Opens `path` (`-` is standard output) for a profile in `format`. What cannot be written is found out here,
    /// before anything is recorded.
    pub fn open(path: &Path, format: Format) -> Result<Self> {
        let exporter = format.exporter()?;
        let place = if path.as_os_str() == "-" {
            Place::Stream(Box::new(io::stdout()))
        } else {
            let file = Replacement::open(path).with_context(|| cannot(path, "-o"))?;
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
            format,
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
        if let Err(why) = result {
            return self.rescue(why, symbols, recording);
        }
        match self.writer.get_mut() {
            Place::Stream(_) => Ok(Written::Stream),
            Place::AsItComes(_) => Ok(Written::File(self.path)),
            Place::AtTheEnd(replacement) => {
                replacement.commit().with_context(|| cannot(&self.path, "-o"))?;
                Ok(Written::File(self.path))
            }
        }
    }

    /// Keeps what there is, where it could not be written.
    pub fn rescue(mut self, why: io::Error, symbols: &Symbols, recording: &Recording) -> Result<Written> {
        // What could not be written is not tried again.
        let (place, _) = self.writer.into_parts();
        let name = match &place {
            Place::AsItComes(AtOnce(begun)) if begun.is_in_place() => {
                return Ok(Written::Elsewhere { path: self.path, why });
            }
            _ if why.kind() == io::ErrorKind::BrokenPipe || is_streaming(self.format) => {
                return Ok(Written::Broken(why));
            }
            Place::Stream(_) => format!("phperf.{}", self.format.extension()).into(),
            _ => self.path.file_name().unwrap_or_default().to_owned(),
        };
        // It may have taken the room that is needed.
        drop(place);
        let at = std::env::temp_dir().join(name);
        let neither = || format!("{} ({why}), nor {}", cannot(&self.path, "-o"), at.display());
        let (file, path) = fresh(&at).with_context(neither)?;
        let mut writer = BufWriter::new(file);
        let written = self
            .exporter
            .finish(symbols, recording, &mut writer)
            .and_then(|()| writer.flush());
        if written.is_err() {
            let _ = fs::remove_file(&path);
        }
        written.with_context(neither)?;
        Ok(Written::Elsewhere { path, why })
    }
}

/// Whether a format writes samples as they come.
pub const fn is_streaming(format: Format) -> bool {
    matches!(format, Format::Phpspy | Format::PhpspyLine)
}
