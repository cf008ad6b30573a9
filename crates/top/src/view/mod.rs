//! The view: what it shows, what keys do, and the loop that joins both.

mod draw;
mod help;
mod keys;
mod state;
mod style;
mod table;

use crate::{Feed, Screen};
use ratatui::crossterm::event;
use state::State;
use std::{
    io,
    time::{Duration, Instant},
};

/// How often what is shown is made anew.
const EVERY: Duration = Duration::from_secs(1);
/// How often it is asked whether it is over.
const ASK: Duration = Duration::from_millis(200);

/// What the view is to show besides the feed.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// Samples a second, of each process.
    pub rate: u32,
    /// The window at first, in seconds; up to 60.
    pub window: u64,
    /// Whether samples have their requests.
    pub requests: bool,
    /// Whether colours may be used.
    pub colour: bool,
}

/// Tells the stack of a process as it is now, a line for each frame, the innermost first; or why it cannot.
pub type Look<'a> = dyn FnMut(u32) -> Result<Vec<String>, String> + 'a;

/// Shows what `feed` has until the user leaves or it `is_over`.
pub fn run(
    screen: &mut Screen,
    feed: &Feed,
    shown: &Shown,
    look: &mut Look<'_>,
    is_over: &dyn Fn() -> bool,
) -> io::Result<()> {
    let mut state = State::new(shown);
    let mut snapshot_at = Instant::now();
    state.snapshot = feed.snapshot(state.window());
    screen.terminal.draw(|frame| draw::draw(frame, &mut state))?;
    loop {
        if is_over() {
            return Ok(());
        }
        let left = EVERY.saturating_sub(snapshot_at.elapsed());
        let mut is_new = false;
        if event::poll(left.min(ASK))? {
            match keys::act(&event::read()?, &mut state, look) {
                keys::Then::Quit => return Ok(()),
                keys::Then::Draw => is_new = true,
                keys::Then::Look => {
                    state.snapshot = feed.snapshot(state.window());
                    is_new = true;
                }
                keys::Then::Nothing => {}
            }
        }
        if snapshot_at.elapsed() >= EVERY {
            snapshot_at = Instant::now();
            if !state.is_paused {
                state.snapshot = feed.snapshot(state.window());
                is_new = true;
            }
        }
        if is_new {
            screen.terminal.draw(|frame| draw::draw(frame, &mut state))?;
        }
    }
}
