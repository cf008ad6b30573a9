/* The registers with which a task left user space. */
#pragma once
#include "maps.h"

struct registers {
	enum where where;
	__u64 fp, ip; /* execute_data and opline as the interpreter has them */
	__u64 pc;
	__u64 sp, bp, lr; /* of the machine; bp is what it calls its frame pointer */
};

/* What the interpreter's registers are worth, by where the program counter is. */
static __always_inline struct registers interpret(const struct php *php, __u64 pc, __u64 fp, __u64 ip,
						   __u64 sp, __u64 bp, __u64 lr)
{
	struct registers found = { .where = IN_LIBRARY, .fp = fp, .ip = ip, .pc = pc, .sp = sp, .bp = bp, .lr = lr };

	if (pc - php->vm_start < php->vm_end - php->vm_start)
		found.where = IN_VM;
	else if (php->flags & JIT)
		found.where = IN_JIT;
	return found;
}

/* What the kernel saved when it was entered by a system call. */
struct call {
	__s64 number; /* negative: it was none */
	__u64 first, second;
};

/* Each machine has
 *   saved_registers(): what the kernel saved when it was entered, by an address on the task's kernel stack (s->stack). It
 *     lies at the top of that stack. No BTF is asked where: a place that does not hold what user code has there is not
 *     taken, and `otherwise` holds.
 *   saved_call(): the system call by which it was entered, from the same place; 0 if that is not found.
 *   is_poll(): whether a call takes an array of descriptors, and their number after it.
 *   interrupted(): the registers that an event of perf was told.
 *   is_in_kernel(): whether that event came in the kernel. */
#if defined(__TARGET_ARCH_x86)
#include "registers.x86_64.h"
#elif defined(__TARGET_ARCH_arm64)
#include "registers.aarch64.h"
#endif
