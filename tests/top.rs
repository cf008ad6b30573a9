//! `phperf top` in a real terminal emulator, on real PHP.

mod support;
#[path = "support/tmux.rs"]
mod tmux;

use php::{Binary, Fpm, Ini, Load, Manager, Pool, Request, Script};
use std::{
    fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};
use support::{SOURCES, assert_says, cli, phperf, run, running, script};
use tmux::Terminal;
use unicode_width::UnicodeWidthStr;

/// The binary, as a shell takes it.
const PHPERF: &str = env!("CARGO_BIN_EXE_phperf");

fn top(width: u16, height: u16, arguments: &str) -> Option<Terminal> {
    Terminal::open(width, height, &format!("'{PHPERF}' top {arguments}"))
}

fn of(targets: &[&Script]) -> String {
    let pids = targets.iter().map(|target| format!("-p {}", target.pid()));
    pids.collect::<Vec<_>>().join(" ")
}

/// The rows of the table of functions, in 80 columns.
fn rows(text: &str) -> Vec<&str> {
    let rows = text.lines().skip(4).take(19);
    rows.filter(|row| !row.trim().is_empty()).collect()
}

#[test]
fn functions_are_seen_filtered_and_held() {
    let target = running("wordpress.php");
    for source in SOURCES {
        let arguments = format!("{} --source {source}", of(&[&target]));
        let Some(terminal) = top(80, 24, &arguments) else {
            return;
        };
        let text = terminal.until("ksort", |text| text.contains("ksort") && text.contains("own CPU"));
        assert!(
            text.contains(&format!(
                "phperf top · {source} source at 99 Hz · last 10 s · by self"
            )),
            "{text}"
        );
        for word in [
            "samples/s",
            "on CPU",
            "waiting",
            "idle",
            "missed",
            "lost 0",
            "1 process ",
            "q quit",
        ] {
            assert!(text.contains(word), "no {word:?}:\n{text}");
        }
        assert!(text.lines().all(|line| line.width() <= 80), "{text}");

        terminal.press(&["/"]);
        terminal.write("KSO");
        terminal.until("the filter that is typed", |text| text.contains("/KSO▏"));
        terminal.press(&["Enter"]);
        let text = terminal.until("the filter", |text| text.contains("· /KSO"));
        assert!(rows(&text).iter().all(|row| row.contains("ksort")), "{text}");
        terminal.press(&["Escape"]);
        terminal.until("all of them", |text| {
            text.contains("apply_filters") && !text.contains("/KSO")
        });

        terminal.press(&["s"]);
        let text = terminal.until("another order", |text| text.contains("by total"));
        assert!(rows(&text)[0].contains("<main>"), "{text}");

        terminal.press(&["p"]);
        let held = terminal.until("the pause", |text| text.contains("paused"));
        terminal.press(&["w"]);
        let text = terminal.until("another window", |text| text.contains("last 30 s"));
        assert_eq!(rows(&text), rows(&held), "held");
        terminal.press(&["p"]);
        terminal.until("it goes on", |text| {
            !text.contains("paused") && rows(text) != rows(&held)
        });

        terminal.press(&["?"]);
        terminal.until("help", |text| text.contains("share of the samples in which"));
        terminal.press(&["q"]);
        terminal.until("no help", |text| !text.contains("share of the samples in which"));
        terminal.press(&["q"]);
        assert_eq!(terminal.end(), 0);
        let text = terminal.until("the account", |text| text.contains("own CPU"));
        assert!(text.contains(&format!("from the {source} source")), "{text}");
    }
}

#[test]
fn who_hangs_is_seen_while_it_hangs() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let source = format!(
        "<?php
function hang() {{ sleep(1000); }}
echo \"ready\\n\";
while (!file_exists('{}')) {{ clearstatcache(); usleep(1000); }}
hang();
",
        go.display()
    );
    let target = script(folder.path(), &source);
    for source in SOURCES {
        let Some(terminal) = top(80, 24, &format!("{} -w 5 --source {source}", of(&[&target]))) else {
            return;
        };
        if !go.exists() {
            terminal.until("what it does first", |text| text.contains("usleep"));
            fs::write(&go, "").unwrap();
        }
        // By the kernel source it came into the wait at first, and has waited from the start by the reader.
        let text = terminal.until("the wait that goes on", |text| {
            let hangs = rows(text)
                .iter()
                .any(|row| row.contains("sleep") && !row.contains("usleep"));
            hangs && rows(text).iter().any(|row| row.contains(" hang "))
        });
        assert!(!text.contains(" 0 samples/s"), "{text}");
        terminal.press(&["Tab"]);
        terminal.until("its process", |text| text.contains(&format!("{} ", target.pid())));
        terminal.press(&["q"]);
        assert_eq!(terminal.end(), 0);
    }
}

#[test]
fn who_has_hung_from_the_start_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let target = script(
        folder.path(),
        "<?php
function hang() { sleep(1000); }
echo \"ready\\n\";
hang();
",
    );
    let Some(terminal) = top(80, 24, &of(&[&target])) else {
        return;
    };
    let text = terminal.until("the wait", |text| {
        text.contains(" hang ") && text.contains("missed 0")
    });
    let sleeps = rows(&text)[0];
    assert!(sleeps.starts_with("100.0% 100.0%  100.0% sleep"), "{text}");
    terminal.press(&["q"]);
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_wide_terminal_has_both_tables_and_may_change() {
    let (one, other) = (running("framework.php"), running("synthetic.php"));
    let Some(terminal) = top(200, 50, &of(&[&one, &other])) else {
        return;
    };
    let pids = [&one, &other].map(|target| target.pid().to_string());
    let has_both = |text: &str| {
        text.contains("usleep")
            && text.contains("json_encode")
            && pids.iter().all(|pid| text.contains(pid.as_str()))
    };
    let text = terminal.until("both tables", has_both);
    assert!(text.lines().all(|line| line.width() <= 200), "{text}");
    terminal.until("the account", |text| text.contains("2 processes"));
    terminal.resize(80, 24);
    terminal.until("one table", |text| {
        text.contains("usleep")
            && text.contains("q quit")
            && !text.contains("samples/s  on CPU")
            && text.lines().all(|line| line.width() <= 80)
    });
    terminal.press(&["Tab"]);
    terminal.until("the other table", |text| {
        text.contains("samples/s  on CPU") && pids.iter().all(|pid| text.contains(pid.as_str()))
    });
    terminal.press(&["C-c"]);
    assert_eq!(terminal.end(), 0);
}

#[test]
fn the_stack_of_a_target_is_frozen() {
    let folder = tempfile::tempdir().unwrap();
    let target = script(
        folder.path(),
        "<?php function nap() { sleep(600); } echo \"ready\\n\"; for (;;) { for ($i = 0; $i < 1e6; $i++); usleep(1000); if (file_exists(__DIR__ . '/nap')) { nap(); } }",
    );
    let Some(terminal) = top(80, 24, &of(&[&target])) else {
        return;
    };
    terminal.press(&["Tab"]);
    let pid = target.pid().to_string();
    terminal.until("the target", |text| {
        text.contains(&pid) && text.contains("script.php")
    });
    fs::write(folder.path().join("nap"), "").unwrap();
    // Looked at until it naps: then it does so for long.
    terminal.press(&["Enter"]);
    terminal.until("a stack", |text| text.contains("#0 "));
    let text = terminal.until("the nap", |text| {
        let naps = text.contains("#0 sleep") && text.contains("#1 nap ") && text.contains("#2 <main> ");
        if !naps {
            terminal.press(&["r"]);
        }
        naps
    });
    assert!(text.contains("script.php:1"), "{text}");
    terminal.press(&["Escape"]);
    terminal.until("the table", |text| {
        text.contains("process") && !text.contains("#0 ")
    });
    terminal.press(&["q"]);
    assert_eq!(terminal.end(), 0);
}

/// Two pages of a front controller.
const CONTROLLER: &str = "<?php
function spin() { $end = hrtime(true) + 2000000; while (hrtime(true) < $end) { md5('x'); } usleep(200); }
function cart() { spin(); }
function home() { spin(); }
substr($_SERVER['REQUEST_URI'], 1, 4)();
";

#[test]
fn requests_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("index.php");
    fs::write(&script, CONTROLLER).unwrap();
    let script = script.display().to_string();
    let name = format!("top-{}", std::process::id());
    let pool = Pool::new(&name, Manager::Static(2));
    let fpm = Fpm::start(&Binary::fpm().unwrap(), &Ini::new(), &[pool]).unwrap();
    let _busy = ["/cart?secret=1", "/home?secret=2"].map(|uri| {
        let request = Request::with([
            ("REQUEST_METHOD", "GET"),
            ("SCRIPT_FILENAME", &script),
            ("SCRIPT_NAME", "/index.php"),
            ("REQUEST_URI", uri),
            ("QUERY_STRING", "secret=1"),
        ]);
        Load::start(fpm.socket(&name), &request, 1).unwrap()
    });
    for source in SOURCES {
        let arguments = format!("--fpm={name} --request --source {source}");
        let Some(terminal) = top(80, 24, &arguments) else {
            return;
        };
        terminal.until("both pages' functions", |text| {
            text.contains(" cart ") && text.contains(" home ")
        });
        terminal.press(&["BTab"]);
        let text = terminal.until("both pages", |text| {
            text.contains("GET /cart") && text.contains("GET /home")
        });
        assert!(!text.contains("secret"), "{text}");
        // A filter of requests holds for functions, too.
        terminal.press(&["/"]);
        terminal.write("HOM");
        terminal.press(&["Enter"]);
        terminal.until("one page", |text| !text.contains("GET /cart"));
        terminal.press(&["Tab"]);
        terminal.until("its functions", |text| {
            text.contains("requests /HOM") && text.contains(" home ") && !text.contains(" cart ")
        });
        // Both begin with the same byte: together they may be read as one key.
        terminal.press(&["Escape"]);
        terminal.until("no filter", |text| !text.contains("requests /HOM"));
        terminal.press(&["BTab"]);
        terminal.until("all of them", |text| text.contains("GET /cart"));
        // The one that is chosen stays so, wherever it stands in the table.
        terminal.press(&["f"]);
        let text = terminal.until("one of them", |text| text.contains("· only GET /"));
        let (own, other) = if text.contains("only GET /cart") {
            (" cart ", " home ")
        } else {
            (" home ", " cart ")
        };
        terminal.press(&["Tab"]);
        terminal.until("its functions", |text| {
            text.contains(own) && !text.contains(other)
        });
        terminal.press(&["q"]);
        assert_eq!(terminal.end(), 0);
    }
}

#[test]
fn however_it_ends_the_terminal_is_as_it_was() {
    // The target's end.
    let target = running("framework.php");
    let Some(terminal) = top(80, 24, &of(&[&target])) else {
        return;
    };
    terminal.until("samples", |text| text.contains("json_encode"));
    drop(target);
    assert_eq!(terminal.end(), 0);

    // A signal.
    let target = running("framework.php");
    let command = format!("sh -c 'echo $$ >pid; exec \"{PHPERF}\" top {}'", of(&[&target]));
    let Some(terminal) = Terminal::open(80, 24, &command) else {
        return;
    };
    terminal.until("samples", |text| text.contains("json_encode"));
    let pid = fs::read_to_string(terminal.file("pid")).unwrap();
    assert!(Command::new("kill").arg(pid.trim()).status().unwrap().success());
    assert_eq!(terminal.end(), 0);

    // The terminal's own: nobody is there to give it back to.
    let Some(terminal) = Terminal::open(80, 24, &command) else {
        return;
    };
    terminal.until("samples", |text| text.contains("json_encode"));
    let pid = fs::read_to_string(terminal.file("pid")).unwrap();
    drop(terminal);
    let stat = Path::new("/proc").join(pid.trim()).join("stat");
    let began = Instant::now();
    while fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "it goes on without a terminal"
        );
        thread::yield_now();
    }

    // A target that there is not.
    let Some(terminal) = top(80, 24, "-p 4194303") else {
        return;
    };
    assert_eq!(terminal.end(), 1);
    terminal.until("why", |text| {
        text.contains("phperf: ") && text.contains("4194303")
    });
}

#[test]
fn a_command_has_its_exit_code_and_does_not_disturb() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("noisy.php");
    fs::write(
        &file,
        "<?php echo 'NOISE'; fwrite(STDERR, 'NOISE'); stream_get_contents(STDIN); $until = hrtime(true) + 4e9; while (hrtime(true) < $until) { md5('x'); } exit(7);",
    )
    .unwrap();
    let php = cli().path.display().to_string();
    let Some(terminal) = top(80, 24, &format!("-- '{php}' '{}'", file.display())) else {
        return;
    };
    let text = terminal.until("samples", |text| text.contains("md5"));
    assert!(!text.contains("NOISE"), "{text}");
    assert_eq!(terminal.end(), 7);
    let text = terminal.until("the account", |text| text.contains("own CPU"));
    assert!(!text.contains("NOISE"), "{text}");
}

#[test]
fn colours_are_few_and_can_be_none() {
    let target = running("framework.php");
    let coloured = |variable: &str| {
        let terminal = Terminal::open(80, 24, &format!("{variable} '{PHPERF}' top {}", of(&[&target])))?;
        terminal.until("samples", |text| text.contains("json_encode"));
        Some(terminal.coloured())
    };
    // Cyan, of the terminal's own colours.
    let Some(text) = coloured("NO_COLOR=") else { return };
    assert!(text.contains("\u{1b}[38;5;6mphperf top"), "{text:?}");
    let text = coloured("NO_COLOR=1").unwrap();
    let has_colour = |sequence: &str| {
        let numbers = sequence.split('m').next().unwrap_or_default().split(';');
        numbers
            .filter_map(|number| number.parse::<u32>().ok())
            .any(|number| (30..39).contains(&number) || (40..49).contains(&number) || number >= 90)
    };
    assert!(!text.split("\u{1b}[").skip(1).any(has_colour), "{text:?}");
}

#[test]
fn without_a_terminal_it_says_what_to_use() {
    let target = running("framework.php");
    let ran = run(["top", "-p", &target.pid().to_string()]);
    assert_says(
        &ran,
        1,
        &["needs a terminal", "phperf record -o FILE", "phperf trace"],
    );
    assert_eq!(ran.stderr.matches("standard output is none").count(), 1);
    let ran = phperf(["top", "--", "php", "-v"]).env("TERM", "dumb").output();
    assert_says(&ran.unwrap().into(), 1, &["needs a terminal", "dumb"]);
}
