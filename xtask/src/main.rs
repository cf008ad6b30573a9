<<<<<<< HEAD
//! Generates what is committed but made from something else, and checks that it is current.

mod bpf;

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: cargo xtask bpf [--check]    compile the kernel source's object, or compare it";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["bpf"] => bpf::compile(),
        ["bpf", "--check"] => bpf::check(),
        _ => bail!("{USAGE}"),
    }
}

/// The root of the checkout.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}
=======
//! Chores of the repository: what is generated and committed, and whether it is current.

mod layouts;

use anyhow::bail;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("layouts") => layouts::main(arguments),
        Some(other) => bail!("no chore is called {other}; there is: layouts"),
        None => bail!("usage: cargo xtask layouts …"),
    }
}
>>>>>>> outside
