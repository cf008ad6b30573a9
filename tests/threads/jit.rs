//! The JIT, whose code runs in several threads at once.

use crate::{
    chains,
    known::Lines,
    record,
    serving::{Server, Serving, THREADS, zts},
    support::{Recording, SOURCES, number},
};
use php::Ini;

const MODES: [&str; 2] = ["tracing", "function"];
/// A generator that is just being resumed cannot be read; where its thread has to wait for a CPU just there, all periods of
/// the wait count: so many at most, of four threads on two CPUs.
const LONGEST_WAIT: u64 = 20;

fn jit(mode: &str) -> Ini {
    Ini::new()
        .set("zend_extension", "opcache")
        .jit()
        .set("opcache.jit", mode)
}

fn serving(script: &str, mode: &str) -> Server {
    Serving::new(script).ini(jit(mode)).start()
}

#[test]
#[ignore = "compiles PHP: make test-php-versions"]
fn no_stack_under_the_jit_is_impossible() {
    let chains = chains();
    for mode in MODES {
        let server = serving("chains.php", mode);
        for source in SOURCES {
            let recording = record(source, server.id(), "4");
            let stacks = recording.stacks();
            let impossible = chains.impossible(&stacks);
            assert!(impossible.is_empty(), "{mode}, {source}: {impossible:#?}");
            assert!(stacks.len() > 15, "{mode}, {source}: {stacks:#?}");
            let targets = recording.account["targets"].as_array().unwrap();
            let busy = targets
                .iter()
                .filter(|target| number(&target["tally"], "taken") > 100);
            assert_eq!(busy.count(), THREADS, "{mode}, {source}: {}", recording.account);
            assert!(
                recording.total("unreadable") <= recording.total("taken") / 1000 + LONGEST_WAIT,
                "{mode}, {source}: {}",
                recording.account
            );
        }
    }
}

#[test]
#[ignore = "compiles PHP: make test-php-versions"]
fn lines_under_the_jit_are_right_or_marked() {
    let lines = Lines::known(zts().php());
    for mode in MODES {
        let server = serving("lines.php", mode);
        let pid = server.id().to_string();
        for source in SOURCES {
            let recording =
                Recording::take("phpspy", ["-d", "4", "-H", "999", "--source", source, "-p", &pid]);
            let verdict = lines.judge(&recording.text());
            assert!(
                verdict.marked > 500,
                "{mode}, {source}: {} are marked",
                verdict.marked
            );
            assert!(
                verdict.never.is_empty() && verdict.brief.len() <= 2,
                "{mode}, {source}: of {}: {:?} {:?}",
                verdict.checked,
                verdict.never,
                verdict.brief
            );
        }
    }
}
