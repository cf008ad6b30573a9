use super::*;
use crate::{
    names::Named,
    requests::RequestId,
    snapshot::{Account, Row, Snapshot, Work},
    view::{
        Shown,
        keys::{self, Then},
    },
    window::{Cell, Doing},
};
use ratatui::{
    Terminal,
    backend::TestBackend,
    crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers},
};
use std::{sync::Arc, time::Duration};

const CART: RequestId = RequestId::OTHER;

fn snapshot() -> Snapshot {
    let row = |pid, name: &str, place: &str, own, total, waiting| Row {
        served: (pid, if pid == 202 { CART } else { RequestId::NONE }),
        function: Arc::new(Named {
            name: name.into(),
            place: place.into(),
        }),
        cell: Cell { own, total, waiting },
    };
    let work = |pid, request, on_cpu, waiting| Work {
        served: (pid, request),
        doing: Doing { on_cpu, waiting },
    };
    Snapshot {
        covered: Duration::from_secs(10),
        source: Some(profile::Source::Kernel),
        rows: vec![
            row(101, "<main>", "/srv/app/public/index.php", 0, 990, 0),
            row(101, "PDO::query", "", 700, 700, 690),
            row(202, "PDO::query", "", 100, 100, 100),
            row(
                202,
                "Illuminate\\Database\\Eloquent\\Concerns\\HasAttributes::castAttributeAsEncryptedString",
                "/srv/app/vendor/laravel/framework/src/Illuminate/Database/Eloquent/Concerns/HasAttributes.php:910",
                290,
                300,
                0,
            ),
            row(202, "数据\\处理::运行", "/srv/app/数据.php:7", 90, 90, 0),
        ],
        work: vec![work(101, RequestId::NONE, 300, 690), work(202, CART, 380, 100)],
        titles: [101, 202]
            .map(|pid| (pid, "php-fpm: pool www".to_owned()))
            .into_iter()
            .collect(),
        requests: [
            (RequestId::NONE, "(none)"),
            (
                CART,
                "GET /shop/cart/checkout/payment/confirmation/in/a/long/address",
            ),
        ]
        .map(|(id, text)| (id, text.to_owned()))
        .into_iter()
        .collect(),
        not_kept: 0,
        account: Some(Account {
            idle: 510,
            missed: 2,
            lost: 0,
            targets: 2,
            own_cpu: 0.0123,
        }),
        warning: None,
    }
}

struct View {
    state: State,
    terminal: Terminal<TestBackend>,
}

impl View {
    fn new(width: u16, height: u16) -> Self {
        let mut state = State::new(&Shown {
            rate: 99,
            window: 10,
            requests: true,
            colour: true,
        });
        state.snapshot = snapshot();
        Self {
            state,
            terminal: Terminal::new(TestBackend::new(width, height)).unwrap(),
        }
    }

    fn press(&mut self, code: KeyCode) -> Then {
        let event = Event::Key(KeyEvent::new(code, KeyModifiers::NONE));
        keys::act(&event, &mut self.state, &mut |pid| match pid {
            202 => Ok((0..30)
                .map(|depth| format!("#{depth} App\\f{depth} /srv/f.php:{depth}"))
                .collect()),
            _ => Err(format!("process {pid} has ended\u{1b}[31m")),
        })
    }

    fn text(&mut self) -> String {
        self.terminal.draw(|frame| draw(frame, &mut self.state)).unwrap();
        let text = self.terminal.backend().to_string();
        text.lines()
            .map(|line| line.split_once("\" Hidden by").map_or(line, |(line, _)| line))
            .map(|line| line.trim_matches('"').trim_end())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

#[test]
fn eighty_columns() {
    let mut view = View::new(80, 12);
    insta::assert_snapshot!("functions_in_80", view.text());
    view.press(KeyCode::Tab);
    insta::assert_snapshot!("targets_in_80", view.text());
}

#[test]
fn two_hundred_columns() {
    insta::assert_snapshot!(View::new(200, 12).text());
}

#[test]
fn requests_are_a_table_that_narrows() {
    let mut view = View::new(80, 12);
    view.press(KeyCode::BackTab);
    insta::assert_snapshot!("requests_in_80", view.text());
    view.press(KeyCode::Down);
    view.press(KeyCode::Enter);
    let text = view.text();
    assert!(text.contains("· only …") && text.contains("*32.7%"), "{text}");
    view.press(KeyCode::Tab);
    let text = view.text();
    assert!(text.contains("运行") && !text.contains("<main>"), "{text}");
    // The filter is that of the table that keys go to.
    view.press(KeyCode::BackTab);
    view.press(KeyCode::Esc);
    view.press(KeyCode::Char('/'));
    for char in "SHOP".chars() {
        view.press(KeyCode::Char(char));
    }
    let text = view.text();
    assert!(text.contains("/SHOP▏") && !text.contains("(none)"), "{text}");
    view.press(KeyCode::Enter);
    view.press(KeyCode::Tab);
    let text = view.text();
    assert!(
        text.contains("· requests /SHOP") && !text.contains("<main>"),
        "{text}"
    );
    view.press(KeyCode::Esc);
    assert!(view.text().contains("<main>"), "{}", view.text());

    let mut wide = View::new(200, 12);
    wide.press(KeyCode::BackTab);
    let text = wide.text();
    assert!(
        text.contains("waiting request") && text.contains("<main>"),
        "{text}"
    );
    wide.press(KeyCode::Tab);
    assert!(
        wide.text().contains("waiting request"),
        "it stays beside the functions"
    );
}

#[test]
fn help_fits_into_24_lines() {
    let mut view = View::new(80, 24);
    view.press(KeyCode::Char('?'));
    insta::assert_snapshot!(view.text());
    view.press(KeyCode::Char('q'));
    assert!(!view.state.has_help, "any key closes it, and does nothing else");
}

#[test]
fn a_stack_is_frozen_scrolled_and_left() {
    let mut view = View::new(80, 12);
    view.press(KeyCode::Tab);
    view.press(KeyCode::Enter);
    assert!(view.text().contains("#0 App\\f0 /srv/f.php:0"), "{}", view.text());
    view.press(KeyCode::PageDown);
    view.press(KeyCode::Down);
    assert!(!view.text().contains("#0 "), "{}", view.text());
    view.press(KeyCode::End);
    insta::assert_snapshot!(view.text());
    view.press(KeyCode::Esc);
    view.press(KeyCode::Down);
    view.press(KeyCode::Enter);
    assert!(
        view.text().contains("process 101 has ended?[31m"),
        "{}",
        view.text()
    );
}

#[test]
fn keys_filter_sort_and_narrow() {
    let mut view = View::new(80, 12);
    view.press(KeyCode::Char('/'));
    for char in "pdo".chars() {
        view.press(KeyCode::Char(char));
    }
    let text = view.text();
    assert!(text.contains("/pdo▏") && !text.contains("<main>"), "{text}");
    view.press(KeyCode::Enter);
    assert!(view.text().contains("· /pdo"), "{}", view.text());
    view.press(KeyCode::Esc);
    view.press(KeyCode::Char('s'));
    let text = view.text();
    let names: Vec<&str> = text.lines().skip(4).collect();
    assert!(text.contains("by total") && names[0].contains("<main>"), "{text}");
    view.press(KeyCode::Char('f'));
    let text = view.text();
    assert!(text.contains("only 202") && !text.contains("<main>"), "{text}");
    view.press(KeyCode::Char('f'));
    assert!(view.text().contains("<main>"), "{}", view.text());
    assert_eq!(view.press(KeyCode::Char('w')), Then::Look);
    assert!(view.text().contains("last 30 s"), "{}", view.text());
    assert_eq!(view.press(KeyCode::Char('p')), Then::Draw);
    assert!(view.text().contains("paused"), "{}", view.text());
    assert_eq!(view.press(KeyCode::Char('p')), Then::Look);
    assert_eq!(view.press(KeyCode::Char('q')), Then::Quit);
    let control_c = Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    view.state.is_typing = true;
    assert_eq!(
        keys::act(&control_c, &mut view.state, &mut |_| Ok(vec![])),
        Then::Quit
    );
}

#[test]
fn no_figure_is_cut() {
    let mut wide = View::new(80, 12);
    for key in [KeyCode::Home, KeyCode::Tab] {
        wide.press(key);
        let whole = wide.text();
        let whole: Vec<Vec<&str>> = whole
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        for width in 12..80 {
            let mut view = View::new(width, 12);
            view.press(key);
            for (line, whole) in view.text().lines().zip(&whole).skip(3).take(8) {
                let is_figure = |word: &&str| {
                    word.chars()
                        .all(|char| char.is_ascii_digit() || ".%".contains(char))
                };
                for word in line.split_whitespace().filter(is_figure) {
                    assert!(
                        whole.contains(&word),
                        "{word} of {width} columns is none of {whole:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn any_size_and_no_samples_are_drawn() {
    for (width, height) in [(1, 1), (5, 2), (20, 4), (79, 5), (119, 3), (120, 4), (500, 100)] {
        let mut view = View::new(width, height);
        for key in ['s', '?', 'x', '/'] {
            view.press(KeyCode::Char(key));
            view.text();
        }
        view.state.is_typing = false;
        view.press(KeyCode::Tab);
        view.press(KeyCode::End);
        view.press(KeyCode::Enter);
        view.text();
        view.state = State::new(&Shown {
            rate: 99,
            window: 10,
            requests: true,
            colour: false,
        });
        view.press(KeyCode::Down);
        view.press(KeyCode::Enter);
        view.text();
    }
}

#[test]
fn without_colour_there_is_none() {
    let mut view = View::new(80, 24);
    view.state.style = Style::new(false);
    view.state.is_paused = true;
    view.press(KeyCode::Down);
    view.text();
    let cells = view.terminal.backend().buffer().content();
    assert!(
        cells.iter().all(|cell| {
            cell.fg == ratatui::style::Color::Reset && cell.bg == ratatui::style::Color::Reset
        })
    );
}
