/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
 *
 * The only header shared by the BPF programs (C11) and user space (C++20):
 * what user space tells the programs (struct dbt_plan) and what the programs
 * send back over the ring buffer (struct dbt_*_event) or count
 * (enum dbt_counter). Fixed-width, explicitly padded, native byte order; both
 * sides are always built from the same header, so there is no version in it.
 */
#ifndef DBTRACE_BPF_EVENT_H
#define DBTRACE_BPF_EVENT_H

#ifdef __cplusplus
#include <cstdint>
#define DBT_STATIC_ASSERT static_assert
typedef uint8_t dbt_u8;
typedef uint16_t dbt_u16;
typedef uint32_t dbt_u32;
typedef uint64_t dbt_u64;
#else
#define DBT_STATIC_ASSERT _Static_assert
typedef unsigned char dbt_u8;
typedef unsigned short dbt_u16;
typedef unsigned int dbt_u32;
typedef unsigned long long dbt_u64;
#endif

/* Text copied inside the command event; longer texts (up to DBT_TEXT_MAX) go
 * on in a dbt_tail_event that is sent just before it. */
#define DBT_TEXT_INLINE 4096
#define DBT_TEXT_MAX 65536
#define DBT_TAIL_MAX (DBT_TEXT_MAX - DBT_TEXT_INLINE)
/* MySQL's NAME_LEN: 64 characters of 3 bytes (sql/sql_const.h, mysql_com.h). */
#define DBT_NAME_MAX 192
/* HOSTNAME_LENGTH is 255 in MySQL 8.0.17 and later, 60 before. */
#define DBT_HOST_MAX 256
/* IPv6 text with scope, rounded up. */
#define DBT_IP_MAX 64
/* NAMEDATALEN of PostgreSQL, which cuts the names of applications to that. */
#define DBT_APPLICATION_MAX 64

/* ---- what user space tells the programs ---- */

/* A way from an object to a member: add offset[0], load a pointer, add
 * offset[1], … ; the last offset is added but not loaded through. */
#define DBT_PATH_MAX 4
struct dbt_path {
	dbt_u8 steps; /* offsets in use; 0: this member cannot be had */
	dbt_u8 width; /* bytes of a number at the end: 4 or 8 */
	dbt_u8 length_width; /* text: a length of 4 or 8 bytes stands right behind the pointer; 0: NUL-terminated */
	dbt_u8 pad[5];
	dbt_u32 offset[DBT_PATH_MAX];
};

/* How the text of one command is found (profiles::TextRule). */
enum dbt_text_rule {
	DBT_TEXT_NONE = 0,
	DBT_TEXT_PACKET, /* packet argument, length argument */
	DBT_TEXT_PACKET_NUL, /* the same, up to the first NUL */
	DBT_TEXT_DATA32, /* pointer at packet+0, u32 length at packet+8 */
	DBT_TEXT_DATA64, /* pointer at packet+0, u64 length at packet+8 */
	DBT_TEXT_STATEMENT, /* read when the statement's execution begins */
	DBT_TEXT_REPORTED, /* argument 1 of the report that begins the command, up to its NUL */
};

#define DBT_COMMAND_TEXT 0x07 /* mask: enum dbt_text_rule */
#define DBT_COMMAND_STEP 0x08 /* leads to another command: of interest by itself when it fails */
#define DBT_COMMAND_ROWS 0x10 /* row counts belong to this command */
#define DBT_COMMAND_SEND 0x20 /* user space wants to see it */
#define DBT_COMMAND_NEW_USER 0x40 /* the session's user may change */
#define DBT_COMMAND_EXECUTES_ONE 0x80 /* DBT_TEXT_STATEMENT: one statement, once */

#define DBT_WAITS_MAX 16

/* What user space may give up while it traces, a bit each. */
#define DBT_SHED_STACKS 0x1
#define DBT_SHED_FILES 0x2 /* operations on files */
#define DBT_SHED_TIME 0x4 /* what threads spend their time with */

/* A probe's cookie: the index of its plan, the command that it is about (0: whichever it
 * meets), and the link-time address of the probed instruction. The last two only of
 * servers that report (bpf/report.bpf.h). */
#define DBT_COOKIE_COMMAND_SHIFT 16
#define DBT_COOKIE_ADDRESS_SHIFT 32

/* A number of 4 bytes in one of several objects that lie one behind the other. Addresses are
 * link-time. */
struct dbt_element {
	dbt_u64 index; /* of the int that says which object; 0: this cannot be had */
	dbt_u64 first; /* of the number in object 0 */
	dbt_u64 size; /* of an object */
};

/* What bpf/report.bpf.h needs to know. All paths but the first start at the server's
 * image: their first offset is the link-time address of a variable. */
struct dbt_report_plan {
	struct dbt_path rows; /* of a statement, from argument 0 of what completes it */
	struct dbt_path query_id;
	struct dbt_path application;
	struct dbt_path wait; /* what the server waits for: its kind is in the highest byte */
	dbt_u8 running; /* argument 0 of the reports that count */
	dbt_u8 step, next; /* command `next` is one with the `step` before it; 0: there is none */
	dbt_u8 completed; /* the command that is over when its statement is */
	dbt_u32 default_error; /* the number of an error that is given none */
	struct dbt_element error; /* the number of the error at hand */
	struct dbt_path transaction; /* a session's state: from in_transaction on, it is in one */
	dbt_u32 in_transaction;
	dbt_u8 idle; /* the command that stands for sessions that are idle in a transaction; 0: none */
	dbt_u8 pad2[3];
	/* enum dbt_cause by the kind of what the server waits for; 0: the system call knows better.
	 * Of waits of kind lock_kind the lowest byte tells more. */
	dbt_u8 wait_causes[DBT_WAITS_MAX];
	dbt_u8 lock_causes[DBT_WAITS_MAX];
	dbt_u8 lock_kind;
	dbt_u8 pad[7];
	struct dbt_path statement_text; /* of a statement, from argument 0 of what executes it */
};

/* One traced binary (or process); the probes' cookie is its index. */
struct dbt_plan {
	dbt_u32 only_tgid; /* 0: every process that runs the binary */
	dbt_u8 command_argument; /* argument positions at the dispatch function */
	dbt_u8 session_argument;
	dbt_u8 packet_argument;
	dbt_u8 length_argument;
	dbt_u8 suspends; /* 1: the result below means "to be entered again" */
	dbt_u8 completes; /* 1: command_complete reads rows_examined, too late at the return */
	dbt_u8 wait_argument; /* position at the function that is called before a wait */
	dbt_u8 forks; /* 1: processes whose parent is only_tgid count, too */
	dbt_u32 suspended_result;
	struct dbt_path connection_id;
	struct dbt_path user;
	struct dbt_path host;
	struct dbt_path ip;
	struct dbt_path database;
	struct dbt_path rows_sent;
	struct dbt_path rows_examined;
	struct dbt_path error_number;
	struct dbt_path statement_text; /* from the prepared statement */
	struct dbt_path query_text; /* of the statement at hand, from the session */
	dbt_u8 wait_causes[DBT_WAITS_MAX]; /* enum dbt_cause by the server's number; 0: no better */
	dbt_u8 commands[256]; /* DBT_COMMAND_* by command number */
	dbt_u8 is_summed[256]; /* 1: the time of the command is that of a query, for sums by cause */
	struct dbt_report_plan report;
};

/* ---- what the programs send ---- */

enum dbt_event_kind {
	DBT_EVENT_COMMAND = 1,
	DBT_EVENT_SESSION = 2,
	DBT_EVENT_TAIL = 3,
	/* bpf/budget_event.h */
	DBT_EVENT_BUDGET = 4,
	DBT_EVENT_BLOCKER = 5,
	DBT_EVENT_FILE = 6,
	DBT_EVENT_IO = 7,
	/* bpf/stack_event.h */
	DBT_EVENT_STACK = 8,
	DBT_EVENT_WAIT = 9,
	/* bpf/budget_event.h */
	DBT_EVENT_NAMED_WAITS = 10,
};

struct dbt_event_header {
	dbt_u32 size; /* of the whole event, this header included */
	dbt_u16 kind; /* enum dbt_event_kind */
	dbt_u16 plan; /* index of the plan that it belongs to */
};

enum dbt_command_flags {
	DBT_HAS_CONNECTION = 1 << 0, /* the field of this name could be read */
	DBT_HAS_DATABASE = 1 << 1,
	DBT_HAS_ROWS_SENT = 1 << 2,
	DBT_HAS_ROWS_EXAMINED = 1 << 3,
	DBT_HAS_ERROR = 1 << 4,
	DBT_HAS_TEXT = 1 << 5, /* text_length bytes of text existed and were copied (perhaps cut) */
	DBT_TEXT_UNREADABLE = 1 << 6, /* there is text, but it could not be read */
	DBT_HAS_TAIL = 1 << 7, /* a dbt_tail_event was sent before this event */
	DBT_ACTIVE = 1 << 8, /* in the kernel only: between entry and return */
	DBT_IS_STATEMENT = 1 << 9, /* not a command: a statement inside one */
	DBT_COMPLETE = 1 << 10, /* in the kernel only: active, and filled in for user space */
	DBT_IS_RUNNING = 1 << 11, /* has not ended: duration_ns is what it has taken so far */
	/* Began before anybody looked: the command is not known, nor, when it is 0, start_ns. */
	DBT_BEGAN_EARLIER = 1 << 12,
	DBT_HAS_BUDGET = 1 << 13, /* a dbt_budget_event was sent before this event */
	DBT_HAS_QUERY_ID = 1 << 14,
	DBT_PROCESS_ENDED = 1 << 15, /* before the command did */
};

/* A command that has finished or still runs, or a statement inside one. `data`
 * holds the database's name, then the text. */
struct dbt_command_event {
	struct dbt_event_header header;
	dbt_u64 session; /* address of the server's session object */
	dbt_u64 connection_id;
	dbt_u64 start_ns; /* CLOCK_MONOTONIC */
	dbt_u64 duration_ns;
	dbt_u64 rows_sent;
	dbt_u64 rows_examined;
	dbt_u64 kind; /* 0, or: an example of this kind, counted in its dbt_kind_sums */
	dbt_u64 query_id; /* the server's own number of this kind of query */
	/* Only when statements are asked for: */
	dbt_u64 id;
	dbt_u64 parent_id; /* the command or statement that it runs in; 0: none */
	dbt_u64 children_ns; /* of duration_ns: spent in statements inside it */
	dbt_u32 depth; /* how many it is inside of */
	dbt_u32 statements; /* in the kernel only: begun so far, those inside them left out */
	dbt_u32 tgid;
	dbt_u32 tid;
	dbt_u32 error;
	dbt_u32 text_length; /* the true length */
	dbt_u32 text_size; /* bytes of it in `data` */
	dbt_u16 flags; /* enum dbt_command_flags */
	dbt_u8 database_size; /* bytes of the database's name in `data` */
	dbt_u8 command;
	dbt_u8 data[DBT_NAME_MAX + DBT_TEXT_INLINE];
};

/* Who a session is; sent before its first command and after a change. */
struct dbt_session_event {
	struct dbt_event_header header;
	dbt_u64 session;
	dbt_u64 connection_id;
	dbt_u32 tgid;
	dbt_u8 has_user; /* 1: could be read, even if empty */
	dbt_u8 has_host;
	dbt_u8 has_ip;
	dbt_u8 has_application;
	dbt_u16 user_size;
	dbt_u16 host_size;
	dbt_u16 ip_size;
	dbt_u16 application_size;
	dbt_u8 user[DBT_NAME_MAX];
	dbt_u8 host[DBT_HOST_MAX];
	dbt_u8 ip[DBT_IP_MAX];
	dbt_u8 application[DBT_APPLICATION_MAX];
};

/* The text of a long query from its byte DBT_TEXT_INLINE on. */
struct dbt_tail_event {
	struct dbt_event_header header;
	dbt_u64 start_ns; /* with tid, whose it is */
	dbt_u32 tid;
	dbt_u32 size; /* bytes in `data` */
	dbt_u8 data[DBT_TAIL_MAX];
};

/* ---- what user space reads of running commands (bpf/running.bpf.h) ---- */

/* Stands before a record of `size` bytes… */
struct dbt_running_frame {
	dbt_u64 start_ns; /* of the record, before its bytes were copied */
	dbt_u32 size;
	dbt_u32 pad;
};

/* …and this behind it. */
struct dbt_running_end {
	dbt_u64 start_ns; /* the same, afterwards */
	dbt_u32 flags; /* DBT_COMPLETE: it had not ended */
	dbt_u32 pad;
};

/* What user space tells of a command that began before it attached. */
struct dbt_adopted {
	dbt_u64 start_ns; /* CLOCK_MONOTONIC; DBT_ADOPTED_LONG_AGO: not known */
	dbt_u64 image; /* where the server's image lies, of a server that shows what it waits for */
	dbt_u64 switches; /* the thread's voluntary ones, before the next was read */
	dbt_u32 wait_event; /* what the server shows; 0: nothing */
	dbt_u32 tgid;
	dbt_u16 plan;
	dbt_u16 shows_waits;
	dbt_u32 pad;
};
#define DBT_ADOPTED_LONG_AGO 1

struct dbt_thread {
	dbt_u64 pointer; /* what its thread-pointer register holds: on x86-64 the base of fs */
	dbt_u32 tgid;
	dbt_u32 tid;
};

/* Counters, summed over CPUs by user space. */
enum dbt_counter {
	DBT_COUNT_FINISHED, /* commands whose end was seen */
	DBT_COUNT_STARTED, /* commands whose begin was seen */
	DBT_COUNT_HIDDEN, /* finished, but of a command that is not asked for */
	DBT_COUNT_FAST, /* finished, but faster than asked for */
	DBT_COUNT_OTHER_CONNECTION, /* finished, but of another connection */
	DBT_COUNT_SENT, /* command events sent */
	DBT_COUNT_LOST_RING_FULL, /* command events that found no room */
	DBT_COUNT_LOST_NO_STATE, /* commands that found no memory for their state */
	DBT_COUNT_LOST_ORPHAN, /* ends without a begin, begins without an end */
	DBT_COUNT_UNREADABLE_TEXT, /* commands shown without their text */
	DBT_COUNT_STATEMENTS, /* statements whose end was seen, besides commands */
	DBT_COUNT_LOST_TOO_DEEP, /* those of them that were nested too deeply to be told of */
	DBT_COUNT_BUDGETS_LOST, /* budgets, or parts of them, that found no room */
	DBT_COUNT_EXAMPLES_LOST, /* of kinds, that found no room; another one is sent later */
	DBT_COUNT_BY_KIND, /* commands counted by kind in the kernel */
	DBT_COUNT_OPERATIONS, /* file operations sent */
	DBT_COUNT_OPERATIONS_LOST, /* those that found no room */
	DBT_COUNT_OPERATIONS_MISSED, /* file operations whose end was not seen */
	DBT_COUNT_TAIL_LOST, /* long texts cut short for want of room */
	DBT_COUNT_STACKS_LOST, /* stacks, or ends of their waits, that found no room */
	DBT_COUNT_STACKS_LIMITED, /* stacks not taken because there were too many in a second */
	DBT_COUNT_SUMMED, /* finished, asked for, and their time is in the sums by cause */
	DBT_COUNTERS,
};

DBT_STATIC_ASSERT(sizeof(struct dbt_path) == 24, "layout");
DBT_STATIC_ASSERT(sizeof(struct dbt_event_header) == 8, "layout");
DBT_STATIC_ASSERT(__builtin_offsetof(struct dbt_command_event, data) == 128, "layout");
DBT_STATIC_ASSERT(__builtin_offsetof(struct dbt_tail_event, data) == 24, "layout");

#endif
