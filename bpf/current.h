// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// Who runs, as user space knows it. For BPF programs only.
#ifndef DBTRACE_BPF_CURRENT_H
#define DBTRACE_BPF_CURRENT_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "bpf/event.h"

const volatile dbt_u64 pidns_device = 0; /* the pid namespace that user space lives in… */
const volatile dbt_u64 pidns_inode = 0; /* …0 when it is the initial one */

/* (tgid << 32 | tid); 0 for a process that user space cannot see. */
static __always_inline dbt_u64 current_ids(void)
{
	if (pidns_inode) {
		struct bpf_pidns_info ids = {};

		if (bpf_get_ns_current_pid_tgid(pidns_device, pidns_inode, &ids, sizeof(ids)))
			return 0;
		return (dbt_u64)ids.tgid << 32 | ids.pid;
	}
	return bpf_get_current_pid_tgid();
}

#endif
