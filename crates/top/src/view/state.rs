//! What the user has chosen, and what is shown.

use super::{Shown, style::Style};
use crate::{
    names::Named,
    requests::RequestId,
    snapshot::{Group, Only, Snapshot, Sort},
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
    Requests,
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

/// A row that stays chosen wherever it stands.
#[derive(Debug)]
pub struct Choice<K> {
    pub table: TableState,
    key: Option<K>,
}

impl<K> Default for Choice<K> {
    fn default() -> Self {
        Self {
            table: TableState::default(),
            key: None,
        }
    }
}

impl<K: Copy + PartialEq> Choice<K> {
    /// The place of the chosen one among `groups`, or the first.
    pub fn place(&self, groups: &[Group<K>]) -> usize {
        let place = groups.iter().position(|group| Some(group.key) == self.key);
        place.unwrap_or(0)
    }

    /// The chosen one, or the first.
    pub fn chosen(&self, groups: &[Group<K>]) -> Option<K> {
        groups.get(self.place(groups)).map(|group| group.key)
    }

    fn choose(&mut self, groups: &[Group<K>], to: impl FnOnce(usize) -> usize) {
        let next = to(self.place(groups)).min(groups.len().saturating_sub(1));
        self.key = groups.get(next).map(|group| group.key);
    }
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
    /// The one that stands beside the functions where there is room.
    pub side: Pane,
    /// Those to which keys may go.
    panes: &'static [Pane],
    pub sort: Sort,
    /// Of functions.
    pub filter: String,
    /// Whether keys go to the filter.
    pub is_typing: bool,
    pub only: Only,
    pub frozen: Option<Frozen>,
    pub has_help: bool,
    pub functions: TableState,
    /// The process that is chosen: its place in the table changes.
    pub targets: Choice<u32>,
    pub requests: Choice<RequestId>,
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
            side: Pane::Targets,
            panes: if shown.requests {
                &[Pane::Functions, Pane::Targets, Pane::Requests]
            } else {
                &[Pane::Functions, Pane::Targets]
            },
            sort: Sort::default(),
            filter: String::new(),
            is_typing: false,
            only: Only::default(),
            frozen: None,
            has_help: false,
            functions: TableState::default(),
            targets: Choice::default(),
            requests: Choice::default(),
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

    /// Keys go to the next table, or the one before.
    pub fn change_pane(&mut self, on: bool) {
        let panes = self.panes;
        let now = panes.iter().position(|&pane| pane == self.pane).unwrap_or(0);
        let step = if on { 1 } else { panes.len() - 1 };
        self.pane = panes[(now + step) % panes.len()];
        if self.pane != Pane::Functions {
            self.side = self.pane;
        }
    }

    /// The filter that is typed: of requests among these, else of functions.
    pub const fn typed(&mut self) -> &mut String {
        match self.pane {
            Pane::Requests => &mut self.only.requests,
            Pane::Functions | Pane::Targets => &mut self.filter,
        }
    }

    /// The functions that are shown.
    pub fn shown(&self) -> Vec<(Arc<Named>, Cell)> {
        self.snapshot.functions(&self.only, &self.filter, self.sort)
    }

    /// Moves the choice in the table that keys go to.
    pub fn choose(&mut self, to: impl FnOnce(usize) -> usize) {
        match self.pane {
            Pane::Functions => {
                let last = self.shown().len().saturating_sub(1);
                // The first key shows where the choice is.
                let next = self.functions.selected().map_or(0, to);
                self.functions.select(Some(next.min(last)));
            }
            Pane::Targets => self.targets.choose(&self.snapshot.targets(&self.only), to),
            Pane::Requests => self.requests.choose(&self.snapshot.requests(&self.only), to),
        }
    }

    /// The process that is chosen, or the first one.
    pub fn chosen_target(&self) -> Option<u32> {
        self.targets.chosen(&self.snapshot.targets(&self.only))
    }

    /// Shows only what is of the chosen process or request, or again what is of all.
    pub fn narrow(&mut self) {
        if self.pane == Pane::Requests {
            let chosen = self.requests.chosen(&self.snapshot.requests(&self.only));
            self.only.request = chosen.filter(|_| self.only.request != chosen);
        } else {
            let chosen = self.chosen_target();
            self.only.pid = chosen.filter(|_| self.only.pid != chosen);
        }
    }
}
