/* Tasks that are born, replace their program, and end. */
#pragma once
#include "task.h"
#include "periods.h"

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
	task->request = task->request_mark = 0;
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
