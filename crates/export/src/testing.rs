//! A small profile, made by hand, that has one of everything; and the text of it in a format.

use crate::{Format, Recording};
use profile::{
    Account, ContextId, Function, Kind, Label, Line, Location, LocationId, Memory, Sample, Source, State,
    Symbols, Tally, TargetAccount,
};
use std::time::{Duration, SystemTime};

/// A profile: two processes, three states, weights, and every kind of frame.
#[derive(Debug)]
pub struct Made {
    pub symbols: Symbols,
    pub samples: Vec<Sample>,
    pub recording: Recording,
}

/// What a frame of [`profile`] is: name, file, first line, kind, current line.
type Row<'a> = (&'a str, Option<&'a str>, u32, Kind, Line);

fn location(symbols: &mut Symbols, (name, file, first_line, kind, line): Row) -> LocationId {
    let function = symbols.intern_function(Function {
        name: name.into(),
        file: file.map(Into::into),
        first_line,
        kind,
    });
    symbols.intern_location(Location { function, line })
}

pub fn profile() -> Made {
    use Line::{Exact, FunctionStart};
    let mut symbols = Symbols::default();
    let mut at = |row| location(&mut symbols, row);
    let (app, lib) = (Some("/srv/app/index.php"), Some("/srv/app/my lib;1.php"));
    let main = at(("<main>", app, 1, Kind::Main, Exact(9)));
    let main_later = at(("<main>", app, 1, Kind::Main, Exact(12)));
    let include = at(("require_once", lib, 1, Kind::Include, Exact(3)));
    let bar = at((
        "App\\Foo::bar",
        Some("/srv/app/Foo.php"),
        20,
        Kind::User,
        Exact(24),
    ));
    let bar_start = at((
        "App\\Foo::bar",
        Some("/srv/app/Foo.php"),
        20,
        Kind::User,
        FunctionStart(20),
    ));
    let closure = at(("{closure:/srv/app/my lib;1.php:5}", lib, 5, Kind::User, Exact(6)));
    let usleep = at(("usleep", None, 0, Kind::Internal, Line::None));
    let map = at(("array_map", None, 0, Kind::Internal, Line::None));

    let stacks = [
        vec![usleep, bar, main],
        vec![bar_start, main],
        vec![closure, map, include, main_later],
        vec![main],
        vec![bar, closure, bar, main_later],
    ]
    .map(|stack| symbols.intern_stack(&stack));
    let sample = |ms: u64, pid, tid, state, weight, stack: usize| Sample {
        at_ns: ms * 1_000_000,
        pid,
        tid,
        state,
        weight,
        stack: stacks[stack],
        context: ContextId::NONE,
        memory: None,
    };
    let mut samples = vec![
        sample(10, 101, 101, State::OnCpu, 1, 3),
        sample(20, 101, 101, State::OnCpu, 1, 1),
        sample(30, 202, 203, State::OnCpu, 1, 2),
        sample(60, 101, 101, State::Blocked, 4, 0),
        sample(70, 101, 101, State::OnCpu, 1, 1),
        sample(80, 202, 203, State::Runnable, 2, 2),
        sample(90, 101, 101, State::OnCpu, 1, 4),
        sample(100, 202, 203, State::OnCpu, 1, 3),
    ];
    let mut serves = |base, labels: &[(Label, &str)]| symbols.extend_context(base, labels);
    let cart = serves(
        ContextId::NONE,
        &[
            (Label::Method, "GET"),
            (Label::Uri, "/cart/é 1;2"),
            (Label::Script, "/srv/app/index.php"),
        ],
    );
    let waits = serves(
        cart,
        &[(Label::Wait, "database"), (Label::Peer, "127.0.0.1:5432")],
    );
    let home = serves(ContextId::NONE, &[(Label::Method, "POST"), (Label::Uri, "/")]);
    // The last sample of each process is of no request.
    for (at, context, used) in [
        (0, home, 2_000_000),
        (1, home, 2_000_001),
        (2, cart, 4 << 20),
        (3, waits, 2_100_000),
        (4, home, 2_200_000),
        (5, cart, 4 << 20),
    ] {
        samples[at].context = context;
        samples[at].memory = Some(Memory {
            used,
            peak: used + 1_000,
        });
    }
    Made {
        symbols,
        samples,
        recording: recording(),
    }
}

fn recording() -> Recording {
    let started = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    Recording::new("php index.php --name=\"<a & b>\"".into(), started, &account())
}

fn account() -> Account {
    let target = |pid, name: &str, tally| TargetAccount {
        pid,
        tid: pid,
        name: name.into(),
        php: "8.2.29 NTS".into(),
        tally,
        ended: false,
    };
    let first = Tally {
        due: 10,
        on_cpu: 4,
        blocked: 4,
        idle: 1,
        missed: 1,
        ..Tally::default()
    };
    let second = Tally {
        due: 10,
        on_cpu: 2,
        runnable: 2,
        idle: 5,
        lost: 1,
        ..Tally::default()
    };
    Account {
        source: Source::Reader,
        why_not_kernel: Some("not permitted; run as root".into()),
        notes: vec!["One note.".into()],
        period: Duration::from_millis(10),
        duration: Duration::from_millis(100),
        own_cpu: Duration::from_micros(300),
        kernel_cpu: None,
        targets: vec![
            target(101, "php index.php", first),
            target(202, "php worker.php", second),
        ],
    }
}

/// The bytes of a profile in a format.
pub fn bytes(format: Format, made: &Made) -> Vec<u8> {
    let mut exporter = format.exporter().expect("the format is built");
    let mut out = Vec::new();
    for sample in &made.samples {
        exporter
            .add(&made.symbols, &sample.into(), &mut out)
            .expect("writing to memory");
    }
    exporter
        .finish(&made.symbols, &made.recording, &mut out)
        .expect("writing to memory");
    out
}

/// The hand-made profile in a format that is text.
pub fn export(format: Format) -> String {
    without_version(&String::from_utf8(bytes(format, &profile())).expect("text"))
}

/// Text that stays the same when the version changes.
pub fn without_version(text: &str) -> String {
    text.replace(concat!("phperf ", env!("CARGO_PKG_VERSION")), "phperf VERSION")
}

/// A profile without a sample in a format that is text.
pub fn export_empty(format: Format) -> String {
    let mut made = profile();
    made.samples.clear();
    let mut account = account();
    for target in &mut account.targets {
        target.tally = Tally {
            due: 10,
            idle: 10,
            ..Tally::default()
        };
    }
    let started = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    made.recording = Recording::new(made.recording.title, started, &account);
    without_version(&String::from_utf8(bytes(format, &made)).expect("text"))
}
