//! What `opcache.huge_code_pages=1` really does: one start with it.

use super::{Pool, ProcessStatus, Scan, by_path, kernel};
use crate::Error;
use php::{Binary, Fpm, Ini, Launch, Manager, Sapi};
use std::{fs, path::Path};

/// Says that it runs, and waits for its end.
const WAITS: &str = "<?php echo \"ready\\n\"; fgets(fopen('php://stdin', 'r'));";

/// A PHP that was started with `opcache.huge_code_pages=1`, and is gone again.
#[derive(Debug)]
pub struct Attempt {
    /// As it was.
    pub process: ProcessStatus,
    /// The pool of hugetlb before, and while it ran. Others may use it, too.
    pub pool: [Pool; 2],
}

impl Attempt {
    /// Starts a php, php-cgi or php-fpm, with the machine's settings else.
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        let ini = Ini::new().opcache().set("opcache.huge_code_pages", "1");
        let before = kernel::pool();
        let is_fpm = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().contains("fpm"));
        let binary = Binary::describe(&by_path(path), if is_fpm { Sapi::Fpm } else { Sapi::Cli })?;
        let look = |pid: u32| {
            Ok(Self {
                process: Scan::default().process(pid)?,
                pool: [before, kernel::pool()],
            })
        };
        if is_fpm {
            let pool = php::Pool::new("www", Manager::Static(1));
            let fpm = Fpm::start(&binary, &ini, &[pool])?;
            return look(fpm.master());
        }
        let folder = tempfile::tempdir().map_err(Error::io("make a temporary folder"))?;
        let script = folder.path().join("waits.php");
        fs::write(&script, WAITS).map_err(Error::io(format!("write {}", script.display())))?;
        let running = Launch::new(&binary, script).ini(ini).quiet().ready()?;
        look(running.pid())
    }
}
