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
