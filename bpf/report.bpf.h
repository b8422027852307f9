// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// Servers that report what they are at: a function is called, at many places, whenever a
// session takes up something or is done. A session is a process.
//
// What the server is at follows from the place of the call, which the probe's cookie
// says; a record's `session` is the distance of the server's image in memory from where
// it was linked to, so that the paths of a plan can start at its variables.
#pragma once

#include "bpf/adopt.bpf.h"
#include "bpf/finish.bpf.h"
#include "bpf/statements.bpf.h"
#include "bpf/text.bpf.h"

/* Longer texts are told to be this long. */
#define REPORTED_TEXT_MAX (64 * DBT_TEXT_INLINE)

struct text_piece {
	dbt_u8 bytes[DBT_TEXT_INLINE];
};

/* For measuring texts. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, dbt_u32);
	__type(value, struct text_piece);
} text_pieces SEC(".maps");

/* The length of a text of at least `from` bytes. */
static __always_inline dbt_u32 length_of(dbt_u64 text, dbt_u32 from)
{
	dbt_u32 zero = 0;
	struct text_piece *piece = bpf_map_lookup_elem(&text_pieces, &zero);

	for (int i = 0; piece && i < REPORTED_TEXT_MAX / DBT_TEXT_INLINE; i++) {
		long got = bpf_probe_read_user_str(piece->bytes, sizeof(piece->bytes), (void *)(text + from));

		if (got <= 0)
			break;
		from += got - 1;
		if (got < (long)sizeof(piece->bytes))
			break;
	}
	return from;
}

/* Copies a text that ends at its NUL. */
static __always_inline void copy_reported_text(struct dbt_command_event *event, dbt_u64 text)
{
	dbt_u32 start = event->database_size, most = max_text;
	long got;

	event->flags &= ~(DBT_HAS_TEXT | DBT_TEXT_UNREADABLE | DBT_HAS_TAIL);
	event->text_size = 0;
	event->text_length = 0;
	if (!text || start > DBT_NAME_MAX)
		return;
	if (most > DBT_TEXT_INLINE)
		most = DBT_TEXT_INLINE;
	got = bpf_probe_read_user_str(event->data + start, most, (void *)text);
	if (got < 0) {
		event->flags |= DBT_TEXT_UNREADABLE;
		count(DBT_COUNT_UNREADABLE_TEXT);
	} else if (got < (long)most) {
		event->text_size = got ? got - 1 : 0;
		event->text_length = event->text_size;
		event->flags |= DBT_HAS_TEXT;
	} else {
		copy_text(event, text, length_of(text, got ? got - 1 : 0));
	}
}

static __always_inline dbt_u8 reported_command(void *ctx)
{
	return (dbt_u8)(bpf_get_attach_cookie(ctx) >> DBT_COOKIE_COMMAND_SHIFT);
}

/* How far the server's image lies from where it was linked to. */
static __always_inline dbt_u64 image_of(struct pt_regs *ctx)
{
	return PT_REGS_IP(ctx) - (bpf_get_attach_cookie(ctx) >> DBT_COOKIE_ADDRESS_SHIFT);
}

/* A record is left behind by a command whose end was not seen, or was none: a step that
 * nothing came of. */
static __always_inline void leave_behind(const struct dbt_plan *plan, struct dbt_command_event *event)
{
	if (plan->commands[event->command] & DBT_COMMAND_STEP) {
		count(DBT_COUNT_FINISHED);
		count(DBT_COUNT_HIDDEN);
	} else {
		count(DBT_COUNT_LOST_ORPHAN);
	}
	event->flags = 0;
}

/* A budget of a thread whose waits the server shows. */
static __always_inline dbt_u64 begin_shown_budget(dbt_u16 plan, dbt_u64 stack, dbt_u64 image, bool is_summed)
{
	struct ledger *ledger = open_ledger();

	if (ledger) {
		ledger->image = image;
		ledger->shows_waits = true;
	}
	return begin_budget(plan, stack, is_summed);
}

static __always_inline void begin_reported(struct pt_regs *ctx, const struct dbt_plan *plan,
					   struct thread_state *state, dbt_u64 ids, dbt_u8 command)
{
	struct dbt_command_event *event = &state->event;
	dbt_u32 database_size = 0;
	dbt_u64 image = image_of(ctx);
	dbt_u8 rule = plan->commands[command];

	reset(event, image, ids);
	event->command = command;
	event->error = 0;
	event->rows_sent = 0;
	state->error = 0;
	state->idle_since = 0;
	if (statements_wanted) {
		event->id = new_id();
		forget_statements();
	}
	count(DBT_COUNT_STARTED);
	event->start_ns = ledgers_wanted() && rule & (DBT_COMMAND_SEND | DBT_COMMAND_STEP) ?
				  begin_shown_budget((dbt_u16)bpf_get_attach_cookie(ctx), PT_REGS_SP(ctx), image,
						     plan->is_summed[command]) :
				  bpf_ktime_get_ns();
	if (!(rule & (DBT_COMMAND_SEND | DBT_COMMAND_STEP)))
		return;
	event->header.kind = DBT_EVENT_COMMAND;
	event->header.plan = (dbt_u16)bpf_get_attach_cookie(ctx);
	event->connection_id = state->leader ? state->leader : event->tgid;
	event->flags |= DBT_HAS_CONNECTION;
	if (read_name(image, &plan->database, event->data, DBT_NAME_MAX, &database_size)) {
		event->database_size = database_size;
		event->flags |= DBT_HAS_DATABASE;
	}
	if ((rule & DBT_COMMAND_TEXT) == DBT_TEXT_REPORTED)
		copy_reported_text(event, PT_REGS_PARM2(ctx));
	announce(plan, event, &state->announced);
	barrier();
	event->flags |= DBT_COMPLETE;
}

/* At a call of the report function: arguments are a number and a text. */
SEC("uprobe.multi")
int report_begin(struct pt_regs *ctx)
{
	dbt_u64 ids = current_ids();
	const struct dbt_plan *plan = current_plan(ctx, ids);
	dbt_u8 command = reported_command(ctx);
	struct dbt_command_event *event;
	struct thread_state *state;

	if (!plan || !tracing)
		return 0;
	state = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), NULL,
				     BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!state) {
		count(DBT_COUNT_LOST_NO_STATE);
		return 0;
	}
	event = &state->event;
	if (event->flags & DBT_ACTIVE) {
		if (command == plan->report.next && event->command == plan->report.step) {
			/* It began with the step. Only now is it sure of which text. */
			event->command = command;
			copy_reported_text(event, PT_REGS_PARM2(ctx));
			return 0;
		}
		leave_behind(plan, event);
	}
	begin_reported(ctx, plan, state, ids, command);
	return 0;
}

/* The current thread's command; NULL: it is in none. */
static __always_inline struct thread_state *reported_state(void)
{
	struct thread_state *state =
		bpf_task_storage_get(&threads, bpf_get_current_task_btf(), NULL, 0);

	return state && state->event.flags & DBT_ACTIVE ? state : NULL;
}

/* The session stays in a transaction for now, or it does not. */
static __always_inline void note_idle(const struct dbt_plan *plan, struct thread_state *state, dbt_u64 now)
{
	dbt_u64 transaction = 0;

	if (!(running_wanted || budget_wanted) || !plan->report.idle ||
	    !read_number(state->event.session, &plan->report.transaction, &transaction) ||
	    transaction < plan->report.in_transaction)
		return;
	state->idle_command = plan->report.idle;
	state->idle_flags = state->event.flags & (DBT_HAS_CONNECTION | DBT_HAS_DATABASE | DBT_HAS_TEXT |
						  DBT_TEXT_UNREADABLE);
	state->idle_since = now;
}

static __always_inline void end_reported(const struct dbt_plan *plan, struct thread_state *state, dbt_u64 now)
{
	state->event.flags |= DBT_HAS_ERROR;
	finish(plan, state, now);
	/* What has failed has let go of its transaction's locks. */
	if (!state->event.error)
		note_idle(plan, state, now);
	state->event.flags = 0;
}

/* The current thread's command, which has ended; NULL: it began before anybody looked. */
static __always_inline struct thread_state *ended_state(const struct dbt_plan *plan)
{
	struct thread_state *state = plan ? reported_state() : NULL;

	if (plan && !state)
		adopted_command_ends();
	return state;
}

/* Where a command is done. */
SEC("uprobe.multi")
int report_end(struct pt_regs *ctx)
{
	dbt_u64 now = bpf_ktime_get_ns();
	const struct dbt_plan *plan = current_plan(ctx, current_ids());
	struct thread_state *state = ended_state(plan);
	dbt_u8 command = reported_command(ctx);

	if (state && (!command || command == state->event.command))
		end_reported(plan, state, now);
	return 0;
}

/* At the entry of the function that tells the client that a statement is done; argument 0
 * says what it did. */
SEC("uprobe.multi")
int statement_complete(struct pt_regs *ctx)
{
	dbt_u64 now = bpf_ktime_get_ns(), rows = 0;
	const struct dbt_plan *plan = current_plan(ctx, current_ids());
	struct thread_state *state = plan ? reported_state() : NULL;

	if (!state)
		return 0;
	if (read_number(PT_REGS_PARM1(ctx), &plan->report.rows, &rows)) {
		state->event.rows_sent += rows;
		state->event.flags |= DBT_HAS_ROWS_SENT;
	}
	if (state->event.command == plan->report.completed)
		end_reported(plan, state, now);
	return 0;
}

/* At the entry of the function that an error begins with. */
SEC("uprobe.multi")
int error_begins(struct pt_regs *ctx)
{
	const struct dbt_plan *plan = current_plan(ctx, current_ids());
	struct thread_state *state = plan ? reported_state() : NULL;

	if (state)
		state->error = plan->report.default_error;
	return 0;
}

/* At the entry of the function that gives it its number. */
SEC("uprobe.multi")
int error_number(struct pt_regs *ctx)
{
	const struct dbt_plan *plan = current_plan(ctx, current_ids());
	struct thread_state *state = plan ? reported_state() : NULL;

	if (state)
		state->error = (dbt_u32)PT_REGS_PARM1(ctx);
	return 0;
}

/* The number of the error at hand, from where the server keeps it; 0: it cannot be had. */
static __always_inline dbt_u32 current_error(const struct dbt_element *error, dbt_u64 image)
{
	dbt_u32 number = 0;
	int index = 0;

	if (!error->index || bpf_probe_read_user(&index, sizeof(index), (void *)(image + error->index)) ||
	    index < 0 ||
	    bpf_probe_read_user(&number, sizeof(number), (void *)(image + error->first + index * error->size)))
		return 0;
	return number;
}

/* Where the server gives up a command and tells the client why. */
SEC("uprobe.multi")
int report_failure(struct pt_regs *ctx)
{
	dbt_u64 now = bpf_ktime_get_ns();
	const struct dbt_plan *plan = current_plan(ctx, current_ids());
	struct thread_state *state = ended_state(plan);
	dbt_u32 number;

	if (!state)
		return 0;
	number = current_error(&plan->report.error, state->event.session);
	state->event.error = number ? number : state->error ? state->error : plan->report.default_error;
	end_reported(plan, state, now);
	return 0;
}

/* At the entry of the function by which a process is told whom it works for. */
SEC("uprobe.multi")
int leader_known(struct pt_regs *ctx)
{
	const struct dbt_plan *plan = current_plan(ctx, current_ids());
	struct thread_state *state;

	if (!plan)
		return 0;
	state = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), NULL,
				     BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (state)
		state->leader = (dbt_u32)PT_REGS_PARM1(ctx);
	return 0;
}

/* A process that ends in the middle of a command, by a fatal error or a signal: nothing else
 * tells of its end. One that works for another has done so. */
SEC("tp_btf/sched_process_exit")
int process_ends(void *ctx __attribute__((unused)))
{
	struct thread_state *state = reported_state();
	dbt_u32 index = state ? state->event.header.plan : 0;
	const struct dbt_plan *plan = bpf_map_lookup_elem(&plans, &index);

	if (!state || !plan || !plan->report.running || !tracing)
		return 0;
	if (!state->leader) {
		state->event.flags |= DBT_PROCESS_ENDED;
		if (!state->error) { /* killed: nobody can say why */
			finish(plan, state, bpf_ktime_get_ns());
			state->event.flags = 0;
			return 0;
		}
		state->event.error = state->error;
	}
	end_reported(plan, state, bpf_ktime_get_ns());
	return 0;
}
