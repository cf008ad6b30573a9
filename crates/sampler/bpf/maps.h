/* What user space tells the programs (settings, php), and what they keep (task, scratch). */
#pragma once
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "record.h"

/* More frames than this are cut; user space may ask for fewer. */
#define MAX_FRAMES 512
/* Slots for announced functions; a collision costs one announcement more. */
#define ANNOUNCED 8192
/* For how long an announcement is believed. What has other names has another id where memory is used again soon. */
#define ANNOUNCED_SECONDS 8

enum php_flag {
	PHP = 1,     /* the addresses below are valid */
	OBSERVE = 2, /* sample this process */
	FOLLOW = 4,  /* and its children */
	THREADS = 32, /* the addresses count from the globals of the thread that runs */
	ONLY_THREADS = 64, /* of its children, those that are threads of its own process */
	FASTCGI = 256, /* a web server sends it variables, the URI among them */
	ENDED = 128, /* a thread on its last way: not to be taken for a new one, and all is told of it */
	ONE_REQUEST = 16, /* it is the CLI: code of files stays where it is until the process ends */
	JIT = 8,     /* it has a buffer of JIT code: registers are only trusted inside the interpreter */
};

/* Where PHP keeps things in one process: run-time addresses, and offsets from the layout of its version. */
struct php {
	__u64 current_execute_data; /* address of EG(current_execute_data) */
	__u64 generator_class;      /* address of zend_ce_generator, which is set while PHP starts; or 0 */
	__u64 vm_start, vm_end;     /* the text of execute_ex */
	__u64 exception_op;         /* address of EG(exception_op): a frame that throws stands there */
	__u64 opline_before_exception; /* address of EG(opline_before_exception): where it stood before */
	__u64 thread_slot;    /* from a thread's pointer to where it keeps the address of its storage */
	__u64 globals_offset; /* address of executor_globals_offset: where in that storage its globals are */
	__u64 sapi_globals;   /* address of sapi_globals; with threads, of sapi_globals_offset; or 0 */
	__u64 heap;           /* address of the pointer to the allocator's heap; with threads, of its place; or 0 */
	__u32 flags;
	__u32 fn_closure_flags; /* ZEND_ACC_CLOSURE, ZEND_ACC_FAKE_CLOSURE */
	__u16 ex_opline, ex_func, ex_this, ex_prev;
	__u16 fn_type, fn_flags, fn_name, fn_scope;
	__u16 fn_opcodes, fn_last, fn_filename, fn_line_start;
	__u16 fn_size, internal_size;
	__u16 op_size, op_extended, op_lineno, op_opcode;
	__u16 str_len, str_val;
	__u16 ce_name, obj_ce;
	__u16 gen_execute_data, gen_parent;
	__u16 yield_from; /* ZEND_YIELD_FROM */
	__u16 str_hash;
	__u16 sg_server_context, sg_request_method, sg_query_string, sg_cookie_data, sg_path_translated, sg_request_uri;
	__u16 fcgi_variables;
	__u16 sg_request_time;
	__u16 pad[2];
};

/* A frame that was read whole within this second, by its address. While the same function stands there with the same
 * opline, it need not be read again: the outer frames of a stack are the same from one sample to the next. */
struct memo {
	__u64 address; /* of the frame; 0: empty */
	__u64 func;
	__u64 opline; /* ANY_OPLINE for internal functions, which have none */
	struct frame frame;
	__u32 second;
	__u32 function_flags;
	__u32 pid;
	__u32 pad;
};

#define MEMOS 512
#define ANY_OPLINE (~0ull)

enum born {
	TOLD = 1,    /* user space knows that it was seen */
	TOUCHED = 2, /* its globals could be read once */
	BARE = 4,    /* a thread that had nothing to do with PHP at first */
};

/* One task that is watched; found by the address of its task_struct, which needs no kernel BTF. */
struct task {
	struct php php;
	__u64 since_ns;  /* observed since; 0 while it is not PHP */
	/* One line of time: on a CPU since on_at_ns or off since off_at_ns, whichever is not 0; what of either no sample
	 * stands for yet is carried over. So samples add up to the time that passed, whatever the timer did. */
	__u64 on_at_ns, off_at_ns;
	__u64 ran_ns, waited_ns;
	__u64 idle, lost, unreadable;
	__u32 pid; /* 0 until it was seen running: a new child's is not known before */
	__u32 tid;
	__u32 born; /* TOLD, TOUCHED */
	__u32 refreshed; /* settings.refreshes that it knows of */
	__u32 emitted;
	__u32 owed; /* periods of a wait that is over and for which the stack is about to be walked */
	__u64 last_wait_ns; /* for how long it waited the last time */
	__u64 request; /* the last one that was told */
	__u64 request_mark; /* what tells it without its texts; 0: nothing does */
	/* the stack with which it left the CPU; of kind 0 where that is walked when it is back */
	struct sample_header sample;
	struct frame frames[MAX_FRAMES];
};

/* Who has this CPU, as far as it was seen to come: most tasks are not watched, and should cost next to nothing. */
struct seat {
	__u64 task;
	__u64 is_watched;
	__u64 swapper; /* the task that idles */
	/* Who the last switch that was told was to, and when. What the switch itself takes counts as time on the CPU, as the
	 * scheduler counts it: several microseconds on a virtual machine. */
	__u64 next;
	__u64 next_at_ns;
};

/* Where the task was when its stack was taken, which tells what its registers are worth. */
enum where {
	IN_KERNEL = 0, /* no registers; what makes a system call has stored its line */
	PREEMPTED,     /* no registers, and anywhere */
	IN_LIBRARY,    /* somewhere in C: the interpreter's registers may be put to other use */
	IN_VM,         /* in the interpreter */
	IN_JIT,        /* in JIT code or below it: nobody keeps the line */
};

/* The state of one walk; in a map, since it does not fit the BPF stack. */
struct scratch {
	struct seat seat;
	__u32 returns; /* a task's return is being told, which the timer may interrupt */
	__u32 ticked; /* and it did */
	struct php php;
	__u64 ex;        /* the frame to read next */
	__u64 generator; /* the delegating generator to read next, before ex */
	__u64 fp, ip;    /* execute_data and opline as the interpreter has them in registers */
	__u64 pc;
	__u64 sp, bp, lr; /* the machine's; 0 where they are not known */
	__u64 stack;     /* an address on the task's kernel stack */
	__u32 where;     /* enum where */
	__u32 in_kernel; /* its registers are those with which it entered the kernel */
	__u32 last_flags; /* fn_flags of the frame that was met last */
	__u32 second;    /* the time, in units of 2^30 ns */
	__u32 found;     /* how many frames were met, those that are not shown included */
	__u32 entries;   /* how many of them were called by C */
	__u32 limit;
	struct sample_header sample;
	struct frame frames[MAX_FRAMES];
	__u64 exb[16];
	__u64 fnb[32];
	__u64 opb[4];
	__u64 run[12]; /* three instructions in a row */
	__u64 saved[21]; /* the registers as the kernel saved them; the BPF stack has no room for so many */
	struct function_header function;
	__u8 names[NAME_MAX + NAME_MAX + FILE_MAX];
	struct task blank;
};

#define MEMORY (1u << 31)
#define AWAITED 4096 /* a power of two */
#define CALLS (1u << 30)

/* What user space asks for, and it alone writes. */
struct settings {
	__u64 period_ns;
	__u32 max_depth;
	__u32 has_prev_state; /* sched_switch tells prev_state (Linux 5.18) */
	__u64 from_ns;        /* nothing counts before that */
	__u64 until_ns;       /* nor after that; 0: no end is set */
	__u32 refreshes;      /* user space found out more about some process, so often */
	__u32 thread_pointer; /* from a task_struct to the task's thread pointer; 0: nobody asked */
	__u32 has_return;     /* the program `back` runs when a task is back on a CPU */
	__u32 parts;          /* of a request: a bit for each that is asked for; MEMORY, CALLS */
	__u32 native;         /* the frames of C are asked for, too */
	__u32 pad;
	/* A bit for each process that was attached, by the end of its pid: one whose task was not seen yet must be looked
	 * up when it leaves the CPU, and nobody else. */
	__u64 awaited[AWAITED / 64];
};

/* What the programs alone write. */
struct counts {
	__u32 unwatched; /* tasks for which there was no room */
};

/* A question to the kernel: where in its task_struct a thread's pointer lies. */
struct thread_pointer {
	__u64 value; /* of the thread that asks */
	__u32 tid;   /* it */
	__u32 place; /* the answer; 0: none yet */
};

SAME_IN_RUST(php, yield_from, 136, 160);
SAME_IN_RUST(task, sample, 272, 8528);
SAME_IN_RUST(settings, awaited, 56, 568);
SAME_IN_RUST(thread_pointer, place, 12, 16);
SAME_IN_RUST(counts, unwatched, 0, 4);

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct settings);
} SETTINGS SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counts);
} COUNTS SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct thread_pointer);
} THREAD_POINTER SEC(".maps");

/* What user space found out about a process, by pid. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, struct php);
} TARGETS SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u64);
	__type(value, struct task);
} TASKS SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ANNOUNCED);
	__type(key, __u32);
	__type(value, __u64);
} KNOWN SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} SCRATCH SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MEMOS);
	__type(key, __u32);
	__type(value, struct memo);
} MEMO SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} RING SEC(".maps");

static __always_inline struct scratch *scratch(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&SCRATCH, &zero);
}

static __always_inline struct settings *settings(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&SETTINGS, &zero);
}

static __always_inline struct counts *counts(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&COUNTS, &zero);
}

/* A wake-up for every record would cost more than the record: user space polls, and is woken early only when it has to
 * act, or when half of the ring is full, which is asked about once in a while. */
static __always_inline __u64 wake_up(int urgent, int ask)
{
	if (ask && bpf_ringbuf_query(&RING, BPF_RB_AVAIL_DATA) > bpf_ringbuf_query(&RING, BPF_RB_RING_SIZE) / 2)
		urgent = 1;
	return urgent ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

static __always_inline long emit(void *record, __u64 size, int urgent, int ask)
{
	return bpf_ringbuf_output(&RING, record, size, wake_up(urgent, ask));
}
