//! What PHP keeps of a request by itself, and whether that tells it from the next one.

use super::{Parts, TEXTS, Texts, labels, read_text, variable};
use crate::{Interpreter, Layout};
use profile::Label;
use remote::{Memory, ReadError};

/// Bytes of `sapi_globals` that are read: they end with the URI.
const INFO: usize = 56;

/// Where the texts of a request lie, and when it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    pointers: [u8; INFO],
    /// The bits of a double, in seconds; 0 until something asks when it began.
    began: u64,
}

/// What was asked of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Request {
    /// Its texts.
    pub texts: Texts,
    /// When it began: the bits of a double, in seconds; 0 where that was not asked or is not known.
    pub began: u64,
}

impl Request {
    /// All of it, as it is shown (see [`labels`]).
    pub fn labels(&self) -> Vec<(Label, String)> {
        labels(self.texts.iter().map(Vec::as_slice), self.began)
    }
}

impl Info {
    /// Reads what `sapi_globals` says (see [`globals`]).
    pub fn read(memory: &impl Memory, layout: &Layout, globals: u64) -> Result<Self, ReadError> {
        let mut pointers = [0; INFO];
        memory.read(globals, &mut pointers)?;
        Ok(Self {
            pointers,
            began: memory
                .read_u64(globals.wrapping_add(layout.sg_request_time.into()))
                .unwrap_or(0),
        })
    }

    /// Whether the next request of the same process will have another one, wherever its texts lie. PHP notes the time to
    /// the microsecond, and a request takes longer; Apache tells it milliseconds, of which two may have the same.
    pub fn is_unique(&self) -> bool {
        let micros = f64::from_bits(self.began) * 1e6;
        micros.is_finite() && micros >= 1.0 && !(micros.round() as u64).is_multiple_of(1000)
    }

    /// Reads the parts that are asked for.
    pub fn request(
        &self,
        memory: &impl Memory,
        layout: &Layout,
        is_fastcgi: bool,
        parts: Parts,
    ) -> Result<Request, ReadError> {
        let mut texts = Texts::default();
        for (label, text) in TEXTS.into_iter().zip(&mut texts) {
            if !parts.has(label) {
                continue;
            }
            let address = match label {
                Label::Method => self.pointer(layout.sg_request_method),
                Label::Script => self.pointer(layout.sg_path_translated),
                Label::Query => self.pointer(layout.sg_query_string),
                Label::Cookie => self.pointer(layout.sg_cookie_data),
                _ => {
                    let context = self.pointer(layout.sg_server_context);
                    match variable(memory, layout, context).filter(|_| is_fastcgi) {
                        Some(address) => address,
                        None => self.pointer(layout.sg_request_uri),
                    }
                }
            };
            if address != 0 {
                *text = read_text(memory, address)?;
            }
        }
        Ok(Request {
            texts,
            began: if parts.has(Label::Began) { self.began } else { 0 },
        })
    }

    fn pointer(&self, offset: u32) -> u64 {
        let bytes = self.pointers.get(offset as usize..);
        let bytes = bytes.and_then(|rest| rest.first_chunk());
        bytes.map_or(0, |bytes| u64::from_ne_bytes(*bytes))
    }
}

/// The address of `sapi_globals`; with threads, of the one that `interpreter` is of.
pub fn globals(memory: &impl Memory, interpreter: &Interpreter) -> Result<Option<u64>, ReadError> {
    match (interpreter.storage(memory)?, interpreter.sapi_offset) {
        (Some(storage), Some(offset)) => Ok(Some(storage.wrapping_add(memory.read_u64(offset)?))),
        (Some(_), None) => Ok(None),
        (None, _) => Ok(interpreter.sapi_globals),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn began(seconds: f64) -> Info {
        Info {
            pointers: [0; INFO],
            began: seconds.to_bits(),
        }
    }

    #[test]
    fn microseconds_tell_requests_apart() {
        assert!(began(1_763_827_200.123_456).is_unique());
        assert!(began(4_102_444_800.000_001).is_unique(), "in a century, too");
        assert!(!began(1_763_827_200.123).is_unique(), "Apache's milliseconds");
        assert!(!began(1_763_827_200.0).is_unique());
        for nothing in [0.0, -1.5, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE] {
            assert!(!began(nothing).is_unique(), "{nothing}");
        }
    }
}
