// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// Calls of any function: how often, by which thread, with which arguments, how
// long. Nothing is known here of what the functions do.
//
// The end of a call is seen at the function's own exits, not by a return probe:
// that would replace the return address, and an exception thrown through it ends
// the program. An exit belongs to the call that began on the same thread with the
// same stack pointer, which tells recursive calls apart. Calls that end by an
// exception or a longjmp meet no exit; what is remembered of them goes when its
// place is needed, or when the same place on the stack is called from again.
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/current.h"
#include "bpf/func_event.h"
#include "bpf/log_linear.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Set by user space before loading. */
const volatile dbt_u32 only_tgid = 0; /* 0: every process that runs the file */
const volatile bool by_thread = false;
const volatile bool measure = false;
const volatile dbt_u32 argument_count = 0; /* 0: calls are only counted */
const volatile struct dbt_func_argument arguments[DBT_FUNC_ARGUMENTS] = {};
const volatile dbt_u64 wakeup_bytes = 0; /* wake user space at this much data; otherwise it polls */

/* Calls count from the moment that user space sets this, when all probes are
 * there, until it takes it back, before the first goes. */
dbt_u32 tracing = 0;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, dbt_u32);
	__type(value, struct dbt_func_stats);
} functions SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_RDONLY_PROG);
	__type(key, dbt_u32);
	__type(value, struct dbt_func_exit);
} exits SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct dbt_func_thread_key);
	__type(value, struct dbt_func_thread);
} threads SEC(".maps");

struct call_key {
	dbt_u64 stack; /* the stack pointer at the entry */
	dbt_u32 thread; /* the kernel's id */
	dbt_u32 function;
};

/* Calls that have begun → when. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct call_key);
	__type(value, dbt_u64);
} calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct dbt_func_bucket_key);
	__type(value, dbt_u64);
} durations SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

/* Where a thread puts its event together. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct dbt_func_call_event);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DBT_FUNC_COUNTERS);
	__type(key, dbt_u32);
	__type(value, dbt_u64);
} counters SEC(".maps");

static __always_inline void count(dbt_u32 which)
{
	dbt_u64 *counter = bpf_map_lookup_elem(&counters, &which);

	/* Atomic although per CPU: another probe may run here if we are preempted. */
	if (counter)
		__sync_fetch_and_add(counter, 1);
}

/* The function's numbers, when the current process is one to look at. */
static __always_inline struct dbt_func_stats *wanted(dbt_u64 ids, dbt_u32 function)
{
	if (!tracing || (only_tgid && only_tgid != ids >> 32))
		return NULL;
	return bpf_map_lookup_elem(&functions, &function);
}

static __always_inline struct call_key current_call(struct pt_regs *ctx, dbt_u32 function)
{
	struct call_key key = {
		.stack = PT_REGS_SP(ctx),
		.thread = (dbt_u32)bpf_get_current_pid_tgid(),
		.function = function,
	};

	return key;
}

/* ---- registers by number ---- */

#if defined(__TARGET_ARCH_x86)

struct registers {
	struct pt_regs all;
};

static __always_inline dbt_u64 register_value(const struct registers *registers, dbt_u8 number)
{
	switch (number) {
	case 0: return registers->all.rax;
	case 1: return registers->all.rcx;
	case 2: return registers->all.rdx;
	case 3: return registers->all.rbx;
	case 4: return registers->all.rsp;
	case 5: return registers->all.rbp;
	case 6: return registers->all.rsi;
	case 7: return registers->all.rdi;
	case 8: return registers->all.r8;
	case 9: return registers->all.r9;
	case 10: return registers->all.r10;
	case 11: return registers->all.r11;
	case 12: return registers->all.r12;
	case 13: return registers->all.r13;
	case 14: return registers->all.r14;
	case 15: return registers->all.r15;
	default: return 0;
	}
}

/* Intel SDM volume 2, appendix B.1.4.7: conditions come in pairs, of which the
 * odd one is the opposite. */
static __always_inline bool holds(const struct registers *registers, dbt_u8 condition)
{
	dbt_u64 flags = registers->all.eflags;
	bool carry = flags & 1, parity = flags >> 2 & 1, zero = flags >> 6 & 1;
	bool sign = flags >> 7 & 1, overflow = flags >> 11 & 1;
	bool even;

	switch (condition >> 1) {
	case 0: even = overflow; break;
	case 1: even = carry; break;
	case 2: even = zero; break;
	case 3: even = carry || zero; break;
	case 4: even = sign; break;
	case 5: even = parity; break;
	case 6: even = sign != overflow; break;
	default: even = zero || sign != overflow; break;
	}
	return even != (condition & 1);
}

#elif defined(__TARGET_ARCH_arm64)

struct registers {
	struct user_pt_regs all;
};

static __always_inline dbt_u64 register_value(const struct registers *registers, dbt_u8 number)
{
	if (number == 31)
		return registers->all.sp;
	return number < 31 ? registers->all.regs[number] : 0;
}

/* No exit of this kind is told of here. */
static __always_inline bool holds(const struct registers *registers, dbt_u8 condition)
{
	(void)registers;
	(void)condition;
	return true;
}

#endif

/* A copy: the context itself can only be read at fixed offsets. */
static __always_inline void copy_registers(struct pt_regs *ctx, struct registers *registers)
{
	bpf_probe_read_kernel(registers, sizeof(*registers), ctx);
}

/* ---- the end of a call ---- */

static __always_inline bool lies_in(dbt_u64 address, dbt_u64 begin, dbt_u64 size)
{
	return address - begin < size;
}

/* Whether the computed jump that is about to run goes out of the function. */
static __always_inline bool jumps_out(struct pt_regs *ctx, const struct registers *registers,
				      const struct dbt_func_exit *exit)
{
	dbt_u64 bias = PT_REGS_IP(ctx) - exit->address;
	dbt_u64 target = exit->displacement;

	if (exit->base != DBT_FUNC_NO_REGISTER)
		target += register_value(registers, exit->base);
	if (exit->index != DBT_FUNC_NO_REGISTER)
		target += register_value(registers, exit->index) * exit->scale;
	/* What cannot be read will not be jumped to either. */
	if (exit->in_memory && bpf_probe_read_user(&target, sizeof(target), (void *)target))
		return false;
	target -= bias;
	return !lies_in(target, exit->begin, exit->size) &&
	       !lies_in(target, exit->cold_begin, exit->cold_size);
}

static __always_inline bool leaves(struct pt_regs *ctx, const struct dbt_func_exit *exit)
{
	struct registers registers;

	if (exit->kind == DBT_FUNC_LEAVES)
		return true;
	copy_registers(ctx, &registers);
	return exit->kind == DBT_FUNC_LEAVES_IF ? holds(&registers, exit->condition) :
						  jumps_out(ctx, &registers, exit);
}

static __always_inline void add_duration(dbt_u32 function, dbt_u64 duration)
{
	struct dbt_func_bucket_key key = {
		.function = function,
		.bucket = dbt_log_linear_bucket(duration),
	};
	dbt_u64 *times = bpf_map_lookup_elem(&durations, &key);
	dbt_u64 none = 0;

	if (!times) {
		bpf_map_update_elem(&durations, &key, &none, BPF_NOEXIST);
		times = bpf_map_lookup_elem(&durations, &key);
	}
	if (times)
		__sync_fetch_and_add(times, 1);
	else
		count(DBT_FUNC_LOST_BUCKETS);
}

/* Section names give the attach type of uprobe_multi; user space takes it back
 * for kernels that have only perf events. */

/* At an instruction that leaves a function, or may. */
SEC("uprobe.multi")
int function_exit(struct pt_regs *ctx)
{
	dbt_u64 now = bpf_ktime_get_ns();
	dbt_u32 index = (dbt_u32)bpf_get_attach_cookie(ctx);
	const struct dbt_func_exit *exit = bpf_map_lookup_elem(&exits, &index);
	struct dbt_func_stats *stats;
	struct call_key key;
	dbt_u64 duration, *begin;

	if (!exit)
		return 0;
	stats = wanted(current_ids(), exit->function);
	if (!stats)
		return 0;
	key = current_call(ctx, exit->function);
	begin = bpf_map_lookup_elem(&calls, &key);
	/* Without a begin it is a call from before, or a jump inside the function. */
	if (!begin || !leaves(ctx, exit))
		return 0;
	duration = now - *begin;
	bpf_map_delete_elem(&calls, &key);
	__sync_fetch_and_add(&stats->finished, 1);
	__sync_fetch_and_add(&stats->total_ns, duration);
	add_duration(exit->function, duration);
	return 0;
}

/* ---- the begin of a call ---- */

/* Keeps the compiler from merging a check with what it knew before: it likes to
 * check one copy and use another, which the verifier refuses. */
#define opaque(variable) asm volatile("" : "+r"(variable))

static __always_inline void count_thread(dbt_u32 function, dbt_u64 ids)
{
	struct dbt_func_thread_key key = {
		.function = function,
		.thread = (dbt_u32)bpf_get_current_pid_tgid(),
	};
	struct dbt_func_thread *thread = bpf_map_lookup_elem(&threads, &key);

	if (!thread) {
		struct dbt_func_thread fresh = {.tgid = ids >> 32, .tid = (dbt_u32)ids};

		bpf_get_current_comm(fresh.name, sizeof(fresh.name));
		bpf_map_update_elem(&threads, &key, &fresh, BPF_NOEXIST);
		thread = bpf_map_lookup_elem(&threads, &key);
	}
	if (thread)
		__sync_fetch_and_add(&thread->calls, 1);
	else
		count(DBT_FUNC_LOST_THREADS);
}

/* False: `value` is the address that could not be read. */
static __always_inline bool load(const struct registers *registers,
				 const volatile struct dbt_func_source *source, dbt_u64 *value)
{
	*value = register_value(registers, source->reg);
#pragma unroll
	for (int i = 0; i < DBT_FUNC_LOADS; i++) {
		dbt_u64 loaded = 0;

		if (i >= source->loads)
			break;
		*value += source->offset[i];
		if (i + 1 == source->loads && source->width == 4) {
			dbt_u32 narrow = 0;

			if (bpf_probe_read_user(&narrow, sizeof(narrow), (void *)*value))
				return false;
			loaded = narrow;
		} else if (bpf_probe_read_user(&loaded, sizeof(loaded), (void *)*value)) {
			return false;
		}
		*value = loaded;
	}
	return true;
}

/* Appends the text at value->number to the event's data, of which `used` bytes
 * are taken. Returns what is taken then. */
static __always_inline dbt_u32 copy_text(const struct registers *registers, dbt_u32 i,
					 struct dbt_func_call_event *event,
					 struct dbt_func_value *value, dbt_u32 used)
{
	if (used > (DBT_FUNC_ARGUMENTS - 1) * DBT_FUNC_TEXT) /* never; the verifier wants to see it */
		return used;
	if (!value->number) {
		value->state = DBT_FUNC_NULL;
		return used;
	}
	if (arguments[i].kind == DBT_FUNC_BYTES) {
		dbt_u64 size;

		if (!load(registers, &arguments[i].length, &value->length)) {
			value->state = DBT_FUNC_UNREADABLE;
			return used;
		}
		/* The upper half of a register that holds an int may hold anything. */
		value->length &= 0xffffffff;
		size = value->length;
		opaque(size);
		if (size > DBT_FUNC_TEXT)
			size = DBT_FUNC_TEXT;
		if (size && bpf_probe_read_user(event->data + used, size, (void *)value->number)) {
			value->state = DBT_FUNC_UNREADABLE;
			return used;
		}
		value->cut = size < value->length;
		value->size = size;
	} else {
		long got = bpf_probe_read_user_str(event->data + used, DBT_FUNC_TEXT,
						   (void *)value->number);

		if (got < 1) {
			value->state = DBT_FUNC_UNREADABLE;
			return used;
		}
		value->cut = got == DBT_FUNC_TEXT;
		value->size = got - 1;
	}
	return used + value->size;
}

static __always_inline void send_call(struct pt_regs *ctx, dbt_u32 function, dbt_u64 ids)
{
	struct dbt_func_call_event *event = bpf_task_storage_get(
		&events, bpf_get_current_task_btf(), NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	struct registers registers;
	dbt_u32 used = 0, size;

	if (!event) {
		count(DBT_FUNC_LOST_NO_STATE);
		return;
	}
	event->function = function;
	event->time_ns = bpf_ktime_get_ns();
	event->tgid = ids >> 32;
	event->tid = (dbt_u32)ids;
	copy_registers(ctx, &registers);
	for (dbt_u32 i = 0; i < DBT_FUNC_ARGUMENTS; i++) {
		struct dbt_func_value value = {};

		if (i >= argument_count)
			break;
		if (!load(&registers, &arguments[i].value, &value.number))
			value.state = DBT_FUNC_UNREADABLE;
		else if (arguments[i].kind != DBT_FUNC_NUMBER)
			used = copy_text(&registers, i, event, &value, used);
		event->values[i] = value;
	}
	size = __builtin_offsetof(struct dbt_func_call_event, data) + used;
	if (size > sizeof(*event)) /* never */
		size = sizeof(*event);
	event->size = size;
	/* User space polls several times a second; waking it for each event would
	 * cost more than the event. */
	if (bpf_ringbuf_output(&ring, event, size,
			       bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= wakeup_bytes ?
				       BPF_RB_FORCE_WAKEUP :
				       BPF_RB_NO_WAKEUP))
		count(DBT_FUNC_LOST_RING_FULL);
	else
		count(DBT_FUNC_SENT);
}

/* At the entry of a function, before anything of it has changed an argument or
 * the stack pointer. The cookie is the function's index. */
SEC("uprobe.multi")
int function_entry(struct pt_regs *ctx)
{
	dbt_u32 function = (dbt_u32)bpf_get_attach_cookie(ctx);
	dbt_u64 ids = current_ids();
	struct dbt_func_stats *stats = wanted(ids, function);

	if (!stats)
		return 0;
	__sync_fetch_and_add(&stats->calls, 1);
	if (by_thread)
		count_thread(function, ids);
	if (argument_count)
		send_call(ctx, function, ids);
	if (measure) {
		struct call_key key = current_call(ctx, function);
		dbt_u64 now = bpf_ktime_get_ns(); /* last, so that our own work does not count */

		if (bpf_map_update_elem(&calls, &key, &now, BPF_ANY))
			count(DBT_FUNC_LOST_NO_STATE);
	}
	return 0;
}
