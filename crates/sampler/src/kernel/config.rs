//! What the programs in the kernel are told, and what they keep: the Rust side of `bpf/maps.h`.

use crate::{
    jit,
    record::{Frame, SampleHeader},
};
use remote::Process;
use zend::Interpreter;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// More frames than this are cut.
pub const MAX_FRAMES: usize = 512;
/// So many pids are told apart by `settings.awaited`.
pub const AWAITED: usize = 4096;

/// `php.flags`: the addresses are valid.
pub const PHP: u32 = 1;
/// `php.flags`: sample this process.
pub const OBSERVE: u32 = 2;
/// `php.flags`: and its children.
pub const FOLLOW: u32 = 4;
/// `php.flags`: it serves one request, which ends with the process.
pub const ONE_REQUEST: u32 = 16;
/// `php.flags`: the addresses count from the globals of the thread that runs.
pub const THREADS: u32 = 32;
/// `php.flags`: it has a buffer of JIT code.
pub const JIT: u32 = 8;
/// `php.flags`: a web server sends it variables.
pub const FASTCGI: u32 = 256;
/// `settings.parts`: memory, too.
pub const MEMORY: u32 = 1 << 31;
/// The same: the system call in which a task waits.
pub const CALLS: u32 = 1 << 30;
/// `php.flags`: a thread that has ended, and has told all.
pub const ENDED: u32 = 128;

/// `struct php`: where PHP keeps things in one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
#[allow(missing_docs, reason = "bpf/maps.h says what each is")]
pub struct Php {
    pub current_execute_data: u64,
    pub generator_class: u64,
    pub vm_start: u64,
    pub vm_end: u64,
    pub exception_op: u64,
    pub opline_before_exception: u64,
    pub thread_slot: u64,
    pub globals_offset: u64,
    pub sapi_globals: u64,
    pub heap: u64,
    pub flags: u32,
    pub fn_closure_flags: u32,
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
    pub yield_from: u16,
    pub str_hash: u16,
    pub sg_server_context: u16,
    pub sg_request_method: u16,
    pub sg_query_string: u16,
    pub sg_cookie_data: u16,
    pub sg_path_translated: u16,
    pub sg_request_uri: u16,
    pub fcgi_variables: u16,
    pub sg_request_time: u16,
    pub pad: [u16; 2],
}

impl Php {
    /// What the programs must know of `interpreter` in `process`.
    pub fn new(interpreter: &Interpreter, process: &Process) -> Self {
        let layout = interpreter.layout;
        let one_request = if interpreter.is_cli(process) {
            ONE_REQUEST
        } else {
            0
        };
        let fastcgi = if interpreter.is_fastcgi(process) {
            FASTCGI
        } else {
            0
        };
        let threads = interpreter.threads;
        // Those of a thread are added where it runs.
        let globals = if threads.is_some() {
            0
        } else {
            interpreter.executor_globals
        };
        let vm = interpreter.vm.clone().unwrap_or_default();
        let jit = if jit::runs_in(process) { JIT } else { 0 };
        // Every offset of a layout lies within a struct that is read in one piece, of at most 256 bytes.
        let near = |offset: u32| offset as u16;
        Self {
            current_execute_data: globals + u64::from(layout.eg_current_execute_data),
            generator_class: interpreter.generator_class.unwrap_or(0),
            vm_start: vm.start,
            vm_end: vm.end,
            exception_op: globals + u64::from(layout.eg_exception_op),
            opline_before_exception: globals + u64::from(layout.eg_opline_before_exception),
            thread_slot: threads.map_or(0, |threads| threads.slot),
            globals_offset: threads.map_or(0, |threads| threads.offset),
            sapi_globals: interpreter.sapi_globals.or(interpreter.sapi_offset).unwrap_or(0),
            heap: interpreter.heap.unwrap_or(0),
            flags: PHP | jit | one_request | fastcgi | if threads.is_some() { THREADS } else { 0 },
            fn_closure_flags: layout.function_closure_flags,
            ex_opline: near(layout.frame_opline),
            ex_func: near(layout.frame_func),
            ex_this: near(layout.frame_this),
            ex_prev: near(layout.frame_prev),
            fn_type: near(layout.function_type),
            fn_flags: near(layout.function_flags),
            fn_name: near(layout.function_name),
            fn_scope: near(layout.function_scope),
            fn_opcodes: near(layout.op_array_opcodes),
            fn_last: near(layout.op_array_last),
            fn_filename: near(layout.op_array_filename),
            fn_line_start: near(layout.op_array_line_start),
            // All that is looked at ends with the first line.
            fn_size: near((layout.op_array_line_start + 11) & !7),
            internal_size: near(layout.internal_function_size),
            op_size: near(layout.op_size),
            op_extended: near(layout.op_extended_value),
            op_lineno: near(layout.op_lineno),
            op_opcode: near(layout.op_opcode),
            str_len: near(layout.string_len),
            str_val: near(layout.string_val),
            ce_name: near(layout.class_name),
            obj_ce: near(layout.object_ce),
            gen_execute_data: near(layout.generator_execute_data),
            gen_parent: near(layout.generator_parent),
            yield_from: layout.opcode_yield_from.into(),
            str_hash: near(layout.string_hash),
            sg_server_context: near(layout.sg_server_context),
            sg_request_method: near(layout.sg_request_method),
            sg_query_string: near(layout.sg_query_string),
            sg_cookie_data: near(layout.sg_cookie_data),
            sg_path_translated: near(layout.sg_path_translated),
            sg_request_uri: near(layout.sg_request_uri),
            fcgi_variables: near(layout.fcgi_variables),
            sg_request_time: near(layout.sg_request_time),
            pad: [0; 2],
        }
    }
}

/// The fixed part of `struct task`.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
#[allow(missing_docs, reason = "bpf/maps.h says what each is")]
pub struct Task {
    pub php: Php,
    pub since_ns: u64,
    pub on_at_ns: u64,
    pub off_at_ns: u64,
    pub ran_ns: u64,
    pub waited_ns: u64,
    pub idle: u64,
    pub lost: u64,
    pub unreadable: u64,
    pub pid: u32,
    pub tid: u32,
    pub born: u32,
    pub refreshed: u32,
    pub emitted: u32,
    pub owed: u32,
    pub last_wait_ns: u64,
    pub request: u64,
    pub request_mark: u64,
    pub sample: SampleHeader,
    pub frames: [Frame; MAX_FRAMES],
}

/// `struct settings`.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
#[allow(missing_docs, reason = "bpf/maps.h says what each is")]
pub struct Settings {
    pub period_ns: u64,
    pub max_depth: u32,
    pub has_prev_state: u32,
    pub from_ns: u64,
    pub until_ns: u64,
    pub refreshes: u32,
    pub thread_pointer: u32,
    pub has_return: u32,
    pub parts: u32,
    pub native: u32,
    pub pad: u32,
    pub awaited: [u64; AWAITED / 64],
}

impl Settings {
    /// Has this process looked up where its task is not known yet.
    pub const fn await_process(&mut self, pid: u32) {
        let bit = pid as usize % AWAITED;
        self.awaited[bit / 64] |= 1 << (bit % 64);
    }
}

/// `struct counts`.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
#[allow(missing_docs, reason = "bpf/maps.h says what each is")]
pub struct Counts {
    pub unwatched: u32,
}

/// `struct thread_pointer`.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
#[allow(missing_docs, reason = "bpf/maps.h says what each is")]
pub struct ThreadPointer {
    pub value: u64,
    pub tid: u32,
    pub place: u32,
}

crate::record::same_in_c!(Php, yield_from, 136, 160);
crate::record::same_in_c!(Task, sample, 272, 8528);
crate::record::same_in_c!(Settings, awaited, 56, 568);
crate::record::same_in_c!(ThreadPointer, place, 12, 16);
crate::record::same_in_c!(Counts, unwatched, 0, 4);

/// [`Php`] as the map holds it.
pub type PhpBytes = [u8; size_of::<Php>()];
/// [`Task`] as the map holds it.
pub type TaskBytes = [u8; size_of::<Task>()];
/// [`ThreadPointer`] as the map holds it.
pub type ThreadPointerBytes = [u8; size_of::<ThreadPointer>()];
/// [`Settings`] as the map holds it.
pub type SettingsBytes = [u8; size_of::<Settings>()];
/// [`Counts`] as the map holds it.
pub type CountsBytes = [u8; size_of::<Counts>()];
