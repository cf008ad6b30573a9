//! A PHP made of plain bytes, for tests.

use crate::{Interpreter, Layout, Version};
use remote::{FakeMemory, Memory, ReadError, elf::Machine};
use std::cell::Cell;

pub const GLOBALS: u64 = 0x10_0000;
pub const PAGE: u64 = 0x20_0000;
pub const PAGE_SIZE: u64 = 256 << 10;
const HEAP: u64 = 0x80_0000;
const HEAP_SIZE: u64 = 1 << 20;
const GENERATOR_VARIABLE: u64 = 0x30_0000;
const FIBER_VARIABLE: u64 = 0x31_0000;

/// The layout that all tests use; they look up every offset in it.
pub fn layout() -> &'static Layout {
    let version = Version {
        major: 8,
        minor: 2,
        patch: 0,
        zts: false,
    };
    Layout::find(version, Machine::X86_64).unwrap()
}

/// An interpreter whose globals lie where the tests put them.
pub fn interpreter() -> Interpreter {
    Interpreter {
        version: Version {
            major: 8,
            minor: 2,
            patch: 0,
            zts: false,
        },
        layout: layout(),
        sapi_module: None,
        vm: None,
        text: 0..0,
        executor_globals: GLOBALS,
        threads: None,
        sapi_globals: None,
        sapi_offset: None,
        heap: None,
        generator_class: Some(GENERATOR_VARIABLE),
        fiber_class: Some(FIBER_VARIABLE),
        path: "php".into(),
    }
}

/// A PHP whose stack the test builds, the outermost frame first.
pub struct World {
    pub memory: FakeMemory,
    heap: u64,
    top: u64,
    current: u64,
    generator: u64,
    pub fiber: u64,
}

impl World {
    pub fn new() -> Self {
        let layout = layout();
        let mut memory = FakeMemory::new()
            .with(GLOBALS, vec![0; layout.eg_size as usize])
            .with(PAGE, vec![0; PAGE_SIZE as usize])
            .with(HEAP, vec![0; HEAP_SIZE as usize])
            .with(GENERATOR_VARIABLE, [0; 8])
            .with(FIBER_VARIABLE, [0; 8]);
        memory.write_u64(GLOBALS + u64::from(layout.eg_vm_stack), PAGE);
        memory.write_u64(GLOBALS + u64::from(layout.eg_vm_stack_end), PAGE + PAGE_SIZE);
        let mut world = Self {
            memory,
            heap: HEAP,
            top: PAGE + 32,
            current: 0,
            generator: 0,
            fiber: 0,
        };
        world.generator = world.class("Generator");
        world.memory.write_u64(GENERATOR_VARIABLE, world.generator);
        world.fiber = world.class("Fiber");
        world.memory.write_u64(FIBER_VARIABLE, world.fiber);
        world
    }

    pub fn allocate(&mut self, size: u64) -> u64 {
        let address = self.heap;
        self.heap += size.next_multiple_of(16);
        assert!(self.heap <= HEAP + HEAP_SIZE);
        address
    }

    pub fn put(&mut self, base: u64, offset: u32, value: u64) {
        self.memory.write_u64(base + u64::from(offset), value);
    }

    pub fn put32(&mut self, base: u64, offset: u32, value: u32) {
        self.memory.write_u32(base + u64::from(offset), value);
    }

    pub fn string(&mut self, text: &str) -> u64 {
        let layout = layout();
        let address = self.allocate(u64::from(layout.string_val) + text.len() as u64 + 1);
        self.put(address, layout.string_len, text.len() as u64);
        self.memory
            .write(address + u64::from(layout.string_val), text.as_bytes());
        address
    }

    pub fn class(&mut self, name: &str) -> u64 {
        let name = self.string(name);
        let address = self.allocate(512);
        self.put(address, layout().class_name, name);
        address
    }

    /// A function written in PHP whose instructions stand in these lines.
    pub fn user(&mut self, name: &str, lines: &[u32]) -> u64 {
        let layout = layout();
        let opcodes = self.allocate(lines.len() as u64 * u64::from(layout.op_size));
        for (index, line) in lines.iter().enumerate() {
            let op = opcodes + index as u64 * u64::from(layout.op_size);
            self.put32(op, layout.op_lineno, *line);
        }
        let file = self.string("/srv/a.php");
        let name = if name.is_empty() { 0 } else { self.string(name) };
        let address = self.allocate(u64::from(layout.op_array_size));
        self.memory.write(address + u64::from(layout.function_type), &[2]);
        self.put(address, layout.function_name, name);
        self.put(address, layout.op_array_filename, file);
        self.put(address, layout.op_array_opcodes, opcodes);
        self.put32(address, layout.op_array_last, lines.len() as u32);
        self.put32(address, layout.op_array_line_start, lines[0]);
        address
    }

    /// A function written in C.
    pub fn internal(&mut self, name: &str) -> u64 {
        let layout = layout();
        let name = if name.is_empty() { 0 } else { self.string(name) };
        let address = self.allocate(u64::from(layout.internal_function_size));
        self.memory.write(address + u64::from(layout.function_type), &[1]);
        self.put(address, layout.function_name, name);
        address
    }

    /// The address of an instruction.
    pub fn op(&self, function: u64, index: u64) -> u64 {
        let layout = layout();
        let opcodes = function + u64::from(layout.op_array_opcodes);
        self.memory.read_u64(opcodes).unwrap() + index * u64::from(layout.op_size)
    }

    /// A frame that is linked to nothing yet.
    pub fn frame(&mut self, function: u64, opline: u64) -> u64 {
        let layout = layout();
        let address = self.top;
        // Some room for variables.
        self.top += u64::from(layout.frame_size) + 64;
        self.put(address, layout.frame_func, function);
        self.put(address, layout.frame_opline, opline);
        address
    }

    /// Makes `frame` the innermost one.
    pub fn enter(&mut self, frame: u64) {
        self.put(frame, layout().frame_prev, self.current);
        self.set_current(frame);
    }

    pub fn set_current(&mut self, frame: u64) {
        self.current = frame;
        self.put(GLOBALS, layout().eg_current_execute_data, frame);
    }

    /// Calls `function`, which runs its instruction `index`.
    pub fn call(&mut self, function: u64, index: u64) -> u64 {
        let opline = self.op(function, index);
        let frame = self.frame(function, opline);
        self.enter(frame);
        frame
    }

    /// A generator, in the outermost of which PHP keeps a placeholder.
    pub fn generator(&mut self, function: u64, index: u64) -> u64 {
        let layout = layout();
        let opline = self.op(function, index);
        let frame = self.frame(function, opline);
        let address = self.allocate(u64::from(layout.generator_fake + layout.frame_size));
        self.put(address, layout.object_ce, self.generator);
        self.put(address, layout.generator_execute_data, frame);
        let fake = address + u64::from(layout.generator_fake);
        self.put(fake, layout.frame_this + layout.zval_value, address);
        let this_type = u32::from(layout.zval_type_object);
        self.put32(fake, layout.frame_this + layout.zval_type, this_type);
        address
    }

    pub fn generator_frame(&self, generator: u64) -> u64 {
        let field = generator + u64::from(layout().generator_execute_data);
        self.memory.read_u64(field).unwrap()
    }

    /// Runs the last of `generators`, to which each of the others delegates to the next.
    pub fn run_delegated(&mut self, generators: &[u64]) {
        let layout = layout();
        for pair in generators.windows(2) {
            self.put(pair[0], layout.generator_parent, pair[1]);
        }
        self.enter(generators[0] + u64::from(layout.generator_fake));
        self.enter(self.generator_frame(*generators.last().unwrap()));
    }
}

/// Memory that counts.
pub struct Counting<M> {
    pub inner: M,
    pub reads: Cell<u64>,
}

impl<M> Counting<M> {
    pub const fn new(inner: M) -> Self {
        Self {
            inner,
            reads: Cell::new(0),
        }
    }

    fn count(&self) {
        self.reads.set(self.reads.get() + 1);
    }
}

impl<M: Memory> Memory for Counting<M> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.count();
        self.inner.read(address, buffer)
    }

    fn read_prefix(&self, address: u64, buffer: &mut [u8]) -> usize {
        self.count();
        self.inner.read_prefix(address, buffer)
    }

    fn read_pair(&self, first: (u64, &mut [u8]), second: (u64, &mut [u8])) -> (usize, usize) {
        self.count();
        self.inner.read_pair(first, second)
    }
}

/// Memory in which anything may point anywhere, mostly to where there is something.
pub fn garbage(words: &[(u8, u64)]) -> FakeMemory {
    let bytes: Vec<u8> = words
        .iter()
        .flat_map(|&(kind, value)| {
            let word = match kind % 6 {
                0 => GLOBALS + value % 0x2000,
                1 => PAGE + value % 0x4000,
                2 => HEAP + value % 0x4000,
                3 => value % 512,
                4 => 0,
                _ => value,
            };
            word.to_ne_bytes()
        })
        .collect();
    let fill = |size: usize| bytes.iter().copied().cycle().take(size).collect::<Vec<_>>();
    FakeMemory::new()
        .with(GLOBALS, fill(0x2000))
        .with(PAGE, fill(0x4000))
        .with(HEAP, fill(0x4000))
        .with(GENERATOR_VARIABLE, fill(8))
        .with(FIBER_VARIABLE, fill(8))
}
