//! What the programs in the kernel are told, and what they keep: the Rust side of `bpf/maps.h`.

use crate::record::{Frame, SampleHeader};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// More frames than this are cut.
pub const MAX_FRAMES: usize = 512;

/// `php.flags`: the addresses are valid.
pub const PHP: u32 = 1;
/// `php.flags`: sample this process.
pub const OBSERVE: u32 = 2;
/// `php.flags`: and its children.
pub const FOLLOW: u32 = 4;
/// `php.flags`: it has a buffer of JIT code.
pub const JIT: u32 = 8;

/// `struct php`: where PHP keeps things in one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
#[allow(missing_docs, reason = "bpf/maps.h says what each is")]
pub struct Php {
    pub current_execute_data: u64,
    pub generator_class: u64,
    pub vm_start: u64,
    pub vm_end: u64,
    pub flags: u32,
    pub ex_opline: u16,
    pub ex_func: u16,
    pub ex_this: u16,
    pub ex_prev: u16,
    pub fn_type: u16,
    pub fn_flags: u16,
    pub fn_name: u16,
    pub fn_scope: u16,
    pub fn_opcodes: u16,
    pub fn_last: u16,
    pub fn_filename: u16,
    pub fn_line_start: u16,
    pub fn_size: u16,
    pub internal_size: u16,
    pub op_size: u16,
    pub op_extended: u16,
    pub op_lineno: u16,
    pub op_opcode: u16,
    pub str_len: u16,
    pub str_val: u16,
    pub ce_name: u16,
    pub obj_ce: u16,
    pub gen_execute_data: u16,
    pub gen_parent: u16,
    pub pad: u32,
}

/// The fixed part of `struct task`.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
#[allow(missing_docs, reason = "bpf/maps.h says what each is")]
pub struct Task {
    pub php: Php,
    pub since_ns: u64,
    pub off_at_ns: u64,
    pub owed_ns: u64,
    pub idle: u64,
    pub lost: u64,
    pub unreadable: u64,
    pub pid: u32,
    pub born: u32,
    pub sample: SampleHeader,
    pub frames: [Frame; MAX_FRAMES],
}

/// `struct settings`.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
#[allow(missing_docs, reason = "bpf/maps.h says what each is")]
pub struct Settings {
    pub period_ns: u64,
    pub max_depth: u32,
    pub has_prev_state: u32,
    pub unwatched: u64,
}

/// [`Php`] as the map holds it.
pub type PhpBytes = [u8; size_of::<Php>()];
/// [`Task`] as the map holds it.
pub type TaskBytes = [u8; size_of::<Task>()];
/// [`Settings`] as the map holds it.
pub type SettingsBytes = [u8; size_of::<Settings>()];
