// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// Servers that say what they wait for (profiles::WaitHooks). A futex alone does not
// tell a row lock from a table lock.
#pragma once

#include "bpf/ledger.bpf.h"

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
