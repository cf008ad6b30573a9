//! A value as text, as phpspy writes it: numbers and strings as they are, the elements of arrays with a comma after each.

use super::{array::Array, at};
use crate::Layout;
use remote::{Memory, ReadError};
use std::io::Write;

/// The longest value, in bytes; of a longer one the rest is left out, and `…` stands for it.
pub const VALUE_MAX: usize = 256;
const LEFT_OUT: &[u8] = "…".as_bytes();
/// Arrays in arrays in arrays.
const DEPTH_MAX: u32 = 8;
/// Elements of all arrays of a value: more would not fit.
const ELEMENTS_MAX: u32 = 512;

const UNDEFINED: u8 = 0;
const NULL: u8 = 1;
const FALSE: u8 = 2;
const TRUE: u8 = 3;
const LONG: u8 = 4;
const DOUBLE: u8 = 5;
const STRING: u8 = 6;
const ARRAY: u8 = 7;
const RESOURCE: u8 = 9;
const REFERENCE: u8 = 10;

/// What a zval holds, references and the like followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Zval {
    /// Not set.
    Undefined,
    Null,
    Bool(bool),
    Long(i64),
    Double(f64),
    /// The address of a `zend_string`.
    String(u64),
    /// The address of a `zend_array`.
    Array(u64),
    /// The address of a `zend_object`.
    Object(u64),
    Resource,
    /// Nothing that a variable has.
    Other,
}

impl Zval {
    /// That at `address`.
    pub fn read(memory: &impl Memory, layout: &Layout, address: u64) -> Result<Self, ReadError> {
        let mut address = address;
        // A global that the script itself uses is INDIRECT, and may be a REFERENCE there.
        for _ in 0..3 {
            let kind = memory.read_u8(at(address, layout.zval_type))?;
            let value = at(address, layout.zval_value);
            let word = || memory.read_u64(value);
            return Ok(match kind {
                UNDEFINED => Self::Undefined,
                NULL => Self::Null,
                FALSE | TRUE => Self::Bool(kind == TRUE),
                LONG => Self::Long(word()?.cast_signed()),
                DOUBLE => Self::Double(f64::from_bits(word()?)),
                STRING => Self::String(word()?),
                ARRAY => Self::Array(word()?),
                RESOURCE => Self::Resource,
                REFERENCE => {
                    address = at(word()?, layout.reference_val);
                    continue;
                }
                kind if kind == layout.zval_type_object => Self::Object(word()?),
                kind if kind == layout.zval_type_indirect => {
                    address = word()?;
                    continue;
                }
                _ => Self::Other,
            });
        }
        Ok(Self::Other)
    }
}

/// Appends what the zval at `address` holds; false, and nothing, if it is not set.
pub fn append(
    memory: &impl Memory,
    layout: &'static Layout,
    address: u64,
    text: &mut Vec<u8>,
) -> Result<bool, ReadError> {
    let zval = Zval::read(memory, layout, address)?;
    if matches!(zval, Zval::Undefined | Zval::Other) {
        return Ok(false);
    }
    let mut writer = Writer {
        memory,
        layout,
        elements_left: ELEMENTS_MAX,
        end: text.len() + VALUE_MAX,
        text,
    };
    writer.value(zval, 0)?;
    if writer.is_full() {
        let end = writer.end - LEFT_OUT.len();
        text.truncate(boundary(text, end));
        text.extend_from_slice(LEFT_OUT);
    }
    Ok(true)
}

struct Writer<'a, M> {
    memory: &'a M,
    layout: &'static Layout,
    elements_left: u32,
    /// Where the text ends at the latest.
    end: usize,
    text: &'a mut Vec<u8>,
}

impl<M: Memory> Writer<'_, M> {
    const fn is_full(&self) -> bool {
        self.text.len() > self.end
    }

    fn value(&mut self, zval: Zval, depth: u32) -> Result<(), ReadError> {
        match zval {
            Zval::Undefined | Zval::Other => {}
            Zval::Null => self.text.extend_from_slice(b"null"),
            Zval::Bool(value) => self
                .text
                .extend_from_slice(if value { b"true" } else { b"false" }),
            // Writing to a Vec cannot fail.
            Zval::Long(number) => {
                let _ = write!(self.text, "{number}");
            }
            Zval::Double(number) if number.is_finite() => {
                let _ = write!(self.text, "{number:.6}");
            }
            Zval::Double(number) => self
                .text
                .extend_from_slice(number.to_string().to_lowercase().as_bytes()),
            Zval::String(string) => self.string(string)?,
            Zval::Array(array) => self.array(array, depth)?,
            Zval::Object(object) => {
                let class = self.memory.read_u64(at(object, self.layout.object_ce))?;
                let name = self.memory.read_u64(at(class, self.layout.class_name))?;
                self.text.extend_from_slice(b"object(");
                self.string(name)?;
                self.text.push(b')');
            }
            Zval::Resource => self.text.extend_from_slice(b"resource"),
        }
        Ok(())
    }

    /// As much of a string as there is room for, and one byte more that shows that there is more.
    fn string(&mut self, address: u64) -> Result<(), ReadError> {
        let length = self.memory.read_u64(at(address, self.layout.string_len))?;
        let room = (self.end + 1).saturating_sub(self.text.len());
        let start = self.text.len();
        self.text
            .resize(start + usize::try_from(length).unwrap_or(usize::MAX).min(room), 0);
        self.memory
            .read(at(address, self.layout.string_val), &mut self.text[start..])
    }

    fn array(&mut self, address: u64, depth: u32) -> Result<(), ReadError> {
        let array = Array::read(self.memory, self.layout, address)?;
        if depth == DEPTH_MAX {
            self.text.extend_from_slice(LEFT_OUT);
            return Ok(());
        }
        for index in 0..array.used() {
            if self.is_full() {
                break;
            }
            if self.elements_left == 0 {
                self.text.extend_from_slice(LEFT_OUT);
                break;
            }
            self.elements_left -= 1;
            let element = array.get(index)?;
            let zval = Zval::read(self.memory, self.layout, element.value)?;
            if zval == Zval::Undefined {
                continue;
            }
            if element.key != 0 {
                self.string(element.key)?;
                self.text.push(b'=');
            }
            self.value(zval, depth + 1)?;
            self.text.push(b',');
        }
        Ok(())
    }
}

/// The last place at or before `end` at which no character is cut in two.
fn boundary(bytes: &[u8], end: usize) -> usize {
    (end.saturating_sub(3)..=end)
        .rev()
        .find(|&at| bytes[at] & 0xc0 != 0x80)
        .unwrap_or(end)
}
