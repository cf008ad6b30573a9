/* The walk: from EG(current_execute_data) outwards, on the CPU of the task whose stack it is. */
#pragma once
#include "maps.h"
#include "registers.h"

#define EVAL_CODE 4 /* ZEND_EVAL_CODE */
#define IS_OBJECT 8
#define ACC_IMMUTABLE (1u << 7) /* ZEND_ACC_IMMUTABLE: in opcache's memory */
#define ACC_TRAMPOLINE (1u << 18) /* ZEND_ACC_CALL_VIA_TRAMPOLINE */
#define ACC_GENERATOR (1u << 24)  /* ZEND_ACC_GENERATOR */
#define CALL_TOP (1u << 17)	  /* ZEND_CALL_TOP: C has called it */

#define EX(s, field) ((s)->exb[((s)->php.field >> 3) & 15])
#define FN(s, field) ((s)->fnb[((s)->php.field >> 3) & 31])
#define FN32(s, field) (((__u32 *)(s)->fnb)[((s)->php.field >> 2) & 63])
#define FN8(s, field) (((__u8 *)(s)->fnb)[(s)->php.field & 255])
#define OP32(s, field) (((__u32 *)(s)->opb)[((s)->php.field >> 2) & 7])
#define OP8(s, field) (((__u8 *)(s)->opb)[(s)->php.field & 31])

static __always_inline __u64 mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ (hash >> 32);
}

static __always_inline __u64 read_u64(__u64 address)
{
	__u64 value = 0;

	bpf_probe_read_user(&value, sizeof(value), (void *)address);
	return value;
}

/* Copies a zend_string to names[at..at + max], whole or cut; returns its length there. */
static __always_inline __u32 read_string(struct scratch *s, __u64 string, __u32 at, __u32 max)
{
	__u64 length;

	if (!string)
		return 0;
	length = read_u64(string + s->php.str_len);
	if (length > max) {
		s->function.cut = 1;
		length = max;
	}
	/* The verifier wants the bound in sight. */
	length &= max * 2 - 1;
	if (at > NAME_MAX * 2 || length > max || length == 0)
		return 0;
	if (bpf_probe_read_user(s->names + at, length, (void *)(string + s->php.str_val)))
		return 0;
	return length;
}

/* Tells user space the names of the function in fnb under `id`. Returns 0 if that worked. */
__attribute__((noinline)) int announce(__u64 id)
{
	struct settings *set = settings();
	struct scratch *s = scratch();
	__u32 used, got;
	__u64 scope;
	int user;

	if (!s)
		return 1;
	user = FN8(s, fn_type) != 1;
	s->function.kind = FUNCTION;
	s->function.function_type = FN8(s, fn_type);
	s->function.pad = 0;
	s->function.fn_flags = FN32(s, fn_flags);
	s->function.pid = s->sample.pid;
	s->function.first_line = user ? FN32(s, fn_line_start) : 0;
	s->function.id = id;
	s->function.cut = 0;
	used = read_string(s, FN(s, fn_name), 0, NAME_MAX);
	s->function.name_len = used;
	scope = FN(s, fn_scope);
	got = scope ? read_string(s, read_u64(scope + s->php.ce_name), used, NAME_MAX) : 0;
	s->function.class_len = got;
	used += got;
	got = user ? read_string(s, FN(s, fn_filename), used, FILE_MAX) : 0;
	if (!user && set && set->native && used <= NAME_MAX * 2) {
		got = CODE_WORDS * sizeof(__u64);
		bpf_probe_read_kernel(s->names + used, CODE_WORDS * sizeof(__u64), s->fnb + CODE_FROM);
	}
	s->function.file_len = got;
	used += got;
	if (used > sizeof(s->names))
		return 1;
	return emit(&s->function, sizeof(s->function) + used, 0, 1) != 0;
}

/* Where a frame is remembered: frames are 16 bytes apart, and 80 at least. */
static __always_inline struct memo *memo_of(struct scratch *s, __u64 address)
{
	__u32 slot = (address >> 4 ^ address >> 12 ^ s->sample.pid * 37) & (MEMOS - 1);

	return bpf_map_lookup_elem(&MEMO, &slot);
}

static __always_inline int is_in(__u64 opline, __u64 opcodes, __u32 size)
{
	return opline - opcodes < size && !((opline - opcodes) & 7);
}

/* The instruction whose handler runs. A comparison and the jump behind it run as one, and the compiler may put what
 * comes after both into the register before it is decided whether to jump: so the line behind a loop shows for an
 * instant in each round. The program counter then is still in the handler of the comparison. */
static __always_inline __u64 running_opline(struct scratch *s, __u64 opline, __u64 opcodes, __u32 size)
{
	__u64 vm = s->php.vm_end - s->php.vm_start, own;

	if (s->php.op_size * 3 != sizeof(s->run) || !is_in(opline - 2 * s->php.op_size, opcodes, size) ||
	    bpf_probe_read_user(s->run, sizeof(s->run), (void *)(opline - 2 * s->php.op_size)))
		return opline;
	/* Each instruction begins with the address of its handler. */
	own = s->pc - s->run[8];
	if (s->run[8] - s->php.vm_start >= vm)
		return opline;
	if (s->pc - s->run[0] < own && s->pc - s->run[0] < s->pc - s->run[4])
		return opline - 2 * s->php.op_size;
	return s->pc - s->run[4] < own ? opline - s->php.op_size : opline;
}

/* Where the innermost frame is. Frames further out have stored it when they called; the innermost one has it in a
 * register (r15 in GCC's builds for x86-64, with r14 for the frame), and what it stored last may be old, or not
 * be there yet. */
static __always_inline __u64 innermost_opline(struct scratch *s, __u64 address, __u64 stored, __u64 opcodes,
					      __u32 size)
{
	switch (s->where) {
	case IN_JIT:
	case PREEMPTED:
		return 0;
	case IN_VM:
		/* Just called: EG(current_execute_data) is new, the frame's register is still the caller's. */
		if (s->fp == EX(s, ex_prev) && s->fp != address)
			return is_in(s->ip, opcodes, size) ? s->ip : opcodes;
		if (s->fp == address && is_in(s->ip, opcodes, size))
			return running_opline(s, s->ip, opcodes, size);
		return stored;
	case IN_LIBRARY:
		if (s->fp == address && is_in(s->ip, opcodes, size))
			return s->ip;
		/* fall through */
	default:
		return stored;
	}
}

/* Whether the memory of the function in fnb keeps this function for as long as a second: then its addresses say who it
 * is. Internal functions do, and what opcache holds, and what the CLI compiled from files. Not so trampolines, which are
 * made for each call; closures and evaluated code; and in FPM without opcache everything, since the next request
 * compiles its code into the memory of the last one. Of these, the hashes of the names belong to the identity. */
static __always_inline int is_settled(struct scratch *s, int user, __u32 function_flags)
{
	if (!user)
		return !(function_flags & ACC_TRAMPOLINE);
	if (function_flags & ACC_IMMUTABLE)
		return 1;
	return (s->php.flags & ONE_REQUEST) && !(function_flags & (s->php.fn_closure_flags | ACC_TRAMPOLINE)) &&
	       FN8(s, fn_type) != EVAL_CODE;
}

/* Reads the frame of execute_data `s->exb`, whose function is `func`, and adds it to the stack. 0: go on. */
static __always_inline int add_frame(struct scratch *s, __u64 address, __u64 func, __u8 flags)
{
	__u64 id, opline = EX(s, ex_opline), opcodes, *known;
	__u32 depth = s->sample.depth, slot, size, function_flags;
	struct frame *frame;
	struct memo *memo;
	int user, settled, opline_is_stored = 0;

	if (depth >= MAX_FRAMES)
		return 1;
	frame = &s->frames[depth];

	memo = memo_of(s, address);
	if (!memo)
		return 1;
	/* The innermost frame's line is in a register, if it is of the interpreter. */
	if (memo->address == address && memo->func == func && memo->second == s->second && memo->pid == s->sample.pid &&
	    (memo->opline == ANY_OPLINE || (memo->opline == opline && s->found != 0)) && memo->frame.flags == flags) {
		*frame = memo->frame;
		s->last_flags = memo->function_flags;
		s->sample.depth = depth + 1;
		s->found++;
		return 0;
	}

	size = s->php.fn_size;
	if (size > sizeof(s->fnb))
		return 1;
	if (bpf_probe_read_user(s->fnb, size, (void *)func)) {
		/* A short internal function may end where the memory ends. */
		size = s->php.internal_size;
		if (size > sizeof(s->fnb))
			return 1;
		if (bpf_probe_read_user(s->fnb, size, (void *)func)) {
			s->sample.flags |= UNREADABLE;
			return 1;
		}
	}
	user = !(FN8(s, fn_type) & 1);
	function_flags = FN32(s, fn_flags);
	/* Who the function is, by what it holds and not by where it lies: its memory may be used again. */
	id = mix(s->sample.pid, func);
	id = mix(id, FN(s, fn_name));
	id = mix(id, FN(s, fn_scope));
	id = mix(id, (__u64)function_flags << 8 | FN8(s, fn_type));

	settled = is_settled(s, user, function_flags);
	if (!settled) {
		id = mix(id, read_u64(FN(s, fn_name) + s->php.str_hash));
		if (user)
			id = mix(id, read_u64(FN(s, fn_filename) + s->php.str_hash));
	}

	frame->flags = flags;
	frame->line = 0;
	frame->opcode = 0;
	frame->extended = 0;
	if (user) {
		opcodes = FN(s, fn_opcodes);
		size = FN32(s, fn_last) * s->php.op_size;
		id = mix(id, opcodes);
		id = mix(id, FN(s, fn_filename));
		id = mix(id, (__u64)FN32(s, fn_line_start) << 32 | FN32(s, fn_last));

		opline_is_stored = opline - s->php.exception_op >= 3 * s->php.op_size;
		if (!opline_is_stored)
			opline = read_u64(s->php.opline_before_exception);
		if (s->found == 0)
			opline = innermost_opline(s, address, opline, opcodes, size);
		if (!is_in(opline, opcodes, size) || bpf_probe_read_user(s->opb, sizeof(s->opb), (void *)opline)) {
			frame->line = FN32(s, fn_line_start);
			frame->flags |= FIRST_LINE;
		} else {
			/* A generator that delegates stands behind the YIELD_FROM that it still executes. */
			opline -= s->php.op_size;
			if ((flags & DELEGATED) && is_in(opline, opcodes, size)) {
				if (bpf_probe_read_user(s->opb, sizeof(s->opb), (void *)opline) ||
				    OP8(s, op_opcode) != s->php.yield_from)
					bpf_probe_read_user(s->opb, sizeof(s->opb),
							    (void *)(opline + s->php.op_size));
			}
			frame->line = OP32(s, op_lineno);
			frame->opcode = OP8(s, op_opcode);
			frame->extended = OP32(s, op_extended);
		}
	}
	frame->function = id;

	/* An announcement is believed for some seconds: then the names are read and compared anew. */
	slot = id & (ANNOUNCED - 1);
	known = bpf_map_lookup_elem(&KNOWN, &slot);
	if (known) {
		__u64 mark = mix(id, s->second / ANNOUNCED_SECONDS);

		if (*known != mark || (function_flags & ACC_TRAMPOLINE)) {
			if (announce(id)) {
				/* No room in the ring, so there is none for the sample either. */
				s->sample.flags |= UNREADABLE;
				return 2;
			}
			*known = mark;
		}
	}
	/* Not kept: lines that do not come from the stored opline alone (the innermost frame's, those of exceptions), and
	 * lines that are not exact and may be known next time. */
	if (settled && frame->flags == flags && (!user || (s->found != 0 && opline_is_stored))) {
		memo->address = address;
		memo->func = func;
		memo->opline = user ? EX(s, ex_opline) : ANY_OPLINE;
		memo->frame = *frame;
		memo->second = s->second;
		memo->function_flags = function_flags;
		memo->pid = s->sample.pid;
	}
	s->sample.depth = depth + 1;
	s->found++;
	s->last_flags = function_flags;
	return 0;
}

/* One step outwards. 0: go on; 1: done; 2: lost. */
__attribute__((noinline)) int step(void)
{
	struct scratch *s = scratch();
	__u64 func, object, address;
	__u8 flags = 0;
	int end;

	if (!s)
		return 1;
	if (s->generator) {
		/* A generator that waits for the one it delegates to; the innermost has no parent and is on the
		 * stack already. */
		__u64 parent = read_u64(s->generator + s->php.gen_parent);

		if (!parent) {
			s->generator = 0;
			return 0;
		}
		address = read_u64(s->generator + s->php.gen_execute_data);
		flags = DELEGATED;
		s->generator = parent;
		if (!read_u64(parent + s->php.gen_parent)) {
			flags |= DELEGATED_END;
			s->generator = 0;
		}
	} else {
		address = s->ex;
		if (!address)
			return 1;
	}
	if (s->sample.depth >= s->limit) {
		s->sample.flags |= CUT;
		return 1;
	}
	/* All that is looked at ends with prev_execute_data. */
	if (bpf_probe_read_user(s->exb, 56, (void *)address)) {
		s->sample.flags |= UNREADABLE;
		return 1;
	}
	if (!flags)
		s->ex = EX(s, ex_prev);
	func = EX(s, ex_func);
	if (!func) {
		object = EX(s, ex_this);
		/* A dummy frame, or the placeholder of a generator that delegates. */
		if (!flags && s->php.generator_class &&
		    (__u8)s->exb[((s->php.ex_this + 8) >> 3) & 15] == IS_OBJECT &&
		    read_u64(object + s->php.obj_ce) == read_u64(s->php.generator_class))
			s->generator = object;
		return 0;
	}
	if (!flags && (s->exb[((s->php.ex_this + 8) >> 3) & 15] & CALL_TOP)) {
		flags = FROM_C;
		s->entries++;
	}
	end = add_frame(s, address, func, flags);
	return end;
}

/* Where the globals of the current thread begin, in a PHP with threads; 0 if it has none now. */
static __always_inline __u64 thread_storage(const struct php *php)
{
	struct settings *set = settings();
	__u64 pointer;

	if (!set || !set->thread_pointer)
		return 0;
	if (bpf_probe_read_kernel(&pointer, sizeof(pointer), (void *)(bpf_get_current_task() + set->thread_pointer)))
		return 0;
	return read_u64(pointer + php->thread_slot);
}

/* Its executor globals; 0 if it has none now. */
static __always_inline __u64 thread_globals(const struct php *php)
{
	__u64 storage = thread_storage(php), offset = read_u64(php->globals_offset);

	return storage && offset ? storage + offset : 0;
}

/* Walks the current task's stack into the scratch. Returns the scratch, or 0 if the ring is full. */
static __always_inline struct scratch *walk(struct task *task, __u32 tid, __u64 now, __u32 limit,
					    struct registers registers, int *full)
{
	struct scratch *s = scratch();
	__u64 globals = 0;
	int end = 0;

	if (!s)
		return 0;
	s->php = task->php;
	if (task->php.flags & THREADS) {
		globals = thread_globals(&task->php);
		s->php.current_execute_data += globals;
		s->php.exception_op += globals;
		s->php.opline_before_exception += globals;
	}
	s->second = now >> 30;
	s->generator = 0;
	s->fp = registers.fp;
	s->ip = registers.ip;
	s->pc = registers.pc;
	s->sp = registers.sp;
	s->bp = registers.bp;
	s->lr = registers.lr;
	s->where = registers.where;
	s->found = 0;
	s->entries = 0;
	s->limit = limit;
	s->sample.kind = SAMPLE;
	s->sample.state = ON_CPU;
	s->sample.flags = 0;
	s->sample.native = NATIVE_UNKNOWN;
	s->sample.weight = 1;
	s->sample.pid = task->pid;
	s->sample.tid = tid;
	s->sample.at_ns = now;
	s->sample.depth = 0;
	s->sample.span = 0;
	s->sample.request = s->sample.used = s->sample.peak = 0;
	s->sample.call = s->sample.more = 0;
	s->sample.descriptor = 0;
	if ((task->php.flags & THREADS) && !globals) {
		s->ex = 0;
	} else if (bpf_probe_read_user(&s->ex, sizeof(s->ex), (void *)s->php.current_execute_data)) {
		/* Before PHP has begun to start, nobody has touched its globals, and their page is not there yet. */
		s->ex = 0;
		if (task->born & TOUCHED)
			s->sample.flags = UNREADABLE;
	} else {
		task->born |= TOUCHED;
	}
	/* Dummy frames and the ends of generator runs take a step without giving a frame. */
	for (int i = 0; i < MAX_FRAMES + 64; i++) {
		end = step();
		if (end)
			break;
	}
	*full = end == 2;
	/* A generator is made current before it is linked to what resumes it: for a few instructions it seems to be
	 * all there is. Only in the interpreter proper it may be: a finally that runs when PHP shuts down. */
	if (s->found == 1 && !s->ex && (s->last_flags & ACC_GENERATOR) && s->where != IN_VM) {
		s->sample.depth = 0;
		s->sample.flags |= UNREADABLE;
	}
	return s;
}
