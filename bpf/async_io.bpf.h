// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// Operations on files that a server hands to the kernel and does not wait for: by libaio,
// seen at its system calls, and by io_uring, seen at its tracepoints. They last from
// their submission to the moment when the server collects the result (libaio), or could
// (io_uring). They belong to the thread, and to the command, that submitted them.
#pragma once

#include <linux/aio_abi.h>

#include "bpf/file_io.bpf.h"

/* io_uring's opcodes for reads and writes (include/uapi/linux/io_uring.h, which needs more
 * of the C library than there is here). */
#define RING_READV 1
#define RING_WRITEV 2
#define RING_READ_FIXED 4
#define RING_WRITE_FIXED 5
#define RING_READ 22
#define RING_WRITE 23
#define RING_REGISTERED_FILE 1 /* REQ_F_FIXED_FILE: `fd` is no descriptor (include/linux/io_uring_types.h) */

struct io_cqe {
	int res;
	int fd;
} __attribute__((preserve_access_index));

struct io_kiocb {
	struct file *file; /* what the operation is about begins here, too: a struct io_rw */
	dbt_u8 opcode;
	dbt_u32 flags; /* its lower half in newer kernels */
	struct io_cqe cqe;
} __attribute__((preserve_access_index));

struct kiocb {
	long long ki_pos;
} __attribute__((preserve_access_index));

struct io_rw {
	struct kiocb kiocb;
} __attribute__((preserve_access_index));

/* What an operation is known by while it lasts: the address of the server's iocb, or of
 * the kernel's request. */
struct async_key {
	dbt_u64 address;
	dbt_u32 tgid; /* 0: the kernel's */
	dbt_u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, struct async_key);
	__type(value, struct dbt_io_event);
} async_operations SEC(".maps");

static __always_inline void async_begins(struct ledger *ledger, const struct async_key *key, struct file *file,
					 dbt_u32 kind, dbt_u64 offset)
{
	unsigned short type = type_of(file);
	struct dbt_io_event event;

	if (type != REGULAR_FILE && type != BLOCK_DEVICE)
		return;
	describe_operation(&event, ledger, number_of(file, ledger->plan), kind, offset);
	event.asynchronous = true;
	event.start_ns = bpf_ktime_get_ns();
	/* Whether it will be slow is not known when its command ends. */
	ledger->command.has_sent_operations = true;
	if (bpf_map_update_elem(&async_operations, key, &event, BPF_ANY))
		count(DBT_COUNT_OPERATIONS_LOST);
}

static __always_inline void async_ends(const struct async_key *key, long result)
{
	struct dbt_io_event *begun = bpf_map_lookup_elem(&async_operations, key);
	struct dbt_io_event event;

	if (!begun)
		return;
	event = *begun;
	bpf_map_delete_elem(&async_operations, key);
	event.duration_ns = bpf_ktime_get_ns() - event.start_ns;
	if (event.duration_ns < operations_slower_than_ns)
		return;
	set_result(&event, result);
	if (bpf_ringbuf_output(&ring, &event, sizeof(event), operation_wakeup()))
		count(DBT_COUNT_OPERATIONS_LOST);
	else
		count(DBT_COUNT_OPERATIONS);
}

/* ---- libaio ---- */

#define AIO_BATCH_MAX 256 /* of one call; further ones are counted as lost */

static __noinline int libaio_submits(dbt_u64 address)
{
	struct ledger *ledger = own_ledger();
	struct async_key key = {.address = address, .tgid = current_ids() >> 32};
	struct file *file;
	struct iocb iocb;
	dbt_u32 kind;

	if (!ledger || bpf_probe_read_user(&iocb, sizeof(iocb), (void *)address))
		return 0;
	if (iocb.aio_lio_opcode == IOCB_CMD_PREAD || iocb.aio_lio_opcode == IOCB_CMD_PREADV)
		kind = DBT_FILE_READ;
	else if (iocb.aio_lio_opcode == IOCB_CMD_PWRITE || iocb.aio_lio_opcode == IOCB_CMD_PWRITEV)
		kind = DBT_FILE_WRITE;
	else if (iocb.aio_lio_opcode == IOCB_CMD_FSYNC || iocb.aio_lio_opcode == IOCB_CMD_FDSYNC)
		kind = DBT_FILE_SYNC;
	else
		return 0;
	file = open_file(bpf_get_current_task_btf(), iocb.aio_fildes);
	if (file)
		async_begins(ledger, &key, file, kind, iocb.aio_offset);
	return 0;
}

SEC("tp_btf/sys_enter")
int libaio_enters(dbt_u64 *arguments)
{
	struct pt_regs *regs = (void *)arguments[0];
	dbt_u64 number = arguments[1];
	dbt_u64 list, address;
	long batch;

	if (number >= DBT_SYSTEM_CALLS_MAX || !(system_calls[number] & DBT_CALL_SUBMITS) || !ledger_for_files())
		return 0;
	batch = PT_REGS_PARM2_SYSCALL(regs);
	list = PT_REGS_PARM3_SYSCALL(regs);
	for (long i = 0; i < AIO_BATCH_MAX && i < batch; i++) {
		if (bpf_probe_read_user(&address, sizeof(address), (void *)(list + i * sizeof(address))))
			break;
		libaio_submits(address);
	}
	for (long i = AIO_BATCH_MAX; i < 2 * AIO_BATCH_MAX && i < batch; i++)
		count(DBT_COUNT_OPERATIONS_LOST);
	return 0;
}

static __noinline int libaio_collects(dbt_u64 address)
{
	struct async_key key = {.tgid = current_ids() >> 32};
	struct io_event event;

	if (bpf_probe_read_user(&event, sizeof(event), (void *)address))
		return 0;
	key.address = event.obj;
	async_ends(&key, event.res);
	return 0;
}

SEC("tp_btf/sys_exit")
int libaio_leaves(dbt_u64 *arguments)
{
	struct pt_regs *regs = (void *)arguments[0];
	unsigned long number = system_call_of(regs);
	long collected = (long)arguments[1];
	dbt_u64 list;

	if (number >= DBT_SYSTEM_CALLS_MAX || !(system_calls[number] & DBT_CALL_COLLECTS) || collected <= 0)
		return 0;
	list = PT_REGS_PARM4_SYSCALL(regs);
	for (long i = 0; i < AIO_BATCH_MAX && i < collected; i++)
		libaio_collects(list + i * sizeof(struct io_event));
	return 0;
}

/* ---- io_uring ---- */

static __always_inline int ring_submits(struct io_kiocb *request)
{
	struct ledger *ledger = ledger_for_files();
	struct async_key key = {.address = (dbt_u64)request};
	struct file *file;
	struct io_rw *rw;
	dbt_u32 kind;

	if (!ledger)
		return 0;
	switch (BPF_CORE_READ(request, opcode)) {
	case RING_READV:
	case RING_READ_FIXED:
	case RING_READ:
		kind = DBT_FILE_READ;
		break;
	case RING_WRITEV:
	case RING_WRITE_FIXED:
	case RING_WRITE:
		kind = DBT_FILE_WRITE;
		break;
	default:
		return 0;
	}
	if (BPF_CORE_READ(request, flags) & RING_REGISTERED_FILE)
		return 0;
	file = open_file(bpf_get_current_task_btf(), BPF_CORE_READ(request, cqe.fd));
	rw = (struct io_rw *)((char *)request + bpf_core_field_offset(struct io_kiocb, file));
	if (file)
		async_begins(ledger, &key, file, kind, BPF_CORE_READ(rw, kiocb.ki_pos));
	return 0;
}

/* Linux 6.4 and later… */
SEC("tp_btf/io_uring_submit_req")
int ring_request(dbt_u64 *arguments)
{
	return ring_submits((struct io_kiocb *)arguments[0]);
}

/* …and 6.0 to 6.3. */
SEC("tp_btf/io_uring_submit_sqe")
int ring_entry(dbt_u64 *arguments)
{
	return ring_submits((struct io_kiocb *)arguments[0]);
}

SEC("tp_btf/io_uring_complete")
int ring_completes(dbt_u64 *arguments)
{
	struct io_kiocb *request = (struct io_kiocb *)arguments[1];
	struct async_key key = {.address = (dbt_u64)request};

	if (request)
		async_ends(&key, BPF_CORE_READ(request, cqe.res));
	return 0;
}
