/* The time of a task: how it becomes periods, and they samples or counts. */
#pragma once
#include "maps.h"

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
	task->last_wait_ns = now > left_at ? now - left_at : 0;
	if (task->sample.weight) {
		/* The frames of C are taken when it is back, with all others once more. */
		if (task->sample.kind && !(set->native && set->has_return))
			report(task, &task->sample, full);
		else
			task->owed = task->sample.weight;
	}
	/* Only now, so that user space can tell whether all is told. */
	task->off_at_ns = 0;
}

/* The same of a task that came back unseen (docs/decisions/kernel-source.md). What its stack was is not known if it was not
 * kept. */
static __always_inline void end_unseen_wait(struct task *task, const struct settings *set, __u64 now)
{
	end_wait(task, set, now);
	task->unreadable += task->owed;
	task->owed = 0;
}
