/* The registers with which a task left user space. */
#pragma once
#include <linux/ptrace.h>
#include "maps.h"

struct registers {
	enum where where;
	__u64 fp, ip; /* execute_data and opline as the interpreter has them */
	__u64 pc;
};

#if defined(__TARGET_ARCH_x86)
/* GCC's builds of PHP keep execute_data in r14 and opline in r15. */
static __always_inline struct registers interpret(const struct php *php, __u64 pc, __u64 r14, __u64 r15)
{
	struct registers found = { .where = IN_LIBRARY, .fp = r14, .ip = r15, .pc = pc };

	if (pc - php->vm_start < php->vm_end - php->vm_start)
		found.where = IN_VM;
	else if (php->flags & JIT)
		found.where = IN_JIT;
	return found;
}

#define THREAD_SIZE 16384ull
#define USER_CS 0x33
#define USER_SS 0x2b
#define FRED_PADDING 16

/* What the kernel saved when it was entered lies at the top of the task's kernel stack. No BTF is asked where: a
 * place that does not hold the segment selectors of user code is not taken, and `otherwise` holds. */
static __always_inline struct registers saved_registers(struct scratch *s, const struct php *php, enum where otherwise)
{
	struct registers none = { .where = otherwise };
	__u64 top = (s->stack & ~(THREAD_SIZE - 1)) + THREAD_SIZE;
	struct pt_regs regs;

	for (int padding = 0; padding <= FRED_PADDING; padding += FRED_PADDING) {
		if (bpf_probe_read_kernel(&regs, sizeof(regs), (void *)(top - padding - sizeof(regs))))
			return none;
		if ((regs.cs & 0xffff) == USER_CS && (regs.ss & 0xffff) == USER_SS)
			return interpret(php, regs.rip, regs.r14, regs.r15);
	}
	return none;
}
#else
static __always_inline struct registers saved_registers(struct scratch *s __attribute__((unused)),
							const struct php *php __attribute__((unused)),
							enum where otherwise)
{
	return (struct registers){ .where = otherwise };
}
#endif
