//! Any bytes as an ELF file, once its first ones say that it is one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use remote::elf::Elf;

const IDENT: [u8; 7] = *b"\x7fELF\x02\x01\x01";
const MACHINE: [u8; 2] = [62, 0];

fuzz_target!(|bytes: &[u8]| {
    let mut file = bytes.to_vec();
    if let Some(ident) = file.first_chunk_mut() {
        *ident = IDENT;
    }
    if let Some(machine) = file.get_mut(18..20) {
        machine.copy_from_slice(&MACHINE);
    }
    if let Ok(elf) = Elf::parse(&file[..]) {
        let _ = elf.symbols(["executor_globals", "sapi_globals"]);
        let _ = (elf.text(), elf.build_id(), elf.constants());
    }
});
