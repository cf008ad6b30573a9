//! What the user has chosen, and what is shown.

use super::{Shown, style::Style};
use crate::{
    names::Named,
    snapshot::{Snapshot, Sort},
    window::Cell,
};
use ratatui::widgets::TableState;
use std::sync::Arc;

/// The windows to choose from, in seconds.
const WINDOWS: [u64; 6] = [1, 2, 5, 10, 30, 60];

/// A part of the view that keys go to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    #[default]
    Functions,
    Targets,
}

/// The stack of a process, as it was when somebody looked.
#[derive(Debug)]
pub struct Frozen {
    pub pid: u32,
    pub title: String,
    pub stack: Result<Vec<String>, String>,
    /// The first frame that is shown.
    pub from: usize,
}

/// All of it.
#[derive(Debug)]
pub struct State {
    pub style: Style,
    pub rate: u32,
    window: u64,
    pub snapshot: Snapshot,
    pub is_paused: bool,
    pub pane: Pane,
    pub sort: Sort,
    pub filter: String,
    /// Whether keys go to the filter.
    pub is_typing: bool,
    /// Only the functions of this process are shown.
    pub only: Option<u32>,
    pub frozen: Option<Frozen>,
    pub has_help: bool,
    pub functions: TableState,
    pub targets: TableState,
    /// The process that is chosen: its place in the table changes.
    pub target: Option<u32>,
    /// How many rows the tables have room for, since they were drawn.
    pub page: usize,
}

impl State {
    pub fn new(shown: &Shown) -> Self {
        Self {
            style: Style::new(shown.colour),
            rate: shown.rate,
            window: shown.window,
            snapshot: Snapshot::default(),
            is_paused: false,
            pane: Pane::default(),
            sort: Sort::default(),
            filter: String::new(),
            is_typing: false,
            only: None,
            frozen: None,
            has_help: false,
            functions: TableState::default(),
            targets: TableState::default(),
            target: None,
            page: 1,
        }
    }

    /// The window in seconds.
    pub const fn window(&self) -> u64 {
        self.window
    }

    /// Takes the next longer window, or the next shorter one.
    pub fn change_window(&mut self, longer: bool) {
        let next = if longer {
            WINDOWS.into_iter().find(|&window| window > self.window)
        } else {
            WINDOWS.into_iter().rev().find(|&window| window < self.window)
        };
        self.window = next.unwrap_or(self.window);
    }

    /// The functions that are shown.
    pub fn shown(&self) -> Vec<(Arc<Named>, Cell)> {
        self.snapshot.functions(self.only, &self.filter, self.sort)
    }

    /// How many rows the table has that keys go to.
    pub fn rows(&self) -> usize {
        match self.pane {
            Pane::Functions => self.shown().len(),
            Pane::Targets => self.snapshot.targets.len(),
        }
    }

    /// Moves the choice in the table that keys go to.
    pub fn choose(&mut self, to: impl FnOnce(usize) -> usize) {
        let last = self.rows().saturating_sub(1);
        match self.pane {
            Pane::Functions => {
                // The first key shows where the choice is.
                let next = self.functions.selected().map_or(0, to);
                self.functions.select(Some(next.min(last)));
            }
            Pane::Targets => {
                let targets = self.snapshot.sorted_targets();
                let now = targets
                    .iter()
                    .position(|target| Some(target.pid) == self.target)
                    .unwrap_or(0);
                self.target = targets.get(to(now).min(last)).map(|target| target.pid);
            }
        }
    }

    /// The process that is chosen, or the first one.
    pub fn chosen_target(&self) -> Option<u32> {
        let targets = self.snapshot.sorted_targets();
        let chosen = targets.iter().find(|target| Some(target.pid) == self.target);
        chosen.or(targets.first()).map(|target| target.pid)
    }
}
