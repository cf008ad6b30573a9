//! What is written is read back, whatever the names; and what nobody wrote is refused without a panic.

use export::{Format, Labels, Recording, Report, Saved, read_from};
use profile::{ContextId, Function, Kind, Label, Line, Location, Memory, Sample, StackId, State, Symbols};
use proptest::{prelude::*, sample::select};
use std::{collections::BTreeMap, io::Read};

#[path = "../src/testing.rs"]
#[allow(dead_code, reason = "shared with the crate's own tests")]
mod testing;
use testing::Made;

/// What a format carries besides names and counts.
#[derive(Clone, Copy)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a column of the table in docs/formats.md"
)]
struct Carried {
    labels: bool,
    file: bool,
    first_line: bool,
    line: bool,
}

fn carried(format: Format) -> Carried {
    let (labels, file, first_line, line) = match format {
        Format::Pprof => (true, true, true, true),
        Format::Speedscope => (true, true, true, false),
        Format::Phpspy | Format::PhpspyLine => (true, true, false, true),
        // Of functions with one name in several files it tells one file; names here are seldom unique.
        Format::Svg => (true, false, false, false),
        _ => (false, false, false, false),
    };
    Carried {
        labels,
        file,
        first_line,
        line,
    }
}

fn frame(function: &Function, line: Line, carried: Carried) -> String {
    let file = function.file.as_deref();
    let mut text = match (function.kind, file) {
        (Kind::Include, Some(file)) => format!("{} {file}", function.name),
        _ => function.name.to_string(),
    };
    let mut add = |part: &dyn std::fmt::Debug| text.extend(["|", &format!("{part:?}")]);
    if carried.file {
        add(&(file, function.kind));
    }
    if carried.first_line {
        add(&function.first_line);
    }
    if carried.line {
        add(&line);
    }
    text
}

/// Labels without their context, that in words, and frames.
type Contents = BTreeMap<(Labels, Vec<String>, Vec<String>), u64>;

fn put(
    contents: &mut Contents,
    symbols: &Symbols,
    stack: StackId,
    labels: Labels,
    count: u64,
    carried: Carried,
) {
    let frames = symbols
        .frames(stack)
        .map(|(function, location)| frame(function, location.line, carried));
    let labels = if carried.labels { labels } else { Labels::default() };
    let context = symbols.context(labels.context);
    let context = context.map(|(label, text)| format!("{}={text}", label.name()));
    let key = (
        Labels {
            context: ContextId::NONE,
            ..labels
        },
        context.collect(),
        frames.collect(),
    );
    *contents.entry(key).or_default() += count;
}

fn written(made: &Made, carried: Carried) -> Contents {
    let mut contents = Contents::new();
    for sample in &made.samples {
        let labels = Labels {
            pid: Some(sample.pid),
            thread: Some(sample.tid),
            state: Some(sample.state),
            context: sample.context,
            memory: sample.memory.map(Memory::in_steps),
        };
        put(
            &mut contents,
            &made.symbols,
            sample.stack,
            labels,
            u64::from(sample.weight),
            carried,
        );
    }
    contents
}

fn read(saved: &Saved, carried: Carried) -> Contents {
    let mut contents = Contents::new();
    for row in &saved.rows {
        put(
            &mut contents,
            &saved.symbols,
            row.stack,
            row.labels,
            row.count,
            carried,
        );
    }
    contents
}

/// Texts that formats have trouble with. The last two of Unicode's first plane are not in XML.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        select(vec![
            ";", " ", "\n", "\t", "%3B", "%", "\0", "\r", "::", "\\", "\"", "]]>", "<", "&", "#", " 7", ":1"
        ]),
        select(vec![
            "App",
            "é",
            "{closure:/a b.php:3}",
            "\u{85}",
            "\u{2028}",
            "0 a",
            "/",
            "<main>"
        ]),
    ]
    .prop_map(str::to_owned);
    prop::collection::vec(prop_oneof![piece, "[^\u{fffe}\u{ffff}]{1,3}"], 1..5)
        .prop_map(|pieces| pieces.concat())
}

fn line() -> impl Strategy<Value = Line> {
    prop_oneof![
        (1..=u32::MAX).prop_map(Line::Exact),
        (1..=u32::MAX).prop_map(Line::FunctionStart)
    ]
}

const KEYWORDS: [&str; 5] = ["include", "include_once", "require", "require_once", "eval"];

/// A function whose name looks like an include is read as one: PHP allows no such name.
fn name() -> impl Strategy<Value = String> {
    text().prop_filter("not like an include", |name| {
        let first = name.split(' ').next().unwrap_or_default();
        // Nor does folded text that begins like JSON or XML stand for itself.
        let other = ["{\"", "<svg", "<?xml", "<!DOCTYPE"]
            .iter()
            .any(|start| name.trim_start().starts_with(start));
        // What ends like that is a function of C.
        let is_c = name.ends_with(']') && name.contains(" [");
        !other && !is_c && first != "<main>" && !KEYWORDS.contains(&first)
    })
}

fn function(name: &str, file: Option<&str>, first_line: u32, kind: Kind) -> Function {
    Function {
        name: name.into(),
        file: file.map(Into::into),
        first_line,
        kind,
    }
}

/// A function and a line in it, both such as a resolver gives.
fn location() -> impl Strategy<Value = (Function, Line)> {
    prop_oneof![
        (name(), text(), 1..9_u32, line())
            .prop_map(|(name, file, first, line)| (function(&name, Some(&file), first, Kind::User), line)),
        name().prop_map(|name| (function(&name, None, 0, Kind::Internal), Line::None)),
        (text(), line()).prop_map(|(file, line)| (function("<main>", Some(&file), 1, Kind::Main), line)),
        (select(&KEYWORDS[..]), text(), line())
            .prop_map(|(name, file, line)| (function(name, Some(&file), 1, Kind::Include), line)),
        (name(), text()).prop_map(|(name, file)| {
            let file = format!("/usr/lib/{file}");
            (function(&name, Some(&file), 0, Kind::Native), Line::None)
        }),
        name().prop_map(|name| (function(&name, Some("[kernel]"), 0, Kind::Kernel), Line::None)),
    ]
}

fn made() -> impl Strategy<Value = Made> {
    let locations = prop::collection::vec(location(), 1..6);
    let sample = (
        prop::collection::vec(any::<prop::sample::Index>(), 0..5),
        1..4_u32,
        select(vec![State::OnCpu, State::Runnable, State::Blocked]),
        1..5_u32,
        prop::collection::vec((select(&Label::ALL[..]), text()), 0..3),
        prop::option::of((any::<u32>(), any::<u64>())),
    );
    (locations, prop::collection::vec(sample, 1..12)).prop_map(|(locations, samples)| {
        let mut made = testing::profile();
        let mut symbols = Symbols::default();
        let ids: Vec<_> = locations
            .into_iter()
            .map(|(function, line)| {
                let function = symbols.intern_function(function);
                symbols.intern_location(Location { function, line })
            })
            .collect();
        let samples = samples
            .into_iter()
            .map(|(stack, pid, state, weight, labels, memory)| {
                let stack: Vec<_> = stack.iter().map(|index| *index.get(&ids)).collect();
                let stack = symbols.intern_stack(&stack);
                let labels: Vec<_> = labels.iter().map(|(label, text)| (*label, &**text)).collect();
                Sample {
                    at_ns: 0,
                    pid,
                    tid: pid + pid % 2,
                    state,
                    weight,
                    stack,
                    context: symbols.extend_context(ContextId::NONE, &labels),
                    memory: memory.map(|(used, peak)| Memory {
                        used: used.into(),
                        peak: peak >> 1,
                    }),
                }
            });
        made.samples = samples.collect();
        made.symbols = symbols;
        made
    })
}

fn plain(format: Format, made: &Made) -> Vec<u8> {
    let bytes = testing::bytes(format, made);
    if format != Format::Pprof {
        return bytes;
    }
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&bytes[..])
        .read_to_end(&mut unpacked)
        .unwrap();
    unpacked
}

/// Nothing but an answer or an error of one line.
fn survives(bytes: &[u8]) -> Result<(), TestCaseError> {
    match read_from(bytes) {
        Ok(saved) => {
            let report = Report::new(&saved);
            report.write_text(80, None, &mut std::io::sink()).unwrap();
            report.write_json(&mut std::io::sink()).unwrap();
        }
        Err(error) => {
            let text = error.to_string();
            prop_assert!(!text.contains('\n') && text.len() < 1000, "{text:?}");
        }
    }
    Ok(())
}

fn formats() -> impl Strategy<Value = Format> {
    select(
        Format::ALL
            .into_iter()
            .filter(|format| format.is_readable())
            .collect::<Vec<_>>(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_format_keeps_what_it_can(made in made(), format in formats()) {
        let carried = carried(format);
        let bytes = testing::bytes(format, &made);
        let saved = read_from(&bytes[..]).map_err(|error| TestCaseError::fail(format!("{format}: {error}")))?;
        prop_assert_eq!(saved.format, format);
        prop_assert_eq!(read(&saved, carried), written(&made, carried), "{}", String::from_utf8_lossy(&bytes));
        if matches!(format, Format::Svg | Format::Pprof | Format::Speedscope) {
            let recording: &Recording = &made.recording;
            prop_assert_eq!(saved.title.as_deref(), Some(recording.title.as_str()));
            prop_assert_eq!(saved.period_ns, Some(10_000_000));
            prop_assert_eq!(saved.duration_ns, Some(100_000_000));
            prop_assert_eq!(saved.started_ns, Some(1_700_000_000_000_000_000));
            prop_assert!(saved.notes.iter().any(|note| note == "source: reader"));
            let wall: u64 = saved.rows.iter().filter_map(|row| row.wall_ns).sum();
            prop_assert_eq!(wall, saved.samples() * 10_000_000);
        }
    }

    #[test]
    fn any_bytes_are_survived(
        head in select(vec!["", "{", "<svg", "0 a /b:1\n", "a;b 1\n", "# phperf = 1\n", "\n\u{4}\u{8}\u{1}", "\u{1f}\u{8b}"]),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        survives(&[head.as_bytes(), &bytes].concat())?;
    }

    #[test]
    fn damaged_files_are_survived(
        made in made(),
        format in formats(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        end in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = plain(format, &made);
        for (place, byte) in damage {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(end) = end {
            bytes.truncate(end.index(bytes.len()));
        }
        survives(&bytes)?;
    }
}

#[test]
fn a_flame_graph_knows_where_functions_are() {
    let bytes = testing::bytes(Format::Svg, &testing::profile());
    let saved = read_from(&bytes[..]).unwrap();
    let mut found = BTreeMap::new();
    for function in saved.symbols.functions() {
        found.insert(
            &*function.name,
            (function.file.as_deref(), function.first_line, function.kind),
        );
    }
    assert_eq!(found["App\\Foo::bar"], (Some("/srv/app/Foo.php"), 20, Kind::User));
    assert_eq!(
        found["require_once"],
        (Some("/srv/app/my lib;1.php"), 1, Kind::Include)
    );
    assert_eq!(found["usleep"], (None, 0, Kind::Internal));
    assert_eq!(found["<main>"].2, Kind::Main);
}

#[test]
fn errors_name_cause_and_cure() {
    let error = |bytes: &[u8]| read_from(bytes).unwrap_err().to_string();
    assert_eq!(
        error(b""),
        "the file is empty: the recording took no samples, or was not finished"
    );
    assert!(error(b"hello world\n").starts_with("this is no profile that phperf knows"));
    assert!(error(b"<svg></svg>").starts_with("this SVG carries no profile"));
    assert!(error(b"a;b 1\nc\n").starts_with("line 2 is not as the format has it"));
    assert!(error(b"{\"a\":1}").contains("speedscope"));
    let packed = testing::bytes(Format::Pprof, &testing::profile());
    assert!(error(&packed[..packed.len() / 2]).starts_with("reading stopped"));
    let error = export::read(std::path::Path::new("/no/such/file"))
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("cannot read /no/such/file: "), "{error}");
}

#[test]
fn a_stack_has_bounds() {
    let deep = "a;".repeat(20_000) + "b 1\n";
    assert!(
        read_from(deep.as_bytes())
            .unwrap_err()
            .to_string()
            .contains("too deep")
    );
    let frames: Vec<_> = (0..20_000).map(|number| format!("{number} a /b.php:1")).collect();
    let deep = frames.join("\n");
    assert!(
        read_from(deep.as_bytes())
            .unwrap_err()
            .to_string()
            .contains("too deep")
    );
}
