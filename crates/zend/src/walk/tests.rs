use super::*;
use crate::world::{Counting, World, garbage, interpreter, layout};
use proptest::prelude::*;

fn walk(memory: &impl Memory, max_depth: usize) -> (Vec<u64>, End) {
    let mut frames = Vec::new();
    let end = Walker::new(&interpreter()).walk(memory, max_depth, &mut frames);
    (frames.iter().map(|frame| frame.function).collect(), end)
}

#[test]
fn nothing_runs() {
    assert_eq!(walk(&World::new().memory, 10), (vec![], End::Outermost));
}

#[test]
fn the_innermost_frame_comes_first() {
    let mut world = World::new();
    let (main, run) = (world.user("", &[1]), world.user("run", &[5, 6]));
    let outer = world.call(main, 0);
    let inner = world.call(run, 1);
    let mut frames = Vec::new();
    let end = Walker::new(&interpreter()).walk(&world.memory, 10, &mut frames);
    let frame = |frame, function, opline| RawFrame {
        frame,
        function,
        opline,
        delegates: false,
    };
    assert_eq!(end, End::Outermost);
    assert_eq!(
        frames,
        [
            frame(inner, run, world.op(run, 1)),
            frame(outer, main, world.op(main, 0))
        ]
    );
}

#[test]
fn dummy_frames_are_passed_over() {
    let mut world = World::new();
    let main = world.user("", &[1]);
    world.call(main, 0);
    let dummy = world.frame(0, 0);
    world.enter(dummy);
    let map = world.internal("array_map");
    let native = world.frame(map, 0);
    world.enter(native);
    assert_eq!(walk(&world.memory, 10), (vec![map, main], End::Outermost));
}

#[test]
fn a_dummy_frame_with_an_object_of_another_class_is_no_placeholder() {
    let mut world = World::new();
    let layout = layout();
    let main = world.user("", &[1]);
    world.call(main, 0);
    let generator = world.generator(main, 0);
    let other = world.class("Other");
    world.put(generator, layout.object_ce, other);
    world.put(generator, layout.generator_parent, generator);
    world.enter(generator + u64::from(layout.generator_fake));
    assert_eq!(walk(&world.memory, 10), (vec![main], End::Outermost));
}

#[test]
fn delegating_generators_stand_where_they_belong() {
    let mut world = World::new();
    let names = ["", "inner", "middle", "outer"];
    let [main, inner, middle, outer] = names.map(|name| world.user(name, &[1]));
    world.call(main, 0);
    let generators = [outer, middle, inner].map(|function| world.generator(function, 0));
    world.run_delegated(&generators);
    assert_eq!(
        walk(&world.memory, 10),
        (vec![inner, middle, outer, main], End::Outermost)
    );
    let mut frames = Vec::new();
    Walker::new(&interpreter()).walk(&world.memory, 10, &mut frames);
    let delegates: Vec<_> = frames.iter().map(|frame| frame.delegates).collect();
    assert_eq!(delegates, [false, true, true, false]);
    // Two of four fit; but of the delegating ones, those that would be kept are met last.
    assert_eq!(walk(&world.memory, 2), (vec![inner], End::Cut));
    assert_eq!(walk(&world.memory, 3), (vec![inner, middle, outer], End::Cut));
}

#[test]
fn a_placeholder_whose_generator_just_finished() {
    let mut world = World::new();
    let (main, run) = (world.user("", &[1]), world.user("run", &[1]));
    world.call(main, 0);
    let generator = world.generator(run, 0);
    world.enter(generator + u64::from(layout().generator_fake));
    assert_eq!(walk(&world.memory, 10), (vec![main], End::Outermost));
}

#[test]
fn a_broken_chain_of_generators_leaves_none_of_them() {
    let mut world = World::new();
    let run = world.user("run", &[1]);
    let inner = world.user("inner", &[1]);
    let generators = [run, run, run, inner].map(|function| world.generator(function, 0));
    world.run_delegated(&generators);
    world.put(generators[1], layout().generator_parent, 8);
    let (functions, end) = walk(&world.memory, 100);
    assert_eq!(functions, [inner]);
    assert!(matches!(end, End::Unreadable(_)), "{end:?}");
}

#[test]
fn generators_in_a_ring_end() {
    let mut world = World::new();
    let run = world.user("run", &[1]);
    let (one, two) = (world.generator(run, 0), world.generator(run, 0));
    world.put(two, layout().generator_parent, one);
    world.run_delegated(&[one, two]);
    let memory = Counting::new(&world.memory);
    assert_eq!(walk(&memory, 100), (vec![run], End::Cut));
    assert!(memory.reads.get() < 400);
}

#[test]
fn too_many_frames_are_cut_and_rings_end() {
    let mut world = World::new();
    let run = world.user("run", &[1]);
    let outer = world.call(run, 0);
    let inner = world.call(run, 0);
    assert_eq!(walk(&world.memory, 2), (vec![run, run], End::Outermost));
    assert_eq!(walk(&world.memory, 1), (vec![run], End::Cut));
    assert_eq!(walk(&world.memory, 0), (vec![], End::Cut));
    world.put(outer, layout().frame_prev, inner);
    assert_eq!(walk(&world.memory, 100), (vec![run; 100], End::Cut));
    // A ring of frames that are not kept.
    for frame in [outer, inner] {
        world.put(frame, layout().frame_func, 0);
    }
    assert_eq!(walk(&world.memory, 100), (vec![], End::Cut));
}

#[test]
fn a_broken_link_keeps_what_is_inside_of_it() {
    let mut world = World::new();
    let run = world.user("run", &[1]);
    let outer = world.call(run, 0);
    world.call(run, 0);
    world.put(outer, layout().frame_prev, 8);
    let expected = End::Unreadable(ReadError::Unmapped(8));
    assert_eq!(walk(&world.memory, 100), (vec![run, run], expected));
}

proptest! {
    #[test]
    fn any_memory(words in prop::collection::vec(any::<(u8, u64)>(), 1..200), max_depth in 0_usize..64) {
        let memory = Counting::new(garbage(&words));
        let mut frames = Vec::new();
        Walker::new(&interpreter()).walk(&memory, max_depth, &mut frames);
        prop_assert!(frames.len() <= max_depth);
        let steps = 2 * max_depth as u64 + SPARE_STEPS as u64;
        prop_assert!(memory.reads.get() <= 2 + 4 * steps);
    }
}
