use super::*;
use profile::{ContextId, Function, Kind, Line, StackId, Symbols};
use proptest::prelude::*;

const PERIOD_NS: u64 = 10_000_000;
/// What the process does in these tests.
const DONE: Served = (7, RequestId::NONE);

fn stack(symbols: &mut Symbols, names: &[&str]) -> StackId {
    let locations: Vec<_> = names
        .iter()
        .map(|&name| {
            let function = symbols.intern_function(Function {
                name: name.into(),
                file: None,
                first_line: 0,
                kind: Kind::Internal,
            });
            symbols.intern_location(Location {
                function,
                line: Line::None,
            })
        })
        .collect();
    symbols.intern_stack(&locations)
}

fn sample(stack: StackId, at_ms: u64, state: State, weight: u32) -> Sample {
    Sample {
        at_ns: at_ms * 1_000_000,
        pid: 7,
        tid: 7,
        state,
        weight,
        stack,
        context: ContextId::NONE,
        memory: None,
    }
}

fn add(window: &mut Window, symbols: &Symbols, sample: &Sample) {
    window.add(
        sample,
        RequestId::NONE,
        symbols.stack(sample.stack).iter().map(|&id| symbols.location(id)),
    );
}

#[test]
fn a_wait_counts_in_the_seconds_in_which_it_lay() {
    let mut symbols = Symbols::default();
    let sleep = stack(&mut symbols, &["sleep", "<main>"]);
    let mut window = Window::new(PERIOD_NS);
    // From 1.01 s to 3.5 s.
    add(&mut window, &symbols, &sample(sleep, 3500, State::Blocked, 250));
    let waited = |from| {
        window
            .sum(from)
            .served
            .get(&DONE)
            .map_or(0, |doing| doing.waiting)
    };
    assert_eq!([waited(0), waited(2), waited(3), waited(4)], [250, 151, 51, 0]);
}

#[test]
fn recursion_counts_once() {
    let mut symbols = Symbols::default();
    let deep = stack(&mut symbols, &["a", "b", "a", "<main>"]);
    let mut window = Window::new(PERIOD_NS);
    add(&mut window, &symbols, &sample(deep, 10, State::OnCpu, 1));
    add(&mut window, &symbols, &sample(deep, 20, State::Runnable, 1));
    let a = symbols.location(symbols.stack(deep)[0]).function;
    assert_eq!(
        window.sum(0).functions[&(DONE, a)],
        Cell {
            own: 2,
            total: 2,
            waiting: 1
        }
    );
}

#[test]
fn what_is_too_long_ago_is_forgotten_and_memory_has_a_bound() {
    let mut symbols = Symbols::default();
    let main = stack(&mut symbols, &["<main>"]);
    let mut window = Window::new(PERIOD_NS);
    for second in [0, 1, 59, 60, 400, 401, 100_000] {
        add(
            &mut window,
            &symbols,
            &sample(main, second * 1000, State::OnCpu, 1),
        );
        assert!(window.seconds.len() <= LONGEST as usize, "at {second}");
        let numbers: Vec<_> = window.seconds.iter().map(|second| second.number).collect();
        assert!(
            numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]),
            "{numbers:?}"
        );
        assert_eq!(numbers.last(), Some(&second));
    }
    assert_eq!(window.sum(0).served[&DONE].samples(), 1);
    // Late, but within the window; and too late.
    add(&mut window, &symbols, &sample(main, 99_999_000, State::OnCpu, 1));
    add(&mut window, &symbols, &sample(main, 5_000, State::OnCpu, 1));
    assert_eq!(window.sum(0).served[&DONE].samples(), 2);
}

#[test]
fn what_finds_no_room_is_counted() {
    let mut symbols = Symbols::default();
    let mut window = Window::new(PERIOD_NS);
    let samples = MOST_CELLS as u64 + 10;
    for number in 0..samples {
        let one = stack(&mut symbols, &[&format!("f{number}")]);
        add(&mut window, &symbols, &sample(one, 500, State::OnCpu, 1));
    }
    let sum = window.sum(0);
    assert_eq!((sum.functions.len(), sum.not_kept), (MOST_CELLS, 10));
    assert_eq!(sum.served[&DONE].samples(), samples);
}

proptest! {
    #[test]
    fn within_the_window_nothing_is_lost(
        samples in prop::collection::vec((0..50_000_u64, 1..6000_u32, any::<bool>()), 1..40)
    ) {
        let mut symbols = Symbols::default();
        let main = stack(&mut symbols, &["work", "<main>"]);
        let mut window = Window::new(PERIOD_NS);
        let mut expected = Doing::default();
        for (at_ms, weight, waits) in samples {
            // It began when the recording did, at the earliest.
            let weight = u64::from(weight).min(at_ms / 10 + 1) as u32;
            let state = if waits { State::Blocked } else { State::OnCpu };
            add(&mut window, &symbols, &sample(main, at_ms, state, weight));
            let weight = u64::from(weight);
            expected.add(Doing { on_cpu: weight * u64::from(!waits), waiting: weight * u64::from(waits) });
        }
        let sum = window.sum(0);
        prop_assert_eq!(sum.served[&DONE], expected);
        let work = symbols.location(symbols.stack(main)[0]).function;
        prop_assert_eq!(
            sum.functions[&(DONE, work)],
            Cell { own: expected.samples(), total: expected.samples(), waiting: expected.waiting }
        );
    }
}
