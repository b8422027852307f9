// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// A command's budget, from its begin to its end. It goes with the command: when that is
// parked, the budget is parked, too.
#pragma once

#include "bpf/ledger.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, struct session_key);
	__type(value, struct command_budget);
} parked_budgets SEC(".maps");

static __always_inline bool ledgers_wanted(void)
{
	return (budget_wanted || waits_wanted || operations_wanted) && !(shed & DBT_SHED_TIME);
}

static __always_inline bool sees_files(void)
{
	return files_wanted && !(shed & DBT_SHED_FILES);
}

/* What there is to tell of a new command: nothing. */
static __always_inline void clear_budget(struct ledger *ledger)
{
	__builtin_memset(&ledger->command.budget, 0, __builtin_offsetof(struct dbt_budget_event, files));
	ledger->command.blocker.waited_ns = 0;
	ledger->command.waits.others_ns = 0;
	ledger->command.waits.count = 0;
	ledger->command.has_sent_operations = false;
	ledger->server_wait = 0;
}

static __always_inline void read_switches(dbt_u64 *voluntary, dbt_u64 *involuntary)
{
	struct task_struct *self = bpf_get_current_task_btf();

	*voluntary = BPF_CORE_READ(self, nvcsw);
	*involuntary = BPF_CORE_READ(self, nivcsw);
}

/* Begins the budget of a command, with the stack pointer `stack`, and returns when that was.
 * `is_summed`: as the plan says of such commands. */
static __always_inline dbt_u64 begin_budget(dbt_u16 plan, dbt_u64 stack, bool is_summed)
{
	struct ledger *ledger = open_ledger();
	dbt_u64 now;

	if (!ledger)
		return bpf_ktime_get_ns();
	clear_budget(ledger);
	ledger->plan = plan;
	ledger->stack_at_begin = stack;
	ledger->command.is_summed = is_summed;
	read_switches(&ledger->voluntary, &ledger->involuntary);
	now = snapshot(ledger, ledger->begin_ns);
	barrier();
	ledger->command.begun_ns = now;
	return now;
}

/* Adds to the budget what the thread has spent since the command was taken up. */
static __always_inline dbt_u64 settle_budget(struct ledger *ledger)
{
	dbt_u64 voluntary, involuntary, ns[DBT_CAUSES], now;

	now = snapshot(ledger, ns);
	for (int i = 0; i < DBT_CAUSES; i++)
		ledger->command.budget.ns[i] += ns[i] - ledger->begin_ns[i];
	read_switches(&voluntary, &involuntary);
	ledger->command.budget.voluntary += voluntary - ledger->voluntary;
	ledger->command.budget.involuntary += involuntary - ledger->involuntary;
	sum_up(ledger, DBT_CAUSE_ON_CPU, now);
	return now;
}

static __always_inline void park_budget(const struct dbt_command_event *command, dbt_u32 cause)
{
	struct session_key key = {.session = command->session, .tgid = command->tgid};
	struct ledger *ledger = ledgers_wanted() ? own_ledger() : NULL;

	if (!ledger || !ledger->command.begun_ns)
		return;
	ledger->command.parked_since = settle_budget(ledger);
	ledger->command.parked_cause = cause;
	bpf_map_update_elem(&parked_budgets, &key, &ledger->command, BPF_ANY);
	ledger->command.begun_ns = 0;
}

/* Goes on with the budget of a command that the current thread takes up again. */
static __always_inline void unpark_budget(const struct dbt_command_event *command)
{
	struct session_key key = {.session = command->session, .tgid = command->tgid};
	struct ledger *ledger = ledgers_wanted() ? open_ledger() : NULL;
	struct command_budget *parked;
	dbt_u64 now, begun_ns, cause;

	if (!ledger)
		return;
	ledger->command.begun_ns = 0;
	parked = bpf_map_lookup_elem(&parked_budgets, &key);
	if (!parked)
		return;
	begun_ns = parked->begun_ns;
	parked->begun_ns = 0; /* the scheduler's programs have to leave it alone meanwhile */
	bpf_probe_read_kernel(&ledger->command, sizeof(ledger->command), parked);
	bpf_map_delete_elem(&parked_budgets, &key);
	ledger->server_wait = 0;
	ledger->stack_at_begin = 0; /* not known */
	read_switches(&ledger->voluntary, &ledger->involuntary);
	now = snapshot(ledger, ledger->begin_ns);
	cause = ledger->command.parked_cause;
	opaque(cause);
	if (cause < DBT_CAUSES)
		ledger->command.budget.ns[cause] += now - ledger->command.parked_since;
	barrier();
	ledger->command.begun_ns = begun_ns;
}

/* Ends the budget of the command and returns when that was; `now` without a budget. */
static __always_inline dbt_u64 end_budget(struct ledger *ledger, dbt_u64 now)
{
	if (!ledger || !ledger->command.begun_ns)
		return now;
	now = settle_budget(ledger);
	ledger->command.begun_ns = 0;
	return now;
}

/* Whether the command that has just ended did anything that it is asked for. It may be of
 * interest for its operations' sake only. */
static __always_inline bool is_of_interest(void)
{
	struct ledger *ledger = only_with_operations ? own_ledger() : NULL;

	return !only_with_operations || (ledger && ledger->command.has_sent_operations);
}

/* Puts what belongs to a command on the ring before it: `size` bytes, at most `most`. */
static __always_inline bool output_before(struct dbt_event_header *event, dbt_u64 size, dbt_u64 most,
					  enum dbt_event_kind kind, const struct dbt_command_event *command)
{
	opaque(size);
	if (size > most)
		size = most;
	event->size = size;
	event->kind = kind;
	event->plan = command->header.plan;
	if (!bpf_ringbuf_output(&ring, event, size, BPF_RB_NO_WAKEUP))
		return true;
	count(DBT_COUNT_BUDGETS_LOST);
	return false;
}

/* Sends the budget that has just ended; its command follows. */
static __always_inline void send_budget(struct ledger *ledger, struct dbt_command_event *command)
{
	struct dbt_blocker_event *blocker;
	struct dbt_named_waits_event *waits;
	struct dbt_budget_event *budget;

	if (!budget_wanted || !ledger)
		return;
	blocker = &ledger->command.blocker;
	if (blocker->waited_ns) {
		blocker->start_ns = command->start_ns;
		blocker->tid = command->tid;
		output_before(&blocker->header,
			      __builtin_offsetof(struct dbt_blocker_event, text) + blocker->text_size,
			      sizeof(*blocker), DBT_EVENT_BLOCKER, command);
	}
	waits = &ledger->command.waits;
	if (waits->count) {
		waits->start_ns = command->start_ns;
		waits->tid = command->tid;
		output_before(&waits->header,
			      __builtin_offsetof(struct dbt_named_waits_event, waits) +
				      waits->count * sizeof(struct dbt_named_wait),
			      sizeof(*waits), DBT_EVENT_NAMED_WAITS, command);
	}
	budget = &ledger->command.budget;
	budget->start_ns = command->start_ns;
	budget->tid = command->tid;
	budget->sees_files = sees_files();
	if (output_before(&budget->header,
			  __builtin_offsetof(struct dbt_budget_event, files) +
				  budget->file_count * sizeof(struct dbt_file_io),
			  sizeof(*budget), DBT_EVENT_BUDGET, command))
		command->flags |= DBT_HAS_BUDGET;
}
