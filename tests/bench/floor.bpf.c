// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// The least that an entry/return probe pair can do: nothing.
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("uprobe.multi")
int empty_begin(void *ctx)
{
	(void)ctx;
	return 0;
}

SEC("uretprobe.multi")
int empty_end(void *ctx)
{
	(void)ctx;
	return 0;
}
