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
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/event.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Set by user space before loading. */
const volatile dbt_u64 slower_than_ns = 0;
const volatile dbt_u64 only_connection = 0; /* 0: all */
const volatile dbt_u32 max_text = DBT_TEXT_INLINE;
const volatile dbt_u64 wakeup_bytes = 0; /* wake user space at this much data; otherwise it polls */
const volatile dbt_u64 pidns_device = 0; /* the pid namespace that user space lives in… */
const volatile dbt_u64 pidns_inode = 0; /* …0 when it is the initial one */

/* Sessions that can wait on one thread while an inner command runs; commands
 * nested deeper are counted as lost. */
#define NESTING_MAX 4

/* Probes come and go one after the other. Commands count from the moment that
 * user space sets this, when all are there, until it takes it back, before the
 * first goes. */
dbt_u32 tracing = 0;

struct thread_state {
	dbt_u32 nesting;
	dbt_u32 pad;
	dbt_u64 outer[NESTING_MAX]; /* sessions whose commands wait for the inner one */
	dbt_u64 announced_session; /* the session event sent last by this thread */
	dbt_u64 announced_connection;
	struct dbt_command_event event;
};

struct session_key {
	dbt_u64 session;
	dbt_u32 tgid;
	dbt_u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 * 1024 * 1024);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_RDONLY_PROG);
	__type(key, dbt_u32);
	__type(value, struct dbt_plan);
} plans SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DBT_COUNTERS);
	__type(key, dbt_u32);
	__type(value, dbt_u64);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread_state);
} threads SEC(".maps");

/* Commands that are in flight on no thread at the moment. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, struct session_key);
	__type(value, struct dbt_command_event);
} parked SEC(".maps");

/* Whether `parked` may hold anything: spares most commands a look-up. */
dbt_u64 parked_commands = 0;

/* Sessions that user space has been told about → their connection id. Falling
 * out of it costs one more session event, nothing else. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct session_key);
	__type(value, dbt_u64);
} announced SEC(".maps");

/* Texts longer than DBT_TEXT_INLINE, when the user asks for them. Entries are
 * made from `empty_tail`, which nobody writes, and filled in place. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct session_key);
	__type(value, struct dbt_tail_event);
} tails SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_RDONLY_PROG);
	__type(key, dbt_u32);
	__type(value, struct dbt_tail_event);
} empty_tail SEC(".maps");

static __always_inline void count(dbt_u32 which)
{
	dbt_u64 *counter = bpf_map_lookup_elem(&counters, &which);

	/* Atomic although per CPU: another probe may run here if we are preempted. */
	if (counter)
		__sync_fetch_and_add(counter, 1);
}

/* (tgid << 32 | tid) as user space knows them. */
static __always_inline dbt_u64 current_ids(void)
{
	if (pidns_inode) {
		struct bpf_pidns_info ids = {};

		if (bpf_get_ns_current_pid_tgid(pidns_device, pidns_inode, &ids, sizeof(ids)))
			return 0;
		return (dbt_u64)ids.tgid << 32 | ids.pid;
	}
	return bpf_get_current_pid_tgid();
}

/* The plan of the probe that fired, when it concerns the current process. */
static __always_inline const struct dbt_plan *current_plan(void *ctx, dbt_u64 ids)
{
	dbt_u32 index = (dbt_u32)bpf_get_attach_cookie(ctx);
	const struct dbt_plan *plan = bpf_map_lookup_elem(&plans, &index);

	if (!plan || (plan->only_tgid && plan->only_tgid != ids >> 32))
		return NULL;
	return plan;
}

/* Keeps the compiler from merging what it knows of `variable` with its past:
 * it likes to turn checks and loads into forms that the verifier refuses. */
#define opaque(variable) asm volatile("" : "+r"(variable))

/* The integer argument at `position` (0–3). Each register is loaded on its own:
 * a load at a computed offset of the context is not allowed. */
static __always_inline dbt_u64 argument(struct pt_regs *ctx, dbt_u8 position)
{
	dbt_u64 first = PT_REGS_PARM1(ctx), second = PT_REGS_PARM2(ctx);
	dbt_u64 third = PT_REGS_PARM3(ctx), fourth = PT_REGS_PARM4(ctx);

	opaque(first);
	opaque(second);
	opaque(third);
	opaque(fourth);
	return position == 0 ? first : position == 1 ? second : position == 2 ? third : fourth;
}

/* ---- members of the server's objects ---- */

/* The address of the member that `path` leads to; 0: cannot be had. */
static __always_inline dbt_u64 member_address(dbt_u64 object, const struct dbt_path *path)
{
	if (!path->steps)
		return 0;
#pragma unroll
	for (int i = 0; i < DBT_PATH_MAX; i++) {
		if (i + 1 >= path->steps)
			return object + path->offset[i];
		if (bpf_probe_read_user(&object, sizeof(object), (void *)(object + path->offset[i])) ||
		    !object)
			return 0;
	}
	return 0;
}

static __always_inline bool read_number(dbt_u64 object, const struct dbt_path *path, dbt_u64 *number)
{
	dbt_u64 address = member_address(object, path);
	dbt_u64 value = 0;

	if (!address)
		return false;
	if (path->width == 4) {
		dbt_u32 narrow = 0;

		if (bpf_probe_read_user(&narrow, sizeof(narrow), (void *)address))
			return false;
		value = narrow;
	} else if (bpf_probe_read_user(&value, sizeof(value), (void *)address)) {
		return false;
	}
	*number = value;
	return true;
}

struct text_pair {
	dbt_u64 text;
	dbt_u64 length;
};

/* Copies a name (user, host, database) of at most `capacity` bytes. False when
 * it cannot be had or the server has none. */
static __always_inline bool read_name(dbt_u64 object, const struct dbt_path *path, dbt_u8 *name,
				      dbt_u32 capacity, dbt_u32 *size)
{
	dbt_u64 address = member_address(object, path);
	struct text_pair pair = {};

	if (!address)
		return false;
	if (path->length_width) {
		if (bpf_probe_read_user(&pair, sizeof(pair), (void *)address) || !pair.text)
			return false;
		if (pair.length > capacity)
			pair.length = capacity;
		if (bpf_probe_read_user(name, pair.length, (void *)pair.text))
			return false;
		*size = pair.length;
	} else {
		long got;

		if (bpf_probe_read_user(&pair.text, sizeof(pair.text), (void *)address) || !pair.text)
			return false;
		got = bpf_probe_read_user_str(name, capacity, (void *)pair.text);
		if (got < 1)
			return false;
		*size = got - 1;
	}
	return true;
}

/* ---- the text of a command ---- */

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

static __always_inline void copy_text(struct dbt_command_event *event, dbt_u64 text, dbt_u32 length)
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
	if (max_text > DBT_TEXT_INLINE && length > DBT_TEXT_INLINE)
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

/* ---- sending ---- */

/* User space polls several times a second; waking it for each event would cost
 * more than the event. */
static __always_inline dbt_u64 wakeup(void)
{
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= wakeup_bytes ? BPF_RB_FORCE_WAKEUP :
									     BPF_RB_NO_WAKEUP;
}

/* Tells user space who the session is, unless it knows. */
static __always_inline void announce(const struct dbt_plan *plan, struct thread_state *state)
{
	struct dbt_command_event *command = &state->event;
	struct session_key key = {.session = command->session, .tgid = command->tgid};
	bool identified = command->flags & DBT_HAS_CONNECTION;
	struct dbt_session_event *event;
	dbt_u64 *known;
	dbt_u32 size;

	/* Without a connection id nothing tells a new session at an old address
	 * from the old one: then every command says who it is. */
	if (identified) {
		if (state->announced_session == command->session &&
		    state->announced_connection == command->connection_id)
			return;
		known = bpf_map_lookup_elem(&announced, &key);
		if (known && *known == command->connection_id)
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
	event->pad = 0;
	event->pad2 = 0;
	size = 0;
	event->has_user = read_name(command->session, &plan->user, event->user, DBT_NAME_MAX, &size);
	event->user_size = size;
	size = 0;
	event->has_host = read_name(command->session, &plan->host, event->host, DBT_HOST_MAX, &size);
	event->host_size = size;
	size = 0;
	event->has_ip = read_name(command->session, &plan->ip, event->ip, DBT_IP_MAX, &size);
	event->ip_size = size;
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	if (!identified)
		return;
	bpf_map_update_elem(&announced, &key, &command->connection_id, BPF_ANY);
remember:
	state->announced_session = command->session;
	state->announced_connection = command->connection_id;
}

static __always_inline void forget_announced(struct thread_state *state)
{
	struct session_key key = {.session = state->event.session, .tgid = state->event.tgid};

	bpf_map_delete_elem(&announced, &key);
	state->announced_session = 0;
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

static __always_inline void send(const struct dbt_plan *plan, struct dbt_command_event *event, dbt_u8 rule)
{
	dbt_u64 number = 0;
	dbt_u32 size;

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
	if (event->flags & DBT_HAS_TAIL)
		send_tail(event);

	size = __builtin_offsetof(struct dbt_command_event, data) + event->database_size + event->text_size;
	if (size > sizeof(*event))
		size = sizeof(*event);
	event->header.size = size;
	if (bpf_ringbuf_output(&ring, event, size, wakeup()))
		count(DBT_COUNT_LOST_RING_FULL);
	else
		count(DBT_COUNT_SENT);
}

/* ---- parking ---- */

static __always_inline bool park(struct thread_state *state)
{
	struct session_key key = {.session = state->event.session, .tgid = state->event.tgid};

	if (bpf_map_update_elem(&parked, &key, &state->event, BPF_ANY)) {
		count(DBT_COUNT_LOST_NO_STATE);
		return false;
	}
	__sync_fetch_and_add(&parked_commands, 1);
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

		if (nesting > NESTING_MAX || (nesting == NESTING_MAX && event->session != session)) {
			/* No room for it. Its end is waited for, lest it be taken for another's. */
			state->nesting = nesting + 1;
			count(DBT_COUNT_STARTED);
			count(DBT_COUNT_LOST_NO_STATE);
			return 0;
		}
		if (event->session == session) {
			/* The command before never returned: it is gone. */
			count(DBT_COUNT_LOST_ORPHAN);
		} else if (park(state)) {
			state->outer[nesting] = event->session;
			state->nesting = nesting + 1;
		}
		event->flags = 0;
	}
	if (plan->suspends && unpark(state, session, ids >> 32)) {
		event->tid = (dbt_u32)ids;
		return 0;
	}

	event->session = session;
	event->command = (dbt_u8)argument(ctx, plan->command_argument);
	event->flags = DBT_ACTIVE;
	event->tgid = ids >> 32;
	event->tid = (dbt_u32)ids;
	event->database_size = 0;
	event->text_size = 0;
	event->text_length = 0;
	event->start_ns = bpf_ktime_get_ns();
	count(DBT_COUNT_STARTED);

	rule = plan->commands[event->command];
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
	announce(plan, state);
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
int statement_begin(struct pt_regs *ctx)
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
	copy_statement_text(plan, event, event->session, &plan->executed_text);
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
	if (!state)
		return 0; /* began before `tracing`, or was counted as lost there */
	if (!(state->event.flags & DBT_ACTIVE)) {
		if (tracing)
			count(DBT_COUNT_LOST_ORPHAN);
		return 0;
	}
	nesting = state->nesting;
	if (nesting > NESTING_MAX) {
		state->nesting = nesting - 1;
		return 0;
	}
	event = &state->event;
	rule = plan->commands[event->command];

	if (plan->suspends && (dbt_u32)PT_REGS_RC(ctx) == plan->suspended_result) {
		park(state);
	} else {
		event->duration_ns = now - event->start_ns;
		count(DBT_COUNT_FINISHED);
		if (!(rule & DBT_COMMAND_SEND))
			count(DBT_COUNT_HIDDEN);
		else if (event->duration_ns < slower_than_ns)
			count(DBT_COUNT_FAST);
		else if (only_connection && event->connection_id != only_connection)
			count(DBT_COUNT_OTHER_CONNECTION);
		else
			send(plan, event, rule);
		if (event->flags & DBT_HAS_TAIL || max_text > DBT_TEXT_INLINE) {
			struct session_key key = {.session = event->session, .tgid = event->tgid};

			bpf_map_delete_elem(&tails, &key);
		}
		if (rule & DBT_COMMAND_NEW_USER)
			forget_announced(state);
	}
	event->flags = 0;

	if (nesting) {
		state->nesting = nesting - 1;
		unpark(state, state->outer[nesting - 1], ids >> 32);
	}
	return 0;
}
