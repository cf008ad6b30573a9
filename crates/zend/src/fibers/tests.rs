use super::*;
use crate::world::{Counting, GLOBALS, World, garbage, interpreter, layout};
use proptest::prelude::*;
use remote::FakeMemory;

const DEAD: u8 = 3;
const ELSEWHERE: u64 = 0x4000_0000;

/// A `zend_fiber`.
fn fiber(world: &mut World, status: u8, caller: u64) -> u64 {
    let layout = layout();
    let address = world.allocate(u64::from(layout.fiber_size.unwrap()));
    world.put(address, layout.object_ce, world.fiber);
    world.put(address, layout.fiber_status.unwrap(), status.into());
    world.put(address, layout.fiber_caller.unwrap(), caller);
    address
}

/// Makes these all objects that there are.
fn objects(world: &mut World, objects: &[u64]) {
    let table = world.allocate(objects.len() as u64 * 8);
    for (place, &object) in (0..).zip(objects) {
        world.put(table, place * 8, object);
    }
    world.put(GLOBALS, layout().eg_objects.unwrap(), table);
    world.put32(GLOBALS, layout().eg_objects_top.unwrap(), objects.len() as u32);
}

fn names(fiber: &Fiber) -> (u32, State, Vec<&str>) {
    let names = fiber.stack.frames.iter().map(|(function, _)| &*function.name);
    (fiber.id, fiber.state, names.collect())
}

/// The frames of a fiber that waits: linked to each other and to nothing else.
fn wait_in(world: &mut World, fiber: u64, functions: &[u64]) {
    let mut inner = 0;
    for &function in functions {
        let frame = world.frame(function, 0);
        world.put(frame, layout().frame_prev, inner);
        inner = frame;
    }
    world.put(fiber, layout().fiber_execute_data.unwrap(), inner);
}

#[test]
fn each_is_told_with_what_it_does() {
    let mut world = World::new();
    let task = world.user("task", &[3]);
    let (bottom, suspend) = (world.internal(""), world.internal("suspend"));
    let other = world.allocate(64);
    let class = world.class("Other");
    world.put(other, layout().object_ce, class);
    let new = fiber(&mut world, INIT, 0);
    world.put(new, layout().fiber_function.unwrap(), task);
    let waits = fiber(&mut world, SUSPENDED, 0);
    wait_in(&mut world, waits, &[bottom, task, suspend]);
    let (resumes, runs, dead) = (
        fiber(&mut world, SUSPENDED, ELSEWHERE),
        fiber(&mut world, RUNNING, ELSEWHERE),
        fiber(&mut world, DEAD, 0),
    );
    // The first place is never used; the second one belongs to an object that is gone.
    objects(
        &mut world,
        &[0, waits | 1, other, new, waits, resumes, runs, dead, 8],
    );
    let fibers = fibers(&world.memory, &interpreter(), 10).unwrap();
    let read: Vec<_> = fibers.read.iter().map(names).collect();
    assert_eq!(
        read,
        [
            (3, State::New, vec!["task"]),
            (4, State::Suspended, vec!["suspend", "task"]),
            (5, State::Running, vec![]),
            (6, State::Running, vec![]),
        ]
    );
    assert!(fibers.read.iter().all(|fiber| fiber.stack.is_stable));
    assert_eq!((fibers.more, fibers.unreadable, fibers.unseen_objects), (0, 0, 0));
    assert!(!fibers.moved);
}

#[test]
fn what_cannot_be_named_is_counted() {
    let mut world = World::new();
    let waits = fiber(&mut world, SUSPENDED, 0);
    wait_in(&mut world, waits, &[ELSEWHERE]);
    objects(&mut world, &[0, waits]);
    let fibers = fibers(&world.memory, &interpreter(), 10).unwrap();
    assert_eq!((fibers.read.len(), fibers.unreadable), (0, 1));
}

#[test]
fn more_than_are_read_are_counted() {
    let mut world = World::new();
    let runs = fiber(&mut world, RUNNING, 0);
    objects(&mut world, &vec![runs; FIBERS_MAX + 5]);
    let fibers = fibers(&world.memory, &interpreter(), 10).unwrap();
    assert_eq!((fibers.read.len(), fibers.more), (FIBERS_MAX, 5));
}

#[test]
fn more_objects_than_are_looked_at_are_counted() {
    let mut world = World::new();
    let count = objects::OBJECTS_MAX + 7;
    world.put(GLOBALS, layout().eg_objects.unwrap(), ELSEWHERE);
    world.put32(GLOBALS, layout().eg_objects_top.unwrap(), count);
    let memory = world.memory.with(ELSEWHERE, vec![0; count as usize * 8]);
    let fibers = fibers(&memory, &interpreter(), 10).unwrap();
    assert_eq!((fibers.read.len(), fibers.unseen_objects), (0, 7));
}

#[test]
fn between_requests_there_is_no_table() {
    let world = World::new();
    assert_eq!(fibers(&world.memory, &interpreter(), 10), Ok(Fibers::default()));
    assert!(fibers(&FakeMemory::new(), &interpreter(), 10).is_err());
}

proptest! {
    #[test]
    fn any_memory(words in prop::collection::vec(any::<(u8, u64)>(), 1..200), count in 0_u32..50) {
        let mut memory = garbage(&words);
        memory.write_u32(GLOBALS + u64::from(layout().eg_objects_top.unwrap()), count);
        let memory = Counting::new(memory);
        let _ = fibers(&memory, &interpreter(), 8);
        // Each fiber at most so often, and each time its frames twice and their names.
        prop_assert!(memory.reads.get() < u64::from(count + 1) * u64::from(TRIES) * 1000);
    }
}
