/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers for tests and placement: fast, repeatable from their seed, not
 * for secrets. A generator belongs to whoever uses it; any context.
 */
#ifndef LIB_RANDOM_H
#define LIB_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

/* Start @r at @seed; any value serves, and near seeds give unlike numbers. */
void rng_seed(struct rng *r, uint64_t seed);

/* Return: 64 random bits. Each value appears once in 2^64 calls. */
uint64_t rng_u64(struct rng *r);

/* Return: a number in [0, n), each equally likely. @n > 0. */
uint64_t rng_below(struct rng *r, uint64_t n);

/* Put the @n elements of @size bytes at @base in a random order. */
void rng_shuffle(struct rng *r, void *base, size_t n, size_t size);

#endif
