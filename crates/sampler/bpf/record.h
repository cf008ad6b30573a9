/* The records that both sources write; src/record.rs documents each field.
 * Both sides state the same sizes and offsets, so that neither compiles alone after a change. */
#pragma once
#include <linux/types.h>

enum record_kind { SAMPLE = 1, FUNCTION = 2, TASK = 3, REQUEST_RECORD = 4, NATIVE_RECORD = 5 };
enum sample_flag { CUT = 1, UNREADABLE = 2, WAITED = 8 };
enum frame_flag { FIRST_LINE = 1, DELEGATED = 2, DELEGATED_END = 4, FROM_C = 8 };
enum task_state { ON_CPU = 0, RUNNABLE = 1, BLOCKED = 2 };
enum native_part { NATIVE_UNKNOWN = 0, NATIVE_TOLD = 1, NATIVE_IN_VM = 2 };
enum task_event { BORN = 1, EXEC = 2, EXIT = 3, IS_PHP = 4 };

#define NAME_MAX 512
#define FILE_MAX 1024

struct sample_header {
	__u8 kind;
	__u8 state;
	__u8 flags;
	__u8 native; /* enum native_part */
	__u32 weight;
	__u32 pid;
	__u32 tid;
	__u64 at_ns;
	__u32 depth;
	__u32 span;
	__u64 request;
	__u64 used;
	__u64 peak;
	__u16 call;
	__u16 more;
	__s32 descriptor;
};

struct frame {
	__u64 function;
	__u32 line;
	__u8 opcode;
	__u8 flags;
	__u16 extended;
};

struct function_header {
	__u8 kind;
	__u8 function_type;
	__u16 pad;
	__u32 fn_flags;
	__u32 pid;
	__u32 first_line;
	__u64 id;
	__u16 name_len;
	__u16 class_len;
	__u16 file_len;
	__u16 cut;
};

struct request_header {
	__u8 kind;
	__u8 pad;
	__u16 lengths[5];
	__u32 pid;
	__u32 tid;
	__u32 pad2;
	__u64 id;
	__u64 began;
};

/* The stack of a native record is as much of these as could be read from the stack pointer on. */
#define STACK_MAX 16384
#define KERNEL_FRAMES 32
/* Of a function in C, where its code is: words of it from the CODE_FROM-th on. */
#define CODE_WORDS 8
#define CODE_FROM 6

struct native_header {
	__u8 kind;
	__u8 pad;
	__u16 kernel_depth;
	__u32 stack_len;
	__u32 pid;
	__u32 tid;
	__u64 ip, sp, fp, lr;
	__u64 kernel[KERNEL_FRAMES];
};

struct task_header {
	__u8 kind;
	__u8 event;
	__u16 pad;
	__u32 pid;
	__u32 tid;
	__u32 pad2;
	__u64 at_ns;
	__u64 since_ns;
	__u64 idle;
	__u64 lost;
	__u64 unreadable;
};

#define SAME_IN_RUST(type, member, offset, size)                            \
	_Static_assert(__builtin_offsetof(struct type, member) == (offset), \
		       "src/ has another offset of " #type "." #member);    \
	_Static_assert(sizeof(struct type) == (size), "src/ has another size of " #type)

SAME_IN_RUST(sample_header, descriptor, 60, 64);
SAME_IN_RUST(request_header, began, 32, 40);
SAME_IN_RUST(native_header, kernel, 48, 304);
SAME_IN_RUST(frame, extended, 14, 16);
SAME_IN_RUST(function_header, cut, 30, 32);
SAME_IN_RUST(task_header, unreadable, 48, 56);
