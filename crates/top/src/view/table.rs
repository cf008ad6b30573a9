//! The tables.

use super::{
    state::{Pane, State},
    style::Style,
};
use crate::{
    requests::RequestId,
    snapshot::{Group, Snapshot},
};
use profile::shorten_name;
use ratatui::{
    Frame,
    layout::{Constraint, Rect},
    text::{Line, Span},
    widgets::{Cell, Row, Table, TableState},
};
use unicode_width::UnicodeWidthStr;

/// The least room in which a file's name is worth showing.
const LEAST_PLACE: usize = 16;
/// The least room for a name.
const LEAST_NAME: u16 = 4;
/// Columns of figures before a function's name: their widths.
const FIGURES: [u16; 3] = [6, 6, 7];
/// Columns of figures before what a process or a request is called.
const BESIDE: [u16; 4] = [8, 9, 7, 8];

pub fn functions(frame: &mut Frame<'_>, area: Rect, state: &mut State) {
    let shown = state.shown();
    let all = state.snapshot.doing(&state.only).samples();
    let faint = Style::faint();
    let (columns, room) = fitting(&FIGURES, area.width);
    let is_active = state.pane == Pane::Functions;
    keep_in_view(&mut state.functions, shown.len(), area);
    let offset = state.functions.offset();
    let visible = offset..offset + usize::from(area.height);
    let rows = shown.iter().enumerate().map(|(at, (named, cell))| {
        // Texts are made for what is seen alone.
        if !visible.contains(&at) {
            return Row::new([Cell::default()]);
        }
        let name = shorten_name(&named.name, room, UnicodeWidthStr::width, shorten_left);
        let left = room.saturating_sub(name.width() + 2);
        let mut text = Line::from(Span::raw(name));
        if left >= LEAST_PLACE.min(named.place.width()) && !named.place.is_empty() {
            text.push_span(Span::styled(
                format!("  {}", shorten_left(&named.place, left)),
                faint,
            ));
        }
        row(
            columns,
            [cell.own, cell.total, cell.waiting].map(|part| percent(part, all)),
            text,
        )
    });
    let titles = ["self", "total", "waiting"].map(str::to_owned);
    let table = Table::new(rows, widths(columns))
        .header(row(columns, titles, Line::from("function")).style(Style::columns()))
        .row_highlight_style(Style::chosen(is_active));
    frame.render_stateful_widget(table, area, &mut state.functions);
}

pub fn targets(frame: &mut Frame<'_>, area: Rect, state: &mut State) {
    let groups = state.snapshot.targets(&state.only);
    let titles = ["pid", "samples/s", "on CPU", "waiting", "process"];
    let first = |group: &Group<u32>| {
        let mark = if state.only.pid == Some(group.key) {
            "*"
        } else {
            ""
        };
        format!("{mark}{}", group.key)
    };
    let table = beside(area.width, &groups, &titles, first, &state.snapshot)
        .row_highlight_style(Style::chosen(state.pane == Pane::Targets));
    let place = state.targets.place(&groups);
    let choice = &mut state.targets.table;
    choice.select((!groups.is_empty()).then_some(place));
    frame.render_stateful_widget(table, area, choice);
}

pub fn requests(frame: &mut Frame<'_>, area: Rect, state: &mut State) {
    let groups = state.snapshot.requests(&state.only);
    let titles = ["share", "samples/s", "on CPU", "waiting", "request"];
    let all = groups.iter().map(|group| group.doing.samples()).sum();
    let first = |group: &Group<RequestId>| {
        let mark = if state.only.request == Some(group.key) {
            "*"
        } else {
            ""
        };
        format!("{mark}{}", percent(group.doing.samples(), all))
    };
    let table = beside(area.width, &groups, &titles, first, &state.snapshot)
        .row_highlight_style(Style::chosen(state.pane == Pane::Requests));
    let place = state.requests.place(&groups);
    let choice = &mut state.requests.table;
    choice.select((!groups.is_empty()).then_some(place));
    frame.render_stateful_widget(table, area, choice);
}

/// The table of what stands beside functions: processes or requests, whose first column is their own.
fn beside<'a, K>(
    width: u16,
    groups: &[Group<K>],
    titles: &[&'static str; 5],
    first: impl Fn(&Group<K>) -> String,
    snapshot: &Snapshot,
) -> Table<'a> {
    let seconds = snapshot.covered.as_secs_f64().max(0.1);
    let (columns, room) = fitting(&BESIDE, width);
    let rows = groups.iter().map(|group| {
        let samples = group.doing.samples();
        let figures = [
            first(group),
            format!("{:.0}", samples as f64 / seconds),
            percent(group.doing.on_cpu, samples),
            percent(group.doing.waiting, samples),
        ];
        row(columns, figures, Line::from(shorten_left(&group.text, room)))
    });
    let [figures @ .., name] = titles;
    let header = row(
        columns,
        figures.iter().map(|&title| title.to_owned()),
        Line::from(*name),
    );
    Table::new(rows.collect::<Vec<_>>(), widths(columns)).header(header.style(Style::columns()))
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

/// The columns of figures that a table of `width` has room for, a blank after each, and the room that they leave for the
/// name. A figure that is cut would be another one, so that columns are left out; the first one is always there.
fn fitting(figures: &[u16], width: u16) -> (&[u16], usize) {
    let taken = |columns: usize| figures[..columns].iter().map(|column| column + 1).sum::<u16>();
    let fit = |&columns: &usize| taken(columns) + LEAST_NAME <= width;
    let columns = (1..=figures.len()).rev().find(fit).unwrap_or(1);
    (
        &figures[..columns],
        usize::from(width.saturating_sub(taken(columns))),
    )
}

fn widths(figures: &[u16]) -> Vec<Constraint> {
    let figures = figures.iter().map(|&width| Constraint::Length(width));
    figures.chain([Constraint::Fill(1)]).collect()
}

/// A row of those columns.
fn row<'a>(columns: &[u16], figures: impl IntoIterator<Item = String>, name: Line<'a>) -> Row<'a> {
    let figures = figures.into_iter().take(columns.len());
    let figures = figures.map(|text| -> Cell<'a> { figure(text) });
    Row::new(figures.chain([Cell::from(name)]))
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
