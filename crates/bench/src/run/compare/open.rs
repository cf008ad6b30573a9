//! One side: its PHP, its folder for scripts, what was found.

use super::super::{counter::Way, notes, variant::Bench};
use crate::{
    Error,
    discover::{self, Planned},
    launch::Launcher,
    settings::{Isolation, Settings},
};
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

pub(super) struct Open<'a> {
    settings: &'a Settings,
    launcher: Launcher,
    scratch: TempDir,
    pub(super) planned: Planned,
    stop: &'a AtomicBool,
}

impl<'a> Open<'a> {
    pub(super) fn new(settings: &'a Settings, stop: &'a AtomicBool) -> Result<Self, Error> {
        let scratch = super::super::scratch()?;
        let launcher = Launcher::new(settings);
        let planned = discover::discover(settings, &launcher, scratch.path(), stop)?;
        Ok(Self {
            settings,
            launcher,
            scratch,
            planned,
            stop,
        })
    }

    pub(super) fn bench(&self) -> Bench<'_> {
        Bench {
            settings: self.settings,
            launcher: &self.launcher,
            scratch: self.scratch.path(),
            fork: self.settings.isolation == Isolation::Fork && self.planned.php.fork,
            stop: self.stop,
            baseline: None,
            profiler: None,
        }
    }

    pub(super) fn stop(&self) -> &'a AtomicBool {
        self.stop
    }

    /// What the reader of the figures has to know.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut all = self.settings.notes.clone();
        all.extend(self.planned.notes.iter().cloned());
        all.extend(notes::odd_state(&self.planned, self.settings));
        all.extend(Way::all(&self.bench(), &self.planned).iter().map(Way::note));
        all
    }
}
