// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// Commands that began before anybody looked. Nothing was recorded of them, but user space
// finds them in the server's memory and has their threads watched from here on.
#pragma once

#include "bpf/budget.bpf.h"
#include "bpf/running.bpf.h"
#include "bpf/scheduler.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, dbt_u32); /* the thread, as user space knows it */
	__type(value, struct dbt_adopted);
} adopted SEC(".maps");

/* Opens the ledgers of the adopted threads, as far as they are in no command that was seen
 * to begin. Until then, it is as if they had done nothing. */
SEC("iter/task")
int adopt_commands(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task, *reader = bpf_get_current_task_btf();
	const struct dbt_adopted *command;
	struct thread_state *state;
	struct ledger *ledger;
	dbt_u32 tid;

	if (!task)
		return 0;
	tid = id_for_reader(task, BPF_CORE_READ(reader, thread_pid, level));
	command = bpf_map_lookup_elem(&adopted, &tid);
	if (!command)
		return 0;
	state = bpf_task_storage_get(&threads, task, NULL, 0);
	if (state && state->event.flags & DBT_ACTIVE)
		return 0;
	ledger = bpf_task_storage_get(&ledgers, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!ledger || ledger->command.begun_ns)
		return 0;
	ledger->ids = (dbt_u64)command->tgid << 32 | tid;
	ledger->plan = command->plan;
	ledger->image = command->image;
	ledger->shows_waits = command->shows_waits;
	ledger->run_delay = run_delay_of(task);
	ledger->ran = task->se.sum_exec_runtime;
	/* What was read is of this wait unless another one has begun meanwhile. */
	ledger->wait_event = task->nvcsw == command->switches ? command->wait_event : 0;
	ledger->cause = cause_of_block(task, ledger);
	ledger->since = bpf_ktime_get_ns();
	/* Whether it has a core is not known here: catch_up() finds out. */
	ledger->state = task->__state ? LEDGER_BLOCKED : LEDGER_ON_CPU;
	ledger->command.is_summed = false; /* most of its time was not seen */
	barrier();
	ledger->command.begun_ns = command->start_ns;
	return 0;
}

/* The current thread's command, which was adopted, has ended. */
static __always_inline void adopted_command_ends(void)
{
	struct ledger *ledger = ledgers_wanted() ? own_ledger() : NULL;

	if (ledger)
		ledger->command.begun_ns = 0;
}
