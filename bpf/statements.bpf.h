// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// The statements inside a command: each one of a multi-statement text, of stored
// procedures, functions, triggers and events, and those that SQL's EXECUTE runs.
// Attached only when somebody asks for statements.
//
// The server runs every statement through one function, which calls itself for
// statements inside statements: a thread's statements are a stack.
#pragma once

#include "bpf/send.bpf.h"
#include "bpf/text.bpf.h"

/* Deeper ones are counted as lost. The kernel keeps at most 64 pending return
 * probes a thread (MAX_URETPROBE_DEPTH, include/linux/uprobes.h). */
#define STATEMENTS_MAX 32

struct statement {
	dbt_u64 id;
	dbt_u64 session;
	dbt_u64 start_ns;
	dbt_u64 children_ns;
	struct text_pair query; /* where its text lies */
	dbt_u64 stack_pointer; /* only of servers that report */
	bool is_command; /* the whole command, whose own record tells of it */
	dbt_u8 pad[7];
};

struct statement_stack {
	dbt_u32 depth;
	dbt_u32 base; /* depth of the outermost: 1 when a command runs it */
	struct last_announced announced;
	struct statement statements[STATEMENTS_MAX];
	struct dbt_command_event event; /* of the statement that ends */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct statement_stack);
} stacks SEC(".maps");

/* A new command begins with none, whatever became of those before. */
static __always_inline void forget_statements(void)
{
	struct statement_stack *stack =
		bpf_task_storage_get(&stacks, bpf_get_current_task_btf(), NULL, 0);

	if (stack)
		stack->depth = 0;
}

/* The command of this session that the current thread is in. */
static __always_inline struct dbt_command_event *command_of(dbt_u64 session)
{
	struct thread_state *state =
		bpf_task_storage_get(&threads, bpf_get_current_task_btf(), NULL, 0);

	if (!state || !(state->event.flags & DBT_ACTIVE) || state->event.session != session)
		return NULL;
	return &state->event;
}

/* Blanks and semicolons around a statement that is_whole() looks through. */
#define BLANKS_MAX 64

static __always_inline bool is_blank(dbt_u8 byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r') || byte == ';' || !byte;
}

/* How many blanks stand at byte `from` of a command's text; at most BLANKS_MAX. */
static __always_inline dbt_u32 blanks_at(const struct dbt_command_event *command, dbt_u64 from)
{
	dbt_u32 blanks = 0;

	for (int i = 0; i < BLANKS_MAX; i++) {
		dbt_u64 at = command->database_size + from + i;

		opaque(at);
		if (from + i >= command->text_size || at >= sizeof(command->data) ||
		    !is_blank(command->data[at]))
			break;
		blanks++;
	}
	return blanks;
}

/* Whether a statement of `length` bytes is all that the command asks for, but for
 * blanks and semicolons around it. When in doubt it is not: then both are told. */
static __always_inline bool is_whole(const struct dbt_command_event *command, dbt_u64 length,
				     dbt_u8 rule)
{
	dbt_u64 end;

	if ((rule & DBT_COMMAND_TEXT) == DBT_TEXT_STATEMENT)
		return rule & DBT_COMMAND_EXECUTES_ONE;
	if (length == command->text_length)
		return true;
	if (!(command->flags & DBT_HAS_TEXT) || length > DBT_TEXT_INLINE)
		return false;
	end = blanks_at(command, 0) + length;
	return end + blanks_at(command, end) == command->text_length;
}

static __always_inline bool read_query(const struct dbt_plan *plan, dbt_u64 session,
				       struct text_pair *query)
{
	dbt_u64 address = member_address(session, &plan->query_text);

	return address && !bpf_probe_read_user(query, sizeof(*query), (void *)address);
}

/* At the entry of the function that runs a statement; argument 0 is the session. */
SEC("uprobe.multi")
int statement_enter(struct pt_regs *ctx)
{
	const struct dbt_plan *plan = current_plan(ctx, current_ids());
	struct dbt_command_event *command;
	struct statement_stack *stack;
	struct statement *statement;
	dbt_u64 id = 0;
	dbt_u32 depth;

	if (!plan || !tracing)
		return 0;
	stack = bpf_task_storage_get(&stacks, bpf_get_current_task_btf(), NULL,
				     BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!stack)
		return 0; /* its end will not be seen either */
	depth = stack->depth;
	stack->depth = depth + 1;
	if (depth >= STATEMENTS_MAX) {
		count(DBT_COUNT_STATEMENTS);
		count(DBT_COUNT_LOST_TOO_DEEP);
		return 0;
	}
	statement = &stack->statements[depth];
	statement->session = PT_REGS_PARM1(ctx);
	statement->children_ns = 0;
	statement->query.text = 0;
	statement->query.length = 0;
	read_query(plan, statement->session, &statement->query);
	statement->is_command = false;
	command = depth ? NULL : command_of(statement->session);
	if (!depth)
		stack->base = command != NULL;
	if (command && !command->statements++ &&
	    is_whole(command, statement->query.length, plan->commands[command->command])) {
		statement->is_command = true;
		stack->base = 0;
		id = command->id;
	}
	statement->id = id ? id : new_id();
	statement->start_ns = bpf_ktime_get_ns();
	return 0;
}

/* The text is read at the end, when it is known to be wanted, and only if it is
 * still the same: the server may have freed what it pointed at before. Except that
 * SQL's EXECUTE leaves the text of what it executed behind: its own belongs to
 * its caller, who has not got control back yet. */
static __always_inline void copy_query(const struct dbt_plan *plan, const struct statement *statement,
				       struct dbt_command_event *event)
{
	struct text_pair now = {};
	dbt_u64 length = statement->query.length;

	bool same = read_query(plan, event->session, &now) && now.text == statement->query.text &&
		    now.length == length;

	if (statement->query.text && (same || statement->children_ns)) {
		copy_short_text(event, statement->query.text,
				length > 0xffffffff ? 0xffffffff : length);
		return;
	}
	event->text_size = 0;
	event->text_length = 0;
	event->flags |= DBT_TEXT_UNREADABLE;
	count(DBT_COUNT_UNREADABLE_TEXT);
}

static __always_inline void send_statement(const struct dbt_plan *plan, struct statement_stack *stack,
					   const struct statement *statement, dbt_u16 plan_index)
{
	struct dbt_command_event *event = &stack->event;
	dbt_u32 database_size = 0;
	dbt_u64 number = 0;

	event->header.kind = DBT_EVENT_COMMAND;
	event->header.plan = plan_index;
	event->flags = DBT_IS_STATEMENT;
	event->kind = 0;
	event->session = statement->session;
	event->id = statement->id;
	event->start_ns = statement->start_ns;
	event->children_ns = statement->children_ns;
	event->command = 0;
	event->connection_id = 0;
	if (read_number(event->session, &plan->connection_id, &event->connection_id))
		event->flags |= DBT_HAS_CONNECTION;
	if (only_connection && event->connection_id != only_connection) {
		count(DBT_COUNT_OTHER_CONNECTION);
		return;
	}
	event->database_size = 0;
	if (read_name(event->session, &plan->database, event->data, DBT_NAME_MAX, &database_size)) {
		event->database_size = database_size;
		event->flags |= DBT_HAS_DATABASE;
	}
	copy_query(plan, statement, event);
	if (read_number(event->session, &plan->error_number, &number)) {
		event->error = number;
		event->flags |= DBT_HAS_ERROR;
	}
	/* Inside others not every statement sets the counters to zero first. */
	if (!stack->depth) {
		if (read_number(event->session, &plan->rows_sent, &event->rows_sent))
			event->flags |= DBT_HAS_ROWS_SENT;
		if (read_number(event->session, &plan->rows_examined, &event->rows_examined))
			event->flags |= DBT_HAS_ROWS_EXAMINED;
	}
	announce(plan, event, &stack->announced);
	output(event);
}

/* At its return. */
SEC("uretprobe.multi")
int statement_leave(struct pt_regs *ctx)
{
	dbt_u64 now = bpf_ktime_get_ns();
	dbt_u64 ids = current_ids();
	const struct dbt_plan *plan = current_plan(ctx, ids);
	struct dbt_command_event *command, *event;
	struct statement_stack *stack;
	struct statement *statement;
	dbt_u32 depth;

	if (!plan)
		return 0;
	stack = bpf_task_storage_get(&stacks, bpf_get_current_task_btf(), NULL, 0);
	if (!stack || !stack->depth)
		return 0; /* began before `tracing` */
	depth = --stack->depth;
	if (depth >= STATEMENTS_MAX)
		return 0;
	statement = &stack->statements[depth];
	if (statement->is_command) /* children count for the command, whose end is near */
		return 0;
	event = &stack->event;
	event->duration_ns = now - statement->start_ns;
	event->tgid = ids >> 32;
	event->tid = (dbt_u32)ids;
	event->parent_id = 0;
	event->depth = depth + stack->base;
	event->statements = 0;
	if (depth) {
		struct statement *parent = &stack->statements[(depth - 1) % STATEMENTS_MAX];

		event->parent_id = parent->id;
		parent->children_ns += event->duration_ns;
	}
	command = command_of(statement->session);
	if (!depth && command)
		event->parent_id = command->id;
	/* Only the outermost: those inside it are a part of its time. */
	if (command && (!depth || (depth == 1 && stack->statements[0].is_command)))
		command->children_ns += event->duration_ns;
	count(DBT_COUNT_STATEMENTS);
	if (event->duration_ns < slower_than_ns)
		count(DBT_COUNT_FAST);
	else
		send_statement(plan, stack, statement, (dbt_u16)bpf_get_attach_cookie(ctx));
	return 0;
}
