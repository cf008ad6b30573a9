use super::*;
use crate::{
    walk::{End, RawFrame, Walker},
    world::{PAGE, World, garbage, interpreter, layout},
};
use proptest::prelude::*;

/// A stack of so many frames, each calling the next.
fn deep(frames: usize) -> World {
    let mut world = World::new();
    let run = world.user("run", &[1]);
    for _ in 0..frames {
        world.call(run, 0);
    }
    world
}

fn walk(memory: &impl Memory) -> (Vec<RawFrame>, End) {
    let mut frames = Vec::new();
    let end = Walker::new(&interpreter()).walk(memory, 2000, &mut frames);
    (frames, end)
}

#[test]
fn one_read_holds_a_stack_from_the_second_time_on() {
    let world = deep(20);
    let mut window = Window::new(&world.memory, &interpreter(), 16 << 10);
    window.refresh().unwrap();
    assert_eq!(window.reads(), 2, "where the stack is was not known yet");
    for round in 1..10 {
        assert_ne!(window.refresh().unwrap(), 0);
        let (frames, end) = walk(&window);
        assert_eq!((frames.len(), end), (20, End::Outermost));
        assert_eq!(window.reads(), 2 + round);
    }
    assert!(!window.has_moved().unwrap());
}

#[test]
fn a_call_or_two_more_cost_nothing() {
    let mut world = deep(20);
    let run = world.user("run", &[1]);
    let mut window = Window::new(world.memory.clone(), &interpreter(), 16 << 10);
    window.refresh().unwrap();
    world.call(run, 0);
    world.call(run, 0);
    window.inner = world.memory;
    assert!(window.has_moved().unwrap());
    let before = window.reads();
    window.refresh().unwrap();
    assert_eq!(walk(&window).0.len(), 22);
    assert_eq!(window.reads(), before + 1);
}

#[test]
fn a_stack_that_goes_up_and_down_stays_in_sight() {
    let (shallow, deep) = (deep(5), deep(40));
    let mut window = Window::new(deep.memory.clone(), &interpreter(), 16 << 10);
    window.refresh().unwrap();
    let before = window.reads();
    for _ in 0..4 {
        window.inner = shallow.memory.clone();
        window.refresh().unwrap();
        assert_eq!(walk(&window).0.len(), 5);
        window.inner = deep.memory.clone();
        window.refresh().unwrap();
        assert_eq!(walk(&window).0.len(), 40);
    }
    assert_eq!(window.reads(), before + 8);
}

#[test]
fn a_stack_larger_than_the_window_costs_a_read_for_each_window() {
    let world = deep(1000);
    let size = 1000 * (u64::from(layout().frame_size) + 64);
    let capacity = 16 << 10;
    let mut window = Window::new(&world.memory, &interpreter(), capacity as usize);
    window.refresh().unwrap();
    let before = window.reads();
    window.refresh().unwrap();
    let (frames, end) = walk(&window);
    assert_eq!((frames.len(), end), (1000, End::Outermost));
    assert!(window.reads() - before <= 2 + size / capacity);
}

#[test]
fn an_idle_php_costs_one_read() {
    let world = World::new();
    let mut window = Window::new(&world.memory, &interpreter(), 4096);
    assert_eq!(window.refresh(), Ok(0));
    assert_eq!(walk(&window), (vec![], End::Outermost));
    assert_eq!(window.reads(), 1);
}

#[test]
fn globals_that_cannot_be_read_are_an_error() {
    let mut window = Window::new(remote::FakeMemory::new(), &interpreter(), 4096);
    assert!(window.refresh().is_err());
}

#[test]
fn a_frame_at_the_very_end_of_its_page() {
    let mut world = deep(1);
    let run = world.user("run", &[1]);
    let frame = PAGE + crate::world::PAGE_SIZE - u64::from(layout().frame_size);
    world.put(frame, layout().frame_func, run);
    world.enter(frame);
    let mut window = Window::new(&world.memory, &interpreter(), 4096);
    assert_eq!(window.refresh(), Ok(frame));
    assert_eq!(walk(&window).0.len(), 2);
}

proptest! {
    #[test]
    fn shows_what_is_there_whatever_it_is(
        words in prop::collection::vec(any::<(u8, u64)>(), 1..100),
        others in prop::collection::vec(any::<(u8, u64)>(), 1..100),
        capacity in 0_usize..5000,
    ) {
        let memory = garbage(&words);
        let mut window = Window::new(garbage(&others), &interpreter(), capacity);
        let _ = window.refresh();
        let _ = walk(&window);
        // What was seen before must not show through.
        window.inner = memory.clone();
        for _ in 0..3 {
            let _ = window.refresh();
            prop_assert_eq!(walk(&window), walk(&memory));
        }
    }
}
