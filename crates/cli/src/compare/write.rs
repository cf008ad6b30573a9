//! Where the result goes.

use crate::{args, wanted::Wanted};
use anyhow::Result;
use std::{
    io::{self, BufWriter, Write},
    path::PathBuf,
};
use trial::{Report, write_html, write_json, write_junit, write_markdown, write_text};

/// Columns where standard output is no terminal.
const WIDTH: usize = 100;

type Writer = fn(&Report, &mut dyn Write) -> io::Result<()>;

/// The files that were asked for.
pub struct Files {
    files: Vec<(Wanted, Writer)>,
    /// The writer of standard output, in place of the text.
    instead: Option<Writer>,
}

impl Files {
    pub fn open(asked: &args::Answer) -> Result<Self> {
        let wanted: [(&str, &Option<PathBuf>, Writer); 4] = [
            ("--json", &asked.json, write_json),
            ("--markdown", &asked.markdown, write_markdown),
            ("--html", &asked.html, write_html),
            ("--junit", &asked.junit, write_junit),
        ];
        let mut files = Vec::new();
        let mut instead = None;
        for (named, path, write) in wanted {
            let Some(path) = path else { continue };
            let file = Wanted::open(path, named)?;
            if file.is_standard_output() {
                instead = Some(write);
            } else {
                files.push((file, write));
            }
        }
        Ok(Self { files, instead })
    }

    /// Writes them, and standard output last.
    pub fn write(self, report: &Report) -> Result<()> {
        for (file, write) in self.files {
            file.write(|out| write(report, out))?;
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
