//! Where the result goes.

use crate::{args, wanted::Wanted};
use anyhow::Result;
use std::{
    io::{self, BufWriter, Write},
    path::Path,
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
        Self::of(&[
            ("--json", asked.json.as_deref(), write_json),
            ("--markdown", asked.markdown.as_deref(), write_markdown),
            ("--html", asked.html.as_deref(), write_html),
            ("--junit", asked.junit.as_deref(), write_junit),
        ])
    }

    /// Those of a comparison that is kept.
    #[cfg(feature = "bench")]
    pub fn of_kept(json: Option<&Path>, html: Option<&Path>) -> Result<Self> {
        Self::of(&[("--json", json, write_json), ("--html", html, write_html)])
    }

    fn of(wanted: &[(&str, Option<&Path>, Writer)]) -> Result<Self> {
        let mut files = Vec::new();
        let mut instead = None;
        for &(named, path, write) in wanted {
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
