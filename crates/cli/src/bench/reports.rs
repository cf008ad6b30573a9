//! Reports that were asked for, and where they go.

use crate::UsageError;
use anyhow::Result;
use bench::{Settings, model::Suite, output::Output, report};
use std::io::{self, BufWriter, Write};

/// Reports and outputs that are there.
pub struct Reports {
    names: Vec<String>,
    outputs: Vec<Output>,
}

impl Reports {
    /// Finds them in the settings; what of them has no effect is added to the notes there.
    pub fn new(names: &[String], outputs: &[String], settings: &mut Settings) -> Result<Self> {
        let console = ["console".to_owned()];
        let outputs = if outputs.is_empty() { &console } else { outputs };
        let output = |name: &String| {
            Output::new(name, &settings.outputs).map_err(|error| UsageError(error.to_string()).into())
        };
        let outputs: Result<Vec<Output>> = outputs.iter().map(output).collect();
        let empty = Suite::default();
        for name in names {
            report::tables(name, &empty, settings).map_err(|error| UsageError(error.to_string()))?;
            settings.notes.extend(report::without_effect(name, settings)?);
        }
        Ok(Self {
            names: names.to_vec(),
            outputs: outputs?,
        })
    }

    /// Writes each report to each output.
    pub fn write(&self, suite: &Suite, settings: &Settings) -> Result<()> {
        let mut tables = Vec::new();
        for name in &self.names {
            tables.extend(report::tables(name, suite, settings)?);
        }
        if tables.is_empty() {
            return Ok(());
        }
        let mut out = BufWriter::new(io::stdout().lock());
        for output in &self.outputs {
            output.write(&tables, &mut out)?;
            if let Some(file) = &output.file {
                eprintln!("written: {}", file.display());
            }
        }
        out.flush()?;
        Ok(())
    }
}
