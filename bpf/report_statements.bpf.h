// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// The statements inside a command of a server that reports (report.bpf.h): those of its
// functions and blocks. Attached only when somebody asks for statements.
//
// The server executes each by one function, which calls itself for those inside it and may be
// left by a long jump. Then no return tells of it: the stack pointer does, of which a live
// caller's is higher.
#pragma once

#include "bpf/report.bpf.h"
#include "bpf/statements.bpf.h"

/* Enough of a text to tell it from the command's. */
#define COMPARED_MAX 128

/* Whether what is executed is the command itself, by its text. */
static __always_inline bool is_text_of(const struct dbt_command_event *command, dbt_u64 text)
{
	dbt_u32 zero = 0, start = command->database_size, size = command->text_size;
	struct text_piece *piece = bpf_map_lookup_elem(&text_pieces, &zero);
	long got;

	if (!piece || !(command->flags & DBT_HAS_TEXT) || start > DBT_NAME_MAX)
		return false;
	if (size > COMPARED_MAX)
		size = COMPARED_MAX;
	got = bpf_probe_read_user_str(piece->bytes, COMPARED_MAX + 1, (void *)text);
	if (got <= 0 || (dbt_u32)(got - 1) != size)
		return false;
	for (dbt_u32 i = 0; i < COMPARED_MAX; i++)
		if (i < size && piece->bytes[i] != command->data[start + i])
			return false;
	return true;
}

static __always_inline dbt_u64 text_of_execution(const struct dbt_plan *plan, dbt_u64 execution)
{
	dbt_u64 address = member_address(execution, &plan->report.statement_text), text = 0;

	if (address)
		bpf_probe_read_user(&text, sizeof(text), (void *)address);
	return text;
}

/* How many of the stack's statements are still being executed by callers of who is at `sp`. */
static __always_inline dbt_u32 live_depth(const struct statement_stack *stack, dbt_u64 sp)
{
	dbt_u32 depth = 0;

	for (dbt_u32 i = 0; i < STATEMENTS_MAX; i++) {
		if (i >= stack->depth || stack->statements[i].stack_pointer <= sp)
			break;
		depth = i + 1;
	}
	return depth;
}

/* At the entry of the function that executes a statement; argument 0 is the execution. */
SEC("uprobe.multi")
int execution_enter(struct pt_regs *ctx)
{
	const struct dbt_plan *plan = current_plan(ctx, current_ids());
	struct thread_state *state = plan ? reported_state() : NULL;
	dbt_u64 sp = PT_REGS_SP(ctx);
	struct statement_stack *stack;
	struct statement *statement;
	dbt_u32 depth;

	if (!state || !tracing)
		return 0;
	stack = bpf_task_storage_get(&stacks, bpf_get_current_task_btf(), NULL,
				     BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!stack)
		return 0;
	depth = live_depth(stack, sp);
	if (depth >= STATEMENTS_MAX) {
		count(DBT_COUNT_STATEMENTS);
		count(DBT_COUNT_LOST_TOO_DEEP);
		return 0;
	}
	stack->depth = depth + 1;
	statement = &stack->statements[depth];
	statement->session = PT_REGS_PARM1(ctx);
	statement->stack_pointer = sp;
	statement->children_ns = 0;
	statement->query.text = text_of_execution(plan, statement->session);
	statement->is_command = !depth && is_text_of(&state->event, statement->query.text);
	if (!depth)
		stack->base = !statement->is_command;
	statement->id = statement->is_command ? state->event.id : new_id();
	statement->start_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline void send_execution(const struct dbt_plan *plan, struct thread_state *state,
					   struct statement_stack *stack, const struct statement *statement)
{
	struct dbt_command_event *event = &stack->event, *command = &state->event;
	dbt_u32 size = command->database_size;

	event->header.kind = DBT_EVENT_COMMAND;
	event->header.plan = command->header.plan;
	event->flags = DBT_IS_STATEMENT | DBT_HAS_CONNECTION | (command->flags & DBT_HAS_DATABASE);
	event->kind = 0;
	event->session = command->session;
	event->connection_id = command->connection_id;
	event->id = statement->id;
	event->start_ns = statement->start_ns;
	event->children_ns = statement->children_ns;
	event->command = 0;
	if (only_connection && event->connection_id != only_connection) {
		count(DBT_COUNT_OTHER_CONNECTION);
		return;
	}
	if (size > DBT_NAME_MAX)
		size = 0;
	bpf_probe_read_kernel(event->data, size, command->data);
	event->database_size = size;
	copy_reported_text(event, text_of_execution(plan, statement->session));
	output(event);
}

/* At its return. */
SEC("uretprobe.multi")
int execution_leave(struct pt_regs *ctx)
{
	dbt_u64 now = bpf_ktime_get_ns();
	dbt_u64 ids = current_ids();
	const struct dbt_plan *plan = current_plan(ctx, ids);
	struct thread_state *state = plan ? reported_state() : NULL;
	struct dbt_command_event *event;
	struct statement_stack *stack;
	struct statement *statement;
	dbt_u32 depth;

	if (!state)
		return 0;
	stack = bpf_task_storage_get(&stacks, bpf_get_current_task_btf(), NULL, 0);
	if (!stack)
		return 0;
	/* Behind the return the stack pointer is above all that was called: the one that
	 * returns is the first that is not a caller. */
	depth = live_depth(stack, PT_REGS_SP(ctx));
	if (depth >= STATEMENTS_MAX || depth >= stack->depth)
		return 0;
	stack->depth = depth;
	statement = &stack->statements[depth];
	if (statement->is_command)
		return 0;
	event = &stack->event;
	event->duration_ns = now - statement->start_ns;
	event->tgid = ids >> 32;
	event->tid = (dbt_u32)ids;
	event->parent_id = state->event.id;
	event->depth = depth + stack->base;
	event->statements = 0;
	if (depth) {
		struct statement *parent = &stack->statements[(depth - 1) % STATEMENTS_MAX];

		event->parent_id = parent->id;
		parent->children_ns += event->duration_ns;
	}
	/* Only the outermost: those inside it are a part of its time. */
	if (!depth || (depth == 1 && stack->statements[0].is_command))
		state->event.children_ns += event->duration_ns;
	count(DBT_COUNT_STATEMENTS);
	if (event->duration_ns < slower_than_ns)
		count(DBT_COUNT_FAST);
	else
		send_execution(plan, state, stack, statement);
	return 0;
}
