//! Any bytes as a core file, once its first ones say that it is one: it is refused, or a stack ends within its bounds.

#![no_main]

use libfuzzer_sys::fuzz_target;
use remote::{CoreFile, Image, elf::Machine};
use std::path::Path;
use zend::{Interpreter, Layout, Version};

const IDENT: [u8; 7] = *b"\x7fELF\x02\x01\x01";
/// `ET_CORE`, `EM_X86_64`.
const KIND: [u8; 4] = [4, 0, 62, 0];
const MAX_DEPTH: usize = 64;

fuzz_target!(|bytes: &[u8]| {
    let mut file = bytes.to_vec();
    if let Some(ident) = file.first_chunk_mut() {
        *ident = IDENT;
    }
    if let Some(kind) = file.get_mut(16..20) {
        kind.copy_from_slice(&KIND);
    }
    let length = file.len() as u64;
    let Ok(core) = CoreFile::parse(file, length, Path::new("core"), &[]) else {
        return;
    };
    let version = Version {
        major: 8,
        minor: 2,
        patch: 0,
        zts: false,
    };
    for mapping in core.maps().unwrap().iter().take(4) {
        let interpreter = Interpreter {
            version,
            layout: Layout::find(version, Machine::X86_64).unwrap(),
            sapi_module: None,
            vm: None,
            text: 0..u64::MAX,
            executor_globals: mapping.start,
            threads: None,
            sapi_globals: None,
            sapi_offset: None,
            heap: None,
            generator_class: Some(mapping.start),
            fiber_class: Some(mapping.start),
            path: "php".into(),
        };
        if let Ok(stack) = zend::stack_kept(&core, &interpreter, None, MAX_DEPTH) {
            assert!(stack.frames.len() <= MAX_DEPTH);
        }
    }
    let _ = (core.threads(), core.command(), core.remarks());
});
