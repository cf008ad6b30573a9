//! Where every verb of `bench` starts from.

#![allow(
    clippy::doc_markdown,
    reason = "comments become help, which is shown as it stands"
)]

use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Where settings are read.
#[derive(Debug, ClapArgs)]
pub struct Base {
    /// Settings instead of phperf.toml, phpbench.json or phpbench.json.dist.
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    pub config: Option<PathBuf>,
    /// A profile of the configuration (core.profiles).
    #[arg(long, value_name = "NAME", help_heading = "Settings")]
    pub profile: Option<String>,
    /// The folder to start from.
    #[arg(long, value_name = "FOLDER", help_heading = "Settings")]
    pub working_dir: Option<PathBuf>,
}
