//! The two tables.

use super::{
    state::{Pane, State},
    style::Style,
};
use crate::snapshot::Target;
use ratatui::{
    Frame,
    layout::{Constraint, Rect},
    text::{Line, Span},
    widgets::{Cell, Row, Table, TableState},
};
use unicode_width::UnicodeWidthStr;

/// The least room in which a file's name is worth showing.
const LEAST_PLACE: usize = 16;
/// Columns of figures before a function's name.
const FIGURES: [Constraint; 3] = [
    Constraint::Length(6),
    Constraint::Length(6),
    Constraint::Length(7),
];

pub fn functions(frame: &mut Frame<'_>, area: Rect, state: &mut State) {
    let shown = state.shown();
    let all = state.snapshot.doing(state.only).samples();
    let faint = Style::faint();
    // The figures, and a blank after each.
    let room = usize::from(area.width).saturating_sub(6 + 6 + 7 + 3);
    let is_active = state.pane == Pane::Functions;
    keep_in_view(&mut state.functions, shown.len(), area);
    let offset = state.functions.offset();
    let visible = offset..offset + usize::from(area.height);
    let rows = shown.iter().enumerate().map(|(at, (named, cell))| {
        // Texts are made for what is seen alone.
        if !visible.contains(&at) {
            return Row::new([Cell::default()]);
        }
        let name = shorten_left(&named.name, room);
        let left = room.saturating_sub(name.width() + 2);
        let mut text = Line::from(Span::raw(name));
        if left >= LEAST_PLACE.min(named.place.width()) && !named.place.is_empty() {
            text.push_span(Span::styled(
                format!("  {}", shorten_left(&named.place, left)),
                faint,
            ));
        }
        Row::new([
            figure(percent(cell.own, all)),
            figure(percent(cell.total, all)),
            figure(percent(cell.waiting, all)),
            Cell::from(text),
        ])
    });
    let [own, total, waiting] = FIGURES;
    let table = Table::new(rows, [own, total, waiting, Constraint::Fill(1)])
        .header(
            Row::new([
                figure("self".into()),
                figure("total".into()),
                figure("waiting".into()),
                Cell::from("function"),
            ])
            .style(Style::columns()),
        )
        .row_highlight_style(Style::chosen(is_active));
    frame.render_stateful_widget(table, area, &mut state.functions);
}

pub fn targets(frame: &mut Frame<'_>, area: Rect, state: &mut State) {
    let targets = state.snapshot.sorted_targets();
    let seconds = state.snapshot.covered.as_secs_f64().max(0.1);
    let room = usize::from(area.width).saturating_sub(8 + 9 + 7 + 8 + 4);
    let row = |target: &&Target| {
        let samples = target.doing.samples();
        let mark = if state.only == Some(target.pid) { "*" } else { "" };
        Row::new([
            figure(format!("{mark}{}", target.pid)),
            figure(format!("{:.0}", samples as f64 / seconds)),
            figure(percent(target.doing.on_cpu, samples)),
            figure(percent(target.doing.waiting, samples)),
            Cell::from(shorten_left(&target.title, room)),
        ])
    };
    let chosen = state.chosen_target();
    let at = targets.iter().position(|target| Some(target.pid) == chosen);
    let rows: Vec<Row<'_>> = targets.iter().map(row).collect();
    let widths = [
        Constraint::Length(8),
        Constraint::Length(9),
        Constraint::Length(7),
        Constraint::Length(8),
        Constraint::Fill(1),
    ];
    let table = Table::new(rows, widths)
        .header(
            Row::new([
                figure("pid".into()),
                figure("samples/s".into()),
                figure("on CPU".into()),
                figure("waiting".into()),
                Cell::from("process"),
            ])
            .style(Style::columns()),
        )
        .row_highlight_style(Style::chosen(state.pane == Pane::Targets));
    state.targets.select(at);
    frame.render_stateful_widget(table, area, &mut state.targets);
}

/// A choice that there is, on a page that shows it.
fn keep_in_view(table: &mut TableState, rows: usize, area: Rect) {
    let height = usize::from(area.height.saturating_sub(1)).max(1);
    let Some(chosen) = table.selected().map(|at| at.min(rows.saturating_sub(1))) else {
        return;
    };
    table.select(Some(chosen));
    let offset = table.offset().min(chosen);
    *table.offset_mut() = offset.max((chosen + 1).saturating_sub(height));
}

fn figure(text: String) -> Cell<'static> {
    Cell::from(Line::from(text).right_aligned())
}

pub fn percent(part: u64, all: u64) -> String {
    format!("{:.1}%", 100.0 * part as f64 / all.max(1) as f64)
}

/// The end of a name tells more than its beginning.
pub fn shorten_left(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut left = room.saturating_sub(1);
    let mut from = text.len();
    for (at, char) in text.char_indices().rev() {
        let width = unicode_width::UnicodeWidthChar::width(char).unwrap_or(0);
        let Some(rest) = left.checked_sub(width) else {
            break;
        };
        (left, from) = (rest, at);
    }
    format!("…{}", &text[from..])
}
