//! Which request PHP serves.
//!
//! `sapi_globals` tells it, in a form that each web server's module fills. FPM and CGI put the script's name where
//! the others have the URI, so with these the URI is looked up in what the web server sent (`REQUEST_URI`).

mod info;

pub use info::{Info, Request, globals};

use crate::{Interpreter, Layout};
use profile::Label;
use remote::{Memory, ReadError};

/// The longest text that is read, in bytes, its end included.
pub const TEXT_MAX: usize = 512;
/// The labels of a request that are texts in PHP, in the order in which they are read and written.
pub const TEXTS: [Label; 5] = [
    Label::Method,
    Label::Uri,
    Label::Script,
    Label::Query,
    Label::Cookie,
];
/// The variable that has the URI, as the web server sent it.
const VARIABLE: &[u8; 11] = b"REQUEST_URI";
/// `FCGI_HASH_FUNC` of it.
const HASH: u32 = 1955;
/// Lists in the hash table.
const LISTS: u64 = 128;
/// So many variables of one list are looked at.
const LIST_MAX: usize = 8;

/// When a request can have begun: what is no time is not shown.
const PLAUSIBLE: std::ops::Range<f64> = 1.0..1e11;

/// Parts of a request that are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts(u32);

impl Parts {
    /// Everything that can be asked for.
    pub const LABELS: [Label; 6] = [
        Label::Method,
        Label::Uri,
        Label::Script,
        Label::Query,
        Label::Cookie,
        Label::Began,
    ];
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// What is no secret: method, URI without query, and script.
    pub const PLAIN: Self = Self::NONE.and(Label::Method).and(Label::Uri).and(Label::Script);

    /// These, and `label`.
    #[must_use]
    pub const fn and(self, label: Label) -> Self {
        Self(self.0 | 1 << label as u32)
    }

    /// Whether `label` is one of them.
    pub const fn has(self, label: Label) -> bool {
        self.0 & 1 << label as u32 != 0
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// A bit for each of [`Parts::LABELS`], the first one lowest.
    pub const fn bits(self) -> u32 {
        self.0
    }
}

/// Texts are read in pieces: most are short, and what is read again and again is little then.
const PIECE: usize = 64;

/// The text of each of [`TEXTS`], empty where it has none or was not asked for, cut to [`TEXT_MAX`].
pub type Texts = [Vec<u8>; TEXTS.len()];

/// Reads the parts that are asked for. `is_fastcgi` says that a web server sends variables: FPM, and CGI likewise.
pub fn read(
    memory: &impl Memory,
    interpreter: &Interpreter,
    is_fastcgi: bool,
    parts: Parts,
) -> Result<Request, ReadError> {
    let Some(globals) = globals(memory, interpreter)? else {
        return Ok(Request::default());
    };
    let layout = interpreter.layout;
    Info::read(memory, layout, globals)?.request(memory, layout, is_fastcgi, parts)
}

/// The labels that the texts of a request say, as they are shown: what is cut ends in `…`, the URI is without its query. And
/// when it began: the bits of a double, in seconds, 0 where that is not known.
pub fn labels<'a>(texts: impl Iterator<Item = &'a [u8]>, began: u64) -> Vec<(Label, String)> {
    let texts = TEXTS.into_iter().zip(texts);
    let mut labels: Vec<_> = texts
        .filter(|(_, text)| !text.is_empty())
        .map(|(label, text)| {
            let (text, is_cut) = match text.iter().position(|&byte| byte == b'?') {
                Some(end) if label == Label::Uri => (&text[..end], false),
                _ => (text, text.len() + 1 >= TEXT_MAX),
            };
            let mut shown = String::from_utf8_lossy(text).into_owned();
            if is_cut {
                shown.push('…');
            }
            (label, shown)
        })
        .collect();
    let seconds = f64::from_bits(began);
    if PLAUSIBLE.contains(&seconds) {
        labels.push((Label::Began, format!("{seconds:.6}")));
    }
    labels
}

/// The value of the variable that has the URI. What is not as expected is not there.
fn variable(memory: &impl Memory, layout: &Layout, request: u64) -> Option<u64> {
    let list = u64::from(layout.fcgi_variables) + u64::from(HASH) % LISTS * 8;
    let mut bucket = memory.read_u64(request.wrapping_add(list)).ok()?;
    for _ in 0..LIST_MAX {
        if bucket == 0 {
            return None;
        }
        let mut words = [0; 48];
        memory.read(bucket, &mut words).ok()?;
        let word = |at: usize| u64::from_ne_bytes(words[at..at + 8].try_into().expect("eight bytes"));
        if word(0) == u64::from(HASH) | (VARIABLE.len() as u64) << 32 {
            let mut name = [0; VARIABLE.len()];
            memory.read(word(8), &mut name).ok()?;
            if name == *VARIABLE {
                return Some(word(24)).filter(|&value| value != 0);
            }
        }
        bucket = word(32);
    }
    None
}

/// A text up to its end, of at most [`TEXT_MAX`] bytes with it.
fn read_text(memory: &impl Memory, address: u64) -> Result<Vec<u8>, ReadError> {
    let mut text = Vec::with_capacity(PIECE);
    while text.len() < TEXT_MAX - 1 {
        let mut piece = [0; PIECE];
        let from = address.wrapping_add(text.len() as u64);
        let read = memory.read_prefix(from, &mut piece);
        if read == 0 && text.is_empty() {
            memory.read(from, &mut piece[..1])?;
        }
        let end = memchr::memchr(0, &piece[..read]);
        text.extend_from_slice(&piece[..end.unwrap_or(read)]);
        if end.is_some() || read < PIECE {
            break;
        }
    }
    text.truncate(TEXT_MAX - 1);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{self, garbage};
    use proptest::prelude::*;
    use remote::FakeMemory;

    const GLOBALS: u64 = 0x5000;
    const CONTEXT: u64 = 0x8000;

    /// A request whose URI is told in both places.
    fn served(uri: &[u8]) -> (FakeMemory, Interpreter) {
        let mut interpreter = world::interpreter();
        interpreter.sapi_globals = Some(GLOBALS);
        let layout = interpreter.layout;
        let mut memory = FakeMemory::new()
            .with(GLOBALS, [0; 512])
            .with(CONTEXT, vec![0; layout.fcgi_variables as usize + 1024])
            .with(0x1000, b"POST\0")
            .with(0x2000, [uri, b"\0"].concat())
            .with(0x3000, b"/index.php\0REQUEST_URI\0")
            .with(0x4000, vec![0; 48]);
        let mut put = |address: u64, value: u64| memory.write_u64(address, value);
        put(GLOBALS + u64::from(layout.sg_server_context), CONTEXT);
        put(GLOBALS + u64::from(layout.sg_request_method), 0x1000);
        put(GLOBALS + u64::from(layout.sg_request_uri), 0x3000);
        put(CONTEXT + u64::from(layout.fcgi_variables) + 35 * 8, 0x4000);
        put(0x4000, u64::from(HASH) | 11 << 32);
        put(0x4008, 0x300b);
        put(0x4018, 0x2000);
        (memory, interpreter)
    }

    fn shown(uri: &[u8], is_fastcgi: bool) -> Vec<(Label, String)> {
        let (memory, interpreter) = served(uri);
        read(&memory, &interpreter, is_fastcgi, Parts::PLAIN)
            .unwrap()
            .labels()
    }

    #[test]
    fn of_fastcgi_the_uri_is_what_the_web_server_sent() {
        let method = (Label::Method, "POST".to_owned());
        let uri = |text: &str| (Label::Uri, text.to_owned());
        assert_eq!(shown(b"/cart?id=1", true), [method.clone(), uri("/cart")]);
        assert_eq!(shown(b"/cart?id=1", false), [method, uri("/index.php")]);
    }

    #[test]
    fn when_it_began_is_told_if_it_is_a_time() {
        let (mut memory, interpreter) = served(b"/a");
        let at = GLOBALS + u64::from(interpreter.layout.sg_request_time);
        let mut began = |bits: u64| {
            memory.write_u64(at, bits);
            let request = read(&memory, &interpreter, true, Parts::NONE.and(Label::Began));
            request.unwrap().labels()
        };
        let told = vec![(Label::Began, "1763827200.123456".to_owned())];
        assert_eq!(began(1_763_827_200.123_456_f64.to_bits()), told);
        for nothing in [0.0, -5.0, 1e300, f64::NAN] {
            assert_eq!(began(nothing.to_bits()), [], "{nothing}");
        }
    }

    #[test]
    fn hostile_texts_are_bounded_and_valid() {
        let long = [b"/".as_slice(), &[0xff; 2000]].concat();
        let shown = shown(&long, true);
        assert_eq!(shown[1].1.chars().count(), TEXT_MAX, "with the mark");
        assert!(shown[1].1.ends_with("\u{fffd}…"));
    }

    #[test]
    fn nothing_is_read_that_was_not_asked_for() {
        let (memory, interpreter) = served(b"/a");
        let request = read(&memory, &interpreter, true, Parts::NONE.and(Label::Query)).unwrap();
        assert_eq!(request, Request::default());
        assert!(!Parts::PLAIN.has(Label::Cookie) && !Parts::PLAIN.has(Label::Query));
    }

    proptest! {
        #[test]
        fn garbage_is_survived(words in prop::collection::vec(any::<(u8, u64)>(), 1..200)) {
            let mut interpreter = world::interpreter();
            interpreter.sapi_globals = Some(world::GLOBALS + 64);
            interpreter.heap = Some(world::GLOBALS + 8);
            let memory = garbage(&words);
            let parts = Parts::PLAIN.and(Label::Query).and(Label::Cookie);
            if let Ok(request) = read(&memory, &interpreter, true, parts.and(Label::Began)) {
                prop_assert!(request.texts.iter().all(|text| text.len() < TEXT_MAX));
                let _ = request.labels();
            }
            let _ = crate::heap::memory(&memory, &interpreter);
        }
    }
}
