/* The system call in which a task waits: a wait that is over before anybody looks at /proc says for what by that. */
#pragma once
#include "registers.h"

/* Tells the sample of a wait in which call the current task is, and of its descriptors the first one, which user space knows
 * whether it is one. Its stack has been walked: s->stack lies on that of the kernel. */
__attribute__((noinline)) int read_call(void)
{
	struct scratch *s = scratch();
	struct call call = {};
	__u64 more = 0;
	__s32 descriptor;

	if (!s || !saved_call(s, &call) || call.number < 0 || call.number >= 0xffff)
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

static __always_inline void add_call(const struct settings *set)
{
	if (set->parts & CALLS)
		read_call();
}
