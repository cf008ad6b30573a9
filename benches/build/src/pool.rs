//! Pages of 2 MB that the kernel sets aside while something is measured.

use anyhow::{Context, Result, ensure};
use std::fs;

const PAGES: &str = "/proc/sys/vm/nr_hugepages";

/// They are given back when this goes.
#[derive(Debug)]
pub struct HugePages {
    before: u32,
}

impl HugePages {
    /// So many more than there are.
    pub fn set_aside(more: u32) -> Result<Self> {
        let pages = Self { before: read()? };
        if more == 0 {
            return Ok(pages);
        }
        let wanted = pages.before + more;
        fs::write(PAGES, wanted.to_string()).with_context(|| format!("cannot write {PAGES}"))?;
        let there = read()?;
        ensure!(
            there >= wanted,
            "the kernel has memory for {there} huge pages only, and {wanted} are needed: free some, or start the machine anew"
        );
        Ok(pages)
    }
}

impl Drop for HugePages {
    fn drop(&mut self) {
        if let Err(error) = fs::write(PAGES, self.before.to_string()) {
            eprintln!(
                "{PAGES} was {} and could not be set so again: {error}",
                self.before
            );
        }
    }
}

fn read() -> Result<u32> {
    let text = fs::read_to_string(PAGES).with_context(|| format!("cannot read {PAGES}"))?;
    text.trim()
        .parse()
        .with_context(|| format!("{PAGES} is no number"))
}
