/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
 *
 * The stacks of threads in commands, shared by the BPF programs (C11) and user space
 * (C++20): what event.h is for commands. All times in nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef DBTRACE_BPF_STACK_EVENT_H
#define DBTRACE_BPF_STACK_EVENT_H

#include "bpf/event.h"

/* Deeper kernel stacks lose their outermost frames (PERF_MAX_STACK_DEPTH is 127). */
#define DBT_KERNEL_FRAMES_MAX 64
/* What x86-64's pt_regs holds (arch/x86/include/asm/ptrace.h) are 21 words, AArch64's
 * user_pt_regs (arch/arm64/include/uapi/asm/ptrace.h) 34. */
#define DBT_REGISTERS_MAX 34
/* Return probes that a thread can be inside of and that are put right. */
#define DBT_PENDING_RETURNS_MAX 8
/* Of a stack no more than this is copied. */
#define DBT_STACK_BYTES_MAX (64 * 1024)

/* A return address that a return probe keeps for later (struct return_instance,
 * include/linux/uprobes.h). */
struct dbt_pending_return {
	dbt_u64 stack; /* the stack pointer at the function's entry */
	dbt_u64 address;
};

/* The stack of a thread at one moment: registers, and a copy of its memory from the
 * stack pointer on. Where user space copies the memory itself, `data` is left out. */
struct dbt_stack_event {
	struct dbt_event_header header; /* kind: DBT_EVENT_STACK */
	dbt_u64 command_start_ns; /* with tgid: of the command that it is in */
	dbt_u64 time_ns;
	dbt_u64 wait_since_ns; /* when it lost its core; 0: it has one */
	dbt_u32 tgid;
	dbt_u32 tid;
	dbt_u32 cause; /* enum dbt_cause */
	dbt_u32 stack_size; /* bytes in `data` */
	dbt_u16 kernel_frames;
	dbt_u16 pending_returns;
	dbt_u32 pad;
	dbt_u64 registers[DBT_REGISTERS_MAX]; /* of user mode, as the kernel's struct has them */
	struct dbt_pending_return returns[DBT_PENDING_RETURNS_MAX]; /* the latest first */
	dbt_u64 kernel[DBT_KERNEL_FRAMES_MAX]; /* innermost first */
	dbt_u8 data[DBT_STACK_BYTES_MAX];
};

/* A wait whose stack was taken is over. */
struct dbt_wait_event {
	struct dbt_event_header header; /* kind: DBT_EVENT_WAIT */
	dbt_u64 command_start_ns;
	dbt_u64 wait_since_ns;
	dbt_u64 end_ns;
	dbt_u32 tgid;
	dbt_u32 tid;
};

DBT_STATIC_ASSERT(__builtin_offsetof(struct dbt_stack_event, registers) == 56, "layout");
DBT_STATIC_ASSERT(__builtin_offsetof(struct dbt_stack_event, data) ==
			  56 + 8 * DBT_REGISTERS_MAX + 16 * DBT_PENDING_RETURNS_MAX + 8 * DBT_KERNEL_FRAMES_MAX,
		  "layout");
DBT_STATIC_ASSERT(sizeof(struct dbt_wait_event) == 40, "layout");

#endif
