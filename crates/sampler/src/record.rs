//! The one format in which both sources hand over what they saw, as bytes in a ring.
//!
//! A source announces a function before the first sample that shows it (a [`FunctionHeader`] and its names),
//! read while the target could not move; from then on samples carry the announced id. Nothing is looked up in
//! the target later, when its memory may hold something else. `bpf/record.h` declares the same structs in C.
//! Native byte order; every record starts on 8 bytes and begins with its kind.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Record kind: a [`SampleHeader`] and `depth` [`Frame`]s, the innermost first.
pub const SAMPLE: u8 = 1;
/// Record kind: a [`FunctionHeader`], then name, class and file, without padding between them.
pub const FUNCTION: u8 = 2;
/// Record kind: a [`TaskHeader`].
pub const TASK: u8 = 3;

/// Record kind: a [`RequestHeader`], then its texts, without padding between them: from here on, samples of the thread
/// may name it.
pub const REQUEST: u8 = 4;

/// Record kind: a [`NativeHeader`] and a copy of the thread's stack: the sample of this thread that comes next, and has
/// [`NATIVE_TOLD`], was taken at the same moment.
pub const NATIVE: u8 = 5;

/// [`SampleHeader::native`]: nobody asked, or they were not taken.
pub const NATIVE_UNKNOWN: u8 = 0;
/// [`SampleHeader::native`]: they can be unwound from the [`NATIVE`] record that came before.
pub const NATIVE_TOLD: u8 = 1;
/// [`SampleHeader::native`]: there are none; the interpreter itself ran.
pub const NATIVE_IN_VM: u8 = 2;

/// The most frames that are kept of the kernel's.
pub const KERNEL_FRAMES: usize = 32;
/// The words that are told of a function in C: the first of them that is the address of code is that of its own.
pub const CODE_WORDS: usize = 8;

/// [`SampleHeader::flags`]: the stack has more frames than the limit; the outermost are missing.
pub const CUT: u8 = 1;
/// [`SampleHeader::flags`]: a frame could not be read; the frames outside of it are missing.
pub const UNREADABLE: u8 = 2;
/// [`SampleHeader::flags`]: the target moved while it was read, and was read again.
pub const RETRIED: u8 = 4;
/// [`SampleHeader::flags`]: behind the frames come a [`ValuesHeader`] and values of variables, for each a [`ValueHeader`]
/// and its text, without padding between them.
pub const VALUES: u8 = 16;

/// [`SampleHeader::flags`]: a wait from its start to its end, which was at `at_ns`.
pub const WAITED: u8 = 8;

/// [`Frame::flags`]: `line` is the function's first line, since the current one cannot be known.
pub const FIRST_LINE: u8 = 1;
/// [`Frame::flags`]: one of a run of generators that delegate (`yield from`), which the source met outermost
/// first; the resolver turns each such run round.
pub const DELEGATED: u8 = 2;
/// [`Frame::flags`]: the last of such a run, so that two runs in a row stay apart.
pub const DELEGATED_END: u8 = 4;

/// [`Frame::flags`]: C has called it, and not an instruction of PHP.
pub const FROM_C: u8 = 8;

/// [`SampleHeader::state`]: on a CPU.
pub const ON_CPU: u8 = 0;
/// [`SampleHeader::state`]: ready to run.
pub const RUNNABLE: u8 = 1;
/// [`SampleHeader::state`]: waiting.
pub const BLOCKED: u8 = 2;

/// [`TaskHeader::event`]: a task, a target itself or a descendant, was seen to run for the first time.
pub const BORN: u8 = 1;
/// [`TaskHeader::event`]: a task replaced its program.
pub const EXEC: u8 = 2;
/// [`TaskHeader::event`]: a task ended; the counters are final.
pub const EXIT: u8 = 3;
/// [`TaskHeader::event`]: it runs PHP now: first seen as such.
pub const IS_PHP: u8 = 4;

/// The longest name or class name that is kept, in bytes.
pub const NAME_MAX: usize = 512;
/// The longest file name that is kept, in bytes.
pub const FILE_MAX: usize = 1024;

/// The start of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct SampleHeader {
    /// [`SAMPLE`].
    pub kind: u8,
    /// [`ON_CPU`], [`RUNNABLE`] or [`BLOCKED`].
    pub state: u8,
    /// [`CUT`], [`UNREADABLE`], [`RETRIED`], [`VALUES`].
    pub flags: u8,
    /// What is known of the frames of C: [`NATIVE_UNKNOWN`], [`NATIVE_TOLD`], [`NATIVE_IN_VM`].
    pub native: u8,
    /// How many periods this sample stands for.
    pub weight: u32,
    /// The process.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// `CLOCK_MONOTONIC`, in nanoseconds.
    pub at_ns: u64,
    /// How many frames follow.
    pub depth: u32,
    /// Of a wait, with [`WAITED`]: for how long it lasted, at least, in units of 1,024 ns. Without: for how long after `at_ns`
    /// the target was looked at, at most, in the same units.
    pub span: u32,
    /// The id of the request that the thread was announced to serve; 0 where that was not asked or not readable.
    pub request: u64,
    /// Bytes that PHP's allocator had given out; 0 where that was not asked or is not known.
    pub used: u64,
    /// The most of them so far.
    pub peak: u64,
    /// Of a wait: the number of the system call in which it waits, and 1; 0 where that was not asked or is not known.
    pub call: u16,
    /// Descriptors of that call beyond the first.
    pub more: u16,
    /// The first argument of that call, which may be a descriptor; of one that takes an array of descriptors the first of them,
    /// or -1.
    pub descriptor: i32,
}

/// One frame of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Frame {
    /// The id under which the function was announced for this process.
    pub function: u64,
    /// The line; 0 in internal functions.
    pub line: u32,
    /// The opcode that runs (`zend_op.opcode`), 0 where it is not known.
    pub opcode: u8,
    /// [`FIRST_LINE`], [`DELEGATED`], [`DELEGATED_END`], [`FROM_C`].
    pub flags: u8,
    /// The low half of `zend_op.extended_value`: with `ZEND_INCLUDE_OR_EVAL`, which of include, require, eval.
    pub extended: u16,
}

/// The start of the values of a sample. Only the reader writes these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ValuesHeader {
    /// Values that could not be read.
    pub unread: u32,
    /// Values beyond those for which a sample has room.
    pub left_out: u32,
    /// 1 if the target moved while they were read: then there are none.
    pub torn: u32,
}

/// [`ValueHeader::frame`]: it belongs to no frame.
pub const NO_FRAME: u16 = u16::MAX;

/// The start of what a variable held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ValueHeader {
    /// Which one: the place in [`crate::Peeks`].
    pub peek: u16,
    /// The frame of this sample whose variable it is, or [`NO_FRAME`].
    pub frame: u16,
    /// Bytes of the text that follow.
    pub length: u32,
}

/// The start of an announcement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct FunctionHeader {
    /// [`FUNCTION`].
    pub kind: u8,
    /// `zend_function.type`: 1 internal, 2 user, 4 eval.
    pub function_type: u8,
    /// 0.
    pub pad: u16,
    /// `zend_function.common.fn_flags`.
    pub fn_flags: u32,
    /// The process.
    pub pid: u32,
    /// `op_array.line_start`; 0 for internal functions.
    pub first_line: u32,
    /// The id that samples of this process will use.
    pub id: u64,
    /// Bytes of the name that follow; 0 if it has none.
    pub name_len: u16,
    /// Bytes of the class name after it; 0 if it is not a method.
    pub class_len: u16,
    /// Bytes of the file name after that. Of internal functions 0, or [`CODE_WORDS`] words where frames of C are asked for.
    pub file_len: u16,
    /// Not 0 if one of them was longer than its limit and is cut.
    pub cut: u16,
}

/// The start of an announcement of the request that a thread serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct RequestHeader {
    /// [`REQUEST`].
    pub kind: u8,
    /// 0.
    pub pad: u8,
    /// Bytes of each text that follows, in the order of [`zend::request::TEXTS`]; 0 where there is none.
    pub lengths: [u16; 5],
    /// The process.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// 0.
    pub pad2: u32,
    /// The id that samples of this thread will use: another one when any of the texts is.
    pub id: u64,
    /// When the request began: the bits of a double, in seconds; 0 where that was not asked or is not known.
    pub began: u64,
}

/// What the frames of C are unwound from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct NativeHeader {
    /// [`NATIVE`].
    pub kind: u8,
    /// 0.
    pub pad: u8,
    /// How many of `kernel` there are.
    pub kernel_depth: u16,
    /// Bytes of the stack that follow, from `sp` on.
    pub stack_len: u32,
    /// The process.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// The registers of user space: program counter,
    pub ip: u64,
    /// stack pointer,
    pub sp: u64,
    /// frame pointer (`rbp`, `x29`),
    pub fp: u64,
    /// link register; 0 where there is none.
    pub lr: u64,
    /// Where the kernel was, the innermost address first.
    pub kernel: [u64; KERNEL_FRAMES],
}

/// The birth, exec or end of a task that descends from a target, with its counters so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct TaskHeader {
    /// [`TASK`].
    pub kind: u8,
    /// [`BORN`], [`EXEC`], [`EXIT`] or [`IS_PHP`].
    pub event: u8,
    /// 0.
    pub pad: u16,
    /// The process.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// 0.
    pub pad2: u32,
    /// `CLOCK_MONOTONIC`, in nanoseconds.
    pub at_ns: u64,
    /// When it was first observed, likewise.
    pub since_ns: u64,
    /// Periods seen with no PHP code running.
    pub idle: u64,
    /// Periods seen and dropped since the ring was full.
    pub lost: u64,
    /// Periods seen in which not even the innermost frame could be read.
    pub unreadable: u64,
}

/// States an offset and a size that `bpf/` states too.
macro_rules! same_in_c {
    ($type:ty, $member:ident, $offset:literal, $size:literal) => {
        const _: () = assert!(std::mem::offset_of!($type, $member) == $offset && size_of::<$type>() == $size);
    };
}
#[cfg(feature = "kernel")]
pub(crate) use same_in_c;

same_in_c!(SampleHeader, descriptor, 60, 64);
same_in_c!(RequestHeader, began, 32, 40);
same_in_c!(NativeHeader, kernel, 48, 304);
same_in_c!(Frame, extended, 14, 16);
same_in_c!(FunctionHeader, cut, 30, 32);
same_in_c!(TaskHeader, unreadable, 48, 56);
