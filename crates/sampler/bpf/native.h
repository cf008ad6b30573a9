/* What user space unwinds the frames of C from: registers, the stack, and where the kernel was. */
#pragma once
#include "maps.h"
#include "periods.h"

/* Reads do not cross a page, so that all of it is read where a stack ends. */
#define STACK_PIECE 1024

struct native {
	struct native_header header;
	__u8 stack[STACK_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct native);
} NATIVE SEC(".maps");

/* Copies the stack of user space from `sp` on; returns how much of it there is. */
static __always_inline __u64 copy_stack(struct native *native, __u64 sp)
{
	__u64 length = STACK_PIECE - (sp & (STACK_PIECE - 1));

	if (bpf_probe_read_user(native->stack, length, (void *)sp))
		return 0;
	for (int i = 1; i < STACK_MAX / STACK_PIECE; i++) {
		if (length > STACK_MAX - STACK_PIECE || bpf_probe_read_user(native->stack + length, STACK_PIECE, (void *)(sp + length)))
			break;
		length += STACK_PIECE;
	}
	return length;
}

/* Tells what the sample in the scratch is about to be joined with. In the interpreter itself there is nothing, unless C has
 * entered it more than once: PHP's frame says it all. */
static __always_inline void add_native(void *ctx, struct scratch *s)
{
	__u32 zero = 0;
	struct native *native = bpf_map_lookup_elem(&NATIVE, &zero);
	int is_alone = s->where == IN_VM && s->entries < 2;
	long size = 0;
	__u64 length, how;

	if (!native || s->sample.depth == 0 || !s->sp)
		return;
	if (is_alone && !s->in_kernel) {
		s->sample.native = NATIVE_IN_VM;
		return;
	}
	native->header.kind = NATIVE_RECORD;
	native->header.pad = 0;
	native->header.pid = s->sample.pid;
	native->header.tid = s->sample.tid;
	native->header.ip = s->pc;
	native->header.sp = s->sp;
	native->header.fp = s->bp;
	native->header.lr = s->lr;
	if (s->in_kernel)
		size = bpf_get_stack(ctx, native->header.kernel, sizeof(native->header.kernel), 0);
	native->header.kernel_depth = size > 0 ? size / 8 : 0;
	/* Asked before: of what the compiler puts aside meanwhile, older verifiers forget the bound. */
	how = wake_up(0, 1);
	length = is_alone ? 0 : copy_stack(native, s->sp);
	native->header.stack_len = length;
	/* The verifier wants the bound in sight. */
	length &= STACK_MAX * 2 - 1;
	if (length > STACK_MAX || bpf_ringbuf_output(&RING, native, sizeof(native->header) + length, how))
		return;
	s->sample.native = NATIVE_TOLD;
}
