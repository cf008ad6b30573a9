//! What keys do.

use super::{
    Look,
    state::{Frozen, Pane, State},
};
use crate::snapshot::Only;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// The longest filter.
const LONGEST_FILTER: usize = 200;

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    Nothing,
    /// Draw it anew.
    Draw,
    /// Look at the feed anew.
    Look,
    Quit,
}

/// Acts on what came from the terminal.
pub fn act(event: &Event, state: &mut State, look: &mut Look<'_>) -> Then {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => press(*key, state, look),
        Event::Resize(..) => Then::Draw,
        _ => Then::Nothing,
    }
}

fn press(key: KeyEvent, state: &mut State, look: &mut Look<'_>) -> Then {
    let with_control = key.modifiers.contains(KeyModifiers::CONTROL);
    if with_control && key.code == KeyCode::Char('c') {
        return Then::Quit;
    }
    if state.is_typing {
        return type_filter(key.code, state);
    }
    if state.has_help {
        state.has_help = false;
        return Then::Draw;
    }
    if state.frozen.is_some() {
        return in_stack(key.code, state, look);
    }
    match key.code {
        KeyCode::Char('q') => return Then::Quit,
        KeyCode::Char('?' | 'h') | KeyCode::F(1) => state.has_help = true,
        KeyCode::Char('/') => state.is_typing = true,
        KeyCode::Char('s') => state.sort = state.sort.next(),
        KeyCode::Char('p' | ' ') => {
            state.is_paused = !state.is_paused;
            return if state.is_paused { Then::Draw } else { Then::Look };
        }
        KeyCode::Char(key @ ('w' | 'W' | '+' | '-')) => {
            state.change_window(matches!(key, 'w' | '+'));
            return if state.is_paused { Then::Draw } else { Then::Look };
        }
        KeyCode::Char('f') => state.narrow(),
        KeyCode::Tab => state.change_pane(true),
        KeyCode::BackTab => state.change_pane(false),
        KeyCode::Enter if state.pane == Pane::Targets => freeze(state, look),
        KeyCode::Enter if state.pane == Pane::Requests => state.narrow(),
        KeyCode::Esc => {
            state.only = Only::default();
            state.filter.clear();
        }
        code => return go(code, state),
    }
    Then::Draw
}

/// Moves the choice.
fn go(code: KeyCode, state: &mut State) -> Then {
    let page = state.page;
    match code {
        KeyCode::Up | KeyCode::Char('k') => state.choose(|at| at.saturating_sub(1)),
        KeyCode::Down | KeyCode::Char('j') => state.choose(|at| at + 1),
        KeyCode::PageUp => state.choose(|at| at.saturating_sub(page)),
        KeyCode::PageDown => state.choose(|at| at + page),
        KeyCode::Home | KeyCode::Char('g') => state.choose(|_| 0),
        KeyCode::End | KeyCode::Char('G') => state.choose(|_| usize::MAX),
        _ => return Then::Nothing,
    }
    Then::Draw
}

fn type_filter(code: KeyCode, state: &mut State) -> Then {
    match code {
        KeyCode::Enter => state.is_typing = false,
        KeyCode::Esc => {
            state.is_typing = false;
            state.typed().clear();
        }
        KeyCode::Backspace => {
            state.typed().pop();
        }
        KeyCode::Char(char) if state.typed().len() < LONGEST_FILTER => state.typed().push(char),
        _ => return Then::Nothing,
    }
    Then::Draw
}

fn freeze(state: &mut State, look: &mut Look<'_>) {
    let Some(pid) = state.chosen_target() else { return };
    state.frozen = Some(Frozen {
        pid,
        title: state.snapshot.titles.get(&pid).cloned().unwrap_or_default(),
        stack: look(pid),
        from: 0,
    });
}

fn in_stack(code: KeyCode, state: &mut State, look: &mut Look<'_>) -> Then {
    let page = state.page;
    let Some(frozen) = &mut state.frozen else {
        return Then::Nothing;
    };
    let last = frozen
        .stack
        .as_ref()
        .map_or(0, |lines| lines.len().saturating_sub(1));
    match code {
        KeyCode::Char('q') => return Then::Quit,
        KeyCode::Char('?' | 'h') | KeyCode::F(1) => state.has_help = true,
        KeyCode::Esc | KeyCode::Backspace | KeyCode::Tab => state.frozen = None,
        KeyCode::Enter | KeyCode::Char('r') => {
            frozen.stack = look(frozen.pid);
            frozen.from = 0;
        }
        KeyCode::Up | KeyCode::Char('k') => frozen.from = frozen.from.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') => frozen.from = (frozen.from + 1).min(last),
        KeyCode::PageUp => frozen.from = frozen.from.saturating_sub(page),
        KeyCode::PageDown => frozen.from = (frozen.from + page).min(last),
        KeyCode::Home | KeyCode::Char('g') => frozen.from = 0,
        KeyCode::End | KeyCode::Char('G') => frozen.from = last,
        _ => return Then::Nothing,
    }
    Then::Draw
}
