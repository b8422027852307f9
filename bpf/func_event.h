/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
 *
 * What func.bpf.c and user space share: which functions are looked at and what of
 * them (struct dbt_func_exit, dbt_func_argument), and what comes back by maps and
 * over the ring buffer. The rules are those of event.h.
 */
#ifndef DBTRACE_BPF_FUNC_EVENT_H
#define DBTRACE_BPF_FUNC_EVENT_H

#include "bpf/event.h"

/* ---- exits ---- */

enum dbt_func_exit_kind {
	DBT_FUNC_LEAVES = 0, /* a return or a jump out */
	DBT_FUNC_LEAVES_IF, /* the same when a condition holds */
	DBT_FUNC_LEAVES_TO, /* when the place that a computed jump goes to is outside */
};

#define DBT_FUNC_NO_REGISTER 0xff

/* One place where a function may be left; the exit probes' cookie is its index.
 * Addresses are the link-time ones. */
struct dbt_func_exit {
	dbt_u64 address;
	dbt_u64 begin; /* the function: [begin, begin + size) … */
	dbt_u64 cold_begin; /* … and its cold part, of size 0 when it has none */
	dbt_u32 size;
	dbt_u32 cold_size;
	dbt_u32 function; /* index */
	int displacement; /* of a computed jump, as in code::Exit::Computation */
	dbt_u8 kind; /* enum dbt_func_exit_kind */
	dbt_u8 condition; /* x86-64: the low four bits of the branch's opcode */
	dbt_u8 base; /* numbers of registers, or DBT_FUNC_NO_REGISTER */
	dbt_u8 index;
	dbt_u8 scale;
	dbt_u8 in_memory;
	dbt_u8 pad[2];
};

/* ---- arguments ---- */

#define DBT_FUNC_ARGUMENTS 8 /* that can be shown of one call */
#define DBT_FUNC_TEXT 1024 /* bytes of one text, a final NUL included */
#define DBT_FUNC_LOADS 2

/* A value at a function's entry: what a register holds; with loads, what lies at
 * that + offset[0], at that + offset[1]. Loads before the last take 8 bytes. */
struct dbt_func_source {
	dbt_u8 reg; /* its number in instructions; AArch64: 31 is SP */
	dbt_u8 loads;
	dbt_u8 width; /* of the last load: 4 or 8 bytes */
	dbt_u8 pad[5];
	int offset[DBT_FUNC_LOADS];
};

enum dbt_func_argument_kind {
	DBT_FUNC_NUMBER = 0,
	DBT_FUNC_STRING, /* up to a NUL */
	DBT_FUNC_BYTES, /* as many bytes as `length` says */
};

struct dbt_func_argument {
	struct dbt_func_source value;
	struct dbt_func_source length;
	dbt_u8 kind; /* enum dbt_func_argument_kind */
	dbt_u8 pad[7];
};

/* ---- what comes back ---- */

/* Of each function, per CPU. */
struct dbt_func_stats {
	dbt_u64 calls;
	dbt_u64 finished; /* calls whose end was seen, … */
	dbt_u64 total_ns; /* … and how long they took together */
};

struct dbt_func_thread_key {
	dbt_u32 function;
	dbt_u32 thread; /* as the kernel knows it, in the initial pid namespace */
};

struct dbt_func_thread {
	dbt_u64 calls;
	dbt_u32 tgid; /* as user space knows them */
	dbt_u32 tid;
	char name[16];
};

/* Durations: how often which bucket (log_linear.h) of nanoseconds. */
struct dbt_func_bucket_key {
	dbt_u32 function;
	dbt_u32 bucket;
};

enum dbt_func_value_state {
	DBT_FUNC_READ = 0,
	DBT_FUNC_NULL, /* a text whose pointer is null */
	DBT_FUNC_UNREADABLE, /* `number` is the address that could not be read */
};

struct dbt_func_value {
	dbt_u64 number; /* the number, or the text's address */
	dbt_u64 length; /* of DBT_FUNC_BYTES: the true one */
	dbt_u16 size; /* bytes of text in `data` */
	dbt_u8 state; /* enum dbt_func_value_state */
	dbt_u8 cut; /* there is more text */
	dbt_u8 pad[4];
};

/* One call. `data` holds the texts one after the other. */
struct dbt_func_call_event {
	dbt_u32 size; /* of the whole event */
	dbt_u32 function;
	dbt_u64 time_ns; /* CLOCK_MONOTONIC */
	dbt_u32 tgid;
	dbt_u32 tid;
	struct dbt_func_value values[DBT_FUNC_ARGUMENTS];
	dbt_u8 data[DBT_FUNC_ARGUMENTS * DBT_FUNC_TEXT];
};

/* Counters, summed over CPUs by user space. */
enum dbt_func_counter {
	DBT_FUNC_SENT, /* call events sent */
	DBT_FUNC_LOST_RING_FULL, /* call events that found no room */
	DBT_FUNC_LOST_NO_STATE, /* calls that found no memory for their event or begin */
	DBT_FUNC_LOST_THREADS, /* calls that are not counted by thread: too many threads */
	DBT_FUNC_LOST_BUCKETS, /* durations that no histogram has: too many different ones */
	DBT_FUNC_COUNTERS,
};

DBT_STATIC_ASSERT(sizeof(struct dbt_func_exit) == 48, "layout");
DBT_STATIC_ASSERT(sizeof(struct dbt_func_source) == 16, "layout");
DBT_STATIC_ASSERT(sizeof(struct dbt_func_argument) == 40, "layout");
DBT_STATIC_ASSERT(sizeof(struct dbt_func_value) == 24, "layout");

#endif
