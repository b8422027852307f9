// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// Waits of servers that show what they wait for (profiles::WaitEvents), by its number: those of
// each command, and those of all commands together.
#pragma once

#include "bpf/budget_event.h"
#include "bpf/state.bpf.h"

/* Of all commands. User space makes it larger when somebody wants to know. Waits that find no
 * room are in the sums by cause only. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct dbt_event_key);
	__type(value, struct dbt_event_sum);
} event_sums SEC(".maps");

static __always_inline void add_to_event(dbt_u16 plan, dbt_u32 event, dbt_u64 ns, dbt_u64 waits)
{
	struct dbt_event_key key = {.plan = plan, .event = event};
	struct dbt_event_sum *sum = bpf_map_lookup_elem(&event_sums, &key), none = {};

	if (!sum) {
		bpf_map_update_elem(&event_sums, &key, &none, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(&event_sums, &key);
	}
	if (!sum)
		return;
	__sync_fetch_and_add(&sum->ns, ns);
	__sync_fetch_and_add(&sum->waits, waits);
}

/* Where a command's waits for an event are counted: its own place, a free one, or that of the
 * one with the least time. */
static __always_inline struct dbt_named_wait *place_of_event(struct dbt_named_waits_event *command, dbt_u32 event)
{
	dbt_u64 least_ns = ~0ULL;
	dbt_u32 place = 0;

	for (dbt_u32 i = 0; i < DBT_NAMED_WAITS_MAX; i++) {
		struct dbt_named_wait *wait = &command->waits[i];

		if (i >= command->count) {
			command->count = i + 1;
			wait->ns = 0;
			place = i;
			break;
		}
		if (wait->event == event)
			return wait;
		if (wait->ns < least_ns) {
			least_ns = wait->ns;
			place = i;
		}
	}
	opaque(place);
	if (place >= DBT_NAMED_WAITS_MAX)
		return NULL;
	command->others_ns += command->waits[place].ns;
	command->waits[place].ns = 0;
	command->waits[place].event = event;
	command->waits[place].waits = 0;
	return &command->waits[place];
}

/* Of a command. Not inlined: it would be so at each change of a thread's state. */
static __noinline int add_named_wait(struct dbt_named_waits_event *command, dbt_u32 event, dbt_u64 ns)
{
	struct dbt_named_wait *wait = place_of_event(command, event);

	if (wait) {
		wait->ns += ns;
		wait->waits++;
	}
	return 0;
}
