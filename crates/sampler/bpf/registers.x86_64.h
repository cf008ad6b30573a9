/* x86-64: GCC's builds of PHP keep execute_data in r14 and opline in r15. */
#pragma once
#include <linux/bpf_perf_event.h>
#include <linux/ptrace.h>

#define THREAD_SIZE 16384ull
#define USER_CS 0x33
#define USER_SS 0x2b
#define FRED_PADDING 16

/* 0 if they are not found. */
static __always_inline const struct pt_regs *entered_with(struct scratch *s)
{
	__u64 top = (s->stack & ~(THREAD_SIZE - 1)) + THREAD_SIZE;
	struct pt_regs *regs = (struct pt_regs *)s->saved;

	_Static_assert(sizeof(*regs) <= sizeof(s->saved), "all registers have room");
	for (int padding = 0; padding <= FRED_PADDING; padding += FRED_PADDING) {
		if (bpf_probe_read_kernel(regs, sizeof(*regs), (void *)(top - padding - sizeof(*regs))))
			return 0;
		if ((regs->cs & 0xffff) == USER_CS && (regs->ss & 0xffff) == USER_SS)
			return regs;
	}
	return 0;
}

static __always_inline struct registers saved_registers(struct scratch *s, const struct php *php, enum where otherwise)
{
	struct registers none = { .where = otherwise };
	const struct pt_regs *regs = entered_with(s);

	if (!regs)
		return none;
	return interpret(php, regs->rip, regs->r14, regs->r15, regs->rsp, regs->rbp, 0);
}

static __always_inline int saved_call(struct scratch *s, struct call *call)
{
	const struct pt_regs *regs = entered_with(s);

	if (!regs)
		return 0;
	call->number = regs->orig_rax;
	call->first = regs->rdi;
	call->second = regs->rsi;
	return 1;
}

static __always_inline int is_poll(__s64 number)
{
	return number == 7 || number == 271;
}

static __always_inline int is_in_kernel(const struct bpf_perf_event_data *ctx)
{
	return !(ctx->regs.cs & 3);
}

static __always_inline struct registers interrupted(struct bpf_perf_event_data *ctx, struct scratch *s,
						    const struct php *php)
{
	s->in_kernel = is_in_kernel(ctx);
	if (!s->in_kernel)
		return interpret(php, ctx->regs.rip, ctx->regs.r14, ctx->regs.r15, ctx->regs.rsp, ctx->regs.rbp, 0);
	s->stack = ctx->regs.rsp;
	return saved_registers(s, php, IN_KERNEL);
}
