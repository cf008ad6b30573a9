//! Whatever a thread's stack and registers hold, looking at them ends, and soon.

use native::{Code, Frames, Outcome, PhpFrame, Registers, Seen, Stack};
use profile::Symbols;
use proptest::prelude::*;
use std::cell::RefCell;

/// More frames than these are never given: those of C, and those of the kernel.
const MOST: usize = 256 + 32;

thread_local! {
    /// Each file is read once: this very program has a great many functions.
    static KNOWN: RefCell<(Frames, Symbols)> = RefCell::default();
}

/// The address of some code of this very program, and one that is mapped and no code.
fn known() -> [u64; 2] {
    static DATA: u64 = 7;
    [known as *const () as u64, &raw const DATA as u64]
}

/// Any word, or one that looks like what is on a stack: an address of code, or of the stack.
fn word(start: u64) -> impl Strategy<Value = u64> {
    let [code, data] = known();
    prop_oneof![
        any::<u64>(),
        (0..0x20_000_u64).prop_map(move |into| code.wrapping_sub(0x10_000).wrapping_add(into)),
        (0..0x4000_u64).prop_map(move |into| start.wrapping_add(into)),
        Just(data),
    ]
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbage(
        start in any::<u64>(),
        stack in prop::collection::vec(word(0x7ffd_0000_0000), 0..512),
        registers in prop::array::uniform4(word(0x7ffd_0000_0000)),
        is_near in any::<bool>(),
        kernel in prop::collection::vec(any::<u64>(), 0..32),
        words in prop::collection::vec(word(0), 0..14),
        name in prop::option::of(".*"),
        php in prop::collection::vec((0_u8..4, any::<bool>()), 0..20),
    ) {
        let start = if is_near { 0x7ffd_0000_0000 } else { start };
        let mut found = Vec::new();
        let [ip, sp, fp, lr] = registers;
        let php: Vec<PhpFrame<'_>> = php.iter().map(|&(kind, by_c)| PhpFrame {
            runs: match kind {
                0 => Code::User,
                1 => Code::Delegates,
                2 => Code::Fiber,
                _ => Code::Internal { words: &words, name: name.as_deref() },
            },
            by_c,
        }).collect();
        let seen = Seen {
            pid: std::process::id(),
            registers: Registers { ip, sp: if is_near { start } else { sp }, fp, lr },
            stack: Stack { start, bytes: &bytes(&stack) },
            kernel: &kernel,
            php: &php,
        };
        KNOWN.with_borrow_mut(|(frames, symbols)| frames.find(symbols, &seen, &mut found));
        prop_assert!(found.len() <= MOST);
        prop_assert!(found.is_sorted_by_key(|found| found.by));
        prop_assert!(found.iter().all(|found| found.by < php.len().max(1)));
    }
}

#[test]
fn a_process_that_is_gone_has_no_frames() {
    let mut found = Vec::new();
    let seen = Seen {
        pid: 1 << 23,
        registers: Registers::default(),
        stack: Stack { start: 0, bytes: &[] },
        kernel: &[],
        php: &[],
    };
    let outcome = Frames::default().find(&mut Symbols::default(), &seen, &mut found);
    assert_eq!((outcome, found.len()), (Outcome::Apart, 0));
}
