//! The reader on running PHP.

mod common;

use common::{Decoder, Php, Sample, drain_until, finish};
use sampler::{
    Peeks,
    reader::{Reader, ReaderSettings},
    record::{BLOCKED, CUT, RETRIED, RUNNABLE},
};
use std::{collections::HashSet, process::Command, time::Duration};

fn reader(rate: u32) -> Reader {
    let mut reader = Reader::start(ReaderSettings {
        period: Duration::from_secs(1) / rate,
        max_depth: 128,
        asked: sampler::Asked::default(),
        peeks: Peeks::default(),
    })
    .unwrap();
    // Targets that come after this are seen at once.
    reader.begin(0, None).unwrap();
    reader
}

fn script(name: &str) -> String {
    format!("{}/tests/php/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The chains of chains.php.
const CHAINS: [&str; 6] = [
    "<chains.php>;a1;a2;a3;md5",
    "<chains.php>;B::run;b1;strrev",
    "<chains.php>;c1;{closure:14};c2;strlen",
    "<chains.php>;c1;{closure:14};c2;str_repeat",
    "<chains.php>;d1;{closure:18}",
    "<chains.php>;strlen",
];

fn assert_known(samples: &[Sample]) {
    for sample in samples {
        let stack = sample.stack();
        let known = CHAINS.iter().any(|chain| {
            chain
                .strip_prefix(&*stack)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(';'))
        });
        assert!(known, "{stack} is impossible: {:?}", sample.header);
    }
}

#[test]
fn every_stack_of_a_fast_program_is_one_that_exists() {
    let php = Php::start(&script("chains.php"), &[]);
    let (mut reader, mut decoder) = (reader(999), Decoder::default());
    php.attach(&mut reader);
    let mut samples = drain_until(&mut reader, &mut decoder, |samples| samples.len() >= 2_000);
    let tallies = finish(reader, &mut decoder, &mut samples);
    assert_known(&samples);
    let different: HashSet<_> = samples.iter().map(Sample::stack).collect();
    assert!(different.len() > 6, "{different:?}");
    assert!(
        decoder.announced < 20,
        "each function is announced once: {}",
        decoder.announced
    );
    assert_eq!(tallies[0].unreadable, 0);
    assert!(samples.is_sorted_by_key(|sample| sample.header.at_ns));
    for sample in &samples {
        let line = sample.frames[0].line;
        assert!(
            sample.frames.len() == 1 || line == 25,
            "line {line} of <main> calls nothing"
        );
    }
}

#[test]
fn four_at_once_that_are_pushed_from_cpu_to_cpu() {
    let children: Vec<_> = (0..4).map(|_| Php::start(&script("chains.php"), &[])).collect();
    let (mut reader, mut decoder) = (reader(499), Decoder::default());
    for php in &children {
        php.attach(&mut reader);
    }
    let cpus = std::thread::available_parallelism().unwrap().get();
    let mut turn = 0;
    let mut samples = drain_until(&mut reader, &mut decoder, |samples| {
        turn += 1;
        for (index, php) in children.iter().enumerate() {
            let cpu = ((turn + index) % cpus).to_string();
            let done = Command::new("taskset")
                .args(["-pc", &cpu, &php.pid().to_string()])
                .output()
                .unwrap();
            assert!(done.status.success());
        }
        samples.len() >= 4_000
    });
    let tallies = finish(reader, &mut decoder, &mut samples);
    assert_eq!(tallies.len(), 4);
    let (doubtful, sure): (Vec<_>, Vec<_>) = samples
        .into_iter()
        .partition(|sample| sample.header.flags & RETRIED != 0);
    assert_known(&sure);
    assert!(doubtful.len() * 20 < sure.len(), "{} retried", doubtful.len());
    for tally in tallies {
        assert!(cpus == 1 || tally.moves > 0, "{tally:?}");
        assert!(sure.iter().any(|sample| sample.header.pid == tally.pid));
    }
}

#[test]
fn a_sleeper_is_blocked_and_read_once() {
    let php = Php::start(&script("nap.php"), &[]);
    let (mut reader, mut decoder) = (reader(500), Decoder::default());
    php.attach(&mut reader);
    let mut samples = drain_until(&mut reader, &mut decoder, |samples| samples.len() >= 300);
    let tallies = finish(reader, &mut decoder, &mut samples);
    // It may not have fallen asleep yet when it was attached.
    let asleep = &samples[100..];
    for sample in asleep {
        assert_eq!(sample.header.state, BLOCKED);
        assert_eq!(sample.stack(), "<nap.php>;nap;fgets");
        let lines: Vec<_> = sample
            .frames
            .iter()
            .map(|frame| (frame.line, frame.exact))
            .collect();
        assert_eq!(lines, [(7, true), (5, true), (0, true)]);
    }
    assert!(tallies[0].repeated >= asleep.len() as u64);
    assert!(tallies[0].reads < 100);
}

#[test]
fn php_without_code_to_run_is_idle() {
    // It waits for its script on standard input.
    let php = Php::spawn(&[]);
    let process = remote::Process::open(php.pid()).unwrap();
    while zend::Interpreter::find(&process).is_err() {
        std::thread::yield_now();
    }
    let (mut reader, mut decoder) = (reader(500), Decoder::default());
    php.attach(&mut reader);
    while reader.tallies()[0].idle < 50 {
        reader.wait(Duration::from_millis(5));
    }
    let mut samples = Vec::new();
    let tallies = finish(reader, &mut decoder, &mut samples);
    assert!(samples.is_empty());
    assert_eq!(tallies[0].idle + tallies[0].missed, tallies[0].due);
}

#[test]
fn a_target_that_ends_is_told_and_the_others_go_on() {
    let mut first = Php::start(&script("chains.php"), &[]);
    let second = Php::start(&script("nap.php"), &[]);
    let (mut reader, mut decoder) = (reader(999), Decoder::default());
    first.attach(&mut reader);
    second.attach(&mut reader);
    let seen_of = |samples: &[Sample], pid| samples.iter().filter(|sample| sample.header.pid == pid).count();
    let mut samples = drain_until(&mut reader, &mut decoder, |samples| {
        seen_of(samples, first.pid()) > 100
    });
    first.end();
    while !reader.tallies()[0].ended {
        reader.wait(Duration::from_millis(5));
    }
    samples.extend(drain_until(&mut reader, &mut decoder, |samples| {
        seen_of(samples, second.pid()) > 50
    }));
    let tallies = finish(reader, &mut decoder, &mut samples);
    assert!(tallies[0].ended && !tallies[1].ended);
    assert!(tallies[0].last_ns < tallies[1].last_ns);
}

#[test]
fn one_that_is_detached_can_come_again() {
    let php = Php::start(&script("nap.php"), &[]);
    let (mut reader, mut decoder) = (reader(500), Decoder::default());
    php.attach(&mut reader);
    let process = remote::Process::open(php.pid()).unwrap();
    let interpreter = zend::Interpreter::find(&process).unwrap();
    assert!(reader.attach(&process, &interpreter).is_err());
    let _ = drain_until(&mut reader, &mut decoder, |samples| !samples.is_empty());
    reader.detach(php.pid());
    php.attach(&mut reader);
    // What the first time left behind comes too: no id may mean two things.
    let announced = decoder.announced;
    let samples = drain_until(&mut reader, &mut decoder, |samples| samples.len() > 10);
    assert!(
        samples
            .iter()
            .all(|sample| sample.stack() == "<nap.php>;nap;fgets")
    );
    assert_eq!(decoder.announced, announced + 3);
    reader.stop();
    assert_eq!(reader.tallies().len(), 2);
}

#[test]
fn nobody_there() {
    let php = Php::start(&script("nap.php"), &[]);
    let process = remote::Process::open(php.pid()).unwrap();
    let interpreter = zend::Interpreter::find(&process).unwrap();
    drop(php);
    let error = reader(99).attach(&process, &interpreter).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("it has ended or never was; `ps -e` lists those that run"),
        "{error}"
    );
    let settings = ReaderSettings {
        period: Duration::ZERO,
        max_depth: 1,
        asked: sampler::Asked::default(),
        peeks: Peeks::default(),
    };
    assert!(Reader::start(settings).is_err());
}

#[test]
fn a_deep_stack_is_cut_at_the_limit() {
    let php = Php::start(&script("deep.php"), &["600"]);
    let (mut reader, mut decoder) = (reader(999), Decoder::default());
    php.attach(&mut reader);
    let mut samples = drain_until(&mut reader, &mut decoder, |samples| samples.len() > 50);
    finish(reader, &mut decoder, &mut samples);
    let last = samples.last().unwrap();
    assert_eq!(last.frames.len(), 128);
    assert_eq!(last.header.flags, CUT);
    assert_eq!(last.frames[127].name, "fgets");
    assert_eq!(last.frames[126].line, 8);
    assert!(
        last.frames[..126]
            .iter()
            .all(|frame| frame.name == "deeper" && frame.line == 5)
    );
}

#[test]
fn included_files_that_use_the_same_memory_are_told_apart() {
    let php = Php::start(&script("templates.php"), &[]);
    let (mut reader, mut decoder) = (reader(999), Decoder::default());
    php.attach(&mut reader);
    let mut samples = drain_until(&mut reader, &mut decoder, |samples| samples.len() >= 1_000);
    finish(reader, &mut decoder, &mut samples);
    let mut included = 0;
    for sample in &samples {
        let stack = sample.stack();
        if stack.contains("template_") {
            included += 1;
            assert!(
                stack.starts_with("<templates.php>;one;<template_one.inc>")
                    || stack.starts_with("<templates.php>;two;<template_two.inc>"),
                "{stack}"
            );
        }
    }
    assert!(included > 100);
}

#[test]
fn two_on_one_cpu_wait_for_it_in_turn() {
    let children = [(); 2].map(|()| Php::start(&script("chains.php"), &[]));
    for php in &children {
        let done = Command::new("taskset")
            .args(["-pc", "0", &php.pid().to_string()])
            .output()
            .unwrap();
        assert!(done.status.success());
    }
    let (mut reader, mut decoder) = (reader(999), Decoder::default());
    for php in &children {
        php.attach(&mut reader);
    }
    let mut samples = drain_until(&mut reader, &mut decoder, |samples| samples.len() >= 2_000);
    finish(reader, &mut decoder, &mut samples);
    assert_known(&samples);
    let ticks = |is_meant: fn(u8) -> bool| -> u32 {
        let meant = samples.iter().filter(|sample| is_meant(sample.header.state));
        meant.map(|sample| sample.header.weight).sum()
    };
    let (runnable, all) = (ticks(|state| state == RUNNABLE), ticks(|_| true));
    // Half of the time, or more if others want the CPU too.
    assert!(runnable * 5 > all * 2, "{runnable} of {all}");
}
