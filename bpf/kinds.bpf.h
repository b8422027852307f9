// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// Sums for each kind of command, kept here when nobody wants to see every command: at
// tens of thousands of queries a second the way to user space costs more than counting.
//
// User space gets examples: the first command of each kind, and each that took longer than
// those before; and all slow ones, if it wants them.
#pragma once

#include "bpf/budget.bpf.h"
#include "bpf/coarse_text.h"
#include "bpf/kind_sums.h"
#include "bpf/send.bpf.h"

/* Set by user space before loading; the maps' sizes, too. */
const volatile bool kinds_wanted = false;
const volatile dbt_u32 kinds_by = 0; /* DBT_KIND_BY_* */
const volatile dbt_u64 examples_slower_than_ns = 0; /* all that took at least this long; 0: not */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, dbt_u64);
	__type(value, struct dbt_kind_sums);
} kinds SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct dbt_kind_length);
	__type(value, dbt_u64);
} kind_lengths SEC(".maps");

static const struct dbt_kind_sums no_sums = {};

/* ---- which kind ---- */

struct scan_context {
	struct dbt_scan scan;
	const struct dbt_command_event *event;
	dbt_u8 next, third; /* bytes behind the one at hand */
};

/* Byte `i` of a command's text; 0 behind its end. */
static __always_inline dbt_u8 text_byte(const struct dbt_command_event *event, dbt_u32 i)
{
	dbt_u64 at = (dbt_u64)event->database_size + i;

	opaque(at);
	return i < event->text_size && at < sizeof(event->data) ? event->data[at] : 0;
}

static long scan_byte(dbt_u32 i, struct scan_context *context)
{
	dbt_u8 c = context->next;

	context->next = context->third;
	context->third = text_byte(context->event, i + 2);
	dbt_scan_step(&context->scan, c, context->next, context->third);
	return 0;
}

static long mix_database(dbt_u32 i, struct scan_context *context)
{
	if (i < DBT_NAME_MAX)
		context->scan.hash = dbt_scan_mix(context->scan.hash, context->event->data[i]);
	return 0;
}

/* 0: cannot be told; then user space has to see the command. */
static __always_inline dbt_u64 kind_of(const struct dbt_command_event *event)
{
	struct scan_context context = {.event = event};
	dbt_u64 kind;

	dbt_scan_begin(&context.scan, event->command);
	if (kinds_by & DBT_KIND_BY_CONNECTION)
		context.scan.hash = dbt_scan_mix(context.scan.hash, event->connection_id);
	if (kinds_by & DBT_KIND_BY_DATABASE)
		bpf_loop(event->database_size, mix_database, &context, 0);
	if (kinds_by & DBT_KIND_BY_TEXT) {
		if (event->flags & DBT_TEXT_UNREADABLE || event->text_size < event->text_length)
			return 0;
		context.next = text_byte(event, 0);
		context.third = text_byte(event, 1);
		bpf_loop(event->text_size, scan_byte, &context, 0);
	}
	kind = dbt_scan_end(&context.scan);
	return context.scan.unsure ? 0 : kind;
}

/* ---- counting ---- */

/* Atomic although per CPU: another probe may run here if we are preempted. */
static __always_inline void add(dbt_u64 *sum, dbt_u64 value)
{
	if (value)
		__sync_fetch_and_add(sum, value);
}

static __always_inline bool count_length(dbt_u64 kind, dbt_u64 duration_ns)
{
	struct dbt_kind_length key = {.kind = kind, .bucket = dbt_log_linear_bucket(duration_ns)};
	dbt_u64 *times = bpf_map_lookup_elem(&kind_lengths, &key), none = 0;

	if (!times) {
		bpf_map_update_elem(&kind_lengths, &key, &none, BPF_NOEXIST);
		times = bpf_map_lookup_elem(&kind_lengths, &key);
	}
	if (times)
		__sync_fetch_and_add(times, 1);
	return times;
}

static __always_inline void add_budget(struct dbt_kind_sums *sums, const struct ledger *ledger, dbt_u64 duration_ns)
{
	const struct dbt_budget_event *budget = &ledger->command.budget;

	add(&sums->budgets, 1);
	add(&sums->budgeted_ns, duration_ns);
	for (int i = 0; i < DBT_CAUSES; i++)
		add(&sums->cause_ns[i], budget->ns[i]);
	if (!sees_files())
		return;
	add(&sums->io_known, 1);
	for (int i = 0; i < DBT_FILE_OPERATIONS; i++) {
		add(&sums->io[i].count, budget->io[i].count);
		add(&sums->io[i].blocked, budget->io[i].blocked);
		add(&sums->io[i].bytes, budget->io[i].bytes);
		add(&sums->io[i].ns, budget->io[i].ns);
		if (budget->io[i].max_ns > sums->io[i].max_ns)
			sums->io[i].max_ns = budget->io[i].max_ns;
	}
}

/* The first of a kind, and each that took longer than all before it: of n commands in no
 * order, about ln(n). */
static __always_inline bool is_example(const struct dbt_kind_sums *sums, dbt_u64 duration_ns)
{
	return !sums->example_ns || duration_ns > sums->example_ns;
}

static __always_inline bool is_slow(dbt_u64 duration_ns)
{
	return examples_slower_than_ns && duration_ns >= examples_slower_than_ns;
}

/* Counts a command that has ended. False: there is no room, or its kind cannot be told. */
static __always_inline bool count_by_kind(struct ledger *ledger, struct dbt_command_event *event)
{
	dbt_u64 kind = kind_of(event);
	struct dbt_kind_sums *sums;

	if (!kind)
		return false;
	sums = bpf_map_lookup_elem(&kinds, &kind);
	if (!sums) {
		bpf_map_update_elem(&kinds, &kind, &no_sums, BPF_NOEXIST);
		sums = bpf_map_lookup_elem(&kinds, &kind);
	}
	if (!sums || !count_length(kind, event->duration_ns))
		return false;
	add(&sums->count, 1);
	add(&sums->errors, event->flags & DBT_HAS_ERROR && event->error);
	add(&sums->total_ns, event->duration_ns);
	if (event->flags & DBT_HAS_ROWS_SENT) {
		add(&sums->rows_sent, event->rows_sent);
		add(&sums->rows_sent_known, 1);
	}
	if (event->flags & DBT_HAS_ROWS_EXAMINED) {
		add(&sums->rows_examined, event->rows_examined);
		add(&sums->rows_examined_known, 1);
	}
	if (event->duration_ns > sums->max_ns)
		sums->max_ns = event->duration_ns;
	if (budget_wanted && ledger)
		add_budget(sums, ledger, event->duration_ns);
	count(DBT_COUNT_BY_KIND);
	if (is_example(sums, event->duration_ns) || is_slow(event->duration_ns)) {
		event->kind = kind;
		send_budget(ledger, event);
		if (output(event) && is_example(sums, event->duration_ns))
			sums->example_ns = event->duration_ns ? event->duration_ns : 1;
	}
	return true;
}
