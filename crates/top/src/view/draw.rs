//! Draws it all.

use super::{
    help::HELP,
    state::{Frozen, Pane, State},
    style::Style,
    table::{self, percent, shorten_left},
};
use crate::snapshot::Only;
use profile::harmless;
use ratatui::{
    Frame,
    layout::{Constraint, Layout, Rect},
    text::{Line, Span},
    widgets::{Block, Clear, Paragraph},
};

/// From this width on both tables stand side by side.
const WIDE: u16 = 120;
/// Columns of the table of processes beside the other.
const TARGETS: u16 = 56;

pub fn draw(frame: &mut Frame<'_>, state: &mut State) {
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(3), Constraint::Fill(1), Constraint::Length(1)])
            .areas(frame.area());
    state.page = usize::from(body.height.saturating_sub(1)).max(1);
    frame.render_widget(Paragraph::new(heading(state)), head);
    if let Some(frozen) = &state.frozen {
        frame.render_widget(Paragraph::new(stack(frozen, state, body)), body);
    } else if body.width >= WIDE {
        let [left, _, right] = Layout::horizontal([
            Constraint::Fill(1),
            Constraint::Length(2),
            Constraint::Length(TARGETS),
        ])
        .areas(body);
        table::functions(frame, left, state);
        draw_table(frame, right, state.side, state);
    } else {
        draw_table(frame, body, state.pane, state);
    }
    frame.render_widget(Paragraph::new(footer(state)), foot);
    if state.has_help {
        help(frame, state);
    }
}

fn draw_table(frame: &mut Frame<'_>, area: Rect, pane: Pane, state: &mut State) {
    match pane {
        Pane::Functions => table::functions(frame, area, state),
        Pane::Targets => table::targets(frame, area, state),
        Pane::Requests => table::requests(frame, area, state),
    }
}

/// Three lines: what is shown, what was seen, what became of the rest.
fn heading(state: &State) -> Vec<Line<'static>> {
    let style = state.style;
    let snapshot = &state.snapshot;
    let mut first = Line::from(vec![
        Span::styled("phperf top", style.title()),
        Span::raw(match snapshot.source {
            Some(source) => format!(" · {source} source at {} Hz", state.rate),
            None => " · getting ready".to_owned(),
        }),
        Span::raw(format!(" · last {} s · by {}", state.window(), state.sort.name())),
    ]);
    let mut notice = |text: String| first.push_span(Span::styled(format!(" · {text}"), style.notice()));
    if let Some(pid) = state.only.pid {
        notice(format!("only {pid}"));
    }
    if let Some(text) = state
        .only
        .request
        .and_then(|request| snapshot.requests.get(&request))
    {
        notice(format!("only {}", shorten_left(text, 20)));
    }
    if !state.only.requests.is_empty() && (state.pane != Pane::Requests || !state.is_typing) {
        notice(format!("requests /{}", shorten_left(&state.only.requests, 20)));
    }
    if !state.filter.is_empty() && (state.pane == Pane::Requests || !state.is_typing) {
        notice(format!("/{}", shorten_left(&state.filter, 20)));
    }
    if state.is_paused {
        notice("paused".to_owned());
    }

    let doing = snapshot.doing(&state.only);
    let seconds = snapshot.covered.as_secs_f64();
    let rate = if seconds > 0.0 {
        doing.samples() as f64 / seconds
    } else {
        0.0
    };
    let mut second = Line::from(format!(
        "{rate:.0} samples/s · on CPU {} · waiting {}",
        percent(doing.on_cpu, doing.samples()),
        percent(doing.waiting, doing.samples())
    ));
    let mut third = Line::default();
    if let Some(account) = snapshot.account {
        let idle = percent(
            account.idle,
            account.idle + snapshot.doing(&Only::default()).samples(),
        );
        second.push_span(Span::raw(format!(" · idle {idle} of the time")));
        third.push_span(counted("missed", account.missed, state));
        third.push_span(Span::raw(" · "));
        third.push_span(counted("lost", account.lost, state));
        if snapshot.not_kept > 0 {
            third.push_span(Span::raw(" · "));
            third.push_span(counted("not shown", snapshot.not_kept, state));
        }
        third.push_span(Span::raw(format!(
            " · {} {} · own CPU {:.1}% of a core",
            account.targets,
            if account.targets == 1 {
                "process"
            } else {
                "processes"
            },
            account.own_cpu * 100.0
        )));
    }
    vec![first, second, third]
}

fn counted(what: &str, count: u64, state: &State) -> Span<'static> {
    let text = format!("{what} {count}");
    if count == 0 {
        Span::raw(text)
    } else {
        Span::styled(text, state.style.alarm())
    }
}

fn stack(frozen: &Frozen, state: &State, area: Rect) -> Vec<Line<'static>> {
    let width = usize::from(area.width);
    let mut lines = vec![Line::styled(
        shorten_left(&format!("{} {}", frozen.pid, frozen.title), width),
        Style::columns(),
    )];
    match &frozen.stack {
        Ok(stack) => {
            let shown = stack.iter().skip(frozen.from).take(usize::from(area.height));
            lines.extend(shown.map(|frame| {
                let frame = harmless(frame);
                let (number, rest) = frame.split_once(' ').unwrap_or(("", &frame));
                let room = width.saturating_sub(number.len() + 1);
                Line::raw(format!("{number} {}", shorten_left(rest, room)))
            }));
        }
        Err(why) => lines.push(Line::styled(harmless(why), state.style.alarm())),
    }
    lines
}

fn footer(state: &State) -> Line<'static> {
    if state.is_typing {
        let typed = match state.pane {
            Pane::Requests => &state.only.requests,
            Pane::Functions | Pane::Targets => &state.filter,
        };
        return Line::from(vec![
            Span::styled(format!("/{typed}"), state.style.notice()),
            Span::raw("▏"),
            Span::styled("  Enter keeps it, Esc drops it", Style::faint()),
        ]);
    }
    if let Some(warning) = &state.snapshot.warning {
        return Line::styled(warning.clone(), state.style.alarm());
    }
    let keys = if state.frozen.is_some() {
        "Esc back  ↑↓ scroll  r look again  ? help  q quit"
    } else {
        match state.pane {
            Pane::Functions => "q quit  Tab processes  / filter  s sort  w window  Space pause  ? help",
            Pane::Targets => "q quit  Tab next table  Enter its stack  f its functions  Space pause  ? help",
            Pane::Requests => "q quit  Tab next table  / filter  f its functions  Space pause  ? help",
        }
    };
    Line::styled(keys, Style::faint())
}

fn help(frame: &mut Frame<'_>, state: &State) {
    let area = frame.area();
    let [area] = Layout::horizontal([Constraint::Length(76)])
        .flex(ratatui::layout::Flex::Center)
        .areas(area);
    let [area] = Layout::vertical([Constraint::Length(HELP.len() as u16 + 2)])
        .flex(ratatui::layout::Flex::Center)
        .areas(area);
    let lines = HELP.iter().map(|&(key, what)| {
        Line::from(vec![
            Span::styled(format!(" {key:<14} "), state.style.title()),
            Span::raw(what),
        ])
    });
    frame.render_widget(Clear, area);
    let text = Paragraph::new(lines.collect::<Vec<_>>()).block(Block::bordered().title(" phperf top "));
    frame.render_widget(text, area);
}

#[cfg(test)]
mod tests;
