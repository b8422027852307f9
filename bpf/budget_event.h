/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
 *
 * Where the time of a command went, shared by the BPF programs (C11) and user
 * space (C++20): what event.h is for commands. All times in nanoseconds.
 */
#ifndef DBTRACE_BPF_BUDGET_EVENT_H
#define DBTRACE_BPF_BUDGET_EVENT_H

#include "bpf/event.h"

/* What a thread spends its time with. At every moment it is exactly one of them. */
enum dbt_cause {
	DBT_CAUSE_ON_CPU,
	DBT_CAUSE_RUN_QUEUE, /* could run, but every core was taken */
	/* Blocked, by what the system call that it is in is for: */
	DBT_CAUSE_FILE_READ,
	DBT_CAUSE_FILE_WRITE,
	DBT_CAUSE_FSYNC,
	DBT_CAUSE_LOCK, /* a futex, and the server does not say what for */
	DBT_CAUSE_NETWORK,
	DBT_CAUSE_SLEEP,
	DBT_CAUSE_OTHER,
	/* Blocked, and the server says what for: */
	DBT_CAUSE_ROW_LOCK,
	DBT_CAUSE_METADATA_LOCK,
	DBT_CAUSE_TABLE_LOCK,
	DBT_CAUSE_USER_LOCK, /* GET_LOCK() */
	DBT_CAUSE_GLOBAL_LOCK,
	DBT_CAUSE_BINLOG,
	DBT_CAUSE_GROUP_COMMIT,
	DBT_CAUSES,
};

/* What a system call may block for, as user space tells the programs. */
#define DBT_SYSTEM_CALLS_MAX 512
#define DBT_CALL_CAUSE 0x0f /* mask: enum dbt_cause */
#define DBT_CALL_BY_FILE 0x10 /* argument 0 is a descriptor: only of a file; a socket is the network */
#define DBT_CALL_SERVER_KNOWS 0x20 /* when the server says what it waits for, it knows better */
#define DBT_CALL_WAKES 0x40 /* it wakes threads that wait for what the caller had */
#define DBT_CALL_OFFSET 0x80 /* argument 3 is the offset in the file */
#define DBT_CALL_OPERATION 0x700 /* mask: 1 + enum dbt_file_operation, of the file of argument 0 */
#define DBT_CALL_OPERATION_SHIFT 8
#define DBT_CALL_SUBMITS 0x800 /* libaio: argument 1 operations are begun, argument 2 lists them */
#define DBT_CALL_COLLECTS 0x1000 /* libaio: argument 3 is the list of those that have ended */

enum dbt_file_operation {
	DBT_FILE_READ,
	DBT_FILE_WRITE,
	DBT_FILE_SYNC,
	DBT_FILE_OPERATIONS,
};

/* Operations on files: one kind, one file or all. */
struct dbt_io_count {
	dbt_u32 count;
	dbt_u32 blocked; /* those of them that gave up the core: waited for the device or a lock */
	dbt_u64 bytes;
	dbt_u64 ns; /* from begin to end, on-CPU time included */
	dbt_u64 max_ns;
};

/* A file is known by a number, which a dbt_file_event gave a name before; 0: none. */
struct dbt_file_io {
	dbt_u32 file;
	dbt_u32 pad;
	struct dbt_io_count operations[DBT_FILE_OPERATIONS];
};

/* Files of one command that are told apart. More than these push out the one with
 * the least time, whose operations then count only in the sums. */
#define DBT_FILES_MAX 8

/* Sent just before the command that it belongs to; start_ns and tid say which. */
struct dbt_budget_event {
	struct dbt_event_header header;
	dbt_u64 start_ns;
	dbt_u64 ns[DBT_CAUSES];
	dbt_u32 tid;
	dbt_u32 voluntary; /* context switches */
	dbt_u32 involuntary;
	dbt_u32 slowest_file[DBT_FILE_OPERATIONS]; /* where the one of max_ns was */
	dbt_u32 file_count; /* of `files` */
	dbt_u32 sees_files; /* 0: what follows is not known */
	struct dbt_io_count io[DBT_FILE_OPERATIONS]; /* all files */
	struct dbt_file_io files[DBT_FILES_MAX];
};

/* Waits of a command that are told apart by what the server shows (profiles::WaitEvents). More
 * than these push out the one with the least time. */
#define DBT_NAMED_WAITS_MAX 8

struct dbt_named_wait {
	dbt_u64 ns; /* blocked */
	dbt_u32 event; /* the server's number */
	dbt_u32 waits;
};

/* Sent before a command's dbt_budget_event, when there is something to tell; user space makes
 * one for a command that runs. */
struct dbt_named_waits_event {
	struct dbt_event_header header;
	dbt_u64 start_ns; /* with tid: of the command */
	dbt_u64 others_ns; /* of those that were pushed out */
	dbt_u32 tid;
	dbt_u32 now; /* of a command that runs: what the server shows at this moment; 0: nothing */
	dbt_u32 count; /* of `waits` */
	dbt_u32 pad;
	struct dbt_named_wait waits[DBT_NAMED_WAITS_MAX];
};

/* What all commands of a plan have waited for, by what the server shows. */
struct dbt_event_key {
	dbt_u32 plan;
	dbt_u32 event;
};
struct dbt_event_sum {
	dbt_u64 ns;
	dbt_u64 waits; /* that have ended */
};

/* What a thread in a command spends its time with at this moment. */
struct dbt_spending {
	dbt_u32 cause; /* enum dbt_cause */
	dbt_u32 plan;
	dbt_u32 event; /* that the server shows while it is blocked; 0: none */
};

/* Enough of the blocker's query to know it by. */
#define DBT_BLOCKER_TEXT_MAX 1024
#define DBT_THREAD_NAME_MAX 16 /* TASK_COMM_LEN, include/linux/sched.h */

/* Who ended the longest wait for a lock of a command; sent before its
 * dbt_budget_event. A blocker that is in no command has blocker_start_ns 0, but for a session
 * that is idle in a transaction: since then, and the text is that of its last command. */
struct dbt_blocker_event {
	struct dbt_event_header header;
	dbt_u64 start_ns; /* with tid: of the command that waited */
	dbt_u64 waited_ns;
	dbt_u64 connection_id; /* of the blocker, as are all below */
	dbt_u64 blocker_start_ns;
	dbt_u32 tid;
	dbt_u32 cause; /* enum dbt_cause */
	dbt_u32 blocker_tgid;
	dbt_u32 blocker_tid;
	dbt_u32 has_connection;
	dbt_u32 text_length; /* the true length */
	dbt_u32 text_size; /* bytes of it in `text` */
	dbt_u32 has_text;
	dbt_u32 is_idle;
	dbt_u32 pad;
	char thread[DBT_THREAD_NAME_MAX];
	dbt_u8 text[DBT_BLOCKER_TEXT_MAX];
};

#define DBT_FILE_NAME_MAX 256 /* NAME_MAX, include/uapi/linux/limits.h, and a NUL */

/* The name of a file that operations are about to refer to by its number. A file
 * that is renamed gets a new number. NUL-terminated. */
struct dbt_file_event {
	struct dbt_event_header header;
	dbt_u64 inode;
	dbt_u32 number;
	dbt_u32 device; /* the kernel's dev_t: major << 20 | minor */
	char name[DBT_FILE_NAME_MAX];
	char folder[DBT_FILE_NAME_MAX]; /* the last part of the folder's path */
};

/* Processes that are asked for the operations of all their threads; of further ones only
 * those in commands are told of. */
#define DBT_FILES_OF_MAX 8

/* One operation on a file, when somebody asks for each. */
struct dbt_io_event {
	struct dbt_event_header header;
	dbt_u64 start_ns;
	dbt_u64 duration_ns;
	dbt_u64 offset; /* ~0: where the file stood, or a sync */
	dbt_u64 bytes; /* done */
	dbt_u64 command_start_ns; /* with tid: of the command that it was done for; 0: none */
	dbt_u32 file;
	dbt_u32 tgid;
	dbt_u32 tid;
	dbt_u32 error; /* errno; 0: it succeeded */
	dbt_u8 operation; /* enum dbt_file_operation */
	dbt_u8 blocked;
	dbt_u8 asynchronous; /* nobody waited for it, and it lasted until it was collected */
	dbt_u8 pad[5];
	char thread[DBT_THREAD_NAME_MAX];
};

DBT_STATIC_ASSERT(sizeof(struct dbt_io_count) == 32, "layout");
DBT_STATIC_ASSERT(sizeof(struct dbt_file_io) == 104, "layout");
DBT_STATIC_ASSERT(__builtin_offsetof(struct dbt_budget_event, io) == 16 + 8 * DBT_CAUSES + 32, "layout");
DBT_STATIC_ASSERT(__builtin_offsetof(struct dbt_blocker_event, text) == 96, "layout");
DBT_STATIC_ASSERT(__builtin_offsetof(struct dbt_named_waits_event, waits) == 40, "layout");
DBT_STATIC_ASSERT(sizeof(struct dbt_file_event) == 24 + 2 * DBT_FILE_NAME_MAX, "layout");
DBT_STATIC_ASSERT(sizeof(struct dbt_io_event) == 88, "layout");

#endif
