// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// Copying the text of a command or statement into its record.
#pragma once

#include "bpf/members.bpf.h"

static __always_inline void copy_tail(struct dbt_command_event *event, dbt_u64 text)
{
	struct session_key key = {.session = event->session, .tgid = event->tgid};
	dbt_u32 zero = 0, size = event->text_length;
	struct dbt_tail_event *tail;
	void *empty;

	if (size > max_text)
		size = max_text;
	size -= DBT_TEXT_INLINE;
	if (size > DBT_TAIL_MAX)
		size = DBT_TAIL_MAX;
	empty = bpf_map_lookup_elem(&empty_tail, &zero);
	if (!empty || bpf_map_update_elem(&tails, &key, empty, BPF_ANY))
		goto lost;
	tail = bpf_map_lookup_elem(&tails, &key);
	if (!tail)
		goto lost;
	if (bpf_probe_read_user(tail->data, size, (void *)(text + DBT_TEXT_INLINE))) {
		bpf_map_delete_elem(&tails, &key);
		goto lost;
	}
	tail->header.size = __builtin_offsetof(struct dbt_tail_event, data) + size;
	tail->header.kind = DBT_EVENT_TAIL;
	tail->header.plan = event->header.plan;
	tail->start_ns = event->start_ns;
	tail->tid = event->tid;
	tail->size = size;
	event->flags |= DBT_HAS_TAIL;
	return;
lost:
	count(DBT_COUNT_TAIL_LOST);
}

/* Up to DBT_TEXT_INLINE bytes. */
static __always_inline void copy_short_text(struct dbt_command_event *event, dbt_u64 text,
					    dbt_u32 length)
{
	dbt_u32 start = event->database_size;
	dbt_u32 size = length;

	event->flags &= ~(DBT_HAS_TEXT | DBT_TEXT_UNREADABLE | DBT_HAS_TAIL);
	event->text_size = 0;
	event->text_length = length;
	if (size > max_text)
		size = max_text;
	if (size > DBT_TEXT_INLINE)
		size = DBT_TEXT_INLINE;
	if (start > DBT_NAME_MAX) /* never; the verifier wants to see it */
		return;
	if (size && (!text || bpf_probe_read_user(event->data + start, size, (void *)text))) {
		event->flags |= DBT_TEXT_UNREADABLE;
		count(DBT_COUNT_UNREADABLE_TEXT);
		return;
	}
	event->text_size = size;
	event->flags |= DBT_HAS_TEXT;
}

static __always_inline void copy_text(struct dbt_command_event *event, dbt_u64 text, dbt_u32 length)
{
	copy_short_text(event, text, length);
	if (max_text > DBT_TEXT_INLINE && length > DBT_TEXT_INLINE && event->flags & DBT_HAS_TEXT)
		copy_tail(event, text);
}

/* The text is copied now: the server reuses the packet before the command ends. */
static __always_inline void copy_packet_text(struct pt_regs *ctx, const struct dbt_plan *plan,
					     dbt_u8 rule, struct dbt_command_event *event)
{
	dbt_u64 packet = argument(ctx, plan->packet_argument);
	struct text_pair pair = {};

	switch (rule) {
	case DBT_TEXT_PACKET:
	case DBT_TEXT_PACKET_NUL:
		pair.text = packet;
		pair.length = (dbt_u32)argument(ctx, plan->length_argument);
		break;
	case DBT_TEXT_DATA32:
	case DBT_TEXT_DATA64:
		if (bpf_probe_read_user(&pair, sizeof(pair), (void *)packet)) {
			event->flags |= DBT_TEXT_UNREADABLE;
			count(DBT_COUNT_UNREADABLE_TEXT);
			return;
		}
		if (rule == DBT_TEXT_DATA32)
			pair.length = (dbt_u32)pair.length;
		break;
	default:
		return;
	}
	copy_text(event, pair.text, pair.length > 0xffffffff ? 0xffffffff : pair.length);
}
