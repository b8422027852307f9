/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
 *
 * A coarse kind of an SQL text: a hash of it without the values of strings and plain
 * numbers, without comments, and with one space for white space. Texts of one coarse kind
 * have one fingerprint (src/sql); one fingerprint has several coarse kinds (longer lists,
 * other spelling). So the kernel can count by coarse kind, and user space, which sees one
 * text of each, by fingerprint.
 *
 * One byte after the other, without memory: fit for a BPF program (C11); user space
 * (C++20) checks it against the fingerprints.
 */
#ifndef DBTRACE_BPF_COARSE_TEXT_H
#define DBTRACE_BPF_COARSE_TEXT_H

#include "bpf/event.h"

enum dbt_scan_state {
	DBT_SCAN_CODE,
	DBT_SCAN_NUMBER,
	DBT_SCAN_STRING,
	DBT_SCAN_NAME, /* in backticks */
	DBT_SCAN_COMMENT,
	DBT_SCAN_HINT,
	DBT_SCAN_LINE, /* a comment up to the end of the line */
};

struct dbt_scan {
	dbt_u64 hash;
	dbt_u64 number; /* hash of the digits of the number at hand */
	dbt_u8 state;
	dbt_u8 quote; /* that ends the string */
	dbt_u8 previous; /* byte of the code; a space for a gap */
	dbt_u8 before; /* the one before that */
	dbt_u8 escaped; /* the next byte of the string stands for itself */
	dbt_u8 escapes; /* a backslash escapes in this string */
	dbt_u8 dotted; /* the number has its point */
	dbt_u8 skip; /* bytes that were looked at already */
	dbt_u8 unsure; /* 1: this text cannot be told coarsely */
};

#define DBT_SCAN_INLINE static inline __attribute__((always_inline))

/* FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/). */
#define DBT_SCAN_BASIS 0xcbf29ce484222325ULL
#define DBT_SCAN_PRIME 0x100000001b3ULL

DBT_SCAN_INLINE dbt_u64 dbt_scan_mix(dbt_u64 hash, dbt_u64 value)
{
	return (hash ^ value) * DBT_SCAN_PRIME;
}

/* What stands for a value, and for a gap. No text has them. */
#define DBT_SCAN_A_NUMBER 0x100
#define DBT_SCAN_A_GAP 0x101
#define DBT_SCAN_A_STRING 0x200 /* and its quote: a doubled one goes on, another begins a new one */

DBT_SCAN_INLINE int dbt_scan_is_digit(dbt_u8 c)
{
	return c >= '0' && c <= '9';
}

DBT_SCAN_INLINE int dbt_scan_is_word(dbt_u8 c)
{
	dbt_u8 lower = c | 0x20;

	return dbt_scan_is_digit(c) || (lower >= 'a' && lower <= 'z') || c == '_' || c == '$' || c >= 0x80;
}

DBT_SCAN_INLINE int dbt_scan_is_space(dbt_u8 c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

DBT_SCAN_INLINE void dbt_scan_begin(struct dbt_scan *scan, dbt_u64 seed)
{
	scan->hash = dbt_scan_mix(DBT_SCAN_BASIS, seed);
	scan->number = 0;
	scan->state = DBT_SCAN_CODE;
	scan->quote = 0;
	scan->previous = ' ';
	scan->before = ' ';
	scan->escaped = 0;
	scan->escapes = 0;
	scan->dotted = 0;
	scan->skip = 0;
	scan->unsure = 0;
}

DBT_SCAN_INLINE void dbt_scan_gap(struct dbt_scan *scan)
{
	if (scan->previous != ' ')
		scan->hash = dbt_scan_mix(scan->hash, DBT_SCAN_A_GAP);
	scan->previous = ' ';
}

DBT_SCAN_INLINE void dbt_scan_code(struct dbt_scan *scan, dbt_u8 c, dbt_u8 next, dbt_u8 third)
{
	if (dbt_scan_is_space(c)) {
		dbt_scan_gap(scan);
		return;
	}
	if (c == '\'' || c == '"') {
		/* In x'…' and b'…' the server knows no escapes. */
		dbt_u8 prefix = dbt_scan_is_word(scan->before) ? 0 : scan->previous | 0x20;

		scan->state = DBT_SCAN_STRING;
		scan->quote = c;
		scan->escaped = 0;
		scan->escapes = prefix != 'x' && prefix != 'b';
		scan->hash = dbt_scan_mix(scan->hash, DBT_SCAN_A_STRING + c);
		scan->previous = c;
		return;
	}
	if (c == '/' && next == '*') {
		/* What version comments hold is code, for some servers. */
		if (third == '!' || third == 'M')
			scan->unsure = 1;
		scan->state = third == '+' ? DBT_SCAN_HINT : DBT_SCAN_COMMENT;
		scan->skip = 1;
		if (third == '+')
			scan->hash = dbt_scan_mix(scan->hash, c);
		else
			dbt_scan_gap(scan);
		scan->previous = 0;
		return;
	}
	if (c == '#' || (c == '-' && next == '-' && (third <= ' ' || third == 0x7f))) {
		scan->state = DBT_SCAN_LINE;
		dbt_scan_gap(scan);
		return;
	}
	/* Behind a dot or an at sign digits may be a name, behind a word its end. */
	if (dbt_scan_is_digit(c) && !dbt_scan_is_word(scan->previous) && scan->previous != '.' &&
	    scan->previous != '@') {
		scan->state = DBT_SCAN_NUMBER;
		scan->number = dbt_scan_mix(DBT_SCAN_BASIS, c);
		scan->dotted = 0;
		scan->before = scan->previous;
		scan->previous = c;
		return;
	}
	if (c == '`')
		scan->state = DBT_SCAN_NAME;
	scan->hash = dbt_scan_mix(scan->hash, c);
	scan->before = scan->previous;
	scan->previous = c;
}

DBT_SCAN_INLINE void dbt_scan_number_end(struct dbt_scan *scan, dbt_u8 next)
{
	/* "2nd_try" is a name, "1e5" as good as one. */
	scan->hash = dbt_scan_mix(scan->hash, dbt_scan_is_word(next) ? scan->number : DBT_SCAN_A_NUMBER);
	scan->state = DBT_SCAN_CODE;
}

/* Takes the byte `c`; `next` and `third` are the two behind it, 0 behind the end. */
DBT_SCAN_INLINE void dbt_scan_step(struct dbt_scan *scan, dbt_u8 c, dbt_u8 next, dbt_u8 third)
{
	if (scan->skip) {
		scan->skip--;
		return;
	}
	switch (scan->state) {
	case DBT_SCAN_STRING:
		if (scan->escaped)
			scan->escaped = 0;
		else if (c == '\\' && scan->escapes)
			scan->escaped = 1;
		else if (c == scan->quote)
			scan->state = DBT_SCAN_CODE;
		return;
	case DBT_SCAN_COMMENT:
		if (c == '/' && scan->previous == '*') {
			scan->state = DBT_SCAN_CODE;
			scan->previous = ' ';
		} else {
			scan->previous = c;
		}
		return;
	case DBT_SCAN_LINE:
		if (c == '\n')
			scan->state = DBT_SCAN_CODE;
		return;
	case DBT_SCAN_NAME:
		scan->hash = dbt_scan_mix(scan->hash, c);
		if (c == '`')
			scan->state = DBT_SCAN_CODE;
		return;
	case DBT_SCAN_HINT:
		scan->hash = dbt_scan_mix(scan->hash, c);
		if (c == '\'' || c == '"' || c == '`')
			scan->unsure = 1;
		if (c == '/' && scan->previous == '*')
			scan->state = DBT_SCAN_CODE;
		scan->previous = c;
		return;
	case DBT_SCAN_NUMBER:
		if (dbt_scan_is_digit(c) || (c == '.' && !scan->dotted)) {
			scan->dotted |= c == '.';
			scan->number = dbt_scan_mix(scan->number, c);
			scan->previous = c;
			return;
		}
		dbt_scan_number_end(scan, c);
		break;
	default:
		break;
	}
	dbt_scan_code(scan, c, next, third);
}

/* The coarse kind; never 0. Look at `unsure` first. */
DBT_SCAN_INLINE dbt_u64 dbt_scan_end(struct dbt_scan *scan)
{
	if (scan->state == DBT_SCAN_NUMBER)
		dbt_scan_number_end(scan, 0);
	/* Quotes and comments that do not end mean nothing to a server. */
	if (scan->state != DBT_SCAN_CODE && scan->state != DBT_SCAN_LINE)
		scan->unsure = 1;
	return scan->hash ? scan->hash : 1;
}

#endif
