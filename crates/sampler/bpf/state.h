/* Whether a task that leaves the CPU could go on: it was preempted or yielded, and waits for nothing but a CPU. */
#pragma once
#include "registers.h"

#define TASK_RUNNING 0
/* Longer than a thread_info is on any machine, with what follows it. */
#define STACK_WITHIN 128

/* The fourth argument of sched_switch, read as memory: before Linux 5.18 there are three, and a program that names another
 * one is not attached. By way of the map, an address becomes a number to the verifier. */
static __always_inline __u64 told_state(struct scratch *s, const struct bpf_raw_tracepoint_args *ctx)
{
	__u64 state = ~0ull;

	*(volatile __u64 *)&s->stack = (__u64)&ctx->args[3];
	bpf_probe_read_kernel(&state, sizeof(state), (void *)s->stack);
	return state;
}

/* The state as a task_struct keeps it, until Linux 5.18 tells it. Without BTF: a thread_info, whose size varies, comes first,
 * then the state, and behind it the address of the kernel stack, which is the one that this runs on. The scheduler holds the
 * lock without which nobody who wakes the task makes it run again. */
static __always_inline __u64 kept_state(struct scratch *s, void *on_stack, __u64 task)
{
	__u64 stack;

	_Static_assert(STACK_WITHIN <= sizeof(s->saved), "what is read has room");
	*(volatile __u64 *)&s->stack = (__u64)on_stack;
	stack = *(volatile __u64 *)&s->stack & ~(THREAD_SIZE - 1);
	if (bpf_probe_read_kernel(s->saved, STACK_WITHIN, (void *)task))
		return ~0ull;
	for (int i = 1; i < STACK_WITHIN / 8; i++) {
		if (s->saved[i] == stack)
			/* An int since Linux 5.14, with something else behind it. */
			return (__u32)s->saved[i - 1];
	}
	return ~0ull;
}

/* The kernel calls it a preemption only where it interrupts itself: whose time is over in user space leaves as if by itself,
 * with a state that says otherwise. */
static __always_inline int is_runnable(struct scratch *s, struct bpf_raw_tracepoint_args *ctx, const struct settings *set,
				       __u64 task)
{
	if (ctx->args[0])
		return 1;
	return (set->has_prev_state ? told_state(s, ctx) : kept_state(s, ctx, task)) == TASK_RUNNING;
}
