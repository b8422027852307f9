// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// What a thread has spent its time with, and the command that it spends it for.
//
// The scheduler's programs (scheduler.bpf.h) write `ns`: sums since the ledger was
// opened. A command's share is the difference between its end and its begin, so
// its causes add up to its duration exactly.
#pragma once

#include "bpf/budget_event.h"
#include "bpf/log_linear.h"
#include "bpf/state.bpf.h"
#include "bpf/task.bpf.h"
#include "bpf/wait_events.bpf.h"

/* Set by user space before loading. */
const volatile bool budget_wanted = false; /* each command's budget is sent */
const volatile bool waits_wanted = false; /* all commands' time is summed up by cause */
const volatile bool operations_wanted = false; /* each operation on a file is sent… */
const volatile dbt_u64 operations_slower_than_ns = 0; /* …that takes at least this long */
const volatile bool only_with_operations = false; /* no other commands are sent */

const volatile bool files_wanted = false; /* operations on files are seen */

/* What was wanted, but is not any more: DBT_SHED_*. User space changes it at any time, and
 * takes away the programs that are of no use then. */
volatile dbt_u32 shed = 0;

/* DBT_CALL_* by the number of the system call. */
const volatile dbt_u16 system_calls[DBT_SYSTEM_CALLS_MAX] = {};

enum ledger_state {
	LEDGER_ON_CPU,
	LEDGER_RUNNABLE,
	LEDGER_BLOCKED,
};

/* A file operation that a thread is in. */
struct operation {
	dbt_u64 start_ns; /* 0: none */
	dbt_u64 offset;
	dbt_u64 voluntary; /* the thread's switches when it began */
	dbt_u32 file;
	dbt_u32 kind; /* enum dbt_file_operation */
};

/* What goes with a command when it is parked. */
struct command_budget {
	dbt_u64 begun_ns; /* 0: there is no command */
	dbt_u64 parked_since;
	dbt_u64 parked_cause; /* what the time is spent with that it is parked */
	bool has_sent_operations; /* user space wants to know whose they are */
	bool is_summed; /* its time belongs into the sums by cause */
	struct dbt_budget_event budget;
	struct dbt_blocker_event blocker; /* waited_ns 0: none so far */
	struct dbt_named_waits_event waits;
};

struct ledger {
	dbt_u64 ns[DBT_CAUSES];
	dbt_u64 since; /* when it got into this state */
	dbt_u64 run_delay, ran; /* the kernel's own counts when it lost its core */
	dbt_u32 changes; /* of the above, so that a reader sees whether it read them in one piece */
	dbt_u8 state; /* enum ledger_state */
	dbt_u8 cause; /* of LEDGER_BLOCKED */
	dbt_u8 server_wait; /* enum dbt_cause, as the server says; 0: it does not */
	dbt_u8 pad;
	dbt_u16 plan; /* of the command that was the last */
	dbt_u64 ids; /* whose it is: current_ids() */
	dbt_u64 image; /* of a server that shows what it waits for (report.bpf.h); its plan says where */
	bool shows_waits;
	dbt_u32 wait_event; /* that it shows, of LEDGER_BLOCKED in a command; 0: none */
	struct operation operation;
	dbt_u64 stack_taken_ns; /* the wait that began then has told its stack (stacks.bpf.h) */

	/* The command at hand. */
	dbt_u64 stack_at_begin; /* the stack pointer when it began; 0: not known */
	dbt_u64 begin_ns[DBT_CAUSES]; /* `ns` when it began, or was taken up again */
	dbt_u64 summed_until; /* what it has spent is in cause_sums up to here */
	dbt_u64 voluntary, involuntary; /* the thread's switches at that moment */
	struct command_budget command;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct ledger);
} ledgers SEC(".maps");

/* What all commands together have spent, by cause. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DBT_CAUSES);
	__type(key, dbt_u32);
	__type(value, dbt_u64);
} cause_sums SEC(".maps");

/* The number of waits, by cause and length: cause * DBT_LOG_LINEAR_BUCKETS + bucket.
 * User space makes it as large as that when somebody wants to know. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, dbt_u32);
	__type(value, dbt_u64);
} wait_lengths SEC(".maps");

static __always_inline bool is_blocked(dbt_u32 cause)
{
	return cause > DBT_CAUSE_RUN_QUEUE;
}

/* Adds what the command at hand has spent since the last time that this was done. User
 * space lets it be done between changes of state, too (waits_in_progress). */
static __always_inline void sum_up(struct ledger *ledger, dbt_u32 cause, dbt_u64 now)
{
	dbt_u64 begun = ledger->command.begun_ns, from;
	dbt_u64 *sum;

	if (!waits_wanted || !begun || !ledger->command.is_summed || shed & DBT_SHED_TIME)
		return;
	from = __sync_lock_test_and_set(&ledger->summed_until, now);
	if (from < begun)
		from = begun;
	sum = bpf_map_lookup_elem(&cause_sums, &cause);
	if (!sum || from >= now)
		return;
	__sync_fetch_and_add(sum, now - from);
	if (is_blocked(cause) && ledger->wait_event)
		add_to_event(ledger->plan, ledger->wait_event, now - from, 0);
}

/* A wait is over. */
static __always_inline void note_length(const struct ledger *ledger, dbt_u32 cause, dbt_u64 length)
{
	dbt_u32 key;
	dbt_u64 *waits;

	if (!waits_wanted || !ledger->command.begun_ns || !ledger->command.is_summed ||
	    cause == DBT_CAUSE_ON_CPU || shed & DBT_SHED_TIME)
		return;
	key = cause * DBT_LOG_LINEAR_BUCKETS + dbt_log_linear_bucket(length);
	waits = bpf_map_lookup_elem(&wait_lengths, &key);
	if (waits)
		__sync_fetch_and_add(waits, 1);
	if (is_blocked(cause) && ledger->wait_event)
		add_to_event(ledger->plan, ledger->wait_event, 0, 1);
}

static __always_inline struct ledger *own_ledger(void)
{
	return bpf_task_storage_get(&ledgers, bpf_get_current_task_btf(), NULL, 0);
}

/* The current thread's ledger, which is opened if there is none. */
static __always_inline struct ledger *open_ledger(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct ledger *ledger = bpf_task_storage_get(&ledgers, task, NULL, 0);

	if (ledger)
		return ledger;
	ledger = bpf_task_storage_get(&ledgers, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (ledger) {
		ledger->ids = current_ids();
		ledger->since = bpf_ktime_get_ns();
	}
	return ledger;
}

static __always_inline dbt_u64 run_delay_of(struct task_struct *task)
{
	return bpf_core_field_exists(task->sched_info.run_delay) ? task->sched_info.run_delay : 0;
}

static __always_inline void add_to_cause(struct ledger *ledger, dbt_u32 cause, dbt_u64 ns, dbt_u64 until)
{
	if (cause >= DBT_CAUSES || !ns)
		return;
	__sync_fetch_and_add(&ledger->ns[cause], ns);
	if (budget_wanted && is_blocked(cause) && ledger->wait_event)
		add_named_wait(&ledger->command.waits, ledger->wait_event, ns);
	sum_up(ledger, cause, until);
	note_length(ledger, cause, ns);
}

static __always_inline void stack_wait_ends(struct ledger *ledger, dbt_u64 since, dbt_u64 now); /* stacks.bpf.h */

/* For a thread that runs. That it was woken, or got its core, may have gone untold: kernels
 * before 6.2 find no ledger in the rare moment that a task storage is in use on the same
 * core, and some tell nothing of what happens while certain threads of the machine's own
 * are on it. Then the kernel's counts say how long it waited for a core and how long it
 * has been on it; the rest is the wait before. */
static __always_inline void catch_up(struct ledger *ledger, struct task_struct *task, dbt_u64 now)
{
	dbt_u64 since = ledger->since, passed = now - since, blocked = 0, queued, ran;
	dbt_u32 cause = ledger->cause;

	if (ledger->state == LEDGER_ON_CPU)
		return;
	queued = run_delay_of(task) - ledger->run_delay;
	if (queued > passed)
		queued = passed;
	if (ledger->state == LEDGER_BLOCKED) {
		ran = task->se.sum_exec_runtime - ledger->ran;
		blocked = passed - queued;
		blocked -= ran < blocked ? ran : blocked;
	}
	/* Unless it has lost its core and got it again in this moment. */
	if (__sync_val_compare_and_swap(&ledger->since, since, since + blocked + queued) != since)
		return;
	if (ledger->state == LEDGER_BLOCKED)
		stack_wait_ends(ledger, since, since + blocked);
	ledger->state = LEDGER_ON_CPU;
	opaque(cause);
	add_to_cause(ledger, cause, blocked, since + blocked);
	add_to_cause(ledger, DBT_CAUSE_RUN_QUEUE, queued, since + blocked + queued);
}

#define SNAPSHOT_TRIES 4

/* The current thread's sums up to now. The thread may lose its core while it reads
 * them: then it reads them again. */
static __always_inline dbt_u64 snapshot(struct ledger *ledger, dbt_u64 ns[DBT_CAUSES])
{
	dbt_u64 now = 0;

	catch_up(ledger, bpf_get_current_task_btf(), bpf_ktime_get_ns());
	for (int tries = 0; tries < SNAPSHOT_TRIES; tries++) {
		dbt_u32 changes = *(volatile dbt_u32 *)&ledger->changes;

		barrier();
		now = bpf_ktime_get_ns();
		bpf_probe_read_kernel(ns, sizeof(ledger->ns), ledger->ns);
		ns[DBT_CAUSE_ON_CPU] += now - ledger->since;
		barrier();
		if (changes == *(volatile dbt_u32 *)&ledger->changes)
			break;
	}
	return now;
}
