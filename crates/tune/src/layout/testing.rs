//! Small ELF files, made to measure.

use remote::elf::{Elf, Segment};

pub const R: u32 = 4;
pub const RX: u32 = 5;
pub const RW: u32 = 6;

/// Flags, place in the file, address, bytes in the file and in memory.
pub type Load = (u32, u64, u64, u64, u64);

/// The segments of Debian's php8.2.
pub fn debian() -> Vec<u8> {
    file_of(&[
        (R, 0, 0, 0xe_a778, 0xe_a778),
        (RX, 0xe_b000, 0xe_b000, 0x30_b81d, 0x30_b81d),
        (R, 0x3f_7000, 0x3f_7000, 0xe_6718, 0xe_6718),
        (RW, 0x4d_df08, 0x4d_ef08, 0x9_49c6, 0xb_25a8),
    ])
}

/// A file with these segments, filled with bytes that say where they were.
pub fn file_of(loads: &[Load]) -> Vec<u8> {
    let size = loads
        .iter()
        .map(|load| load.1 + load.3)
        .max()
        .unwrap_or(0)
        .max(4096);
    let mut bytes = vec![0; size as usize];
    for (index, part) in bytes.chunks_mut(512).enumerate() {
        part.fill((index ^ (index >> 8)) as u8);
    }
    bytes[..64].fill(0);
    bytes[..20].copy_from_slice(&[
        0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 62, 0,
    ]);
    bytes[20] = 1;
    bytes[32..40].copy_from_slice(&64_u64.to_le_bytes());
    bytes[52..54].copy_from_slice(&64_u16.to_le_bytes());
    bytes[54..56].copy_from_slice(&56_u16.to_le_bytes());
    bytes[56..58].copy_from_slice(&(loads.len() as u16).to_le_bytes());
    for (index, &(flags, offset, address, in_file, in_memory)) in loads.iter().enumerate() {
        let header = &mut bytes[64 + 56 * index..][..56];
        header[..4].copy_from_slice(&1_u32.to_le_bytes());
        header[4..8].copy_from_slice(&flags.to_le_bytes());
        for (at, value) in [offset, address, address, in_file, in_memory, 4096]
            .into_iter()
            .enumerate()
        {
            header[8 + 8 * at..][..8].copy_from_slice(&value.to_le_bytes());
        }
    }
    bytes
}

pub fn segments(file: &[u8]) -> Vec<Segment> {
    Elf::parse(file).unwrap().segments().to_vec()
}
