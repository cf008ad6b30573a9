/* Every number that phperf needs of PHP's structs, each on a line of the assembly. Compiled, never run. */
#include "php.h"
#include "php_version.h"
#include "SAPI.h"
#include "zend_generators.h"
#include "zend_vm_opcodes.h"
#if PHP_VERSION_ID >= 80100
#include "zend_fibers.h"
#endif
#include <stddef.h>

#define NUMBER(name, value) __asm__ volatile(".ascii \"@phperf " #name " %c0\"" : : "i"((long)(value)))
#define AT(name, type, member) NUMBER(name, offsetof(type, member))
#define SIZE(name, type) NUMBER(name, sizeof(type))

/* Declared in zend_closures.c only; the object and the function have been its first members since PHP 5.3. */
typedef struct {
	zend_object std;
	zend_function func;
} closure_start;

/* Declared in fastcgi.c only; since PHP 7.1 these come before the variables that the web server sent. */
typedef struct {
	int socket_and_state[9];
	void *out_hdr, *out_pos;
	unsigned char out_buf[8192];
	unsigned char reserved[16];
	void *hook[3];
	int has_env;
	void *variables[128];
} fcgi_start;

void probe(void)
{
	NUMBER(major, PHP_MAJOR_VERSION);
	NUMBER(minor, PHP_MINOR_VERSION);
#ifdef ZTS
	NUMBER(zts, 1);
#else
	NUMBER(zts, 0);
#endif
	NUMBER(debug, ZEND_DEBUG);
#if defined(__x86_64__)
	NUMBER(x86_64, 1);
#elif defined(__aarch64__)
	NUMBER(aarch64, 1);
#endif

	AT(eg_current_execute_data, zend_executor_globals, current_execute_data);
	AT(eg_vm_stack, zend_executor_globals, vm_stack);
	AT(eg_vm_stack_top, zend_executor_globals, vm_stack_top);
	AT(eg_vm_stack_end, zend_executor_globals, vm_stack_end);
#if PHP_VERSION_ID >= 80100
	AT(eg_objects, zend_executor_globals, objects_store.object_buckets);
	AT(eg_objects_top, zend_executor_globals, objects_store.top);
#endif
	AT(eg_symbol_table, zend_executor_globals, symbol_table);
	AT(eg_exception_op, zend_executor_globals, exception_op);
	SIZE(eg_exception_op_size, ((zend_executor_globals *)0)->exception_op);
	AT(eg_opline_before_exception, zend_executor_globals, opline_before_exception);
	SIZE(eg_size, zend_executor_globals);

	AT(page_top, struct _zend_vm_stack, top);
	AT(page_end, struct _zend_vm_stack, end);
	AT(page_prev, struct _zend_vm_stack, prev);

	AT(frame_opline, zend_execute_data, opline);
	AT(frame_func, zend_execute_data, func);
	AT(frame_this, zend_execute_data, This);
	AT(frame_prev, zend_execute_data, prev_execute_data);
	SIZE(frame_size, zend_execute_data);

	AT(zval_value, zval, value);
	AT(zval_type, zval, u1.type_info);
	AT(zval_next, zval, u2.next);
	SIZE(zval_size, zval);
	NUMBER(zval_type_object, IS_OBJECT);
	NUMBER(zval_type_indirect, IS_INDIRECT);
	AT(reference_val, zend_reference, val);

	AT(function_type, zend_function, type);
	AT(function_flags, zend_function, common.fn_flags);
	NUMBER(function_closure_flags, ZEND_ACC_CLOSURE | ZEND_ACC_FAKE_CLOSURE);
	AT(function_name, zend_function, common.function_name);
	AT(function_scope, zend_function, common.scope);
	AT(op_array_opcodes, zend_op_array, opcodes);
	AT(op_array_last, zend_op_array, last);
	AT(op_array_filename, zend_op_array, filename);
	AT(op_array_line_start, zend_op_array, line_start);
	AT(op_array_line_end, zend_op_array, line_end);
	AT(op_array_last_var, zend_op_array, last_var);
	AT(op_array_vars, zend_op_array, vars);
	SIZE(op_array_size, zend_op_array);
	SIZE(internal_function_size, zend_internal_function);

	AT(op_handler, zend_op, handler);
	AT(op_extended_value, zend_op, extended_value);
	AT(op_lineno, zend_op, lineno);
	AT(op_opcode, zend_op, opcode);
	SIZE(op_size, zend_op);
	NUMBER(opcode_include_or_eval, ZEND_INCLUDE_OR_EVAL);
	NUMBER(opcode_yield_from, ZEND_YIELD_FROM);

	AT(string_hash, zend_string, h);
	AT(string_len, zend_string, len);
	AT(string_val, zend_string, val);

	AT(array_flags, zend_array, u.flags);
	NUMBER(array_flag_packed, HASH_FLAG_PACKED);
	AT(array_mask, zend_array, nTableMask);
	AT(array_data, zend_array, arData);
	AT(array_used, zend_array, nNumUsed);
#if PHP_VERSION_ID >= 80200
	SIZE(array_packed_step, zval);
#else
	SIZE(array_packed_step, Bucket);
#endif
	AT(bucket_val, Bucket, val);
	AT(bucket_h, Bucket, h);
	AT(bucket_key, Bucket, key);
	SIZE(bucket_size, Bucket);

	AT(class_name, zend_class_entry, name);
	AT(object_ce, zend_object, ce);
	AT(closure_func, closure_start, func);
	AT(generator_execute_data, zend_generator, execute_data);
	AT(generator_parent, zend_generator, node.parent);
	AT(generator_fake, zend_generator, execute_fake);
#if PHP_VERSION_ID >= 80100
	AT(fiber_status, zend_fiber, context.status);
	AT(fiber_caller, zend_fiber, caller);
	AT(fiber_function, zend_fiber, fci_cache.function_handler);
	AT(fiber_execute_data, zend_fiber, execute_data);
	SIZE(fiber_size, zend_fiber);
#endif

	AT(sg_server_context, sapi_globals_struct, server_context);
	AT(sg_request_method, sapi_globals_struct, request_info.request_method);
	AT(sg_query_string, sapi_globals_struct, request_info.query_string);
	AT(sg_cookie_data, sapi_globals_struct, request_info.cookie_data);
	AT(sg_path_translated, sapi_globals_struct, request_info.path_translated);
	AT(sg_request_uri, sapi_globals_struct, request_info.request_uri);
	AT(sg_request_time, sapi_globals_struct, global_request_time);
	AT(fcgi_variables, fcgi_start, variables);
}
