//! Records of any bytes give samples within bounds, or nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use profile::Symbols;
use sampler::{Meaning, Resolver};

/// More than any source writes in one record.
const RECORD_MAX: usize = 64 * 1024;

fuzz_target!(|records: Vec<Vec<u8>>| {
    let mut symbols = Symbols::default();
    let mut resolver = Resolver::new(0);
    for record in &records {
        let record = &record[..record.len().min(RECORD_MAX)];
        if let Meaning::Sample(told) = resolver.read(&mut symbols, record) {
            let frames = symbols.stack(told.sample.stack).len();
            // A name for code without one may stand before what it runs.
            assert!(frames <= record.len() / 16 * 2 + 2, "{frames} frames of {} bytes", record.len());
        }
    }
});
