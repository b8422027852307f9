// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// The scheduler tells when a thread gets a core, loses it and is woken. Threads
// without a ledger are of no interest; to know that is all that they cost.
#pragma once

#include "bpf/ledger.bpf.h"
#include "bpf/server_wait.bpf.h"
#include "bpf/stacks.bpf.h"

#define TASK_WAKING 0x200 /* include/linux/sched.h: somebody is waking it at this moment */

/* What a thread blocks for: its system call says it, or the server if it knows better. */
static __always_inline dbt_u8 cause_of_block(struct task_struct *task, const struct ledger *ledger)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	unsigned long number = system_call_of(regs);
	dbt_u16 call;
	dbt_u8 cause;

	if (number >= DBT_SYSTEM_CALLS_MAX) /* a page fault; of a mapped file, if it waits for a device */
		return BPF_CORE_READ_BITFIELD_PROBED(task, in_iowait) ? DBT_CAUSE_FILE_READ :
									DBT_CAUSE_OTHER;
	call = system_calls[number];
	cause = call & DBT_CALL_CAUSE;
	if (call & DBT_CALL_BY_FILE) {
		struct file *file = open_file(task, first_argument(regs));
		unsigned short type = file ? type_of(file) : 0;

		if (type == SOCKET)
			return DBT_CAUSE_NETWORK;
		return type == REGULAR_FILE || type == BLOCK_DEVICE ? cause : DBT_CAUSE_OTHER;
	}
	if (call & DBT_CALL_SERVER_KNOWS) {
		dbt_u8 known = ledger->wait_event ? cause_of_event(ledger) : ledger->server_wait;

		if (known)
			return known;
	}
	return cause ? cause : DBT_CAUSE_OTHER;
}

/* What a thread spends its time with at this moment. */
static __always_inline dbt_u32 cause_now(const struct ledger *ledger)
{
	return ledger->state == LEDGER_ON_CPU	? DBT_CAUSE_ON_CPU :
	       ledger->state == LEDGER_RUNNABLE ? DBT_CAUSE_RUN_QUEUE :
						  ledger->cause;
}

/* Only the thread's own core and whoever wakes it write to its ledger, one after the other. */
static __always_inline void enter(struct ledger *ledger, dbt_u32 cause_before, dbt_u8 state, dbt_u64 now)
{
	dbt_u64 since = ledger->since;

	opaque(cause_before);
	add_to_cause(ledger, cause_before, now - since, now);
	ledger->since = now;
	ledger->state = state;
	ledger->changes++;
}

static __always_inline void lose_core(void *context, struct ledger *ledger, struct task_struct *task,
				      bool preempted, dbt_u64 now)
{
	unsigned int state = preempted ? 0 : task->__state;

	catch_up(ledger, task, now);
	ledger->run_delay = run_delay_of(task);
	ledger->ran = task->se.sum_exec_runtime;
	if (!state || state == TASK_WAKING) {
		enter(ledger, DBT_CAUSE_ON_CPU, LEDGER_RUNNABLE, now);
		return;
	}
	ledger->wait_event = shown_event(ledger);
	ledger->cause = cause_of_block(task, ledger);
	enter(ledger, DBT_CAUSE_ON_CPU, LEDGER_BLOCKED, now);
	stack_at_wait(context, ledger, now);
}

static __always_inline void get_core(struct ledger *ledger, dbt_u64 now)
{
	if (ledger->state == LEDGER_BLOCKED)
		stack_wait_ends(ledger, ledger->since, now);
	enter(ledger, cause_now(ledger), LEDGER_ON_CPU, now);
}

SEC("tp_btf/sched_switch")
int core_changes_hands(dbt_u64 *arguments)
{
	struct task_struct *previous = (void *)arguments[1], *next = (void *)arguments[2];
	struct ledger *loser = bpf_task_storage_get(&ledgers, previous, NULL, 0);
	struct ledger *winner = bpf_task_storage_get(&ledgers, next, NULL, 0);

	if (loser)
		lose_core(arguments, loser, previous, arguments[0], bpf_ktime_get_ns());
	if (winner)
		get_core(winner, bpf_ktime_get_ns());
	return 0;
}

static __always_inline bool is_lock(dbt_u8 cause)
{
	return cause == DBT_CAUSE_LOCK || cause >= DBT_CAUSE_ROW_LOCK;
}

/* Notes the current thread as the one that ended a wait of another, with what it is
 * at work on. */
static __always_inline void note_blocker(struct dbt_blocker_event *blocker)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct thread_state *state = bpf_task_storage_get(&threads, self, NULL, 0);
	dbt_u64 ids = current_ids();
	dbt_u32 size, flags;

	blocker->blocker_tgid = ids >> 32;
	blocker->blocker_tid = (dbt_u32)ids;
	bpf_get_current_comm(blocker->thread, sizeof(blocker->thread));
	blocker->blocker_start_ns = 0;
	blocker->has_connection = 0;
	blocker->has_text = 0;
	blocker->text_size = 0;
	blocker->is_idle = 0;
	if (!state)
		return;
	flags = state->event.flags;
	blocker->blocker_start_ns = state->event.start_ns;
	if (!flags && state->idle_since) { /* its transaction ends with its process */
		blocker->is_idle = 1;
		blocker->blocker_start_ns = state->idle_since;
		flags = state->idle_flags | DBT_COMPLETE;
	}
	if (!(flags & DBT_COMPLETE)) {
		blocker->blocker_start_ns = 0;
		return;
	}
	blocker->connection_id = state->event.connection_id;
	blocker->has_connection = !!(flags & DBT_HAS_CONNECTION);
	if (!(flags & DBT_HAS_TEXT))
		return;
	size = state->event.text_size;
	if (size > DBT_BLOCKER_TEXT_MAX)
		size = DBT_BLOCKER_TEXT_MAX;
	if (bpf_probe_read_kernel(blocker->text, size, state->event.data + state->event.database_size))
		return;
	blocker->has_text = 1;
	blocker->text_size = size;
	blocker->text_length = state->event.text_length;
}

/* Whether the current thread wakes others because it wants to. A timer's interrupt wakes
 * them, too, in the middle of whatever thread it meets. */
static __always_inline bool wakes_on_purpose(void)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	unsigned long number = system_call_of(regs);

	return number < DBT_SYSTEM_CALLS_MAX && system_calls[number] & DBT_CALL_WAKES;
}

SEC("tp_btf/sched_waking")
int thread_is_woken(dbt_u64 *arguments)
{
	struct task_struct *task = (void *)arguments[0];
	struct ledger *ledger = bpf_task_storage_get(&ledgers, task, NULL, 0);
	dbt_u64 now, waited;

	if (!ledger || ledger->state != LEDGER_BLOCKED)
		return 0;
	now = bpf_ktime_get_ns();
	waited = now - ledger->since;
	if (budget_wanted && ledger->command.begun_ns && is_lock(ledger->cause) &&
	    waited > ledger->command.blocker.waited_ns && wakes_on_purpose()) {
		ledger->command.blocker.waited_ns = waited;
		ledger->command.blocker.cause = ledger->cause;
		note_blocker(&ledger->command.blocker);
	}
	stack_wait_ends(ledger, ledger->since, now);
	enter(ledger, ledger->cause, LEDGER_RUNNABLE, now);
	return 0;
}

/* For each thread that is in a command: a dbt_spending. Brings the sums up to this
 * moment, which waits that last would otherwise enter only when they end. */
SEC("iter/task")
int waits_in_progress(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct ledger *ledger = task ? bpf_task_storage_get(&ledgers, task, NULL, 0) : NULL;
	struct dbt_spending now = {};

	if (!ledger || !ledger->command.begun_ns || !ledger->command.is_summed)
		return 0;
	now.cause = cause_now(ledger);
	now.plan = ledger->plan;
	now.event = is_blocked(now.cause) ? ledger->wait_event : 0;
	sum_up(ledger, now.cause, bpf_ktime_get_ns());
	bpf_seq_write(ctx->meta->seq, &now, sizeof(now));
	return 0;
}
