//! Where the result goes.

use crate::args;
use anyhow::{Context, Result};
use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};
use trial::{Report, write_html, write_json, write_junit, write_markdown, write_text};

/// Columns where standard output is no terminal.
const WIDTH: usize = 100;

type Writer = fn(&Report, &mut dyn Write) -> io::Result<()>;

/// The files that were asked for. They are opened before anything is measured, so that a mistake costs no time.
pub struct Files {
    files: Vec<(PathBuf, File, Writer)>,
    /// The writer of standard output, in place of the text.
    instead: Option<Writer>,
}

impl Files {
    pub fn open(asked: &args::Answer) -> Result<Self> {
        let wanted: [(&Option<PathBuf>, Writer); 4] = [
            (&asked.json, write_json),
            (&asked.markdown, write_markdown),
            (&asked.html, write_html),
            (&asked.junit, write_junit),
        ];
        let mut files = Vec::new();
        let mut instead = None;
        for (path, write) in wanted {
            match path {
                Some(path) if path.as_os_str() == "-" => instead = Some(write),
                Some(path) => {
                    // Not emptied yet: an older result is kept until there is a new one.
                    let file = File::options()
                        .write(true)
                        .create(true)
                        .truncate(false)
                        .open(path)
                        .with_context(|| cannot(path))?;
                    files.push((path.clone(), file, write));
                }
                None => {}
            }
        }
        Ok(Self { files, instead })
    }

    /// Writes them, and standard output last.
    pub fn write(self, report: &Report) -> Result<()> {
        for (path, file, write) in self.files {
            write_file(&file, report, write).with_context(|| cannot(&path))?;
        }
        let mut out = BufWriter::new(io::stdout().lock());
        if let Some(write) = self.instead {
            write(report, &mut out)?;
        } else {
            let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| width.0.into());
            write_text(report, width, &mut out)?;
        }
        out.flush()?;
        Ok(())
    }
}

fn write_file(file: &File, report: &Report, write: Writer) -> io::Result<()> {
    // A pipe or a device cannot be emptied, and need not be.
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    let mut out = BufWriter::new(file);
    write(report, &mut out)?;
    out.flush()
}

fn cannot(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
