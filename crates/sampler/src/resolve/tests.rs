use super::*;
use proptest::prelude::*;
use zerocopy::IntoBytes;

fn function_bytes(header: &FunctionHeader, name: &[u8], class: &[u8], file: &[u8]) -> Vec<u8> {
    [header.as_bytes(), name, class, file].concat()
}

fn announce(resolver: &mut Resolver, symbols: &mut Symbols, id: u64, names: (&str, &str, &str), line: u32) {
    let header = FunctionHeader {
        kind: record::FUNCTION,
        function_type: if names.2.is_empty() { 1 } else { 2 },
        pid: 7,
        first_line: line,
        id,
        name_len: names.0.len() as u16,
        class_len: names.1.len() as u16,
        file_len: names.2.len() as u16,
        ..FunctionHeader::default()
    };
    let bytes = function_bytes(
        &header,
        names.0.as_bytes(),
        names.1.as_bytes(),
        names.2.as_bytes(),
    );
    assert_eq!(resolver.read(symbols, &bytes), Meaning::Nothing);
}

fn sample_bytes(frames: &[Frame], flags: u8) -> Vec<u8> {
    let header = SampleHeader {
        kind: record::SAMPLE,
        state: record::BLOCKED,
        flags,
        weight: 3,
        pid: 7,
        tid: 7,
        at_ns: 1500,
        depth: frames.len() as u32,
        ..SampleHeader::default()
    };
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend_from_slice(frames.as_bytes());
    bytes
}

fn names(resolver: &mut Resolver, symbols: &mut Symbols, frames: &[Frame], flags: u8) -> Vec<String> {
    let bytes = sample_bytes(frames, flags);
    let Meaning::Sample(Told { sample, .. }) = resolver.read(symbols, &bytes) else {
        panic!("no sample")
    };
    assert_eq!(
        (sample.weight, sample.state, sample.at_ns),
        (3, State::Blocked, 500)
    );
    symbols
        .frames(sample.stack)
        .map(|(function, location)| format!("{}:{}", function.name, location.line.number()))
        .collect()
}

/// The values behind the frames of a sample.
fn values(torn: u32, values: &[(u16, u16, &[u8])]) -> Vec<u8> {
    let header = ValuesHeader {
        unread: 2,
        left_out: 3,
        torn,
    };
    let mut bytes = header.as_bytes().to_vec();
    for &(peek, frame, text) in values {
        let header = ValueHeader {
            peek,
            frame,
            length: text.len() as u32,
        };
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(text);
    }
    bytes
}

#[test]
fn a_fiber_that_is_taken_off_who_resumed_it_has_lost_its_outermost_frames() {
    let (mut resolver, mut symbols) = (Resolver::new(1000), Symbols::default());
    announce(&mut resolver, &mut symbols, 1, ("run", "", "/a.php"), 3);
    announce(&mut resolver, &mut symbols, 2, ("", "", ""), 0);
    let mut whole = |functions: &[u64]| {
        let frames: Vec<Frame> = functions
            .iter()
            .map(|&function| Frame {
                function,
                ..Frame::default()
            })
            .collect();
        match resolver.read(&mut symbols, &sample_bytes(&frames, 0)) {
            Meaning::Sample(told) => told.whole,
            other => panic!("{other:?}"),
        }
    };
    // The second time it is remembered.
    for _ in 0..2 {
        assert_eq!(whole(&[1, 2]), Whole::Broken);
        assert_eq!(whole(&[1, 2, 1]), Whole::Yes);
    }
}

#[test]
fn values_belong_to_frames_as_they_are_shown() {
    let (mut resolver, mut symbols) = (Resolver::new(1000), Symbols::default());
    announce(&mut resolver, &mut symbols, 1, ("run", "", "/a.php"), 3);
    // What lies at the bottom of a fiber is not shown.
    announce(&mut resolver, &mut symbols, 2, ("", "", ""), 0);
    let frames = [1, 2, 1].map(|function| Frame {
        function,
        line: 4,
        ..Frame::default()
    });
    let mut read = |bytes: &[u8]| match resolver.read(&mut symbols, bytes) {
        Meaning::Sample(told) => told.values,
        other => panic!("{other:?}"),
    };
    let mut bytes = sample_bytes(&frames, record::VALUES);
    assert_eq!(read(&bytes), None, "nothing is there");
    let behind = values(0, &[(0, 0, b"a\x1b"), (1, 2, b""), (7, record::NO_FRAME, b"g")]);
    bytes.extend(&behind);
    let value = |peek, frame, text: &str| Value {
        peek,
        frame,
        text: text.into(),
    };
    let expected = Values {
        read: vec![
            value(0, Some(0), "a\\x1b"),
            value(1, Some(1), ""),
            value(7, None, "g"),
        ],
        unread: 2,
        left_out: 3,
        are_torn: false,
    };
    assert_eq!(read(&bytes).as_ref(), Some(&expected));
    bytes.truncate(bytes.len() - 1);
    assert_eq!(read(&bytes).unwrap().read, expected.read[..2]);
    let torn = [sample_bytes(&frames, record::VALUES), values(1, &[])].concat();
    assert!(read(&torn).unwrap().are_torn);
    let without = [sample_bytes(&frames, 0), behind].concat();
    assert_eq!(read(&without), None, "only where the record says so");
}

#[test]
fn names_depend_on_the_caller_where_there_is_none_of_their_own() {
    let (mut resolver, mut symbols) = (Resolver::new(1000), Symbols::default());
    announce(&mut resolver, &mut symbols, 1, ("usleep", "", ""), 0);
    announce(
        &mut resolver,
        &mut symbols,
        2,
        ("find", "Repository", "/r.php"),
        10,
    );
    announce(&mut resolver, &mut symbols, 3, ("", "", "/inc.php"), 1);
    announce(&mut resolver, &mut symbols, 4, ("", "", "/index.php"), 1);
    let frames = [
        Frame {
            function: 1,
            ..Frame::default()
        },
        Frame {
            function: 2,
            line: 12,
            ..Frame::default()
        },
        Frame {
            function: 3,
            line: 4,
            ..Frame::default()
        },
        Frame {
            function: 4,
            line: 2,
            opcode: INCLUDE_OR_EVAL,
            extended: 16,
            ..Frame::default()
        },
    ];
    let expected = ["usleep:0", "Repository::find:12", "require_once:4", "<main>:2"];
    assert_eq!(names(&mut resolver, &mut symbols, &frames, 0), expected);
    assert_eq!(
        names(&mut resolver, &mut symbols, &frames, 0),
        expected,
        "from memory"
    );
}

#[test]
fn the_last_frame_of_a_stack_without_its_outermost_ones_is_not_main() {
    let (mut resolver, mut symbols) = (Resolver::new(1000), Symbols::default());
    announce(&mut resolver, &mut symbols, 3, ("", "", "/inc.php"), 1);
    let frames = [Frame {
        function: 3,
        line: 4,
        ..Frame::default()
    }];
    for flags in [record::CUT, record::UNREADABLE, record::CUT | record::UNREADABLE] {
        let partial = names(&mut resolver, &mut symbols, &frames, flags);
        assert_ne!(partial, ["<main>:4"]);
        // The same frames may be all there are.
        assert_eq!(names(&mut resolver, &mut symbols, &frames, 0), ["<main>:4"]);
        assert_eq!(names(&mut resolver, &mut symbols, &frames, flags), partial);
    }
}

#[test]
fn an_id_with_new_names_is_resolved_anew() {
    let (mut resolver, mut symbols) = (Resolver::new(1000), Symbols::default());
    let frames = [Frame {
        function: 9,
        line: 4,
        ..Frame::default()
    }];
    announce(&mut resolver, &mut symbols, 9, ("before", "", "/a.php"), 1);
    assert_eq!(names(&mut resolver, &mut symbols, &frames, 0), ["before:4"]);
    announce(&mut resolver, &mut symbols, 9, ("after", "", "/a.php"), 1);
    assert_eq!(names(&mut resolver, &mut symbols, &frames, 0), ["after:4"]);
    resolver.forget(7);
    assert_eq!(names(&mut resolver, &mut symbols, &frames, 0), ["<unknown>:0"]);
}

#[test]
fn runs_of_generators_are_turned_round() {
    let frame = |function, flags| Frame {
        function,
        flags,
        ..Frame::default()
    };
    let (run, end) = (record::DELEGATED, record::DELEGATED | record::DELEGATED_END);
    let mut frames = [
        frame(1, 0),
        frame(3, run),
        frame(2, end),
        frame(5, run),
        frame(4, end),
        frame(6, 0),
    ];
    turn_delegations(&mut frames);
    assert_eq!(frames.map(|frame| frame.function), [1, 2, 3, 4, 5, 6]);
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), kind in 0u8..5) {
        let (mut resolver, mut symbols) = (Resolver::new(0), Symbols::default());
        let mut bytes = bytes;
        if let Some(first) = bytes.first_mut() { *first = kind; }
        resolver.read(&mut symbols, &bytes);
    }
}
