//! Where things lie in PHP's structs.

mod rows;

use crate::Version;
use remote::elf::Machine;

/// Where things lie in the structs of one version of PHP: offsets and sizes in bytes, and a few constants.
///
/// Names begin with the struct: `eg` is `zend_executor_globals`, `page` `_zend_vm_stack`, `frame`
/// `zend_execute_data`, `op` `zend_op`, `sg` `sapi_globals_struct`; the others are as PHP calls them without the `zend_`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the offset of the member that its name says")]
pub struct Layout {
    /// Where these numbers come from.
    pub evidence: Evidence,
    pub eg_current_execute_data: u32,
    pub eg_vm_stack: u32,
    pub eg_vm_stack_top: u32,
    pub eg_vm_stack_end: u32,
    /// `objects_store.object_buckets`; asked of versions that have fibers, PHP 8.1 and later.
    pub eg_objects: Option<u32>,
    /// `objects_store.top`.
    pub eg_objects_top: Option<u32>,
    pub eg_symbol_table: u32,
    pub eg_exception_op: u32,
    pub eg_exception_op_size: u32,
    pub eg_opline_before_exception: u32,
    pub eg_size: u32,

    pub page_top: u32,
    pub page_end: u32,
    pub page_prev: u32,

    pub frame_opline: u32,
    pub frame_func: u32,
    /// A zval: the object, and the call's flags in its type.
    pub frame_this: u32,
    pub frame_prev: u32,
    pub frame_size: u32,

    pub zval_value: u32,
    /// The lowest byte of `u1.type_info`.
    pub zval_type: u32,
    /// `u2.next`: in a bucket, the next one with the same place in the table.
    pub zval_next: u32,
    pub zval_size: u32,
    /// `IS_OBJECT`.
    pub zval_type_object: u8,
    /// `IS_INDIRECT`.
    pub zval_type_indirect: u8,
    pub reference_val: u32,

    pub function_type: u32,
    pub function_flags: u32,
    /// `ZEND_ACC_CLOSURE` and `ZEND_ACC_FAKE_CLOSURE` in the flags.
    pub function_closure_flags: u32,
    pub function_name: u32,
    pub function_scope: u32,
    pub op_array_opcodes: u32,
    pub op_array_last: u32,
    pub op_array_filename: u32,
    pub op_array_line_start: u32,
    pub op_array_line_end: u32,
    pub op_array_last_var: u32,
    pub op_array_vars: u32,
    pub op_array_size: u32,
    pub internal_function_size: u32,

    pub op_handler: u32,
    pub op_extended_value: u32,
    pub op_lineno: u32,
    pub op_opcode: u32,
    pub op_size: u32,
    /// `ZEND_INCLUDE_OR_EVAL`.
    pub opcode_include_or_eval: u8,
    /// `ZEND_YIELD_FROM`.
    pub opcode_yield_from: u8,

    pub string_hash: u32,
    pub string_len: u32,
    pub string_val: u32,

    pub array_flags: u32,
    /// `HASH_FLAG_PACKED`.
    pub array_flag_packed: u32,
    pub array_mask: u32,
    pub array_data: u32,
    pub array_used: u32,
    /// From one element of a packed array to the next: a bucket before PHP 8.2, a zval since.
    pub array_packed_step: u32,
    pub bucket_val: u32,
    pub bucket_h: u32,
    pub bucket_key: u32,
    pub bucket_size: u32,

    pub class_name: u32,
    pub object_ce: u32,
    pub closure_func: u32,
    pub generator_execute_data: u32,
    /// `node.parent`: in a chain of `yield from`, the generator that this one waits for.
    pub generator_parent: u32,
    /// `execute_fake`, the placeholder that stands in the stack for such a chain.
    pub generator_fake: u32,
    /// `context.status`; since PHP 8.1, as all of fibers.
    pub fiber_status: Option<u32>,
    pub fiber_caller: Option<u32>,
    /// `fci_cache.function_handler`.
    pub fiber_function: Option<u32>,
    pub fiber_execute_data: Option<u32>,
    pub fiber_size: Option<u32>,

    /// Of an FPM or CGI: its `fcgi_request`.
    pub sg_server_context: u32,
    pub sg_request_method: u32,
    pub sg_query_string: u32,
    pub sg_cookie_data: u32,
    pub sg_path_translated: u32,
    pub sg_request_uri: u32,
    /// `global_request_time`, a double: 0 until something asks when the request began.
    pub sg_request_time: u32,
    /// In `fcgi_request`, the hash table of what the web server sent.
    pub fcgi_variables: u32,
}

/// Where the numbers of a layout come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The headers of just that PHP.
    Headers,
    /// The headers of that version without threads, asked as if it had them.
    Asked,
    /// Another version, and what is known to differ; generators are not known.
    Neighbour,
}

impl Layout {
    /// What people should know of where the numbers come from.
    pub const fn caveat(&self) -> Option<&'static str> {
        match self.evidence {
            Evidence::Headers => None,
            Evidence::Asked => Some("layout not tried on such a PHP"),
            Evidence::Neighbour => {
                Some("layout derived from 8.1 and not tried; generators that delegate are left out")
            }
        }
    }
}

/// The layout of the versions that it holds for: every patch release of one minor version.
struct Row {
    machine: Machine,
    major: u8,
    minor: u8,
    zts: bool,
    layout: Layout,
}

impl Row {
    const fn new(machine: Machine, major: u8, minor: u8, zts: bool, layout: Layout) -> Self {
        Self {
            machine,
            major,
            minor,
            zts,
            layout,
        }
    }
}

impl Layout {
    /// The layout of `version` on `machine`; `None` if nobody asked its headers yet.
    pub fn find(version: Version, machine: Machine) -> Option<&'static Self> {
        rows::ROWS
            .iter()
            .find(|row| {
                (row.machine, row.major, row.minor, row.zts)
                    == (machine, version.major, version.minor, version.zts)
            })
            .map(|row| &row.layout)
    }
}

/// The versions that are known on this machine, for people: `8.2 NTS, 8.4 NTS`.
pub fn known() -> String {
    let names: Vec<_> = rows::ROWS
        .iter()
        .filter(|row| Some(row.machine) == Machine::host())
        .map(|row| {
            let threads = if row.zts { "ZTS" } else { "NTS" };
            format!("{}.{} {threads}", row.major, row.minor)
        })
        .collect();
    if names.is_empty() {
        "none on this kind of machine".into()
    } else {
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn version(major: u8, minor: u8, zts: bool) -> Version {
        Version {
            major,
            minor,
            patch: 1,
            zts,
        }
    }

    #[test]
    fn a_version_nobody_knows_has_no_layout() {
        assert!(Layout::find(version(8, 2, false), Machine::X86_64).is_some());
        assert!(Layout::find(version(8, 99, false), Machine::X86_64).is_none());
        assert!(Layout::find(version(9, 2, false), Machine::X86_64).is_none());
        assert!(known().contains("8.2 NTS"));
    }

    #[test]
    fn members_lie_inside_of_their_structs() {
        for row in rows::ROWS {
            let layout = &row.layout;
            assert!(layout.eg_current_execute_data < layout.eg_size);
            assert!(layout.frame_prev < layout.frame_size);
            assert!(layout.frame_this + layout.zval_type < layout.frame_size);
            assert!(layout.op_lineno < layout.op_size);
            assert!(layout.op_array_vars + 8 <= layout.op_array_size);
            assert!(layout.eg_symbol_table < layout.eg_size);
            assert!(layout.zval_next + 4 <= layout.zval_size);
            assert!(layout.bucket_val + layout.zval_size <= layout.bucket_size);
            assert!([layout.zval_size, layout.bucket_size].contains(&layout.array_packed_step));
            assert!(layout.frame_size as usize <= crate::walk::FRAME_MAX);
            assert!(layout.op_array_size as usize <= crate::function::FUNCTION_MAX);
            assert!(layout.op_array_filename < layout.op_array_size);
            // What tells the request is read in one piece.
            assert_eq!((layout.sg_server_context, layout.sg_request_uri + 8), (0, 56));
            assert!(layout.sg_request_time >= 56);
        }
    }
}
