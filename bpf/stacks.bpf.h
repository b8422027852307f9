// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// The stacks of threads in commands that turn out to be slow: while they run, by a timer
// on each core; when they lose their core to wait; and, for waits that began before the
// command was slow, when user space looks (stacks_in_waits).
//
// Neither frame pointers nor unwind tables are followed here: the registers and a copy of
// the stack leave the kernel, and user space does the rest. They have a ring of their own,
// so that they never take the room of a command.
#pragma once

#include "bpf/ledger.bpf.h"
#include "bpf/stack_event.h"

/* Set by user space before loading. */
const volatile bool stacks_wanted = false;
const volatile dbt_u64 stacks_slow_ns = 0; /* from this age on a command is slow */
const volatile dbt_u64 stacks_early_ns = 0; /* the timers take stacks from this age on */
const volatile dbt_u32 stacks_per_second = 0; /* at most */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* user space makes it larger when stacks are wanted */
} stack_ring SEC(".maps");

/* A page of x86-64; of larger ones a part. A read that reaches into memory that is not
 * there fails whole, so none crosses such a border. */
#define STACK_PAGE 4096

#define STACK_HEAD __builtin_offsetof(struct dbt_stack_event, data)

/* ---- how many ---- */

static dbt_u64 stack_second; /* the second that is counted in */
static dbt_u64 stacks_in_second;

/* Whether one more stack may be taken in this second. */
static __always_inline bool may_take_stack(dbt_u64 now)
{
	dbt_u64 second = now >> 30;

	if (stack_second != second) {
		stack_second = second;
		stacks_in_second = 0;
	}
	if (__sync_fetch_and_add(&stacks_in_second, 1) < stacks_per_second)
		return true;
	count(DBT_COUNT_STACKS_LIMITED);
	return false;
}

/* ---- what a stack consists of ---- */

struct return_instance {
	unsigned long stack;
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
} __attribute__((preserve_access_index));

struct uprobe;

struct uprobe_task {
	unsigned long vaddr;
	struct uprobe *active_uprobe;
	unsigned long xol_vaddr;
	struct return_instance *return_instances;
} __attribute__((preserve_access_index));

struct task_struct___uprobes {
	struct uprobe_task *utask;
} __attribute__((preserve_access_index));

/* x86-64's longest instruction has 15 bytes, and its copy some more behind it. */
#define COPIED_INSTRUCTION_MAX 64

/* Puts right what probes change in what a thread shows: an instruction that is being
 * stepped over lies elsewhere, and return addresses are those of the kernel's trampoline. */
static __always_inline void undo_probes(struct task_struct *task, struct dbt_stack_event *event)
{
	struct uprobe_task *probes = BPF_CORE_READ((struct task_struct___uprobes *)task, utask);
	struct return_instance *instance;
	dbt_u32 pending = 0;

	event->pending_returns = 0;
	if (!probes)
		return;
	if (BPF_CORE_READ(probes, active_uprobe)) {
		struct pt_regs *regs = (struct pt_regs *)event->registers;
		dbt_u64 passed = PT_REGS_IP(regs) - BPF_CORE_READ(probes, xol_vaddr);

		if (passed < COPIED_INSTRUCTION_MAX)
			PT_REGS_IP(regs) = BPF_CORE_READ(probes, vaddr) + passed;
	}
	instance = BPF_CORE_READ(probes, return_instances);
	for (int i = 0; i < DBT_PENDING_RETURNS_MAX && instance; i++) {
		event->returns[i].stack = BPF_CORE_READ(instance, stack);
		event->returns[i].address = BPF_CORE_READ(instance, orig_ret_vaddr);
		instance = BPF_CORE_READ(instance, next);
		pending = i + 1;
	}
	event->pending_returns = pending;
}

/* All of a stack but its memory. `since`: when the wait began; 0: it runs. */
static __always_inline void describe_stack(struct dbt_stack_event *event, struct task_struct *task,
					   struct ledger *ledger, dbt_u32 cause, dbt_u64 since,
					   dbt_u64 now)
{
	event->header.kind = DBT_EVENT_STACK;
	event->header.plan = ledger->plan;
	event->command_start_ns = ledger->command.begun_ns;
	event->time_ns = now;
	event->wait_since_ns = since;
	event->tgid = ledger->ids >> 32;
	event->tid = (dbt_u32)ledger->ids;
	event->cause = cause;
	event->stack_size = 0;
	event->kernel_frames = 0;
	event->pad = 0;
	bpf_probe_read_kernel(event->registers, sizeof(struct pt_regs), (void *)bpf_task_pt_regs(task));
	undo_probes(task, event);
}

/* Copies the current thread's stack: all that `most` bytes hold of it. */
static __always_inline void copy_stack(struct dbt_stack_event *event, dbt_u64 most)
{
	dbt_u64 from = PT_REGS_SP((struct pt_regs *)event->registers);
	dbt_u64 size = STACK_PAGE - (from & (STACK_PAGE - 1)), at = 0;

	for (dbt_u64 page = 0; page < DBT_STACK_BYTES_MAX / STACK_PAGE; page++) {
		opaque(size);
		opaque(at);
		if (!size || size > STACK_PAGE || at > most - STACK_PAGE)
			break;
		if (bpf_probe_read_user(event->data + at, size, (void *)from))
			break;
		at += size;
		from += size;
		size = STACK_PAGE;
	}
	event->stack_size = at;
}

/* Takes a stack of the current thread, with room for `most` bytes, which is a constant.
 * Another core may wake the thread meanwhile: the end of its wait comes after the stack, and
 * is told from the moment on that there is room for that. */
static __always_inline void take_stack_of(void *context, struct ledger *ledger, dbt_u32 cause,
					  dbt_u64 since, dbt_u64 now, dbt_u64 most)
{
	struct dbt_stack_event *event = bpf_ringbuf_reserve(&stack_ring, STACK_HEAD + most, 0);
	long kernel;

	if (!event) {
		count(DBT_COUNT_STACKS_LOST);
		return;
	}
	if (since)
		ledger->stack_taken_ns = since;
	event->header.size = STACK_HEAD + most;
	describe_stack(event, bpf_get_current_task_btf(), ledger, cause, since, now);
	kernel = bpf_get_stack(context, event->kernel, sizeof(event->kernel), 0);
	if (kernel > 0)
		event->kernel_frames = kernel / sizeof(event->kernel[0]);
	copy_stack(event, most);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

/* From a command's begin to the start of its thread there are some functions: about what
 * they have on the stack. */
#define STACK_BASE 3072

/* Takes a stack of the current thread. Room is reserved for what the command has put on
 * the stack so far: a thread that its pool gave another stack gets the most. */
static __always_inline void take_stack(void *context, struct ledger *ledger, dbt_u32 cause, dbt_u64 since,
				       dbt_u64 now)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	dbt_u64 from = 0, needed;

	bpf_probe_read_kernel(&from, sizeof(from), &PT_REGS_SP(regs));
	needed = ledger->stack_at_begin - from + STACK_BASE + STACK_PAGE;
	if (needed <= 8192)
		take_stack_of(context, ledger, cause, since, now, 8192);
	else if (needed <= 16384)
		take_stack_of(context, ledger, cause, since, now, 16384);
	else
		take_stack_of(context, ledger, cause, since, now, DBT_STACK_BYTES_MAX);
}

/* ---- when ---- */

/* A thread has lost its core at this moment, and blocks. */
static __always_inline void stack_at_wait(void *context, struct ledger *ledger, dbt_u64 now)
{
	dbt_u64 begun = ledger->command.begun_ns;

	if (!stacks_wanted || shed & DBT_SHED_STACKS || !begun || now - begun < stacks_slow_ns || !may_take_stack(now))
		return;
	take_stack(context, ledger, ledger->cause, now, now);
}

/* A wait is over: says so if its stack was taken. */
static __always_inline void stack_wait_ends(struct ledger *ledger, dbt_u64 since, dbt_u64 now)
{
	struct dbt_wait_event event = {
		.header = {.size = sizeof(event), .kind = DBT_EVENT_WAIT, .plan = ledger->plan},
		.command_start_ns = ledger->command.begun_ns,
		.wait_since_ns = since,
		.end_ns = now,
		.tgid = ledger->ids >> 32,
		.tid = (dbt_u32)ledger->ids,
	};

	if (!stacks_wanted || ledger->stack_taken_ns != since)
		return;
	ledger->stack_taken_ns = 0;
	if (bpf_ringbuf_output(&stack_ring, &event, sizeof(event), BPF_RB_NO_WAKEUP))
		count(DBT_COUNT_STACKS_LOST);
}

/* A timer on each core. */
SEC("perf_event")
int stack_on_core(void *context)
{
	struct ledger *ledger = own_ledger();
	dbt_u64 begun, now;

	if (!ledger)
		return 0;
	begun = ledger->command.begun_ns;
	now = bpf_ktime_get_ns();
	if (begun && now - begun >= stacks_early_ns && may_take_stack(now))
		take_stack(context, ledger, DBT_CAUSE_ON_CPU, 0, now);
	return 0;
}

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, dbt_u32);
	__type(value, struct dbt_stack_event);
} described_stack SEC(".maps");

/* For each thread that waits, in a command of some age, and whose stack was not taken when
 * the wait began: all of its stack but the memory. User space reads that at once. */
SEC("iter/task")
int stacks_in_waits(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct ledger *ledger = task ? bpf_task_storage_get(&ledgers, task, NULL, 0) : NULL;
	dbt_u64 begun, since, now;
	struct dbt_stack_event *event;
	dbt_u32 zero = 0;
	long kernel;

	if (!ledger || ledger->state != LEDGER_BLOCKED)
		return 0;
	begun = ledger->command.begun_ns;
	since = ledger->since;
	now = bpf_ktime_get_ns();
	if (!begun || ledger->stack_taken_ns == since || now - begun < stacks_early_ns || !may_take_stack(now))
		return 0;
	event = bpf_map_lookup_elem(&described_stack, &zero);
	if (!event)
		return 0;
	describe_stack(event, task, ledger, ledger->cause, since, now);
	kernel = bpf_get_task_stack(task, event->kernel, sizeof(event->kernel), 0);
	if (kernel > 0)
		event->kernel_frames = kernel / sizeof(event->kernel[0]);
	event->header.size = STACK_HEAD;
	/* From here on the end of the wait is told. If it has ended meanwhile, this is not
	 * its stack. */
	ledger->stack_taken_ns = since;
	barrier();
	if (ledger->since != since)
		return 0;
	bpf_seq_write(ctx->meta->seq, event, STACK_HEAD);
	return 0;
}
