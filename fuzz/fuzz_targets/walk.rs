//! A PHP whose memory is garbage: the walk, the names, the lines and the values of variables end within their bounds, and
//! the window shows what the memory holds.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use remote::{FakeMemory, elf::Machine};
use zend::{Interpreter, Layout, VALUE_MAX, Variables, Version, Window, walk::Walker};

const GLOBALS: u64 = 0x10_0000;
const STACK: u64 = 0x20_0000;
const HEAP: u64 = 0x30_0000;
const GENERATOR_VARIABLE: u64 = 0x40_0000;

/// Mostly pointers to where there is something.
#[derive(Arbitrary, Debug)]
enum Word {
    Globals(u16),
    Stack(u16),
    Heap(u16),
    Small(u8),
    Null,
    Any(u64),
}

#[derive(Arbitrary, Debug)]
struct Input {
    globals: Vec<Word>,
    stack: Vec<Word>,
    heap: Vec<Word>,
    generator: Word,
    max_depth: u8,
    capacity: u16,
}

impl Word {
    fn value(&self) -> u64 {
        match *self {
            Self::Globals(offset) => GLOBALS + u64::from(offset),
            Self::Stack(offset) => STACK + u64::from(offset),
            Self::Heap(offset) => HEAP + u64::from(offset),
            Self::Small(value) => value.into(),
            Self::Null => 0,
            Self::Any(value) => value,
        }
    }
}

fn bytes(words: &[Word]) -> Vec<u8> {
    words.iter().flat_map(|word| word.value().to_ne_bytes()).collect()
}

fuzz_target!(|input: Input| {
    let version = Version {
        major: 8,
        minor: 2,
        patch: 0,
        zts: false,
    };
    let interpreter = Interpreter {
        version,
        layout: Layout::find(version, Machine::X86_64).unwrap(),
        sapi_module: None,
        vm: None,
        text: 0..0,
        executor_globals: GLOBALS,
        threads: None,
        sapi_globals: None,
        sapi_offset: None,
        heap: None,
        generator_class: Some(GENERATOR_VARIABLE),
        fiber_class: None,
        path: "php".into(),
    };
    let memory = FakeMemory::new()
        .with(GLOBALS, bytes(&input.globals))
        .with(STACK, bytes(&input.stack))
        .with(HEAP, bytes(&input.heap))
        .with(GENERATOR_VARIABLE, input.generator.value().to_ne_bytes());
    let max_depth = usize::from(input.max_depth);

    let (mut frames, mut seen) = (Vec::new(), Vec::new());
    let end = Walker::new(&interpreter).walk(&memory, max_depth, &mut frames);
    assert!(frames.len() <= max_depth);

    let mut window = Window::new(&memory, &interpreter, input.capacity.into());
    for _ in 0..3 {
        if window.refresh().is_ok() {
            let through = Walker::new(&interpreter).walk(&window, max_depth, &mut seen);
            assert_eq!((&seen, through), (&frames, end));
        }
    }
    let variables = Variables::new(&memory, interpreter.layout);
    for frame in &frames {
        let wanted: [&[u8]; 2] = [b"x", b""];
        let _ = variables.of_frame(frame.frame, frame.function, &wanted, |which, text| {
            assert!(which < 2 && text.len() <= VALUE_MAX);
        });
    }
    for array in [None, Some(&b"_SERVER"[..])] {
        let mut text = Vec::new();
        if variables.global(GLOBALS, array, b"x", &mut text).is_ok() {
            assert!(text.len() <= VALUE_MAX);
        }
    }
    if let Ok(stack) = zend::stable(&memory, &interpreter, max_depth, |_| false) {
        assert!(stack.frames.len() <= max_depth);
        for (function, _) in stack.frames {
            assert!(!function.name.contains(char::is_control));
        }
    }
});
