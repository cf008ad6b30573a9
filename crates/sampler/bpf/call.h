/* The system call in which a task waits: a wait that is over before anybody looks at /proc says for what by that. */
#pragma once
#include "registers.h"

/* What the kernel saved when it was entered by a system call. */
struct call {
	__s64 number; /* negative: it was none */
	__u64 first, second;
};

/* Each machine has
 *   saved_call(): the same by an address on the task's kernel stack; 0 if it is not found (registers.h says how it is sought).
 *   is_poll(): whether a call takes an array of descriptors, and their number after it. */
#if defined(__TARGET_ARCH_x86)

/* The end of struct pt_regs. */
struct call_registers {
	__u64 rsi, rdi, orig_rax, rip, cs, eflags, rsp, ss;
};

static __always_inline int saved_call(__u64 stack, struct call *call)
{
	__u64 top = (stack & ~(THREAD_SIZE - 1)) + THREAD_SIZE;
	struct call_registers regs;

	for (int padding = 0; padding <= FRED_PADDING; padding += FRED_PADDING) {
		if (bpf_probe_read_kernel(&regs, sizeof(regs), (void *)(top - padding - sizeof(regs))))
			return 0;
		if ((regs.cs & 0xffff) != USER_CS || (regs.ss & 0xffff) != USER_SS)
			continue;
		call->number = regs.orig_rax;
		call->first = regs.rdi;
		call->second = regs.rsi;
		return 1;
	}
	return 0;
}

static __always_inline int is_poll(__s64 number)
{
	return number == 7 || number == 271;
}

#elif defined(__TARGET_ARCH_arm64)

/* What the kernel keeps behind the registers of user space. */
struct behind {
	__u64 first;
	__s32 number;
};

static __always_inline int saved_call(__u64 stack, struct call *call)
{
	__u64 top = (stack & ~(THREAD_SIZE - 1)) + THREAD_SIZE, end;
	struct behind behind;
	struct tail regs;

	for (int size = BEHIND_MAX; size >= BEHIND_MIN; size -= 16) {
		end = top - size;
		if (bpf_probe_read_kernel(&regs, sizeof(regs), (void *)(end - sizeof(regs))))
			return 0;
		if (!is_user(&regs))
			continue;
		if (bpf_probe_read_kernel(&behind, sizeof(behind), (void *)end) ||
		    bpf_probe_read_kernel(&call->second, sizeof(call->second),
					  (void *)(end - sizeof(struct user_pt_regs) + 8)))
			return 0;
		call->number = behind.number;
		call->first = behind.first;
		return 1;
	}
	return 0;
}

static __always_inline int is_poll(__s64 number)
{
	return number == 73;
}

#endif

/* Tells the sample of a wait in which call the current task is, and of its descriptors the first one, which user space knows
 * whether it is one. Its stack has been walked: s->stack lies on that of the kernel. */
__attribute__((noinline)) int read_call(__u64 stack)
{
	struct scratch *s = scratch();
	struct call call = {};
	__u64 more = 0;
	__s32 descriptor;

	if (!s || !saved_call(stack, &call) || call.number < 0 || call.number >= 0xffff)
		return 0;
	descriptor = call.first;
	if (is_poll(call.number)) {
		if (!call.second || bpf_probe_read_user(&descriptor, sizeof(descriptor), (void *)call.first))
			descriptor = -1;
		else
			more = call.second - 1;
	}
	s->sample.call = call.number + 1;
	s->sample.more = more > 0xffff ? 0xffff : more;
	s->sample.descriptor = descriptor;
	return 0;
}

static __always_inline void add_call(struct scratch *s, const struct settings *set)
{
	if (set->parts & CALLS)
		read_call(s->stack);
}
