//! `go tool pprof` reads pprof files. Its first run on a machine takes a minute: Go compiles it then.

use crate::{Format, is_there, output, saved, skip};
use std::process::Command;

fn pprof(arguments: &[&str]) -> Option<String> {
    if !is_there("go", "version") {
        skip("go is not installed, so go tool pprof cannot check the file");
        return None;
    }
    let (_folder, path) = saved(Format::Pprof);
    Some(output(
        Command::new("go")
            .args(["tool", "pprof"])
            .args(arguments)
            .arg(path),
    ))
}

/// The words of the line that ends in `name`.
fn row<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let line = text.lines().find(|line| line.ends_with(name));
    line.unwrap_or_else(|| panic!("no line ends in {name:?}:\n{text}"))
        .split_whitespace()
        .collect()
}

#[test]
fn top_has_self_and_total() {
    let Some(text) = pprof(&["-top", "-sample_index=samples"]) else {
        return;
    };
    assert_eq!(row(&text, "usleep")[..4], ["4", "33.33%", "33.33%", "4"]);
    assert_eq!(row(&text, "<main>")[3..5], ["12", "100%"]);
    assert_eq!(row(&text, "App\\Foo::bar")[3], "7");
    assert!(text.contains("Duration: 100ms"), "{text}");
    assert!(text.contains("File: PHP 8.2.29 NTS"), "{text}");
}

#[test]
fn wall_time_is_what_it_shows_first_and_cpu_time_is_there() {
    let Some(text) = pprof(&["-top"]) else { return };
    assert!(
        text.contains("Type: wall") && text.contains("Total samples = 120ms"),
        "{text}"
    );
    let Some(text) = pprof(&["-top", "-sample_index=cpu"]) else {
        return;
    };
    assert!(
        text.contains("Type: cpu") && text.contains("Total samples = 60ms"),
        "{text}"
    );
    assert!(
        !text.lines().any(|line| line.ends_with("usleep")),
        "waiting is no CPU time:\n{text}"
    );
}

#[test]
fn tags_tell_process_thread_and_state() {
    let Some(text) = pprof(&["-tags"]) else { return };
    for tag in ["pid:", "thread:", "state:"] {
        assert!(text.contains(tag), "{text}");
    }
    for (value, share) in [
        ("101", "80ms"),
        ("203", "40ms"),
        ("on-cpu", "60ms"),
        ("blocked", "40ms"),
    ] {
        assert!(row(&text, &format!(": {value}"))[0].starts_with(share), "{text}");
    }
    let Some(text) = pprof(&["-top", "-tagfocus=state=blocked"]) else {
        return;
    };
    assert!(text.contains("Showing nodes accounting for 40ms"), "{text}");
}

#[test]
fn requests_and_memory_are_tags() {
    let total = |focus: &str| {
        let text = pprof(&["-top", focus])?;
        let line = text
            .lines()
            .find(|line| line.starts_with("Showing nodes accounting for"));
        Some(line.unwrap_or_else(|| panic!("{text}")).to_owned())
    };
    let Some(cart) = total("-tagfocus=uri=^/cart/") else {
        return;
    };
    assert!(cart.starts_with("Showing nodes accounting for 70ms"), "{cart}");
    let database = total("-tagfocus=wait=database").unwrap();
    assert!(
        database.starts_with("Showing nodes accounting for 40ms"),
        "{database}"
    );
    let much = total("-tagfocus=memory=3mb:5mb").unwrap();
    assert!(much.starts_with("Showing nodes accounting for 30ms"), "{much}");
}

#[test]
fn traces_have_whole_stacks() {
    let Some(text) = pprof(&["-traces"]) else { return };
    let names: Vec<_> = text.lines().map(str::trim).collect();
    let at = names
        .iter()
        .position(|line| line.ends_with("usleep"))
        .expect("usleep");
    assert_eq!(names[at + 1..at + 3], ["App\\Foo::bar", "<main>"]);
}

#[test]
fn lines_and_comments_are_kept() {
    let Some(text) = pprof(&["-raw"]) else { return };
    assert!(
        text.contains("App\\Foo::bar /srv/app/Foo.php:24:0 s=20"),
        "{text}"
    );
    assert!(
        text.contains("App\\Foo::bar /srv/app/Foo.php:20:0 s=20"),
        "{text}"
    );
    assert!(
        text.contains("PeriodType: wall nanoseconds") && text.contains("Period: 10000000"),
        "{text}"
    );
    let Some(text) = pprof(&["-comments"]) else { return };
    assert!(
        text.contains("source: reader") && text.contains("20 due, 12 with a stack"),
        "{text}"
    );
}
