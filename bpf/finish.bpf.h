// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// A command's record, from its first moment to the last: the same however the begin and
// the end of a command are seen.
#pragma once

#include "bpf/kinds.bpf.h"
#include "bpf/send.bpf.h"

/* Makes a thread's record that of a command that begins. */
static __always_inline void reset(struct dbt_command_event *event, dbt_u64 session, dbt_u64 ids)
{
	event->session = session;
	event->flags = DBT_ACTIVE;
	event->tgid = ids >> 32;
	event->tid = (dbt_u32)ids;
	event->database_size = 0;
	event->text_size = 0;
	event->text_length = 0;
	event->kind = 0;
	event->id = 0;
	event->parent_id = 0;
	event->children_ns = 0;
	event->depth = 0;
	event->statements = 0;
}

/* A command that somebody asked for has ended. */
static __always_inline void tell(const struct dbt_plan *plan, struct ledger *ledger,
				 struct dbt_command_event *event, dbt_u8 rule)
{
	read_results(plan, event, rule);
	/* Texts of servers that report follow other rules than the scan of kinds.bpf.h. */
	if (!kinds_wanted || plan->report.running || !count_by_kind(ledger, event))
		send(ledger, event);
}

/* Whether user space wants to see a command. */
static __always_inline bool is_wanted(const struct dbt_command_event *event, dbt_u8 rule)
{
	return rule & DBT_COMMAND_SEND ||
	       (rule & DBT_COMMAND_STEP && event->flags & DBT_HAS_ERROR && event->error);
}

/* The command that the current thread is in has ended at `now`, or a bit later. */
static __always_inline void finish(const struct dbt_plan *plan, struct thread_state *state, dbt_u64 now)
{
	struct ledger *ledger = ledgers_wanted() ? own_ledger() : NULL;
	struct dbt_command_event *event = &state->event;
	dbt_u8 rule = plan->commands[event->command];

	now = end_budget(ledger, now);
	event->duration_ns = now - event->start_ns;
	count(DBT_COUNT_FINISHED);
	if (waits_wanted && is_wanted(event, rule) && plan->is_summed[event->command])
		count(DBT_COUNT_SUMMED);
	if (!is_wanted(event, rule))
		count(DBT_COUNT_HIDDEN);
	else if (event->duration_ns < slower_than_ns || !is_of_interest())
		count(DBT_COUNT_FAST);
	else if (only_connection && event->connection_id != only_connection)
		count(DBT_COUNT_OTHER_CONNECTION);
	else
		tell(plan, ledger, event, rule);
	if (event->flags & DBT_HAS_TAIL || max_text > DBT_TEXT_INLINE) {
		struct session_key key = {.session = event->session, .tgid = event->tgid};

		bpf_map_delete_elem(&tails, &key);
	}
}
