// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// The query log: what a server's command dispatcher is asked to do, seen at its
// entry and its return.
//
// A command's record is built in place in the storage of the thread that runs
// it and leaves over the ring buffer when the command ends, so a fast command
// that nobody asked for costs no ring traffic. The record belongs to the
// *session*, though: when the thread takes up another session's command in the
// middle of one (nested dispatch), or the server puts a command aside to go on
// with it later (suspended commit), the record is parked under its session.
//
// Everything specific to a server (argument positions, member offsets, which
// commands carry text) is data in a dbt_plan.
#include "bpf/adopt.bpf.h"
#include "bpf/async_io.bpf.h"
#include "bpf/budget.bpf.h"
#include "bpf/file_io.bpf.h"
#include "bpf/finish.bpf.h"
#include "bpf/report_statements.bpf.h"
#include "bpf/running.bpf.h"
#include "bpf/scheduler.bpf.h"
#include "bpf/send.bpf.h"
#include "bpf/server_wait.bpf.h"
#include "bpf/statements.bpf.h"
#include "bpf/text.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* ---- parking ---- */

static __always_inline bool park(struct thread_state *state, dbt_u32 cause)
{
	struct session_key key = {.session = state->event.session, .tgid = state->event.tgid};

	if (bpf_map_update_elem(&parked, &key, &state->event, BPF_ANY))
		return false;
	__sync_fetch_and_add(&parked_commands, 1);
	park_budget(&state->event, cause);
	return true;
}

/* Puts the parked command of a session back on the current thread. */
static __always_inline bool unpark(struct thread_state *state, dbt_u64 session, dbt_u32 tgid)
{
	struct session_key key = {.session = session, .tgid = tgid};
	struct dbt_command_event *event;

	if (!parked_commands)
		return false;
	event = bpf_map_lookup_elem(&parked, &key);
	if (!event)
		return false;
	bpf_probe_read_kernel(&state->event, sizeof(state->event), event);
	bpf_map_delete_elem(&parked, &key);
	__sync_fetch_and_sub(&parked_commands, 1);
	unpark_budget(&state->event);
	return true;
}

/* ---- the probes ----
 *
 * Section names give the attach type of uprobe_multi; user space takes it back
 * for kernels that have only perf events. */

/* At the entry of the server's dispatch function. */
SEC("uprobe.multi")
int command_begin(struct pt_regs *ctx)
{
	dbt_u64 ids = current_ids();
	const struct dbt_plan *plan = current_plan(ctx, ids);
	struct dbt_command_event *event;
	struct thread_state *state;
	dbt_u32 database_size = 0;
	dbt_u64 session;
	dbt_u8 rule;

	if (!plan || !tracing)
		return 0;
	state = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), NULL,
				     BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!state) {
		count(DBT_COUNT_LOST_NO_STATE);
		return 0;
	}
	event = &state->event;
	session = argument(ctx, plan->session_argument);

	if (event->flags & DBT_ACTIVE) {
		dbt_u32 nesting = state->nesting;

		if (state->untold || (event->session != session &&
				      (nesting >= NESTING_MAX || !park(state, DBT_CAUSE_OTHER)))) {
			/* Its end is waited for, lest it be taken for another's. */
			state->untold++;
			count(DBT_COUNT_STARTED);
			count(DBT_COUNT_LOST_NO_STATE);
			return 0;
		}
		if (event->session == session) {
			/* The command before never returned: it is gone. */
			count(DBT_COUNT_LOST_ORPHAN);
		} else if (nesting < NESTING_MAX) {
			state->outer[nesting] = event->session;
			state->nesting = nesting + 1;
		}
		event->flags = 0;
	}
	if (plan->suspends && unpark(state, session, ids >> 32)) {
		event->tid = (dbt_u32)ids;
		return 0;
	}

	reset(event, session, ids);
	event->command = (dbt_u8)argument(ctx, plan->command_argument);
	if (statements_wanted) {
		event->id = new_id();
		if (!state->nesting)
			forget_statements();
	}
	rule = plan->commands[event->command];
	event->start_ns = ledgers_wanted() && rule & DBT_COMMAND_SEND ?
				  begin_budget((dbt_u16)bpf_get_attach_cookie(ctx), PT_REGS_SP(ctx),
					       plan->is_summed[event->command]) :
				  bpf_ktime_get_ns();
	count(DBT_COUNT_STARTED);

	if (!(rule & DBT_COMMAND_SEND))
		return 0;
	event->header.kind = DBT_EVENT_COMMAND;
	event->header.plan = (dbt_u16)bpf_get_attach_cookie(ctx);
	event->connection_id = 0;
	if (read_number(session, &plan->connection_id, &event->connection_id))
		event->flags |= DBT_HAS_CONNECTION;
	if (read_name(session, &plan->database, event->data, DBT_NAME_MAX, &database_size)) {
		event->database_size = database_size;
		event->flags |= DBT_HAS_DATABASE;
	}
	copy_packet_text(ctx, plan, rule & DBT_COMMAND_TEXT, event);
	announce(plan, event, &state->announced);
	barrier();
	event->flags |= DBT_COMPLETE;
	return 0;
}

static __always_inline void copy_statement_text(const struct dbt_plan *plan,
						struct dbt_command_event *event, dbt_u64 object,
						const struct dbt_path *path)
{
	dbt_u64 address = member_address(object, path);
	struct text_pair pair = {};

	if (!address || (plan->commands[event->command] & DBT_COMMAND_TEXT) != DBT_TEXT_STATEMENT)
		return;
	if (bpf_probe_read_user(&pair, sizeof(pair), (void *)address)) {
		event->flags = (event->flags & ~(DBT_HAS_TEXT | DBT_HAS_TAIL)) | DBT_TEXT_UNREADABLE;
		event->text_size = 0;
		count(DBT_COUNT_UNREADABLE_TEXT);
	} else if (pair.text) {
		copy_text(event, pair.text, pair.length > 0xffffffff ? 0xffffffff : pair.length);
	}
}

/* The command that the current thread is in, if user space wants to see it. */
static __always_inline struct dbt_command_event *wanted_command(const struct dbt_plan *plan)
{
	struct thread_state *state =
		bpf_task_storage_get(&threads, bpf_get_current_task_btf(), NULL, 0);

	if (!state || !(state->event.flags & DBT_ACTIVE) ||
	    !(plan->commands[state->event.command] & DBT_COMMAND_SEND))
		return NULL;
	return &state->event;
}

/* Where the server begins to execute a prepared statement; argument 0 is it. */
SEC("uprobe.multi")
int execution_begin(struct pt_regs *ctx)
{
	const struct dbt_plan *plan = current_plan(ctx, current_ids());
	struct dbt_command_event *event = plan ? wanted_command(plan) : NULL;

	/* The command's own statement is the first, and executes others in turn. */
	if (event && !(event->flags & (DBT_HAS_TEXT | DBT_TEXT_UNREADABLE)))
		copy_statement_text(plan, event, PT_REGS_PARM1(ctx), &plan->statement_text);
	return 0;
}

/* Where a command is done, but the server has not yet forgotten what it did;
 * argument 0 is the session. */
SEC("uprobe.multi")
int command_complete(struct pt_regs *ctx)
{
	const struct dbt_plan *plan = current_plan(ctx, current_ids());
	struct dbt_command_event *event = plan ? wanted_command(plan) : NULL;

	if (!event || event->session != PT_REGS_PARM1(ctx))
		return 0;
	if (plan->commands[event->command] & DBT_COMMAND_ROWS &&
	    read_number(event->session, &plan->rows_examined, &event->rows_examined))
		event->flags |= DBT_HAS_ROWS_EXAMINED;
	/* The command's own statement is the last, after those that it executed. */
	copy_statement_text(plan, event, event->session, &plan->query_text);
	return 0;
}

/* At the return of the dispatch function. */
SEC("uretprobe.multi")
int command_end(struct pt_regs *ctx)
{
	dbt_u64 now = bpf_ktime_get_ns();
	dbt_u64 ids = current_ids();
	const struct dbt_plan *plan = current_plan(ctx, ids);
	struct dbt_command_event *event;
	struct thread_state *state;
	dbt_u32 nesting;
	dbt_u8 rule;

	if (!plan)
		return 0;
	state = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), NULL, 0);
	if (!state) { /* began before `tracing`, or was counted as lost there */
		adopted_command_ends();
		return 0;
	}
	if (!(state->event.flags & DBT_ACTIVE)) {
		adopted_command_ends();
		if (tracing)
			count(DBT_COUNT_LOST_ORPHAN);
		return 0;
	}
	if (state->untold) {
		state->untold--;
		return 0;
	}
	nesting = state->nesting;
	event = &state->event;
	rule = plan->commands[event->command];

	if (plan->suspends && (dbt_u32)PT_REGS_RC(ctx) == plan->suspended_result) {
		if (!park(state, DBT_CAUSE_GROUP_COMMIT))
			count(DBT_COUNT_LOST_NO_STATE);
	} else {
		finish(plan, state, now);
		if (rule & DBT_COMMAND_NEW_USER)
			forget_announced(state);
	}
	event->flags = 0;

	if (nesting) {
		state->nesting = --nesting;
		opaque(nesting); /* so that the check stays, which kernels before 6.6 need */
		if (nesting < NESTING_MAX)
			unpark(state, state->outer[nesting], ids >> 32);
	}
	return 0;
}
