use super::*;
use crate::world::{GLOBALS, World, garbage, interpreter, layout};
use proptest::prelude::*;

#[test]
fn a_method() {
    let mut world = World::new();
    let address = world.user("run", &[12, 13]);
    let class = world.class("App\\Kernel");
    world.put(address, layout().function_scope, class);
    let function = read_function(&world.memory, layout(), address).unwrap();
    let raw = function.as_raw();
    assert_eq!(raw.name, Some(&b"run"[..]));
    assert_eq!(raw.class, Some(&b"App\\Kernel"[..]));
    assert_eq!(raw.file, Some(&b"/srv/a.php"[..]));
    assert_eq!(raw.first_line, 12);
    assert_eq!(function.opcode_count, 2);
}

#[test]
fn an_internal_function_has_neither_file_nor_line() {
    let mut world = World::new();
    let address = world.internal("usleep");
    let function = read_function(&world.memory, layout(), address).unwrap();
    assert_eq!(function.as_raw().name, Some(&b"usleep"[..]));
    assert_eq!(function.file, None);
    let shown = line(&world.memory, layout(), GLOBALS, &function, 0x1234, false);
    assert_eq!(shown, Ok(Line::None));
}

#[test]
fn an_internal_function_may_lie_at_the_end_of_the_memory() {
    let mut world = World::new();
    let address = world.internal("usleep");
    let mut bytes = vec![0; layout().internal_function_size as usize];
    world.memory.read(address, &mut bytes).unwrap();
    world.memory.write(0xff_0000, &bytes);
    assert!(read_function(&world.memory, layout(), 0xff_0000).is_ok());
}

#[test]
fn long_names_are_read_up_to_a_limit() {
    let mut world = World::new();
    let address = world.user("x", &[1]);
    for length in [STRING_USUAL, 1000, 5000] {
        let name = world.string(&"n".repeat(length));
        world.put(address, layout().function_name, name);
        let function = read_function(&world.memory, layout(), address).unwrap();
        assert_eq!(function.name.unwrap().len(), length.min(STRING_MAX as usize));
    }
}

#[test]
fn what_is_no_function_is_said_to_be_none() {
    let mut world = World::new();
    let nothing = world.allocate(256);
    assert!(matches!(
        read_function(&world.memory, layout(), nothing),
        Err(Error::NotAFunction(address)) if address == nothing
    ));
    assert!(matches!(
        read_function(&world.memory, layout(), 8),
        Err(Error::Memory(ReadError::Unmapped(8)))
    ));
}

#[test]
fn lines() {
    let mut world = World::new();
    let address = world.user("run", &[12, 13, 17]);
    let function = read_function(&world.memory, layout(), address).unwrap();
    let first = world.op(address, 0);
    let at =
        |world: &World, opline| line(&world.memory, layout(), GLOBALS, &function, opline, false).unwrap();
    assert_eq!(at(&world, world.op(address, 2)), Line::Exact(17));
    for elsewhere in [0, first - 32, first + 1, world.op(address, 3), u64::MAX] {
        assert_eq!(at(&world, elsewhere), Line::FunctionStart(12));
    }
    // An exception unwinds.
    let exception = GLOBALS + u64::from(layout().eg_exception_op);
    assert_eq!(at(&world, exception + 32), Line::FunctionStart(12));
    let thrower = world.op(address, 1);
    world.put(GLOBALS, layout().eg_opline_before_exception, thrower);
    assert_eq!(at(&world, exception + 32), Line::Exact(13));
}

#[test]
fn a_generator_that_delegates_is_still_in_its_yield_from() {
    let mut world = World::new();
    let address = world.user("run", &[12, 13, 17]);
    let function = read_function(&world.memory, layout(), address).unwrap();
    let code = [layout().opcode_yield_from];
    let yields = world.op(address, 1);
    world.memory.write(yields + u64::from(layout().op_opcode), &code);
    let at = |index| {
        let opline = world.op(address, index);
        line(&world.memory, layout(), GLOBALS, &function, opline, true).unwrap()
    };
    assert_eq!(at(2), Line::Exact(13), "it moved on to the next instruction");
    assert_eq!(at(1), Line::Exact(13));
    assert_eq!(at(0), Line::Exact(12), "there is nothing before the first");
}

#[test]
fn includes() {
    let mut world = World::new();
    let address = world.user("", &[1, 2]);
    let function = read_function(&world.memory, layout(), address).unwrap();
    let code = [layout().opcode_include_or_eval];
    let includes = world.op(address, 1);
    world
        .memory
        .write(includes + u64::from(layout().op_opcode), &code);
    world.put32(includes, layout().op_extended_value, 8);
    let by = |opline| included_by(&world.memory, layout(), &function, opline).unwrap();
    assert_eq!(by(includes), Some(8));
    assert_eq!(by(world.op(address, 0)), None);
    assert_eq!(by(0), None);
}

proptest! {
    #[test]
    fn any_memory(words in prop::collection::vec(any::<(u8, u64)>(), 1..200), address in 0_u64..0x2000) {
        let memory = garbage(&words);
        if let Ok(function) = read_function(&memory, layout(), GLOBALS + address) {
            for text in [&function.name, &function.class, &function.file].into_iter().flatten() {
                prop_assert!(text.len() <= STRING_MAX as usize);
            }
            for opline in words.iter().map(|word| word.1).chain([function.opcodes]) {
                let _ = line(&memory, layout(), GLOBALS, &function, opline, true);
                let _ = included_by(&memory, layout(), &function, opline);
            }
        }
        let _ = crate::stable(&memory, &interpreter(), 64, |_| false);
    }
}
