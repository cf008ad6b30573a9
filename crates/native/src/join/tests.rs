use super::*;
use proptest::prelude::*;

const fn c(start: u64) -> OfC {
    OfC {
        start,
        part: Part::Other,
    }
}

const SORT: u64 = 0x100;
const LENGTH: u64 = 0x200;
/// `zend_call_function`
const CALL: OfC = OfC {
    start: 0x300,
    part: Part::Call,
};
/// `execute_ex`
const VM: OfC = OfC {
    start: 0x400,
    part: Part::Interpreter,
};
/// The start of the process.
const MAIN: OfC = c(0x500);

const fn php(runs: Runs, by_c: bool) -> OfPhp {
    OfPhp { runs, by_c }
}

const USER: OfPhp = php(Runs::User, false);
/// A callback, or the script that is started.
const ENTRY: OfPhp = php(Runs::User, true);
const NAMELESS: OfPhp = php(Runs::Internal(None), false);

const fn internal(code: u64) -> OfPhp {
    php(Runs::Internal(Some(code)), false)
}

const fn internal_by_c(code: u64) -> OfPhp {
    php(Runs::Internal(Some(code)), true)
}

/// What each frame of PHP has called, of those that have called something.
fn joined(of_c: &[OfC], of_php: &[OfPhp], is_lost: bool) -> (Vec<(usize, Range<usize>)>, Fit) {
    let (called, fit) = join(of_c, of_php, is_lost);
    let called = called.into_iter().filter(|called| !called.frames.is_empty());
    (called.map(|called| (called.by, called.frames)).collect(), fit)
}

#[test]
fn what_is_inwards_of_a_functions_code_is_its_own() {
    let of_c = [c(1), c(SORT), c(2), c(3)];
    let found = own(&of_c, &[internal(SORT), USER, ENTRY]);
    assert_eq!(found, Some(Called { by: 0, frames: 0..2 }));
    for of_php in [&[internal(LENGTH), ENTRY][..], &[NAMELESS, ENTRY], &[ENTRY], &[]] {
        assert_eq!(own(&of_c, of_php), None, "{of_php:?}");
    }
}

#[test]
fn all_that_the_interpreter_called_is_of_its_function() {
    let alone = [c(1), c(2), VM];
    assert_eq!(
        joined(&alone, &[USER, ENTRY], false),
        (vec![(0, 0..2)], Fit::Whole)
    );
    assert_eq!(joined(&[VM], &[ENTRY], false), (vec![], Fit::Whole));
    assert_eq!(
        joined(&alone[..2], &[USER, ENTRY], true),
        (vec![(0, 0..2)], Fit::Cut)
    );
}

#[test]
fn a_function_in_c_has_what_it_called_and_itself() {
    let of_c = [c(1), c(SORT), VM];
    let whole = (vec![(0, 0..2)], Fit::Whole);
    assert_eq!(joined(&of_c, &[internal(SORT), ENTRY], false), whole);
    // Its code went on in another function, and has left the stack.
    assert_eq!(joined(&of_c, &[internal(LENGTH), ENTRY], false), whole);
    assert_eq!(joined(&of_c, &[NAMELESS, ENTRY], false), whole);
}

#[test]
fn what_calls_back_is_between_caller_and_callee() {
    // usort() has called a closure, which has called a function, which has called strlen().
    let of_c = [c(LENGTH), VM, CALL, c(SORT), VM, CALL, MAIN];
    let of_php = [internal(LENGTH), USER, ENTRY, internal(SORT), USER, ENTRY];
    let whole = (vec![(0, 0..1), (3, 2..4)], Fit::Whole);
    assert_eq!(joined(&of_c, &of_php, false), whole);
    // The outermost are not needed.
    assert_eq!(joined(&of_c[..5], &of_php, true), whole);
    let cut = (vec![(0, 0..1), (3, 2..4)], Fit::Cut);
    assert_eq!(joined(&of_c[..4], &of_php, true), cut);
    // A destructor: no function of PHP's has called it.
    let of_php = [internal(LENGTH), USER, ENTRY, USER, ENTRY];
    assert_eq!(
        joined(&of_c, &of_php, false),
        (vec![(0, 0..1), (3, 2..4)], Fit::Whole)
    );
}

#[test]
fn functions_in_c_that_call_functions_in_c_are_told_apart() {
    // usort() has called strlen().
    let of_c = [c(1), c(LENGTH), CALL, c(SORT), VM, MAIN];
    let of_php = [internal_by_c(LENGTH), internal(SORT), ENTRY];
    let whole = (vec![(0, 0..2), (1, 2..4)], Fit::Whole);
    assert_eq!(joined(&of_c, &of_php, false), whole);
    let nameless = [php(Runs::Internal(None), true), NAMELESS, ENTRY];
    assert_eq!(joined(&of_c, &nameless, false), whole);
    // array_map() has called array_map(), which has called a closure.
    let of_c = [VM, CALL, c(SORT), CALL, c(SORT), VM, MAIN];
    let of_php = [ENTRY, internal_by_c(SORT), internal(SORT), ENTRY];
    assert_eq!(
        joined(&of_c, &of_php, false),
        (vec![(1, 1..3), (2, 3..5)], Fit::Whole)
    );
}

#[test]
fn a_callee_may_be_innermost_before_it_runs() {
    let of_c = [CALL, c(SORT), VM, MAIN];
    let called = (vec![(1, 0..2)], Fit::Whole);
    // A closure, strlen(), and usort() itself.
    assert_eq!(joined(&of_c, &[ENTRY, internal(SORT), ENTRY], false), called);
    let length = [internal_by_c(LENGTH), internal(SORT), ENTRY];
    assert_eq!(joined(&of_c, &length, false), called);
    let same = [internal_by_c(SORT), internal(SORT), ENTRY];
    assert_eq!(joined(&of_c, &same, false), called);
    // The callee runs, and calls something itself.
    let running = [CALL, c(SORT), VM, CALL, c(SORT), VM, MAIN];
    let of_php = [ENTRY, internal(SORT), ENTRY];
    assert_eq!(
        joined(&running, &of_php, false),
        (vec![(0, 0..2), (1, 3..5)], Fit::Whole)
    );
    // Nobody knows which of both it is.
    assert_eq!(joined(&of_c[..2], &of_php, true), (vec![], Fit::Innermost));
}

#[test]
fn stacks_that_do_not_agree_are_joined_at_the_innermost_frame_only() {
    let of_c = [c(LENGTH), VM, CALL, c(SORT), VM, MAIN];
    let once_more = [
        internal(LENGTH),
        ENTRY,
        internal(SORT),
        ENTRY,
        internal(SORT),
        ENTRY,
    ];
    assert_eq!(
        joined(&of_c, &once_more, false),
        (vec![(0, 0..1)], Fit::Innermost)
    );
    assert_eq!(
        joined(&of_c, &[internal(LENGTH), ENTRY], false),
        (vec![(0, 0..1)], Fit::Innermost)
    );
}

#[test]
fn generators_that_delegate_are_not_on_the_stack() {
    let of_c = [c(1), VM, CALL, c(2), VM, MAIN];
    let waits = php(Runs::Nothing, false);
    let of_php = [ENTRY, waits, waits, USER, ENTRY];
    assert_eq!(
        joined(&of_c, &of_php, false),
        (vec![(0, 0..1), (3, 2..4)], Fit::Whole)
    );
}

#[test]
fn a_fiber_begins_a_stack() {
    let of_c = [c(1), VM, CALL, c(SORT), VM, CALL, MAIN];
    let of_php = [
        ENTRY,
        internal(SORT),
        ENTRY,
        php(Runs::Fiber, false),
        NAMELESS,
        USER,
        ENTRY,
    ];
    let whole = (vec![(0, 0..1), (1, 2..4)], Fit::Whole);
    assert_eq!(joined(&of_c, &of_php, false), whole);
    assert_eq!(joined(&of_c, &of_php, true), whole);
}

#[test]
fn of_a_stack_of_php_that_is_cut_what_is_there_is_joined() {
    let of_c = [c(1), VM, CALL, c(SORT), VM, CALL, VM, MAIN];
    assert_eq!(
        joined(&of_c, &[USER, ENTRY, internal(SORT), USER], false),
        (vec![(0, 0..1), (2, 2..4)], Fit::Whole)
    );
    assert_eq!(joined(&of_c, &[USER, USER], false), (vec![(0, 0..1)], Fit::Whole));
}

fn any_c() -> impl Strategy<Value = OfC> {
    let part = prop_oneof![Just(Part::Other), Just(Part::Call), Just(Part::Interpreter)];
    (0_u64..4, part).prop_map(|(start, part)| OfC { start, part })
}

fn any_php() -> impl Strategy<Value = OfPhp> {
    let runs = prop_oneof![
        4 => Just(Runs::User),
        4 => prop::option::of(0_u64..4).prop_map(Runs::Internal),
        1 => Just(Runs::Nothing),
        1 => Just(Runs::Fiber),
    ];
    (runs, any::<bool>()).prop_map(|(runs, by_c)| OfPhp { runs, by_c })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_frame_is_shown_once_at_most_and_in_order(
        of_c in prop::collection::vec(any_c(), 0..20),
        of_php in prop::collection::vec(any_php(), 0..12),
        is_lost: bool,
    ) {
        let (called, _) = join(&of_c, &of_php, is_lost);
        let mut end = 0;
        for pair in called.windows(2) {
            prop_assert!(pair[0].by < pair[1].by);
        }
        for Called { by, frames } in called {
            prop_assert!(by < of_php.len().max(1));
            prop_assert!(end <= frames.start && frames.start <= frames.end && frames.end <= of_c.len());
            prop_assert!(of_c[frames.clone()].iter().all(|frame| frame.part != Part::Interpreter));
            end = frames.end;
        }
    }
}
