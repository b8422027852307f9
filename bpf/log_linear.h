/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
 *
 * Buckets whose width grows with the value: each power of two is divided into 32
 * equal parts, so that a value is known to 1/32 of itself, whatever its size.
 * Values below 32 have a bucket each. Shared by the BPF programs (C11) and user
 * space (C++20).
 */
#ifndef DBTRACE_BPF_LOG_LINEAR_H
#define DBTRACE_BPF_LOG_LINEAR_H

#define DBT_LOG_LINEAR_BITS 5
/* All that 64-bit values can fall into. */
#define DBT_LOG_LINEAR_BUCKETS ((64 - DBT_LOG_LINEAR_BITS + 1) << DBT_LOG_LINEAR_BITS)

static inline __attribute__((always_inline)) unsigned int dbt_log_linear_bucket(unsigned long long value)
{
	unsigned int exponent = 0;
	unsigned long long rest = value >> DBT_LOG_LINEAR_BITS;

	/* BPF has no instruction that counts leading zeros. */
	if (!rest)
		return (unsigned int)value;
	if (rest >> 32) {
		rest >>= 32;
		exponent += 32;
	}
	if (rest >> 16) {
		rest >>= 16;
		exponent += 16;
	}
	if (rest >> 8) {
		rest >>= 8;
		exponent += 8;
	}
	if (rest >> 4) {
		rest >>= 4;
		exponent += 4;
	}
	if (rest >> 2) {
		rest >>= 2;
		exponent += 2;
	}
	if (rest >> 1)
		exponent += 1;
	/* value is in [32, 64) << exponent: its five bits below the highest say where. */
	return ((exponent + 1) << DBT_LOG_LINEAR_BITS) +
	       (unsigned int)((value >> exponent) & ((1 << DBT_LOG_LINEAR_BITS) - 1));
}

#endif
