// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// Servers that say what they wait for (profiles::WaitHooks). A futex alone does not
// tell a row lock from a table lock.
#pragma once

#include "bpf/ledger.bpf.h"
#include "bpf/members.bpf.h"

/* At the entry of the function that is called before a wait. */
SEC("uprobe.multi")
int wait_begin(struct pt_regs *ctx)
{
	const struct dbt_plan *plan = current_plan(ctx, current_ids());
	struct ledger *ledger = plan ? own_ledger() : NULL;
	dbt_u64 wait;

	if (!ledger)
		return 0;
	wait = argument(ctx, plan->wait_argument);
	ledger->server_wait = wait < DBT_WAITS_MAX ? plan->wait_causes[wait] : 0;
	return 0;
}

/* At the entry of the function that is called after it. */
SEC("uprobe.multi")
int wait_end(struct pt_regs *ctx)
{
	const struct dbt_plan *plan = current_plan(ctx, current_ids());
	struct ledger *ledger = plan ? own_ledger() : NULL;

	if (ledger)
		ledger->server_wait = 0;
	return 0;
}

/* What the server of the current thread's command shows that it waits for; 0: nothing. */
static __always_inline dbt_u32 shown_event(const struct ledger *ledger)
{
	dbt_u32 index = ledger->plan;
	const struct dbt_plan *plan;
	dbt_u64 event = 0;

	if (!ledger->shows_waits || !ledger->command.begun_ns)
		return 0;
	plan = bpf_map_lookup_elem(&plans, &index);
	return plan && read_number(ledger->image, &plan->report.wait, &event) ? event : 0;
}

/* That as a cause; 0: nothing better than its system call. */
static __always_inline dbt_u8 cause_of_event(const struct ledger *ledger)
{
	/* Of 64 bits: kernels before 6.6 or so lose the bounds of copies of narrower ones. */
	dbt_u64 kind = ledger->wait_event >> 24, lock = ledger->wait_event & 0xff;
	dbt_u32 index = ledger->plan;
	const struct dbt_plan *plan = bpf_map_lookup_elem(&plans, &index);

	if (!plan)
		return 0;
	opaque(kind);
	opaque(lock);
	if (kind == plan->report.lock_kind && lock < DBT_WAITS_MAX)
		return plan->report.lock_causes[lock];
	return kind < DBT_WAITS_MAX ? plan->report.wait_causes[kind] : 0;
}
