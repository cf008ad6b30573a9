/* The kernel source: walks the stack of PHP where it was interrupted, and where it left the CPU. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "maps.h"
#include "registers.h"
#include "walk.h"
#include "request.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";
#ifdef COMPILER
/* So that a check knows whether its clang can give the same bytes. */
const char MADE_BY[] SEC("compiler") = COMPILER;
#endif

#define HEADER_AND(depth) (sizeof(struct sample_header) + (depth) * sizeof(struct frame))

/* phperf itself may be late to end the recording on a machine that is short of CPUs; the account is not. */
static __always_inline int is_over(const struct settings *set, __u64 now)
{
	return set->until_ns && now >= set->until_ns;
}

/* The time from `at` to now, as far as it counts: targets are attached one after the other, and counted from one
 * moment on. */
static __always_inline __u64 elapsed(const struct settings *set, __u64 at, __u64 now)
{
	if (at < set->from_ns)
		at = set->from_ns;
	return now > at ? now - at : 0;
}

/* Makes the entry of a task from what is known of its process. */
static __always_inline struct task *admit(__u64 key, const struct php *php, __u64 since)
{
	struct scratch *s = scratch();
	struct settings *set = settings();
	struct counts *count = counts();

	if (!s || !set || !count || !set->period_ns)
		return 0;
	/* The frames of the blank entry are never read: its depth is 0. */
	s->blank.php = *php;
	s->blank.since_ns = php->flags & PHP ? since : 0;
	s->blank.on_at_ns = s->blank.off_at_ns = 0;
	/* Ticks come as early as late: half a period keeps each of them to its own period. */
	s->blank.ran_ns = set->period_ns / 2;
	/* A random phase, so that waits of one length are not met in one rhythm. */
	s->blank.waited_ns = bpf_get_prandom_u32() % set->period_ns;
	s->blank.idle = s->blank.lost = s->blank.unreadable = 0;
	s->blank.pid = s->blank.tid = 0;
	s->blank.born = 0;
	s->blank.refreshed = 0;
	s->blank.emitted = s->blank.owed = s->blank.shown = 0;
	s->blank.request = 0;
	__builtin_memset(&s->blank.sample, 0, sizeof(s->blank.sample));
	if (bpf_map_update_elem(&TASKS, &key, &s->blank, BPF_ANY)) {
		__sync_fetch_and_add(&count->unwatched, 1);
		return 0;
	}
	return bpf_map_lookup_elem(&TASKS, &key);
}

static __always_inline long tell(struct task *task, __u8 event, __u64 now)
{
	struct task_header record = {
		.kind = TASK,
		.event = event,
		.pid = task->pid,
		.tid = task->tid,
		.at_ns = now,
		.since_ns = task->since_ns,
		.idle = task->idle,
		.lost = task->lost,
		.unreadable = task->unreadable,
	};

	return emit(&record, sizeof(record), 1, 0);
}

/* The entry of the current task, if it is to be watched. Where it is new, it was seen since `since`. */
static __always_inline struct task *current_task(__u64 key, __u64 since, __u64 now)
{
	__u64 both = bpf_get_current_pid_tgid();
	__u32 pid = both >> 32, tid = both;
	struct task *task = bpf_map_lookup_elem(&TASKS, &key);
	struct scratch *s;
	struct counts *count;
	struct php *php;
	__u32 flags;

	if (!task) {
		php = bpf_map_lookup_elem(&TARGETS, &pid);
		/* PHP without threads runs in the main thread alone. */
		if (!php || (tid != pid && !(php->flags & THREADS)))
			return 0;
		task = admit(key, php, since);
		s = scratch();
		count = counts();
		if (!task || !s || !count)
			return 0;
		__sync_fetch_and_add(&count->admitted, 1);
		s->seat.task = key;
		s->seat.is_watched = 1;
	}
	if (task->php.flags & ENDED)
		return 0;
	if (task->pid == 0) {
		if (tid == pid ? task->php.flags & ONLY_THREADS : !(task->php.flags & THREADS)) {
			bpf_map_delete_elem(&TASKS, &key);
			return 0;
		}
		task->pid = pid;
		task->tid = tid;
	}
	if ((task->php.flags & THREADS) && !(task->born & TOLD)) {
		/* Most threads of a server have nothing to do with PHP, or not from the start. */
		if (!thread_globals(&task->php)) {
			task->born |= BARE;
			task->on_at_ns = 0;
			return 0;
		}
		/* It is a target since it came to this CPU, if that was seen, and not since it was made. */
		if (task->born & BARE) {
			if (!task->on_at_ns)
				task->on_at_ns = now;
			task->since_ns = task->on_at_ns;
		}
	}
	if (!(task->born & TOLD)) {
		if (tell(task, BORN, now))
			return 0; /* told at the next occasion */
		task->born |= TOLD;
	}
	if (!(task->php.flags & PHP)) {
		/* It was a shell or the like; user space tells when it has become PHP. */
		php = bpf_map_lookup_elem(&TARGETS, &pid);
		if (!php || !(php->flags & PHP))
			return 0;
		task->php = *php;
		task->since_ns = task->on_at_ns = now;
		/* The time until now is not watched. Untold, it counts as missed. */
		tell(task, IS_PHP, now);
	}
	if (!(task->php.flags & OBSERVE)) {
		/* A worker of FPM has the title of its master at first; user space tells when it has its own. */
		php = bpf_map_lookup_elem(&TARGETS, &pid);
		if (php && (php->flags & OBSERVE)) {
			task->since_ns = task->on_at_ns = now;
			if (tell(task, BORN, now))
				return 0;
			task->php.flags |= OBSERVE;
		}
	}
	flags = task->php.flags;
	if (!(flags & OBSERVE)) {
		/* Keeps the compiler from turning the choice into arithmetic on a pointer. */
		asm volatile("");
		return 0;
	}
	return task;
}

/* The periods that `time` makes up; the rest of it stays for the next time. */
static __always_inline __u64 take_periods(__u64 *time, const struct settings *set)
{
	__u64 periods = set->period_ns ? *time / set->period_ns : 0;

	*time -= periods * set->period_ns;
	return periods;
}

/* Writes a sample, or counts what became of its periods. Frames lie behind the header. */
static __always_inline void report(struct task *task, struct sample_header *sample, int full)
{
	__u64 depth = sample->depth;

	if (full) {
		task->lost += sample->weight;
	} else if (depth == 0) {
		if (sample->flags & UNREADABLE)
			task->unreadable += sample->weight;
		else
			task->idle += sample->weight;
	} else if (depth <= MAX_FRAMES) {
		if (emit(sample, HEADER_AND(depth), 0, !(task->emitted++ & 15)))
			task->lost += sample->weight;
	}
}

/* For how long a wait lasted: user space knows by that what was seen while it did. */
static __always_inline void tell_span(struct sample_header *sample, __u64 left_at, __u64 now)
{
	__u64 units = now > left_at ? (now - left_at) >> 10 : 0;

	sample->flags |= WAITED;
	sample->span = units > 0xffffffff ? 0xffffffff : units;
}

/* One record for all the periods that passed since it left the CPU, or the debt of one. */
static __always_inline void end_wait(struct task *task, const struct settings *set, __u64 now)
{
	__u64 left_at = task->off_at_ns;
	int full = task->sample.span;

	if (!left_at)
		return;
	tell_span(&task->sample, left_at, now);
	if (is_over(set, now))
		now = set->until_ns;
	task->waited_ns += elapsed(set, left_at, now);
	task->sample.weight = take_periods(&task->waited_ns, set);
	task->sample.at_ns = now;
	task->shown -= task->shown / (ALL_SHOWN / SHOWN);
	if (task->sample.weight) {
		task->shown += SHOWN;
		if (task->sample.kind)
			report(task, &task->sample, full);
		else
			task->owed = task->sample.weight;
	}
	/* Only now, so that user space can tell whether all is told. */
	task->off_at_ns = 0;
}

/* The same of a task that came back unseen: not every switch is told (docs/decisions/kernel-source.md). What its stack was
 * is not known if it was not kept. */
static __always_inline void end_unseen_wait(struct task *task, const struct settings *set, __u64 now)
{
	end_wait(task, set, now);
	task->unreadable += task->owed;
	task->owed = 0;
}

SEC("perf_event")
int on_cpu(struct bpf_perf_event_data *ctx)
{
	__u64 now = bpf_ktime_get_ns(), key = bpf_get_current_task();
	struct settings *set = settings();
	/* The first tick says that a whole period was spent on a CPU. */
	__u64 since = set ? now - set->period_ns : now;
	struct task *task = current_task(key, since, now);
	struct scratch *s;
	struct php *php;
	__u64 weight;
	__u32 pid;
	int full = 0;

	s = scratch();
	if (!task || !set || !s || is_over(set, now))
		return 0;
	if (s->walks) {
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
	if (task->off_at_ns) {
		end_unseen_wait(task, set, now);
	} else {
		task->ran_ns += elapsed(set, task->on_at_ns ? task->on_at_ns : since, now);
	}
	task->on_at_ns = now;
	weight = take_periods(&task->ran_ns, set);
	if (!weight)
		return 0;
	s = walk(task, (__u32)bpf_get_current_pid_tgid(), now, set->max_depth, interrupted(ctx, s, &task->php), &full);
	if (!s)
		return 0;
	add_circumstances(task, s, &full);
	s->sample.weight = weight;
	report(task, &s->sample, full);
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
	/* By way of the map, an address becomes a number to the verifier. */
	*(volatile __u64 *)&s->stack = (__u64)on_stack;
	return walk(task, (__u32)bpf_get_current_pid_tgid(), now, set->max_depth,
		    saved_registers(s, &task->php, otherwise), full);
}

/* Leaves the CPU. Its stack cannot change until it is back: where few waits are long enough to show, it is walked then. Who
 * was preempted may stand anywhere, which only its registers tell, and is walked now. */
static __always_inline void leave(void *ctx, __u64 key, __u8 state, int preempted, __u64 now)
{
	struct task *task = current_task(key, now, now);
	struct settings *set = settings();
	struct scratch *s;
	__u64 depth;
	int full = 0;

	if (!task || !set || is_over(set, now))
		return;
	end_unseen_wait(task, set, now);
	if (set->has_return && state == BLOCKED && task->shown < SHOWN_OFTEN) {
		task->sample.kind = 0;
	} else {
		s = walk_from_kernel(ctx, task, set, preempted ? PREEMPTED : IN_KERNEL, now, &full);
		if (!s)
			return;
		add_circumstances(task, s, &full);
		depth = s->sample.depth;
		if (depth > MAX_FRAMES)
			return;
		s->sample.state = state;
		/* Until it ends, span says that the names did not fit the ring, so that the wait is counted as lost. */
		s->sample.span = full;
		bpf_probe_read_kernel(&task->sample, HEADER_AND(depth), &s->sample);
	}
	if (task->on_at_ns)
		task->ran_ns += elapsed(set, task->on_at_ns, now);
	task->on_at_ns = 0;
	task->off_at_ns = now;
}

/* Is back on a CPU. Returns whether it is watched. */
static __always_inline int arrive(struct seat *seat, __u64 key, __u64 now)
{
	struct task *task = bpf_map_lookup_elem(&TASKS, &key);
	struct settings *set = settings();

	if (!task || !set)
		return 0;
	end_wait(task, set, now);
	seat->owes = task->owed != 0;
	task->on_at_ns = now;
	return 1;
}

/* The fourth argument of sched_switch, read as memory: before Linux 5.18 there are three, and a program that names another
 * one is not attached. By way of the map, an address becomes a number to the verifier. */
static __always_inline __u64 prev_state(struct scratch *s, const struct bpf_raw_tracepoint_args *ctx)
{
	__u64 state = ~0ull;

	*(volatile __u64 *)&s->stack = (__u64)&ctx->args[3];
	bpf_probe_read_kernel(&state, sizeof(state), (void *)s->stack);
	return state;
}

/* A raw tracepoint and not a BTF one: it needs no BTF on the user's machine. (preempt, prev, next, prev_state) */
SEC("raw_tp/sched_switch")
int sched_switch(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 now = bpf_ktime_get_ns(), prev = ctx->args[1], next = ctx->args[2];
	struct settings *set = settings();
	struct counts *count = counts();
	struct scratch *s = scratch();
	__u8 state = BLOCKED;

	if (!set || !count || !s)
		return 0;
	if (s->seat.task != prev || s->seat.is_watched || set->attached != count->admitted) {
		if (bpf_get_current_pid_tgid() == 0)
			s->seat.swapper = prev;
		if (ctx->args[0] || (set->has_prev_state && prev_state(s, ctx) == 0))
			state = RUNNABLE;
		if (prev == bpf_get_current_task())
			leave(ctx, prev, state, ctx->args[0] != 0, now);
	}
	s->seat.task = next;
	s->seat.is_watched = next != s->seat.swapper && arrive(&s->seat, next, now);
	return 0;
}

/* (is_switch): the end of every switch, in the context of the task that came and before it does anything of its own. Other
 * than at the switch itself its memory is the current one, and interrupts are on. */
SEC("raw_tp/sched_exit_tp")
int back(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 now, key = bpf_get_current_task();
	struct scratch *s = scratch();
	struct settings *set = settings();
	struct task *task;
	int full = 0;

	if (!s || !set)
		return 0;
	if (s->seat.task != key) {
		/* Not every switch is told. */
		s->seat.task = key;
		s->seat.is_watched = arrive(&s->seat, key, bpf_ktime_get_ns());
	}
	if (!s->seat.owes)
		return 0;
	s->seat.owes = 0;
	task = bpf_map_lookup_elem(&TASKS, &key);
	if (!task || !task->owed)
		return 0;
	now = bpf_ktime_get_ns();
	/* A tick that comes meanwhile finds the same stack, and must not walk it in the same scratch. */
	*(volatile __u32 *)&s->walks = 1;
	if (walk_from_kernel(ctx, task, set, IN_KERNEL, now, &full)) {
		add_circumstances(task, s, &full);
		s->sample.state = BLOCKED;
		s->sample.weight = task->owed;
		s->sample.at_ns = task->sample.at_ns;
		s->sample.flags |= WAITED;
		s->sample.span = task->sample.span;
		report(task, &s->sample, full);
		task->owed = 0;
		if (*(volatile __u32 *)&s->ticked) {
			s->ticked = 0;
			now = bpf_ktime_get_ns();
			task->ran_ns += elapsed(set, task->on_at_ns, now);
			task->on_at_ns = now;
			s->sample.state = ON_CPU;
			s->sample.weight = take_periods(&task->ran_ns, set);
			s->sample.at_ns = now;
			if (s->sample.weight && !is_over(set, now))
				report(task, &s->sample, full);
		}
	}
	*(volatile __u32 *)&s->walks = 0;
	return 0;
}

/* (parent, child): the child's pid cannot be told from here; its entry waits for its first appearance. */
SEC("raw_tp/sched_process_fork")
int sched_process_fork(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 now = bpf_ktime_get_ns(), key = ctx->args[0];
	struct task *parent, *child;
	struct php *target, php;
	__u32 pid = bpf_get_current_pid_tgid() >> 32;

	parent = bpf_map_lookup_elem(&TASKS, &key);
	if (parent) {
		php = parent->php;
	} else {
		target = bpf_map_lookup_elem(&TARGETS, &pid);
		if (!target)
			return 0;
		php = *target;
	}
	if (!(php.flags & (FOLLOW | THREADS)))
		return 0;
	if (!(php.flags & FOLLOW))
		php.flags |= ONLY_THREADS;
	php.flags |= OBSERVE;
	child = admit(ctx->args[1], &php, now);
	if (child && (php.flags & THREADS))
		child->born = BARE;
	return 0;
}

SEC("raw_tp/sched_process_exec")
int sched_process_exec(struct bpf_raw_tracepoint_args *ctx __attribute__((unused)))
{
	__u64 now = bpf_ktime_get_ns(), key = bpf_get_current_task();
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	struct task *task = current_task(key, now, now);
	struct php *target;

	task = bpf_map_lookup_elem(&TASKS, &key);
	if (!task || task->pid != pid)
		return 0;
	/* Nothing that was known of the old program holds for the new one. */
	task->php.flags &= ~PHP;
	task->born &= ~TOUCHED;
	task->request = 0;
	target = bpf_map_lookup_elem(&TARGETS, &pid);
	if (target)
		target->flags &= ~PHP;
	tell(task, EXEC, now);
	return 0;
}

SEC("raw_tp/sched_process_exit")
int sched_process_exit(struct bpf_raw_tracepoint_args *ctx __attribute__((unused)))
{
	__u64 now = bpf_ktime_get_ns(), key = bpf_get_current_task();
	__u64 both = bpf_get_current_pid_tgid();
	__u32 pid = both >> 32;
	struct settings *set = settings();
	struct task *task;

	/* What has not been seen before ends here as well. */
	current_task(key, now, now);
	task = bpf_map_lookup_elem(&TASKS, &key);
	if (!task || !set)
		return 0;
	end_unseen_wait(task, set, now);
	if ((__u32)both == pid)
		bpf_map_delete_elem(&TARGETS, &pid);
	if (task->pid)
		tell(task, EXIT, now);
	/* It may lose its CPU more than once before it is gone. Its process goes on: what is known of that would make it a
	 * new thread each time. */
	if ((__u32)both != pid)
		task->php.flags = ENDED;
	else
		bpf_map_delete_elem(&TASKS, &key);
	return 0;
}

/* (task): from here on its address may be that of another one. */
SEC("raw_tp/sched_process_free")
int sched_process_free(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 key = ctx->args[0];

	bpf_map_delete_elem(&TASKS, &key);
	return 0;
}

/* Where in a task_struct the thread pointer lies, without BTF: a thread of phperf that knows its own looks for it when it
 * ends, in what is there behind its task_struct's address. */
#define TASK_STRUCT_MAX 16384

SEC("raw_tp/sched_process_exit")
int find_thread_pointer(struct bpf_raw_tracepoint_args *ctx __attribute__((unused)))
{
	__u32 zero = 0;
	struct thread_pointer *asked = bpf_map_lookup_elem(&THREAD_POINTER, &zero);
	__u64 task = bpf_get_current_task(), word;

	if (!asked || !asked->value || asked->tid != (__u32)bpf_get_current_pid_tgid())
		return 0;
	for (__u32 at = 0; at < TASK_STRUCT_MAX; at += sizeof(word)) {
		if (bpf_probe_read_kernel(&word, sizeof(word), (void *)(task + at)))
			return 0;
		if (word == asked->value) {
			/* What lies behind may be what is left of another task_struct. */
			asked->place = at;
			return 0;
		}
	}
	return 0;
}
