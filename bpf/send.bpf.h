// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// Records on their way to user space.
#pragma once

#include "bpf/budget.bpf.h"
#include "bpf/members.bpf.h"

/* User space polls several times a second; waking it for each event would cost
 * more than the event. */
static __always_inline dbt_u64 wakeup(void)
{
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= wakeup_bytes ? BPF_RB_FORCE_WAKEUP :
									     BPF_RB_NO_WAKEUP;
}

/* Where the name of the client's application lies: a new name lies elsewhere. */
static __always_inline dbt_u64 application_name(const struct dbt_plan *plan, dbt_u64 session)
{
	dbt_u64 address = member_address(session, &plan->report.application), name = 0;

	if (address)
		bpf_probe_read_user(&name, sizeof(name), (void *)address);
	return name << 16; /* user space has 48 bits of addresses; connections seldom use 16 */
}

/* Tells user space who the session is, unless it knows. */
static __always_inline void announce(const struct dbt_plan *plan, const struct dbt_command_event *command,
				     struct last_announced *last)
{
	struct session_key key = {.session = command->session, .tgid = command->tgid};
	bool identified = command->flags & DBT_HAS_CONNECTION;
	dbt_u64 identity = command->connection_id ^ application_name(plan, command->session);
	struct dbt_session_event *event;
	dbt_u64 *known;
	dbt_u32 size;

	/* Without a connection id nothing tells a new session at an old address
	 * from the old one: then every command says who it is. */
	if (identified) {
		if (last->session == command->session && last->identity == identity)
			return;
		known = bpf_map_lookup_elem(&announced, &key);
		if (known && *known == identity)
			goto remember;
	}
	event = bpf_ringbuf_reserve(&ring, sizeof(*event), 0);
	if (!event)
		return; /* not remembered: the next command tries again */
	event->header.size = sizeof(*event);
	event->header.kind = DBT_EVENT_SESSION;
	event->header.plan = command->header.plan;
	event->session = command->session;
	event->connection_id = command->connection_id;
	event->tgid = command->tgid;
	size = 0;
	event->has_user = read_name(command->session, &plan->user, event->user, DBT_NAME_MAX, &size);
	event->user_size = size;
	size = 0;
	event->has_host = read_name(command->session, &plan->host, event->host, DBT_HOST_MAX, &size);
	event->host_size = size;
	size = 0;
	event->has_ip = read_name(command->session, &plan->ip, event->ip, DBT_IP_MAX, &size);
	event->ip_size = size;
	size = 0;
	event->has_application = read_name(command->session, &plan->report.application, event->application,
					   DBT_APPLICATION_MAX, &size);
	event->application_size = size;
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	if (!identified)
		return;
	bpf_map_update_elem(&announced, &key, &identity, BPF_ANY);
remember:
	last->session = command->session;
	last->identity = identity;
}

static __always_inline void forget_announced(struct thread_state *state)
{
	struct session_key key = {.session = state->event.session, .tgid = state->event.tgid};

	bpf_map_delete_elem(&announced, &key);
	state->announced.session = 0;
}

static __always_inline void send_tail(struct dbt_command_event *event)
{
	struct session_key key = {.session = event->session, .tgid = event->tgid};
	struct dbt_tail_event *tail = bpf_map_lookup_elem(&tails, &key);
	dbt_u64 size;

	if (!tail)
		return;
	size = tail->header.size;
	if (size <= sizeof(*tail) && !bpf_ringbuf_output(&ring, tail, size, BPF_RB_NO_WAKEUP))
		return;
	event->flags &= ~DBT_HAS_TAIL;
	count(DBT_COUNT_TAIL_LOST);
}

/* Puts a record on the ring, as long as it is; false if there is no room. */
static __always_inline bool output(struct dbt_command_event *event)
{
	dbt_u32 size = __builtin_offsetof(struct dbt_command_event, data) + event->database_size +
		       event->text_size;

	if (size > sizeof(*event))
		size = sizeof(*event);
	event->header.size = size;
	if (bpf_ringbuf_output(&ring, event, size, wakeup())) {
		count(event->kind ? DBT_COUNT_EXAMPLES_LOST : DBT_COUNT_LOST_RING_FULL);
		return false;
	}
	count(DBT_COUNT_SENT);
	return true;
}

/* Reads what a command has done, before the server forgets it. */
static __always_inline void read_results(const struct dbt_plan *plan, struct dbt_command_event *event, dbt_u8 rule)
{
	dbt_u64 number = 0;

	/* An execution that never began (unknown statement) has reset no counters. */
	bool counts = (rule & DBT_COMMAND_ROWS) &&
		      ((rule & DBT_COMMAND_TEXT) != DBT_TEXT_STATEMENT ||
		       (event->flags & (DBT_HAS_TEXT | DBT_TEXT_UNREADABLE)));
	if (counts && read_number(event->session, &plan->rows_sent, &event->rows_sent))
		event->flags |= DBT_HAS_ROWS_SENT;
	if (!counts)
		event->flags &= ~DBT_HAS_ROWS_EXAMINED;
	else if (!plan->completes &&
		 read_number(event->session, &plan->rows_examined, &event->rows_examined))
		event->flags |= DBT_HAS_ROWS_EXAMINED;
	if (read_number(event->session, &plan->error_number, &number)) {
		event->error = number;
		event->flags |= DBT_HAS_ERROR;
	}
	if (read_number(event->session, &plan->report.query_id, &event->query_id) && event->query_id)
		event->flags |= DBT_HAS_QUERY_ID;
}

static __always_inline void send(struct ledger *ledger, struct dbt_command_event *event)
{
	if (event->flags & DBT_HAS_TAIL)
		send_tail(event);
	send_budget(ledger, event);
	output(event);
}
