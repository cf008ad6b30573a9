//! What is in a variable: of a frame, or global.
//!
//! Nothing here tells whether the target moved meanwhile: whoever reads has to see to that. However the memory looks, a
//! value costs a bounded number of reads and has a bounded length.

mod array;
mod value;

use crate::Layout;
use array::Array;
use remote::{Memory, ReadError};
use value::Zval;

pub use value::VALUE_MAX;

/// No function has so many variables of its own; beyond, none is looked for.
const VARIABLES_MAX: u32 = 1024;

/// The variables of a PHP.
#[derive(Clone, Copy, Debug)]
pub struct Variables<'a, M> {
    memory: &'a M,
    layout: &'static Layout,
}

impl<'a, M: Memory> Variables<'a, M> {
    /// Those in this memory.
    pub const fn new(memory: &'a M, layout: &'static Layout) -> Self {
        Self { memory, layout }
    }

    /// Calls `each` for those variables of a frame whose name is among `wanted`, in the order in which the function first
    /// names them, with the name's index and what the variable holds as text, which is appended to `text`; how many could
    /// not be read comes back. One that is not set is left out.
    ///
    /// `frame` is the address of the `zend_execute_data`, `function` that of its `zend_function`, written in PHP.
    ///
    /// # Errors
    /// If the names of the variables cannot be read.
    pub fn of_frame(
        &self,
        frame: u64,
        function: u64,
        wanted: &[&[u8]],
        mut each: impl FnMut(usize, &[u8]),
    ) -> Result<usize, ReadError> {
        let layout = self.layout;
        let count = self.memory.read_u32(at(function, layout.op_array_last_var))?;
        let names = self.memory.read_u64(at(function, layout.op_array_vars))?;
        let (mut missing, mut unread) = (wanted.len(), 0);
        // As PHP rounds it up: variables begin at a multiple of their size.
        let first = at(frame, layout.frame_size.next_multiple_of(layout.zval_size));
        for index in 0..count.min(VARIABLES_MAX) {
            if missing == 0 {
                break;
            }
            let name = self.memory.read_u64(at(names, index * 8))?;
            let mut found = None;
            for (which, wanted) in wanted.iter().enumerate() {
                if self.is_text(name, wanted)? {
                    found = Some(which);
                    break;
                }
            }
            let Some(which) = found else { continue };
            missing -= 1;
            let mut text = Vec::new();
            match self.append(at(first, index * layout.zval_size), &mut text) {
                Ok(true) => each(which, &text),
                Ok(false) => {}
                Err(_) => unread += 1,
            }
        }
        Ok(unread)
    }

    /// Appends to `text` what the global variable `key` holds, or the element `key` of the global array `array`, such as
    /// `_SERVER`; false if there is no such thing.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn global(
        &self,
        executor_globals: u64,
        array: Option<&[u8]>,
        key: &[u8],
        text: &mut Vec<u8>,
    ) -> Result<bool, ReadError> {
        let mut table = at(executor_globals, self.layout.eg_symbol_table);
        if let Some(array) = array {
            let Some(found) = Array::read(self.memory, self.layout, table)?.find(array)? else {
                return Ok(false);
            };
            let Zval::Array(found) = Zval::read(self.memory, self.layout, found)? else {
                return Ok(false);
            };
            table = found;
        }
        match Array::read(self.memory, self.layout, table)?.find(key)? {
            Some(value) => self.append(value, text),
            None => Ok(false),
        }
    }

    fn append(&self, zval: u64, text: &mut Vec<u8>) -> Result<bool, ReadError> {
        value::append(self.memory, self.layout, zval, text)
    }

    /// Whether the `zend_string` at `address` says this.
    fn is_text(&self, address: u64, text: &[u8]) -> Result<bool, ReadError> {
        is_text(self.memory, self.layout, address, text)
    }
}

/// Whether the `zend_string` at `address` says this.
fn is_text(memory: &impl Memory, layout: &Layout, address: u64, text: &[u8]) -> Result<bool, ReadError> {
    if memory.read_u64(at(address, layout.string_len))? != text.len() as u64 {
        return Ok(false);
    }
    let mut bytes = vec![0; text.len()];
    memory.read(at(address, layout.string_val), &mut bytes)?;
    Ok(bytes == text)
}

const fn at(address: u64, offset: u32) -> u64 {
    address.wrapping_add(offset as u64)
}

#[cfg(test)]
mod tests;
