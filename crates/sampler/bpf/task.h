/* Who is watched: the entry of a task, from its first appearance on. */
#pragma once
#include "walk.h"

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
	s->blank.emitted = s->blank.owed = 0;
	s->blank.last_wait_ns = 0;
	s->blank.request = s->blank.request_mark = 0;
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
	struct php *php;
	__u32 flags;

	if (!task) {
		php = bpf_map_lookup_elem(&TARGETS, &pid);
		/* PHP without threads runs in the main thread alone. */
		if (!php || (tid != pid && !(php->flags & THREADS)))
			return 0;
		task = admit(key, php, since);
		s = scratch();
		if (!task || !s)
			return 0;
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
