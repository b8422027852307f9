/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
 *
 * What the kernel keeps of each coarse kind of command (bpf/coarse_text.h) when nobody
 * wants to see every command; shared by the BPF programs (C11) and user space (C++20).
 * Times in nanoseconds.
 */
#ifndef DBTRACE_BPF_KIND_SUMS_H
#define DBTRACE_BPF_KIND_SUMS_H

#include "bpf/budget_event.h"

/* What besides the command's number makes a kind, as user space tells the programs. */
#define DBT_KIND_BY_TEXT 0x1
#define DBT_KIND_BY_CONNECTION 0x2
#define DBT_KIND_BY_DATABASE 0x4

struct dbt_io_sum {
	dbt_u64 count;
	dbt_u64 blocked;
	dbt_u64 bytes;
	dbt_u64 ns;
	dbt_u64 max_ns;
};

/* One of these a kind and CPU. */
struct dbt_kind_sums {
	dbt_u64 count;
	dbt_u64 errors;
	dbt_u64 total_ns;
	dbt_u64 max_ns;
	dbt_u64 rows_sent;
	dbt_u64 rows_sent_known; /* of how many commands */
	dbt_u64 rows_examined;
	dbt_u64 rows_examined_known;
	dbt_u64 example_ns; /* the longest that was sent as an example */
	dbt_u64 budgets; /* how many commands had one; what follows is theirs */
	dbt_u64 cause_ns[DBT_CAUSES];
	dbt_u64 budgeted_ns; /* their durations */
	dbt_u64 io_known; /* in how many of these commands operations on files were seen */
	struct dbt_io_sum io[DBT_FILE_OPERATIONS];
};

/* How many commands of a kind took how long (bpf/log_linear.h). */
struct dbt_kind_length {
	dbt_u64 kind;
	dbt_u32 bucket;
	dbt_u32 pad;
};

DBT_STATIC_ASSERT(sizeof(struct dbt_kind_sums) == 96 + 8 * DBT_CAUSES + 120, "layout");

#endif
