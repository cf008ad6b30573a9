/* aarch64: GCC's builds of PHP keep execute_data in x27 and opline in x28. */
#pragma once

/* As the kernel's headers for this machine have them, so that they need not be there where the object is compiled. */
struct user_pt_regs {
	__u64 regs[31];
	__u64 sp;
	__u64 pc;
	__u64 pstate;
};

struct bpf_perf_event_data {
	struct user_pt_regs regs;
	__u64 sample_period;
	__u64 addr;
};

/* With pages of 4 and of 16 KB. Where they have 64 KB, nothing is found, and `otherwise` holds. */
#define THREAD_SIZE 16384ull
#define USER_END (1ull << 52)

/* The kernel keeps more behind the registers of user space: 64 bytes up to Linux 6.16, then 48 or fewer. */
#define BEHIND_MAX 64
#define BEHIND_MIN 32

/* The last of the registers. */
struct tail {
	__u64 x27, x28, x29, x30;
	__u64 sp, pc, pstate;
};

/* 64-bit user code: its mode is 0, and the upper half of the word is. A stack pointer or an address in that place, when
 * this looks 16 bytes aside, has something there. */
static __always_inline int is_user(const struct tail *regs)
{
	return (regs->pstate & 0xffffffff0000001full) == 0 && regs->pc && regs->pc < USER_END && regs->sp &&
	       regs->sp < USER_END && (regs->pc & 3) == 0;
}

/* What the kernel keeps behind the registers of user space. */
struct behind {
	__u64 first;
	__s32 number;
};

/* The address at which they end on the kernel's stack; 0 if they are not found. */
static __always_inline __u64 entered_with(struct scratch *s)
{
	__u64 end, top = (s->stack & ~(THREAD_SIZE - 1)) + THREAD_SIZE;
	struct tail *regs = (struct tail *)s->saved;

	for (int behind = BEHIND_MAX; behind >= BEHIND_MIN; behind -= 16) {
		end = top - behind;
		if (bpf_probe_read_kernel(regs, sizeof(*regs), (void *)(end - sizeof(*regs))))
			return 0;
		if (is_user(regs))
			return end;
	}
	return 0;
}

static __always_inline struct registers saved_registers(struct scratch *s, const struct php *php, enum where otherwise)
{
	struct registers none = { .where = otherwise };
	const struct tail *regs = (const struct tail *)s->saved;

	if (!entered_with(s))
		return none;
	return interpret(php, regs->pc, regs->x27, regs->x28, regs->sp, regs->x29, regs->x30);
}

static __always_inline int saved_call(struct scratch *s, struct call *call)
{
	__u64 end = entered_with(s);
	struct behind behind;

	if (!end || bpf_probe_read_kernel(&behind, sizeof(behind), (void *)end) ||
	    bpf_probe_read_kernel(&call->second, sizeof(call->second), (void *)(end - sizeof(struct user_pt_regs) + 8)))
		return 0;
	call->number = behind.number;
	call->first = behind.first;
	return 1;
}

static __always_inline int is_poll(__s64 number)
{
	return number == 73;
}

/* The mode's exception level: 0 is user space. */
static __always_inline int is_in_kernel(const struct bpf_perf_event_data *ctx)
{
	return (ctx->regs.pstate & 0xf) != 0;
}

static __always_inline struct registers interrupted(struct bpf_perf_event_data *ctx, struct scratch *s,
						    const struct php *php)
{
	s->in_kernel = is_in_kernel(ctx);
	if (!s->in_kernel)
		return interpret(php, ctx->regs.pc, ctx->regs.regs[27], ctx->regs.regs[28], ctx->regs.sp,
				 ctx->regs.regs[29], ctx->regs.regs[30]);
	s->stack = ctx->regs.sp;
	return saved_registers(s, php, IN_KERNEL);
}
