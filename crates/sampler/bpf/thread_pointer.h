/* A question to the kernel, asked once before a recording of threads. */
#pragma once
#include "maps.h"

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
