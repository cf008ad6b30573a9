//! A panic while the terminal is taken: it is given back before the panic tells of itself.

#[path = "../../../tests/support/tmux.rs"]
mod tmux;

use tmux::Terminal;

/// Set for the run of this test that panics, inside of a terminal.
const PANICS: &str = "PHPERF_TEST_PANICS";

#[test]
fn a_panic_gives_the_terminal_back() {
    if std::env::var_os(PANICS).is_some() {
        let screen = top::Screen::open().unwrap();
        std::thread::spawn(|| panic!("on purpose")).join().unwrap_err();
        std::mem::forget(screen);
        return;
    }
    let test = std::env::current_exe().unwrap();
    let command = format!(
        "{PANICS}=1 '{}' --exact a_panic_gives_the_terminal_back --nocapture",
        test.display()
    );
    let Some(terminal) = Terminal::open(80, 24, &command) else {
        return;
    };
    assert_eq!(terminal.end(), 0);
    terminal.until("the panic's message", |text| text.contains("on purpose"));
}
