//! With real PHP.

use super::*;
use crate::settings::Settings;
use std::fs;

#[test]
fn a_fork_that_ends_before_it_connects_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings::load(folder.path(), None, None, Vec::new()).unwrap();
    settings.php.binary = php::Binary::cli().expect("there is a php").path;
    let (launcher, stop) = (Launcher::new(&settings), AtomicBool::new(false));
    let script = folder.path().join("script.php");
    fs::write(&script, "<?php posix_kill(posix_getpid(), 9);").unwrap();
    let timeout = Duration::from_secs(60);
    let mut source = Source::new(&launcher, folder.path(), script, true, timeout, &stop).unwrap();
    let mut zygote = Zygote::new(&launcher, folder.path(), &stop).unwrap();
    zygote.renew().unwrap();
    let why = source.fork_of(&mut zygote).unwrap_err().to_string();
    assert!(why.contains("PHP's fork ended as it started"), "{why}");
}
