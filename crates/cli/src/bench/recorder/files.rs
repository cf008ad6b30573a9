//! Where recordings are written.

use super::subject::Samples;
use crate::output::Output;
use anyhow::{Context, Result, bail};
use export::{Exporter, Format, Recording, Report, Seen};
use std::{
    collections::HashSet,
    fs,
    io::Write,
    path::{Path, PathBuf},
};

/// Characters of a subject's name in a file's name.
const LONGEST: usize = 120;

/// A folder with a file for each variant and format.
pub struct Folder {
    path: PathBuf,
    formats: Vec<Format>,
    names: HashSet<String>,
}

impl Folder {
    /// The folder, for files in each of `formats`.
    pub fn new(path: &Path, formats: &[Format]) -> Self {
        Self {
            path: path.into(),
            formats: formats.to_vec(),
            names: HashSet::new(),
        }
    }

    /// Makes it where there is none. That this phperf can write the formats is found out, too.
    pub fn make(&self) -> Result<()> {
        for format in &self.formats {
            format.exporter()?;
        }
        fs::create_dir_all(&self.path).with_context(|| {
            format!(
                "cannot make {}; name another folder as --record-to",
                self.path.display()
            )
        })
    }

    /// Writes a variant; the files.
    pub fn write(&mut self, name: &str, samples: &Samples, recording: &Recording) -> Result<Vec<String>> {
        let base = self.free(&file_name(name));
        let mut written = Vec::new();
        for &format in &self.formats {
            let path = self.path.join(format!("{base}.{}", format.extension()));
            let mut output = Output::open(&path, format)?;
            for sample in &samples.taken {
                output.add(&samples.symbols, &Seen::from(sample))?;
            }
            match output.finish(&samples.symbols, recording)? {
                crate::output::Written::Elsewhere { path: other, why } => bail!(
                    "cannot write {}: {why}; it is in {}",
                    path.display(),
                    other.display()
                ),
                _ => written.push(path.display().to_string()),
            }
        }
        Ok(written)
    }

    /// A name that none before has: several revolutions make several variants of one name.
    fn free(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        let mut number = 1;
        while !self.names.insert(free.clone()) {
            number += 1;
            free = format!("{name}-{number}");
        }
        free
    }
}

/// `App-HashBench-benchMd5-short` of `App\HashBench::benchMd5 # short`.
fn file_name(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(LONGEST).collect();
    name.trim_end_matches('-').to_owned()
}

/// Self and total by function.
pub fn report(samples: &Samples, recording: &Recording) -> Result<Report> {
    let mut exporter: Box<dyn Exporter> = Format::Folded.exporter()?;
    let mut text: Vec<u8> = Vec::new();
    let out: &mut dyn Write = &mut text;
    for sample in &samples.taken {
        exporter.add(&samples.symbols, &Seen::from(sample), out)?;
    }
    exporter.finish(&samples.symbols, recording, out)?;
    let saved = export::read_from(text.as_slice())?;
    Ok(Report::new(&saved))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_names_its_file_whatever_it_is_called() {
        for (name, file) in [
            (r"App\HashBench::benchMd5 # short", "App-HashBench-benchMd5-short"),
            ("../../etc/passwd::x # ../..", "etc-passwd-x"),
            ("Bench::bénch # 日本", "Bench-bénch-日本"),
        ] {
            assert_eq!(file_name(name), file);
        }
        assert_eq!(file_name(&"x-".repeat(500)).chars().count(), 119);
        let folder = tempfile::tempdir().unwrap();
        let mut folder = Folder::new(folder.path(), &[]);
        assert_eq!(
            ["a", "a", "b", "a"].map(|name| folder.free(name)),
            ["a", "a-2", "b", "a-3"]
        );
    }
}
