// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// The kernel's threads and files: as much of its types as is used here. CO-RE finds
// the members in the kernel at hand.
#pragma once

#include <linux/bpf.h>
#include <linux/ptrace.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/event.h"

struct upid {
	int nr;
} __attribute__((preserve_access_index));

struct pid {
	unsigned int level;
	struct upid numbers[1];
} __attribute__((preserve_access_index));

struct thread_struct {
	unsigned long fsbase;
} __attribute__((preserve_access_index));

struct super_block {
	dbt_u32 s_dev;
} __attribute__((preserve_access_index));

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
} __attribute__((preserve_access_index));

struct qstr {
	dbt_u64 hash_len; /* the name's hash and length: another name has another one */
	const unsigned char *name;
} __attribute__((preserve_access_index));

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
} __attribute__((preserve_access_index));

struct path {
	struct dentry *dentry;
} __attribute__((preserve_access_index));

struct file {
	struct path f_path;
	struct inode *f_inode;
	long long f_pos;
} __attribute__((preserve_access_index));

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} __attribute__((preserve_access_index));

struct files_struct {
	struct fdtable *fdt;
} __attribute__((preserve_access_index));

struct sched_entity {
	dbt_u64 sum_exec_runtime; /* ns on a core, up to the last tick or switch */
} __attribute__((preserve_access_index));

struct sched_info {
	unsigned long long run_delay; /* ns that the thread ever waited for a core (CONFIG_SCHED_INFO) */
} __attribute__((preserve_access_index));

struct task_struct {
	unsigned int __state;
	int pid;
	int tgid;
	unsigned int in_iowait : 1;
	unsigned long nvcsw;
	unsigned long nivcsw;
	struct pid *thread_pid;
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	struct files_struct *files;
	char comm[16];
	struct sched_entity se;
	struct sched_info sched_info;
	struct thread_struct thread;
} __attribute__((preserve_access_index));

/* What a pid is called in the namespace at `level`. */
static __always_inline dbt_u32 id_at(struct pid *pid, unsigned int level)
{
	struct upid *number = __builtin_preserve_access_index(&pid->numbers[0]);
	dbt_u32 id = 0;

	number = (void *)number + level * bpf_core_type_size(struct upid);
	bpf_core_read(&id, sizeof(id), &number->nr);
	return id;
}

/* What iterators over all threads get. */
struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
} __attribute__((preserve_access_index));

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} __attribute__((preserve_access_index));

#if defined(__TARGET_ARCH_arm64)
/* Behind what user space is told of (arch/arm64/include/asm/ptrace.h). */
struct pt_regs___system_call {
	int syscallno;
} __attribute__((preserve_access_index));
#endif

/* The number of the system call that a thread is in; negative or nonsense: none. */
static __always_inline long system_call_of(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_arm64)
	return BPF_CORE_READ((struct pt_regs___system_call *)regs, syscallno);
#else
	return (long)regs->orig_rax;
#endif
}

/* A system call's first argument. */
static __always_inline dbt_u64 first_argument(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_arm64)
	return PT_REGS_PARM1_SYSCALL(regs);
#else
	dbt_u64 argument = 0;

	bpf_probe_read_kernel(&argument, sizeof(argument), &regs->rdi);
	return argument;
#endif
}

/* Type bits of an inode's mode (include/uapi/linux/stat.h). */
#define FILE_TYPE 0170000
#define SOCKET 0140000
#define REGULAR_FILE 0100000
#define BLOCK_DEVICE 0060000

static __always_inline unsigned short type_of(struct file *file)
{
	return BPF_CORE_READ(file, f_inode, i_mode) & FILE_TYPE;
}

/* The open file of a descriptor; NULL: there is none. */
static __always_inline struct file *open_file(struct task_struct *task, dbt_u64 descriptor)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd);
	struct file *file = NULL;

	if ((dbt_u32)descriptor >= BPF_CORE_READ(table, max_fds) ||
	    bpf_probe_read_kernel(&file, sizeof(file), files + (dbt_u32)descriptor))
		return NULL;
	return file;
}
