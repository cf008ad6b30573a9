//! Chores of the repository: what is generated and committed, and whether it is current.

mod bpf;
#[cfg(feature = "manual")]
mod committed;
#[cfg(feature = "manual")]
mod completions;
mod layouts;
#[cfg(feature = "manual")]
mod man;

use anyhow::bail;
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: cargo xtask CHORE
  layouts …         write the layouts of PHP's structs from its headers, or --check them
  bpf [--check]     compile the kernel source's object from C, or compare it
  man [--check]     write the man pages from the command line's own help, or compare them
  completions [--check]
                    the same for the completions of bash, zsh and fish";

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("layouts") => layouts::main(arguments),
        Some("bpf") => bpf::main(arguments),
        #[cfg(feature = "manual")]
        Some("man") => committed::main("man", &man::pages()?, arguments),
        #[cfg(feature = "manual")]
        Some("completions") => committed::main("completions", &completions::scripts()?, arguments),
        _ => bail!("{USAGE}"),
    }
}

/// The root of the checkout.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map_or_else(PathBuf::new, Path::to_path_buf)
}
