// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// What runs at this moment: iterators that user space reads like files.
// Loaded only when somebody asks for running commands.
#pragma once

#include "bpf/state.bpf.h"

#include "bpf/task.bpf.h"

#define COMMAND_HEAD __builtin_offsetof(struct dbt_command_event, data)

/* A session that is idle in a transaction: its last command's record, as one that runs since then. */
static __always_inline void tell_idle(struct seq_file *seq, const struct thread_state *state)
{
	const struct dbt_command_event *event = &state->event;
	struct dbt_running_frame frame = {.start_ns = state->idle_since};
	struct dbt_running_end end = {.start_ns = frame.start_ns};
	dbt_u8 head[COMMAND_HEAD] = {};
	struct dbt_command_event *told = (struct dbt_command_event *)head;
	dbt_u64 size = event->database_size + event->text_size;

	if (size > sizeof(event->data) || bpf_ktime_get_ns() - frame.start_ns < running_for_ns ||
	    bpf_probe_read_kernel(head, sizeof(head), event))
		return;
	told->command = state->idle_command;
	told->start_ns = frame.start_ns;
	told->flags = state->idle_flags | DBT_COMPLETE;
	told->rows_sent = 0;
	frame.size = COMMAND_HEAD + size;
	bpf_seq_write(seq, &frame, sizeof(frame));
	bpf_seq_write(seq, head, sizeof(head));
	opaque(size);
	if (size > sizeof(event->data)) /* it is not, but kernels before 6.13 or so forget */
		return;
	bpf_seq_write(seq, event->data, size);
	barrier();
	if (state->idle_since == frame.start_ns)
		end.flags = DBT_COMPLETE;
	bpf_seq_write(seq, &end, sizeof(end));
}

/* Each thread's record, when it is complete and old enough: a dbt_running_frame,
 * the record's bytes, a dbt_running_end. The thread runs on meanwhile; user
 * space takes what both say is the same record. */
SEC("iter/task")
int running_commands(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct seq_file *seq = ctx->meta->seq;
	struct dbt_running_frame frame = {};
	struct dbt_running_end end = {};
	struct dbt_command_event *event;
	struct thread_state *state;
	dbt_u64 size;

	if (!task)
		return 0;
	state = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!state)
		return 0;
	event = &state->event;
	if (!(event->flags & DBT_COMPLETE)) {
		if (!event->flags && state->idle_since)
			tell_idle(seq, state);
		return 0;
	}
	frame.start_ns = event->start_ns;
	if (bpf_ktime_get_ns() - frame.start_ns < running_for_ns)
		return 0;
	size = __builtin_offsetof(struct dbt_command_event, data) + event->database_size + event->text_size;
	if (size > sizeof(*event))
		return 0;
	frame.size = size; /* whose bounds kernels before 6.13 or so forget */
	bpf_seq_write(seq, &frame, sizeof(frame));
	bpf_seq_write(seq, event, size);
	barrier();
	end.start_ns = event->start_ns;
	end.flags = event->flags;
	bpf_seq_write(seq, &end, sizeof(end));
	return 0;
}

/* The id of a task in the pid namespace of who reads. */
static __always_inline dbt_u32 id_for_reader(struct task_struct *task, unsigned int level)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);

	return pid && BPF_CORE_READ(pid, level) >= level ? id_at(pid, level) : 0;
}

/* All threads and their thread pointers, which thread-local variables lie at a
 * constant distance from. Only x86-64 keeps them where they are always right. */
SEC("iter/task")
int thread_pointers(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task, *reader = bpf_get_current_task_btf();
	struct dbt_thread thread = {};
	unsigned int level;

	if (!task || !bpf_core_field_exists(task->thread.fsbase))
		return 0;
	level = BPF_CORE_READ(reader, thread_pid, level);
	thread.pointer = BPF_CORE_READ(task, thread.fsbase);
	thread.tid = id_for_reader(task, level);
	thread.tgid = id_for_reader(BPF_CORE_READ(task, group_leader), level);
	if (thread.pointer && thread.tid)
		bpf_seq_write(ctx->meta->seq, &thread, sizeof(thread));
	return 0;
}
