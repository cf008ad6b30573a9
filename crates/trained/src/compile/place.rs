//! The programs once more, linked from the same objects so that their code can lie on huge pages.

use super::{Level, OPTIMISED, Recipe, Sapis, make::Tree};
use crate::{Error, Watch, copy, stage::Folder, stage::emptied};
use php::Sapi;
use std::{fs, path::Path};
use tune::status::{FileStatus, Kernel};

/// The folder of the programs that are placed so.
pub(crate) const PLACED: &str = "placed";
/// Of a huge page.
const ALIGNMENT: u64 = 2 << 20;

impl Recipe<'_> {
    /// Links the programs of the optimised build with segments that begin on huge pages, and fills the last page of their
    /// code. Nothing is compiled again but by LTO.
    pub fn place(&self, folder: &Folder, level: Level, watch: &mut dyn Watch) -> Result<(), Error> {
        let (placed, linked) = (folder.at(PLACED), folder.at("linked"));
        emptied(&placed)?;
        emptied(&linked)?;
        let programs = [Sapi::Cli, Sapi::Fpm].map(|sapi| Sapis::program(&placed, sapi));
        let unplaced = ["php", "php-fpm"].map(|name| linked.join(name));
        let flags = format!(
            "{} -Wl,-z,max-page-size={ALIGNMENT} -Wl,-z,common-page-size={ALIGNMENT} -Wl,-z,separate-code",
            self.optimising(level)
        );
        let [cli, fpm] = &unplaced;
        let targets = [
            "cli",
            "fpm",
            &format!("SAPI_CLI_PATH={}", cli.display()),
            &format!("SAPI_FPM_PATH={}", fpm.display()),
        ];
        Tree::new(folder, OPTIMISED, self.jobs).make(&targets, &flags, watch)?;
        for (from, to) in unplaced.iter().zip(&programs) {
            is_aligned(from)?;
            fs::create_dir_all(to.parent().unwrap_or(to))
                .map_err(folder.full(format!("make a folder for {}", to.display())))?;
            copy::laid_out(from, to)?;
        }
        fs::remove_dir_all(&linked).map_err(Error::io(format!("remove {}", linked.display())))
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
