//! What PHP's memory says of a function, and of the place in it that runs.

use crate::{Error, Layout, naming::RawFunction};
use profile::Line;
use remote::{Memory, ReadError};

/// No name or path that PHP code has is longer; what is beyond is left out.
const STRING_MAX: u64 = 4096;
/// One read holds most strings whole.
const STRING_USUAL: usize = 192;
/// Enough for any `zend_op_array`.
pub(crate) const FUNCTION_MAX: usize = 512;
/// `ZEND_INTERNAL_FUNCTION`, `ZEND_USER_FUNCTION`, `ZEND_EVAL_CODE`.
const INTERNAL: u8 = 1;
const TYPES: [u8; 3] = [INTERNAL, 2, 4];

/// What PHP's memory says of a function, read and kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawFunctionOwned {
    /// `zend_function.type`: 1 internal, 2 user, 4 eval.
    pub function_type: u8,
    /// `zend_function.common.fn_flags`.
    pub fn_flags: u32,
    /// Its name; none for the code of a file.
    pub name: Option<Vec<u8>>,
    /// The class that it belongs to.
    pub class: Option<Vec<u8>>,
    /// The file that declares it; none for internal functions.
    pub file: Option<Vec<u8>>,
    /// The line of its declaration; 0 for internal functions.
    pub first_line: u32,
    /// The address of its first `zend_op`; 0 for internal functions.
    pub opcodes: u64,
    /// How many of them there are.
    pub opcode_count: u32,
}

impl RawFunctionOwned {
    /// The same, borrowed, as [`crate::naming::function`] wants it.
    pub fn as_raw(&self) -> RawFunction<'_> {
        RawFunction {
            function_type: self.function_type,
            fn_flags: self.fn_flags,
            name: self.name.as_deref(),
            class: self.class.as_deref(),
            file: self.file.as_deref(),
            first_line: self.first_line,
        }
    }

    /// Whether PHP or an extension brings it, written in C.
    pub const fn is_internal(&self) -> bool {
        self.function_type == INTERNAL
    }

    /// Whether `opline` is the address of one of its `zend_op`s.
    pub fn contains(&self, layout: &Layout, opline: u64) -> bool {
        let size = u64::from(layout.op_size);
        !self.is_internal()
            && self.opcodes != 0
            && opline.checked_sub(self.opcodes).is_some_and(|distance| {
                distance % size == 0 && distance / size < u64::from(self.opcode_count)
            })
    }
}

/// Reads the function at `address`, its names included.
pub fn read_function(memory: &impl Memory, layout: &Layout, address: u64) -> Result<RawFunctionOwned, Error> {
    let mut buffer = [0; FUNCTION_MAX];
    // An internal function is shorter and may end where the memory does.
    let size = (layout.op_array_size as usize).min(FUNCTION_MAX);
    let length = memory.read_prefix(address, &mut buffer[..size]);
    let bytes = Bytes {
        bytes: &buffer[..length],
        address,
    };
    let function_type = bytes.take::<1>(layout.function_type)?[0];
    if !TYPES.contains(&function_type) {
        return Err(Error::NotAFunction(address));
    }
    let class = match bytes.u64(layout.function_scope)? {
        0 => None,
        class => read_string(
            memory,
            layout,
            memory.read_u64(class.wrapping_add(u64::from(layout.class_name)))?,
        )?,
    };
    let mut function = RawFunctionOwned {
        function_type,
        fn_flags: bytes.u32(layout.function_flags)?,
        name: read_string(memory, layout, bytes.u64(layout.function_name)?)?,
        class,
        ..RawFunctionOwned::default()
    };
    if !function.is_internal() {
        function.file = read_string(memory, layout, bytes.u64(layout.op_array_filename)?)?;
        function.first_line = bytes.u32(layout.op_array_line_start)?;
        function.opcodes = bytes.u64(layout.op_array_opcodes)?;
        function.opcode_count = bytes.u32(layout.op_array_last)?;
    }
    Ok(function)
}

/// Reads the `zend_string` at `address`, bounded; there is none at 0.
fn read_string(memory: &impl Memory, layout: &Layout, address: u64) -> Result<Option<Vec<u8>>, ReadError> {
    if address == 0 {
        return Ok(None);
    }
    let mut buffer = [0; STRING_USUAL];
    let read = memory.read_prefix(address, &mut buffer);
    let bytes = Bytes {
        bytes: &buffer[..read],
        address,
    };
    let length = bytes.u64(layout.string_len)?.min(STRING_MAX) as usize;
    let start = layout.string_val as usize;
    if let Some(text) = bytes.bytes.get(start..start + length) {
        return Ok(Some(text.to_vec()));
    }
    let mut text = vec![0; length];
    memory.read(address.wrapping_add(start as u64), &mut text)?;
    Ok(Some(text))
}

/// The line that a frame of `function` with this `opline` runs.
///
/// PHP stores the opline of the innermost frame only now and then; where it cannot be one of this function, the
/// function's first line stands in. While an exception is handled, the place that threw it is the line. A
/// generator that `delegates` has in some versions moved past its `yield from` already.
pub fn line(
    memory: &impl Memory,
    layout: &Layout,
    executor_globals: u64,
    function: &RawFunctionOwned,
    opline: u64,
    delegates: bool,
) -> Result<Line, ReadError> {
    if function.is_internal() {
        return Ok(Line::None);
    }
    let exception = executor_globals.wrapping_add(u64::from(layout.eg_exception_op));
    let mut opline = opline;
    if opline.wrapping_sub(exception) < u64::from(layout.eg_exception_op_size) {
        let before = executor_globals.wrapping_add(u64::from(layout.eg_opline_before_exception));
        opline = memory.read_u64(before)?;
    }
    if !function.contains(layout, opline) {
        return Ok(Line::FunctionStart(function.first_line));
    }
    if delegates && opcode(memory, layout, opline)? != layout.opcode_yield_from {
        let before = opline.wrapping_sub(u64::from(layout.op_size));
        if function.contains(layout, before) && opcode(memory, layout, before)? == layout.opcode_yield_from {
            opline = before;
        }
    }
    let line = memory.read_u32(opline.wrapping_add(u64::from(layout.op_lineno)))?;
    Ok(Line::Exact(line))
}

/// What the `zend_op` at `opline` does.
fn opcode(memory: &impl Memory, layout: &Layout, opline: u64) -> Result<u8, ReadError> {
    memory.read_u8(opline.wrapping_add(u64::from(layout.op_opcode)))
}

/// How the frame of `function` with this `opline` included what it called, if it did.
pub fn included_by(
    memory: &impl Memory,
    layout: &Layout,
    function: &RawFunctionOwned,
    opline: u64,
) -> Result<Option<u32>, ReadError> {
    if !function.contains(layout, opline) || opcode(memory, layout, opline)? != layout.opcode_include_or_eval
    {
        return Ok(None);
    }
    memory
        .read_u32(opline.wrapping_add(u64::from(layout.op_extended_value)))
        .map(Some)
}

/// The part of a struct that could be read.
struct Bytes<'a> {
    bytes: &'a [u8],
    address: u64,
}

impl Bytes<'_> {
    fn take<const N: usize>(&self, offset: u32) -> Result<[u8; N], ReadError> {
        self.bytes
            .get(offset as usize..)
            .and_then(|rest| rest.first_chunk())
            .copied()
            .ok_or_else(|| ReadError::Unmapped(self.address.wrapping_add(self.bytes.len() as u64)))
    }

    fn u32(&self, offset: u32) -> Result<u32, ReadError> {
        self.take(offset).map(u32::from_ne_bytes)
    }

    fn u64(&self, offset: u32) -> Result<u64, ReadError> {
        self.take(offset).map(u64::from_ne_bytes)
    }
}

#[cfg(test)]
mod tests;
