// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
//
// Members of the server's objects, reached by the paths of a plan.
#pragma once

#include "bpf/state.bpf.h"

/* The address of the member that `path` leads to; 0: cannot be had. */
static __always_inline dbt_u64 member_address(dbt_u64 object, const struct dbt_path *path)
{
	if (!path->steps)
		return 0;
#pragma unroll
	for (int i = 0; i < DBT_PATH_MAX; i++) {
		if (i + 1 >= path->steps)
			return object + path->offset[i];
		if (bpf_probe_read_user(&object, sizeof(object), (void *)(object + path->offset[i])) ||
		    !object)
			return 0;
	}
	return 0;
}

static __always_inline bool read_number(dbt_u64 object, const struct dbt_path *path, dbt_u64 *number)
{
	dbt_u64 address = member_address(object, path);
	dbt_u64 value = 0;

	if (!address)
		return false;
	if (path->width == 4) {
		dbt_u32 narrow = 0;

		if (bpf_probe_read_user(&narrow, sizeof(narrow), (void *)address))
			return false;
		value = narrow;
	} else if (bpf_probe_read_user(&value, sizeof(value), (void *)address)) {
		return false;
	}
	*number = value;
	return true;
}

struct text_pair {
	dbt_u64 text;
	dbt_u64 length;
};

/* Copies a name (user, host, database) of at most `capacity` bytes. False when
 * it cannot be had or the server has none. */
static __always_inline bool read_name(dbt_u64 object, const struct dbt_path *path, dbt_u8 *name,
				      dbt_u32 capacity, dbt_u32 *size)
{
	dbt_u64 address = member_address(object, path);
	struct text_pair pair = {};

	if (!address)
		return false;
	if (path->length_width) {
		if (bpf_probe_read_user(&pair, sizeof(pair), (void *)address) || !pair.text)
			return false;
		if (path->length_width == 4)
			pair.length = (dbt_u32)pair.length; /* x86-64 and AArch64: low bytes first */
		if (pair.length > capacity)
			pair.length = capacity;
		if (bpf_probe_read_user(name, pair.length, (void *)pair.text))
			return false;
		*size = pair.length;
	} else {
		long got;

		if (bpf_probe_read_user(&pair.text, sizeof(pair.text), (void *)address) || !pair.text)
			return false;
		got = bpf_probe_read_user_str(name, capacity, (void *)pair.text);
		if (got < 1)
			return false;
		*size = got - 1;
	}
	return true;
}
