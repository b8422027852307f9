// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// Programs that do nothing, or next to it: whether this kernel attaches them is the question.
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

// What the probe sends, so that one can see it run.
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

SEC("uprobe.multi")
int try_probe(void *registers)
{
	__u32 event = 0;

	(void)registers;
	bpf_ringbuf_output(&ring, &event, sizeof(event), 0);
	return 0;
}

SEC("uretprobe.multi")
int try_return_probe(void *registers)
{
	__u32 event = 1;

	(void)registers;
	bpf_ringbuf_output(&ring, &event, sizeof(event), 0);
	return 0;
}

SEC("tp_btf/sched_switch")
int try_scheduler(void *arguments)
{
	(void)arguments;
	return 0;
}

SEC("perf_event")
int try_timer(void *context)
{
	(void)context;
	return 0;
}

SEC("iter/task")
int try_tasks(void *context)
{
	(void)context;
	return 0;
}

SEC("fentry/vfs_read")
int try_fentry(void *arguments)
{
	(void)arguments;
	return 0;
}

SEC("kprobe/vfs_read")
int try_kprobe(void *registers)
{
	(void)registers;
	return 0;
}

SEC("tp_btf/sys_enter")
int try_system_calls(void *arguments)
{
	(void)arguments;
	return 0;
}

/* What their traps cost is the question. */

SEC("uprobe.multi")
int bare_probe(void *registers)
{
	(void)registers;
	return 0;
}

SEC("uretprobe.multi")
int bare_return_probe(void *registers)
{
	(void)registers;
	return 0;
}
