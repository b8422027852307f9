// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// What threads with a ledger do with files. Three ways to see it, of which user space
// takes the best that the kernel allows: fentry/fexit and kprobes see functions of the
// kernel, the tracepoints of system calls see the calls that lead to them.
#pragma once

#include "bpf/ledger.bpf.h"

/* Set by user space before loading: processes all of whose threads are of interest, not
 * only those in a command; each at the place of its plan, 0 elsewhere. */
const volatile dbt_u32 files_of_tgids[DBT_FILES_OF_MAX] = {};
const volatile bool files_of_all_threads = false; /* there are some */
const volatile bool files_of_children = false; /* those whose parent is such a process count, too */

struct file_key {
	dbt_u64 inode;
	dbt_u32 device;
	dbt_u32 pad;
};

struct known_file {
	dbt_u64 hash_len; /* of its name: a new name makes it another file */
	dbt_u32 number;
	dbt_u32 pad;
};

/* Files that user space knows. Falling out costs one more file event, nothing else. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct file_key);
	__type(value, struct known_file);
} known_files SEC(".maps");

/* The number of a file, which is told to user space when it is new. 0: no room to tell. */
static __always_inline dbt_u32 number_of(struct file *file, dbt_u16 plan)
{
	static dbt_u32 last = 0;
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry);
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	struct file_key key = {.inode = BPF_CORE_READ(inode, i_ino), .device = BPF_CORE_READ(inode, i_sb, s_dev)};
	struct known_file *known = bpf_map_lookup_elem(&known_files, &key);
	struct known_file new = {.hash_len = BPF_CORE_READ(dentry, d_name.hash_len)};
	struct dbt_file_event *event;

	if (known && known->hash_len == new.hash_len)
		return known->number;
	event = bpf_ringbuf_reserve(&ring, sizeof(*event), 0);
	if (!event)
		return 0;
	new.number = __sync_fetch_and_add(&last, 1) + 1;
	event->header.size = sizeof(*event);
	event->header.kind = DBT_EVENT_FILE;
	event->header.plan = plan;
	event->inode = key.inode;
	event->device = key.device;
	event->number = new.number;
	if (bpf_probe_read_kernel_str(event->name, sizeof(event->name), BPF_CORE_READ(dentry, d_name.name)) < 0)
		event->name[0] = 0;
	if (bpf_probe_read_kernel_str(event->folder, sizeof(event->folder),
				      BPF_CORE_READ(dentry, d_parent, d_name.name)) < 0)
		event->folder[0] = 0;
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	bpf_map_update_elem(&known_files, &key, &new, BPF_ANY);
	return new.number;
}

/* The ledger of the current thread, if it is one whose files are of interest. */
static __always_inline struct ledger *ledger_for_files(void)
{
	struct ledger *ledger = own_ledger();
	dbt_u32 tgid, parent;

	if (ledger || !files_of_all_threads)
		return ledger;
	tgid = current_ids() >> 32;
	parent = files_of_children ? parent_tgid() : tgid;
	for (dbt_u32 plan = 0; tgid && plan < DBT_FILES_OF_MAX; plan++) {
		if (!files_of_tgids[plan] || (files_of_tgids[plan] != tgid && files_of_tgids[plan] != parent))
			continue;
		ledger = open_ledger();
		if (ledger)
			ledger->plan = plan;
		return ledger;
	}
	return NULL;
}

static __always_inline void operation_begins(struct ledger *ledger, struct file *file, dbt_u32 kind,
					     dbt_u64 offset)
{
	unsigned short type = type_of(file);

	/* Kretprobes miss returns when many threads of the machine are in the function. */
	if (ledger->operation.start_ns)
		count(DBT_COUNT_OPERATIONS_MISSED);
	ledger->operation.start_ns = 0;
	if (type != REGULAR_FILE && type != BLOCK_DEVICE)
		return;
	ledger->operation.kind = kind;
	ledger->operation.offset = kind == DBT_FILE_SYNC ? ~0ULL : offset;
	ledger->operation.file = number_of(file, ledger->plan);
	ledger->operation.voluntary = BPF_CORE_READ((struct task_struct *)bpf_get_current_task_btf(), nvcsw);
	ledger->operation.start_ns = bpf_ktime_get_ns();
}

static __always_inline void add_operation(struct dbt_io_count *sum, dbt_u64 bytes, dbt_u64 ns, bool blocked)
{
	sum->count++;
	sum->blocked += blocked;
	sum->bytes += bytes;
	sum->ns += ns;
	if (ns > sum->max_ns)
		sum->max_ns = ns;
}

static __always_inline dbt_u64 weight(const struct dbt_file_io *io)
{
	return io->operations[DBT_FILE_READ].ns + io->operations[DBT_FILE_WRITE].ns +
	       io->operations[DBT_FILE_SYNC].ns;
}

/* Where a file's operations are counted: its own place, a free one, or the lightest. */
static __always_inline struct dbt_file_io *place_of_file(struct dbt_budget_event *budget, dbt_u32 file)
{
	dbt_u64 lightest_ns = ~0ULL;
	dbt_u32 place = 0;

	for (dbt_u32 i = 0; i < DBT_FILES_MAX; i++) {
		struct dbt_file_io *io = &budget->files[i];

		if (i >= budget->file_count) {
			budget->file_count = i + 1;
			place = i;
			break;
		}
		if (io->file == file)
			return io;
		if (weight(io) < lightest_ns) {
			lightest_ns = weight(io);
			place = i;
		}
	}
	opaque(place);
	if (place >= DBT_FILES_MAX)
		return NULL;
	__builtin_memset(&budget->files[place], 0, sizeof(budget->files[place]));
	budget->files[place].file = file;
	return &budget->files[place];
}

static __always_inline dbt_u64 operation_wakeup(void)
{
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= wakeup_bytes ? BPF_RB_FORCE_WAKEUP :
									     BPF_RB_NO_WAKEUP;
}

/* All but its times and its result. */
static __always_inline void describe_operation(struct dbt_io_event *event, const struct ledger *ledger,
					       dbt_u32 file, dbt_u32 kind, dbt_u64 offset)
{
	dbt_u64 ids = current_ids();

	__builtin_memset(event, 0, sizeof(*event));
	event->header.size = sizeof(*event);
	event->header.kind = DBT_EVENT_IO;
	event->header.plan = ledger->plan;
	event->offset = offset;
	event->command_start_ns = ledger->command.begun_ns;
	event->file = file;
	event->tgid = ids >> 32;
	event->tid = (dbt_u32)ids;
	event->operation = kind;
	bpf_get_current_comm(event->thread, sizeof(event->thread));
}

static __always_inline void set_result(struct dbt_io_event *event, long result)
{
	event->bytes = result > 0 && event->operation != DBT_FILE_SYNC ? result : 0;
	event->error = result < 0 ? -result : 0;
}

static __always_inline void send_operation(struct ledger *ledger, dbt_u64 duration_ns, long result,
					   bool blocked)
{
	const struct operation *operation = &ledger->operation;
	struct dbt_io_event *event = bpf_ringbuf_reserve(&ring, sizeof(*event), 0);

	if (!event) {
		count(DBT_COUNT_OPERATIONS_LOST);
		return;
	}
	count(DBT_COUNT_OPERATIONS);
	ledger->command.has_sent_operations = true;
	describe_operation(event, ledger, operation->file, operation->kind, operation->offset);
	set_result(event, result);
	event->start_ns = operation->start_ns;
	event->duration_ns = duration_ns;
	event->blocked = blocked;
	bpf_ringbuf_submit(event, operation_wakeup());
}

static __always_inline void operation_ends(struct ledger *ledger, long result)
{
	dbt_u64 start_ns = ledger->operation.start_ns, ns, bytes;
	struct dbt_budget_event *budget = &ledger->command.budget;
	dbt_u32 kind = ledger->operation.kind;
	struct dbt_file_io *place;
	bool blocked;

	if (!start_ns || kind >= DBT_FILE_OPERATIONS)
		return;
	ns = bpf_ktime_get_ns() - start_ns;
	blocked = BPF_CORE_READ((struct task_struct *)bpf_get_current_task_btf(), nvcsw) !=
		  ledger->operation.voluntary;
	bytes = result > 0 && kind != DBT_FILE_SYNC ? result : 0;
	if (ledger->command.begun_ns) {
		if (ns > budget->io[kind].max_ns)
			budget->slowest_file[kind] = ledger->operation.file;
		add_operation(&budget->io[kind], bytes, ns, blocked);
		place = place_of_file(budget, ledger->operation.file);
		if (place)
			add_operation(&place->operations[kind], bytes, ns, blocked);
	}
	if (operations_wanted && ns >= operations_slower_than_ns)
		send_operation(ledger, ns, result, blocked);
	ledger->operation.start_ns = 0;
}

/* ---- by the tracepoints of system calls ---- */

SEC("tp_btf/sys_enter")
int call_enters(dbt_u64 *arguments)
{
	struct pt_regs *regs = (void *)arguments[0];
	dbt_u64 number = arguments[1];
	dbt_u16 call = number < DBT_SYSTEM_CALLS_MAX ? system_calls[number] : 0;
	dbt_u32 operation = (call & DBT_CALL_OPERATION) >> DBT_CALL_OPERATION_SHIFT;
	struct ledger *ledger = operation ? ledger_for_files() : NULL;
	struct file *file;

	if (!ledger)
		return 0;
	file = open_file(bpf_get_current_task_btf(), first_argument(regs));
	if (file)
		operation_begins(ledger, file, operation - 1,
				 call & DBT_CALL_OFFSET ? PT_REGS_PARM4_SYSCALL(regs) :
							  (dbt_u64)BPF_CORE_READ(file, f_pos));
	return 0;
}

SEC("tp_btf/sys_exit")
int call_exits(dbt_u64 *arguments)
{
	struct pt_regs *regs = (void *)arguments[0];
	unsigned long number = system_call_of(regs);
	struct ledger *ledger;

	if (number >= DBT_SYSTEM_CALLS_MAX || !(system_calls[number] & DBT_CALL_OPERATION))
		return 0;
	ledger = own_ledger();
	if (ledger)
		operation_ends(ledger, (long)arguments[1]);
	return 0;
}

/* ---- by functions of the kernel ---- */

static __always_inline int vfs_enters(dbt_u64 file, dbt_u32 kind, dbt_u64 position)
{
	struct ledger *ledger = ledger_for_files();
	dbt_u64 offset = ~0ULL;

	if (!ledger)
		return 0;
	if (position)
		bpf_probe_read_kernel(&offset, sizeof(offset), (void *)position);
	operation_begins(ledger, (struct file *)file, kind, offset);
	return 0;
}

static __always_inline int sync_enters(dbt_u64 registers)
{
	struct ledger *ledger = ledger_for_files();
	struct file *file;

	if (!ledger)
		return 0;
	file = open_file(bpf_get_current_task_btf(), first_argument((struct pt_regs *)registers));
	if (file)
		operation_begins(ledger, file, DBT_FILE_SYNC, ~0ULL);
	return 0;
}

static __always_inline int function_leaves(dbt_u64 result)
{
	struct ledger *ledger = own_ledger();

	if (ledger)
		operation_ends(ledger, (long)result);
	return 0;
}

/* fexit finds what the function returned behind its parameters. */
#define RETURN_OF(function, name, parameters)                                                         \
	SEC("fexit/" function) int name##_leaves(dbt_u64 *arguments)                                   \
	{                                                                                              \
		return function_leaves(arguments[parameters]);                                         \
	}                                                                                              \
	SEC("kretprobe/" function) int name##_returned(struct pt_regs *registers)                      \
	{                                                                                              \
		return function_leaves(PT_REGS_RC(registers));                                         \
	}

/* A function of fs/read_write.c: argument 3 points at the position. */
#define VFS_FUNCTION(name, kind, parameters)                                                          \
	SEC("fentry/" #name) int name##_enters(dbt_u64 *arguments)                                     \
	{                                                                                              \
		return vfs_enters(arguments[0], kind, arguments[3]);                                   \
	}                                                                                              \
	SEC("kprobe/" #name) int name##_probed(struct pt_regs *registers)                              \
	{                                                                                              \
		return vfs_enters(PT_REGS_PARM1(registers), kind, PT_REGS_PARM4(registers));           \
	}                                                                                              \
	RETURN_OF(#name, name, parameters)

/* A system call's function: it has the caller's registers. */
#if defined(__TARGET_ARCH_arm64)
#define SYSTEM_CALL_FUNCTION "__arm64_sys_"
#else
#define SYSTEM_CALL_FUNCTION "__x64_sys_"
#endif
#define SYNC_CALL(name)                                                                               \
	SEC("fentry/" SYSTEM_CALL_FUNCTION #name) int name##_enters(dbt_u64 *arguments)                \
	{                                                                                              \
		return sync_enters(arguments[0]);                                                      \
	}                                                                                              \
	SEC("kprobe/" SYSTEM_CALL_FUNCTION #name) int name##_probed(struct pt_regs *registers)         \
	{                                                                                              \
		return sync_enters(PT_REGS_PARM1(registers));                                          \
	}                                                                                              \
	RETURN_OF(SYSTEM_CALL_FUNCTION #name, name, 1)

VFS_FUNCTION(vfs_read, DBT_FILE_READ, 4)
VFS_FUNCTION(vfs_readv, DBT_FILE_READ, 5)
VFS_FUNCTION(vfs_write, DBT_FILE_WRITE, 4)
VFS_FUNCTION(vfs_writev, DBT_FILE_WRITE, 5)

/* Not vfs_fsync_range(): writes to files that are open with O_SYNC lead to it, too, and
 * in fdatasync() it is inlined in some kernels. */
SYNC_CALL(fsync)
SYNC_CALL(fdatasync)
SYNC_CALL(sync_file_range)
