//! The programs once more, linked from the same objects so that their code can lie on huge pages.

use super::Recipe;
use crate::{Error, Watch, copy, programs::Sapis, stage::Folder, stage::emptied};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tune::status::{FileStatus, Kernel};

/// Of a huge page.
const ALIGNMENT: u64 = 2 << 20;

impl Recipe<'_> {
    /// Links the programs of the optimised build with segments that begin on huge pages, and fills the last page of their
    /// code. Nothing is compiled again but by LTO.
    pub fn place(&self, folder: &Folder, watch: &mut dyn Watch) -> Result<(), Error> {
        let placed = self.placed(folder);
        let linked = folder.at(&self.level.compiled().named("linked"));
        emptied(&placed)?;
        emptied(&linked)?;
        let flags = format!(
            "-Wl,-z,max-page-size={ALIGNMENT} -Wl,-z,common-page-size={ALIGNMENT} -Wl,-z,separate-code"
        );
        for sapi in self.link(folder, &linked, &flags, watch)? {
            let [from, to] = [&linked, &placed].map(|folder| Sapis::program(folder, sapi));
            is_aligned(&from)?;
            fs::create_dir_all(to.parent().unwrap_or(&to))
                .map_err(folder.full(format!("make a folder for {}", to.display())))?;
            copy::laid_out(&from, &to)?;
        }
        fs::remove_dir_all(&linked).map_err(Error::io(format!("remove {}", linked.display())))
    }

    /// The folder of the programs that are placed so.
    pub fn placed(&self, folder: &Folder) -> PathBuf {
        folder.at(&self.level.compiled().named("placed"))
    }
}

/// Whether the linker did as it was told: else constants would have to share huge pages with code, and be executable.
fn is_aligned(program: &Path) -> Result<(), Error> {
    if FileStatus::open(program, &Kernel::read())?.alignment < ALIGNMENT {
        return Err(Error::NotAligned(program.into()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_linker_did_not_align_is_refused() {
        let plain = php::Binary::cli().unwrap().path;
        if FileStatus::open(&plain, &Kernel::read()).unwrap().alignment >= ALIGNMENT {
            eprintln!("skipped: {} is aligned as it is", plain.display());
            return;
        }
        let error = is_aligned(&plain).unwrap_err().to_string();
        assert!(
            error.starts_with("the linker did not align the code of"),
            "{error}"
        );
    }
}
