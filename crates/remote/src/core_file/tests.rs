use super::*;
use crate::ReadError;
use proptest::prelude::*;

const HELD: u64 = 0x10_0000;
const NOT_HELD: u64 = 0x20_0000;
const PAGE: u64 = 0x1000;

/// A note as the kernel writes it.
fn note(kind: u32, content: &[u8]) -> Vec<u8> {
    let mut note = Vec::new();
    for number in [5, content.len() as u32, kind] {
        note.extend(number.to_le_bytes());
    }
    note.extend(b"CORE\0\0\0\0");
    note.extend(content);
    note.resize(note.len().next_multiple_of(4), 0);
    note
}

fn status(tid: u32, signal: u16, thread_pointer: u64) -> Vec<u8> {
    let mut status = vec![0; 336];
    status[12..14].copy_from_slice(&signal.to_le_bytes());
    status[32..36].copy_from_slice(&tid.to_le_bytes());
    status[280..288].copy_from_slice(&thread_pointer.to_le_bytes());
    status
}

fn info(pid: u32, command: &str) -> Vec<u8> {
    let mut info = vec![0; 136];
    info[24..28].copy_from_slice(&pid.to_le_bytes());
    info[56..56 + command.len()].copy_from_slice(command.as_bytes());
    info
}

fn mapped(files: &[(u64, u64, u64, &str)]) -> Vec<u8> {
    let mut words = vec![files.len() as u64, PAGE];
    words.extend(files.iter().flat_map(|&(start, end, page, _)| [start, end, page]));
    let mut content: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    for (_, _, _, path) in files {
        content.extend(path.as_bytes());
        content.push(0);
    }
    content
}

/// An address, what the core holds from there on, how much was mapped there, and whether it could be written.
type Kept<'a> = (u64, &'a [u8], u64, bool);

/// A core file of x86-64.
fn core(notes: &[u8], kept: &[Kept<'_>]) -> Vec<u8> {
    let count = kept.len() as u16 + 1;
    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    file.extend([4, 0, 62, 0, 1, 0, 0, 0]);
    for word in [0, 64, 0_u64] {
        file.extend(word.to_le_bytes());
    }
    file.extend([0, 0, 0, 0, 64, 0, 56, 0]);
    file.extend(count.to_le_bytes());
    file.extend([64, 0, 0, 0, 0, 0]);
    assert_eq!(file.len(), 64);
    let mut at = 64 + 56 * u64::from(count);
    let mut header = |kind: u32, flags: u32, address: u64, held: u64, size: u64| {
        file.extend(kind.to_le_bytes());
        file.extend(flags.to_le_bytes());
        for word in [at, address, 0, held, size, 1] {
            file.extend(word.to_le_bytes());
        }
        at += held;
    };
    header(4, 0, 0, notes.len() as u64, 0);
    for &(address, bytes, size, writable) in kept {
        header(1, 4 | u32::from(writable) << 1, address, bytes.len() as u64, size);
    }
    file.extend(notes);
    file.extend(kept.iter().flat_map(|(_, bytes, ..)| *bytes));
    file
}

fn parse(bytes: Vec<u8>) -> Result<CoreFile<Vec<u8>>, Error> {
    let length = bytes.len() as u64;
    CoreFile::parse(bytes, length, Path::new("core"), &[])
}

#[test]
fn threads_and_the_command_are_told() {
    let notes = [
        note(1, &status(11, 11, 0x7f00)),
        note(3, &info(10, "php-fpm: pool www")),
        note(1, &status(10, 0, 0)),
    ];
    let core = parse(core(&notes.concat(), &[])).unwrap();
    assert_eq!((core.pid(), core.command()), (10, "php-fpm: pool www"));
    assert_eq!(core.signal(), Some(11));
    let threads: Vec<_> = core
        .threads()
        .iter()
        .map(|thread| (thread.tid, thread.thread_pointer))
        .collect();
    assert_eq!(threads, [(11, Some(0x7f00)), (10, None)]);
    assert!(core.remarks().is_empty());
}

#[test]
fn what_is_not_held_comes_from_the_file_unless_the_process_could_write_there() {
    let folder = std::env::temp_dir().join(format!("core-file-{}", std::process::id()));
    let text: Vec<u8> = (0..2 * PAGE).map(|at| (at / 16) as u8).collect();
    fs::write(&folder, &text).unwrap();
    let path = folder.to_str().unwrap();
    let notes = [
        note(1, &status(1, 0, 0)),
        note(
            0x4649_4c45,
            &mapped(&[
                (NOT_HELD, NOT_HELD + PAGE, 1, path),
                (NOT_HELD + PAGE, NOT_HELD + 2 * PAGE, 0, path),
            ]),
        ),
    ];
    let kept: [Kept<'_>; 3] = [
        (HELD, &[1, 2, 3, 4], PAGE, true),
        (NOT_HELD, &[], PAGE, false),
        (NOT_HELD + PAGE, &[], PAGE, true),
    ];
    let whole = core(&notes.concat(), &kept);
    let core = parse(whole.clone()).unwrap();
    let mut bytes = [0; 4];
    core.read(HELD, &mut bytes).unwrap();
    assert_eq!(bytes, [1, 2, 3, 4]);
    assert_eq!(core.read_prefix(HELD + 2, &mut bytes), 2);
    assert_eq!(
        core.read(HELD + 2, &mut bytes),
        Err(ReadError::Unmapped(HELD + 4))
    );
    assert_eq!(core.read_u8(NOT_HELD + 0x20), Ok(text[PAGE as usize + 0x20]));
    assert_eq!(
        core.read_u8(NOT_HELD + PAGE),
        Err(ReadError::Unmapped(NOT_HELD + PAGE))
    );
    // Nothing tells whether it is still the same file.
    assert!(core.remarks()[0].contains("build id"), "{:?}", core.remarks());
    fs::remove_file(folder).unwrap();
    let other = parse(whole).unwrap();
    assert_eq!(other.read_u8(NOT_HELD), Err(ReadError::Unmapped(NOT_HELD)));
    assert!(other.remarks()[0].contains("--exe"), "{:?}", other.remarks());
}

#[test]
fn a_core_that_is_cut_off_says_so() {
    let whole = core(&note(1, &status(1, 0, 0)), &[(HELD, &[7; 4096], PAGE, true)]);
    let cut = parse(whole[..whole.len() - 1000].to_vec()).unwrap();
    assert!(
        cut.remarks()[0].contains("last 1 KB of the core are missing"),
        "{:?}",
        cut.remarks()
    );
    let mut bytes = [0; 4096];
    assert_eq!(cut.read_prefix(HELD, &mut bytes), 3096);
    assert_eq!(bytes[3095..3097], [7, 0]);
}

#[test]
fn what_is_no_core_says_so() {
    for (bytes, why) in [
        (b"".to_vec(), "not a core"),
        (b"<?php echo 1;".to_vec(), "not a core"),
        (fs::read("/proc/self/exe").unwrap(), "program"),
        (b"\x28\xb5\x2f\xfdxxxxxx".to_vec(), "zstd -d"),
        (b"\x1f\x8bxxxxxx".to_vec(), "gzip -d"),
        (core(&[], &[]), "no thread"),
    ] {
        let error = parse(bytes).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_copy_must_be_one_of_the_files() {
    let notes = note(1, &status(1, 0, 0));
    let bytes = core(&notes, &[]);
    let length = bytes.len() as u64;
    let own = PathBuf::from("/proc/self/exe");
    let error = CoreFile::parse(bytes, length, Path::new("core"), &[own]).unwrap_err();
    assert!(matches!(error, Error::Unrelated { .. }), "{error}");
}

/// Whatever there is to ask.
fn use_up(core: &CoreFile<Vec<u8>>) {
    let mut buffer = [0; 300];
    let maps = Image::maps(core).unwrap();
    for mapping in maps.iter().take(8) {
        let _ = core.read(mapping.start, &mut buffer);
        let _ = core.read_prefix(mapping.end.wrapping_sub(100), &mut buffer);
    }
    for address in [0, HELD, NOT_HELD, u64::MAX - 10] {
        let _ = core.read_prefix(address, &mut buffer);
    }
    let _ = (core.threads(), core.signal(), core.command(), core.remarks());
}

proptest! {
    #[test]
    fn any_notes_and_any_memory(
        notes in prop::collection::vec((prop::sample::select(vec![1_u32, 3, 6, 0x4649_4c45]), prop::collection::vec(any::<u8>(), 0..400)), 0..6),
        kept in prop::collection::vec((any::<u64>(), prop::collection::vec(any::<u8>(), 0..200), any::<u64>(), any::<bool>()), 0..6),
    ) {
        let mut all = note(1, &status(1, 6, 1));
        all.extend(notes.iter().flat_map(|(kind, content)| note(*kind, content)));
        let kept: Vec<Kept<'_>> = kept.iter().map(|(at, bytes, size, writable)| (*at, &bytes[..], *size, *writable)).collect();
        if let Ok(core) = parse(core(&all, &kept)) {
            use_up(&core);
        }
    }

    #[test]
    fn any_bytes_in_a_good_core(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20), cut in any::<prop::sample::Index>()) {
        let notes = [
            note(1, &status(1, 6, HELD)),
            note(3, &info(1, "php")),
            note(6, &[3_u64, NOT_HELD, 0, 0].map(u64::to_le_bytes).concat()),
            note(0x4649_4c45, &mapped(&[(NOT_HELD, NOT_HELD + PAGE, 0, "/dev/null"), (HELD, HELD + PAGE, 0, "/nowhere")])),
        ];
        let mut bytes = core(&notes.concat(), &[(HELD, &[1; 64], PAGE, true), (NOT_HELD, &[2; 64], PAGE, false)]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(64 + cut.index(bytes.len() - 63));
        if let Ok(core) = parse(bytes) {
            use_up(&core);
        }
    }
}
