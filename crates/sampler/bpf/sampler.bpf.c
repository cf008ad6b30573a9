/* The kernel source: walks the stack of PHP where it was interrupted, and where it left the CPU. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "call.h"
#include "life.h"
#include "native.h"
#include "periods.h"
#include "registers.h"
#include "request.h"
#include "state.h"
#include "task.h"
#include "thread_pointer.h"
#include "walk.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";
#ifdef COMPILER
/* So that a check knows whether its clang can give the same bytes. */
const char MADE_BY[] SEC("compiler") = COMPILER;
#endif

/* What the wait was for that is told now: who was walked as it left says so, and who was not was blocked. */
static __always_inline __u8 owed_state(const struct task *task)
{
	return task->sample.kind ? task->sample.state : BLOCKED;
}

/* Tells the wait that is over, by the stack that was walked after it. */
static __always_inline void pay(struct task *task, struct scratch *s, const struct settings *set, int full)
{
	s->sample.state = owed_state(task);
	if (s->sample.state == BLOCKED && s->in_kernel)
		add_call(set);
	s->sample.weight = task->owed;
	s->sample.at_ns = task->sample.at_ns;
	s->sample.flags |= WAITED;
	s->sample.span = task->sample.span;
	report(task, &s->sample, full);
	s->sample.flags &= ~WAITED;
	s->sample.span = 0;
	s->sample.call = 0;
	/* A native record is joined with one sample. */
	if (s->sample.native == NATIVE_TOLD)
		s->sample.native = NATIVE_UNKNOWN;
	task->owed = 0;
}

/* Tells the time on a CPU that no sample stands for yet, by the stack that was just walked. */
static __always_inline void tell_run(struct task *task, struct scratch *s, __u64 weight, __u64 now, int full)
{
	s->sample.state = ON_CPU;
	s->sample.weight = weight;
	s->sample.at_ns = now;
	report(task, &s->sample, full);
}

SEC("perf_event")
int on_cpu(struct bpf_perf_event_data *ctx)
{
	__u64 now = bpf_ktime_get_ns(), key = bpf_get_current_task();
	struct settings *set = settings();
	/* The first tick says that a whole period was spent on a CPU. */
	__u64 since = set ? now - set->period_ns : now;
	struct task *task = current_task(key, since, now);
	struct registers registers;
	struct scratch *s;
	struct php *php;
	__u64 weight;
	__u32 pid;
	int full = 0;

	s = scratch();
	if (!task || !set || !s || is_over(set, now))
		return 0;
	if (s->returns) {
		s->ticked = 1;
		return 0;
	}
	if (task->refreshed != set->refreshes) {
		/* User space may have found out that it has JIT code. */
		task->refreshed = set->refreshes;
		pid = task->pid;
		php = bpf_map_lookup_elem(&TARGETS, &pid);
		if (php && (php->flags & JIT))
			task->php.flags |= JIT;
	}
	registers = interrupted(ctx, s, &task->php);
	if (task->off_at_ns) {
		/* The timer was faster than `back`. While the kernel has not let go of it, its stack is what it was. */
		if (set->has_return && is_in_kernel(ctx))
			end_wait(task, set, now);
		else
			end_unseen_wait(task, set, now);
	} else {
		task->ran_ns += elapsed(set, task->on_at_ns ? task->on_at_ns : since, now);
	}
	task->on_at_ns = now;
	weight = take_periods(&task->ran_ns, set);
	if (!weight && !task->owed)
		return 0;
	s = walk(task, (__u32)bpf_get_current_pid_tgid(), now, set->max_depth, registers, &full);
	if (!s)
		return 0;
	add_circumstances(task, s, &full);
	if (set->native && !full)
		add_native(ctx, s);
	if (task->owed)
		pay(task, s, set, full);
	if (weight)
		tell_run(task, s, weight, now, full);
	return 0;
}

/* Walks the current task's stack, which has entered the kernel. Anything that lies on the kernel's stack tells where that
 * is. */
static __always_inline struct scratch *walk_from_kernel(void *on_stack, struct task *task, const struct settings *set,
							enum where otherwise, __u64 now, int *full)
{
	struct scratch *s = scratch();

	if (!s)
		return 0;
	s->in_kernel = 1;
	/* By way of the map, an address becomes a number to the verifier. */
	*(volatile __u64 *)&s->stack = (__u64)on_stack;
	return walk(task, (__u32)bpf_get_current_pid_tgid(), now, set->max_depth,
		    saved_registers(s, &task->php, otherwise), full);
}

/* Whether the wait that begins fills a period, and gives a sample, if it is as long as the last one. */
static __always_inline int will_show(const struct task *task, const struct settings *set)
{
	return task->waited_ns + task->last_wait_ns >= set->period_ns;
}

/* Leaves the CPU. Its stack cannot change until it is back, and its memory is cheaper to read now: it is walked now if it will
 * most likely be asked for, or else when that turns out. Who could go on may stand anywhere, which only its registers
 * tell, and is walked now. */
static __always_inline void leave(void *ctx, const struct settings *set, __u64 key, __u8 state, __u64 now)
{
	struct task *task = current_task(key, now, now);
	struct scratch *s;
	__u64 depth;
	int full = 0;

	if (!task || is_over(set, now))
		return;
	end_unseen_wait(task, set, now);
	if (set->has_return && state == BLOCKED && (set->native || !will_show(task, set))) {
		task->sample.kind = 0;
	} else {
		s = walk_from_kernel(ctx, task, set, state == RUNNABLE ? PREEMPTED : IN_KERNEL, now, &full);
		if (!s)
			return;
		add_circumstances(task, s, &full);
		depth = s->sample.depth;
		if (depth > MAX_FRAMES)
			return;
		s->sample.state = state;
		if (state == BLOCKED)
			add_call(set);
		/* Until it ends, span says that the names did not fit the ring, so that the wait is counted as lost. */
		s->sample.span = full;
		bpf_probe_read_kernel(&task->sample, HEADER_AND(depth), &s->sample);
	}
	if (task->on_at_ns)
		task->ran_ns += elapsed(set, task->on_at_ns, now);
	task->on_at_ns = 0;
	task->off_at_ns = now;
}

/* Is back on a CPU. */
static __always_inline void arrive(struct task *task, const struct settings *set, __u64 now)
{
	end_wait(task, set, now);
	task->on_at_ns = now;
}

/* Whether a process was attached whose task may not have been seen yet. */
static __always_inline int is_awaited(const struct settings *set, __u32 pid)
{
	return set->awaited[pid / 64 & (AWAITED / 64 - 1)] >> (pid & 63) & 1;
}

/* A raw tracepoint and not a BTF one: it needs no BTF on the user's machine. (preempt, prev, next, prev_state) */
SEC("raw_tp/sched_switch")
int sched_switch(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 now = bpf_ktime_get_ns(), prev = ctx->args[1], next = ctx->args[2];
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	struct settings *set = settings();
	struct scratch *s = scratch();
	struct task *task;
	__u8 state;

	if (!set || !s)
		return 0;
	if ((s->seat.task != prev || s->seat.is_watched || is_awaited(set, pid)) && prev == bpf_get_current_task()) {
		state = is_runnable(s, ctx, set, prev) ? RUNNABLE : BLOCKED;
		leave(ctx, set, prev, state, now);
	}
	s->seat.next = next;
	s->seat.next_at_ns = now;
	if (set->has_return)
		return 0;
	if (pid == 0)
		s->seat.swapper = prev;
	s->seat.task = next;
	task = next == s->seat.swapper ? 0 : bpf_map_lookup_elem(&TASKS, &next);
	s->seat.is_watched = task != 0;
	if (task)
		arrive(task, set, now);
	return 0;
}

/* (is_switch): the end of every switch, in the context of the task that came and before it does anything of its own. Other
 * than at the switch itself its memory is the current one, and interrupts are on. */
SEC("raw_tp/sched_exit_tp")
int back(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 now, weight, key = bpf_get_current_task();
	struct scratch *s = scratch();
	struct settings *set = settings();
	struct task *task = 0;
	int full = 0;

	if (!s || !set || !ctx->args[0])
		return 0;
	if (bpf_get_current_pid_tgid() != 0)
		task = bpf_map_lookup_elem(&TASKS, &key);
	s->seat.task = key;
	s->seat.is_watched = task != 0;
	if (!task)
		return 0;
	/* A tick that comes meanwhile finds the same stack, and must not walk it in the same scratch. */
	*(volatile __u32 *)&s->returns = 1;
	now = s->seat.next == key ? s->seat.next_at_ns : bpf_ktime_get_ns();
	arrive(task, set, now);
	if (task->owed && walk_from_kernel(ctx, task, set, owed_state(task) == RUNNABLE ? PREEMPTED : IN_KERNEL, now, &full)) {
		add_circumstances(task, s, &full);
		if (set->native && !full)
			add_native(ctx, s);
		pay(task, s, set, full);
		if (*(volatile __u32 *)&s->ticked) {
			now = bpf_ktime_get_ns();
			task->ran_ns += elapsed(set, task->on_at_ns, now);
			task->on_at_ns = now;
			weight = take_periods(&task->ran_ns, set);
			if (weight && !is_over(set, now))
				tell_run(task, s, weight, now, full);
		}
	}
	s->ticked = 0;
	*(volatile __u32 *)&s->returns = 0;
	return 0;
}
