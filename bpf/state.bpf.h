// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// What all programs share: the settings that user space makes before loading,
// the maps, and the plan of the binary that a probe belongs to.
#pragma once

#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/current.h"
#include "bpf/event.h"
#include "bpf/task.bpf.h"

/* Set by user space before loading. */
const volatile dbt_u64 slower_than_ns = 0;
const volatile dbt_u64 only_connection = 0; /* 0: all */
const volatile dbt_u32 max_text = DBT_TEXT_INLINE;
const volatile dbt_u64 wakeup_bytes = 0; /* wake user space at this much data; otherwise it polls */

const volatile bool statements_wanted = false; /* the programs of statements.bpf.h are attached */
const volatile bool running_wanted = false; /* running commands are told of… */
const volatile dbt_u64 running_for_ns = 0; /* …from this age on */

/* Sessions that can wait on one thread while an inner command runs; commands
 * nested deeper are counted as lost. */
#define NESTING_MAX 4

/* Probes come and go one after the other. Commands count from the moment that
 * user space sets this, when all are there, until it takes it back, before the
 * first goes. */
dbt_u32 tracing = 0;

/* The session event that a thread sent last. */
struct last_announced {
	dbt_u64 session;
	dbt_u64 identity; /* who it is: another one, another identity */
};

/* The command that a thread is in. */
struct thread_state {
	dbt_u32 nesting;
	dbt_u32 untold; /* commands inside this one that there is no room for */
	dbt_u64 outer[NESTING_MAX]; /* sessions whose commands wait for the inner one */
	struct last_announced announced;
	dbt_u32 error; /* that the server has begun to tell of (report.bpf.h) */
	dbt_u64 idle_since; /* in a transaction; 0: it is not (report.bpf.h) */
	dbt_u16 idle_flags; /* of the record that tells so */
	dbt_u8 idle_command;
	dbt_u8 pad2[5];
	dbt_u32 leader; /* the process that this one works for; 0: for itself */
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

/* Sessions that user space has been told about → their identity. Falling
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

/* The id that user space knows the current process's parent by; 0: it cannot see it. */
static __always_inline dbt_u32 parent_tgid(void)
{
	struct task_struct *parent = BPF_CORE_READ(bpf_get_current_task_btf(), real_parent);
	struct pid *pid;

	if (!pidns_inode)
		return BPF_CORE_READ(parent, tgid);
	/* Parents and children live in one pid namespace, but for the first child of one. */
	pid = BPF_CORE_READ(parent, group_leader, thread_pid);
	return pid ? id_at(pid, BPF_CORE_READ(pid, level)) : 0;
}

/* Whether a plan is about the current process. */
static __always_inline bool concerns(const struct dbt_plan *plan, dbt_u64 ids)
{
	return !plan->only_tgid || plan->only_tgid == ids >> 32 ||
	       (plan->forks && plan->only_tgid == parent_tgid());
}

/* The plan of the probe that fired, when it concerns the current process. */
static __always_inline const struct dbt_plan *current_plan(void *ctx, dbt_u64 ids)
{
	dbt_u32 index = (dbt_u16)bpf_get_attach_cookie(ctx);
	const struct dbt_plan *plan = bpf_map_lookup_elem(&plans, &index);

	return plan && concerns(plan, ids) ? plan : NULL;
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

/* Names a command or a statement, so that those inside it can refer to it. */
static __always_inline dbt_u64 new_id(void)
{
	static dbt_u64 last = 0;

	return __sync_fetch_and_add(&last, 1) + 1;
}
