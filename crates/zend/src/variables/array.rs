//! Elements of PHP's arrays, by key and in their order.

use super::{at, is_text};
use crate::Layout;
use remote::{Memory, ReadError};

/// So many elements share a place in the table at most; in one that was not built for that, hardly two do.
const CHAIN_MAX: u32 = 256;
/// An index that is none.
const NONE: u32 = u32::MAX;

/// A `zend_array`.
pub struct Array<'a, M> {
    memory: &'a M,
    layout: &'static Layout,
    is_packed: bool,
    mask: u32,
    data: u64,
    used: u32,
}

/// An element of an array.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    /// The address of its zval.
    pub value: u64,
    /// The address of the `zend_string` that is its key; 0 if that is a number.
    pub key: u64,
}

impl<'a, M: Memory> Array<'a, M> {
    /// That at `address`.
    pub fn read(memory: &'a M, layout: &'static Layout, address: u64) -> Result<Self, ReadError> {
        Ok(Self {
            memory,
            layout,
            is_packed: memory.read_u32(at(address, layout.array_flags))? & layout.array_flag_packed != 0,
            mask: memory.read_u32(at(address, layout.array_mask))?,
            data: memory.read_u64(at(address, layout.array_data))?,
            used: memory.read_u32(at(address, layout.array_used))?,
        })
    }

    /// The address of the zval that `key` has; a key that PHP takes for a number is one.
    pub fn find(&self, key: &[u8]) -> Result<Option<u64>, ReadError> {
        let number = as_number(key);
        if self.is_packed {
            let index = number.and_then(|number| u32::try_from(number).ok());
            return Ok(index
                .filter(|&index| index < self.used)
                .map(|index| self.element(index).value));
        }
        let hash = number.map_or_else(|| hash(key), i64::cast_unsigned);
        // The table lies before the elements, and its places count from there.
        let place = (hash as u32 | self.mask).cast_signed();
        let mut index = self
            .memory
            .read_u32(self.data.wrapping_add_signed(i64::from(place) * 4))?;
        for _ in 0..CHAIN_MAX {
            if index == NONE || index >= self.used {
                return Ok(None);
            }
            let element = self.element(index);
            let bucket = element.value.wrapping_sub(u64::from(self.layout.bucket_val));
            if self.memory.read_u64(at(bucket, self.layout.bucket_h))? == hash {
                let name = self.memory.read_u64(at(bucket, self.layout.bucket_key))?;
                let is_it = match number {
                    Some(_) => name == 0,
                    None => name != 0 && is_text(self.memory, self.layout, name, key)?,
                };
                if is_it {
                    return Ok(Some(element.value));
                }
            }
            index = self.memory.read_u32(at(element.value, self.layout.zval_next))?;
        }
        Ok(None)
    }

    /// How many places it has in use; some of them may be empty.
    pub const fn used(&self) -> u32 {
        self.used
    }

    /// What has the place `index`, its key included.
    pub fn get(&self, index: u32) -> Result<Element, ReadError> {
        let mut element = self.element(index);
        if !self.is_packed {
            let bucket = element.value.wrapping_sub(u64::from(self.layout.bucket_val));
            element.key = self.memory.read_u64(at(bucket, self.layout.bucket_key))?;
        }
        Ok(element)
    }

    fn element(&self, index: u32) -> Element {
        let (step, value) = if self.is_packed && self.layout.array_packed_step == self.layout.zval_size {
            (self.layout.zval_size, 0)
        } else {
            (self.layout.bucket_size, self.layout.bucket_val)
        };
        Element {
            value: at(self.data.wrapping_add(u64::from(index) * u64::from(step)), value),
            key: 0,
        }
    }
}

/// PHP's hash of strings.
pub fn hash(key: &[u8]) -> u64 {
    key.iter().fold(5381_u64, |hash, &byte| {
        hash.wrapping_mul(33).wrapping_add(byte.into())
    }) | 1 << 63
}

/// The number that PHP makes of such a key: as it would write it itself, and not the lowest of all.
fn as_number(key: &[u8]) -> Option<i64> {
    let text = str::from_utf8(key).ok()?;
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text && number != i64::MIN).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_hashed_as_php_does() {
        // As zend_inline_hash_func has them.
        assert_eq!(hash(b""), 5381 + (1 << 63));
        assert_eq!(hash(b"a"), 5381 * 33 + 97 + (1 << 63));
    }

    #[test]
    fn numbers_are_keys_of_their_own() {
        for (key, number) in [
            ("0", Some(0)),
            ("-5", Some(-5)),
            ("12", Some(12)),
            ("9223372036854775807", Some(i64::MAX)),
        ] {
            assert_eq!(as_number(key.as_bytes()), number);
        }
        for key in [
            "",
            "-0",
            "05",
            "+5",
            "5 ",
            "9223372036854775808",
            "-9223372036854775808",
        ] {
            assert_eq!(as_number(key.as_bytes()), None, "{key}");
        }
    }
}
