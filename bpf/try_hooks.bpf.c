// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// Programs that do nothing: whether this kernel attaches them is the question.
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

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
