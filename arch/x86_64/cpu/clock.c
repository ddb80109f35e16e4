/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock is the time-stamp counter. Under an emulator that counts
 * instructions one tick is one instruction, and is called a nanosecond;
 * otherwise its rate is measured at boot.
 *
 * A reference is a counter of known rate. One try takes the pair (TSC,
 * reference), waits until the reference has gone on by a window, and takes
 * the pair again; waiting too long does no harm, since both ends are read. A
 * pair is the best of a few, the one whose TSC went on least while the
 * reference was read. Of three tries the median counts: a try during which
 * the host took the CPU away between two reads of a pair, or the reference
 * wrapped, is off to either side. Everything is bounded, for references that
 * are absent, stopped, or run at an impossible rate.
 */
#include "../platform/references.h"
#include <arch/clock.h>
#include <lib/compiler.h>
#include <machine/muldiv.h>

#define NS_PER_S  1000000000UL
#define HZ_MIN    100000000UL   /* slower than any x86_64 */
#define HZ_MAX    10000000000UL /* faster than any */
#define WINDOW_US 2000
#define NR_TRIES  3
#define NR_PAIRS  4

/* A read of a device takes 0.1 us at least: far more than the window. */
#define MAX_READS 100000
/* A live reference ticks at least once in this many reads. */
#define MAX_SAME 1000

struct pair {
	uint64_t tsc;
	uint64_t ref;
};

/* Until clock_init said otherwise. Written once, at boot. */
static enum clock_kind kind_now = CLOCK_NS;
static uint64_t hz_now = NS_PER_S;
static const char *source_now = "assumed";

uint64_t clock_ticks(void)
{
	uint32_t low, high;

	/* Not before what precedes it has been done. */
	__asm__ volatile("lfence\n\t"
			 "rdtsc"
			 : "=a"(low), "=d"(high)
			 :
			 : "memory");
	return (uint64_t)high << 32 | low;
}

static struct pair pair_read(const struct reference *ref)
{
	struct pair best = {0};
	uint64_t best_width = UINT64_MAX;

	for (unsigned int i = 0; i < NR_PAIRS; i++) {
		uint64_t before = clock_ticks();
		uint64_t value = ref->read(ref);
		uint64_t width = clock_ticks() - before;

		if (width < best_width) {
			best_width = width;
			best = (struct pair){before + width / 2, value};
		}
	}
	return best;
}

/*
 * Wait until @ref has gone on by @ticks since @start.
 * Return: false when it does not go on.
 */
static bool wait_for(const struct reference *ref, uint64_t start,
		     uint64_t ticks)
{
	uint64_t last = start;
	unsigned int same = 0;

	for (unsigned int i = 0; i < MAX_READS && same < MAX_SAME; i++) {
		uint64_t now = ref->read(ref);

		if (((now - start) & ref->mask) >= ticks)
			return true;
		same = now == last ? same + 1 : 0;
		last = now;
	}
	return false;
}

/* Return: ticks of the TSC per second; 0: no plausible result. */
static uint64_t try_once(const struct reference *ref)
{
	struct pair start = pair_read(ref), end;
	uint64_t hz;

	if (!wait_for(ref, start.ref, ref->hz / 1000 * WINDOW_US / 1000))
		return 0;
	end = pair_read(ref);
	hz = mul_div_u64(end.tsc - start.tsc, ref->hz,
			 (end.ref - start.ref) & ref->mask);
	return hz >= HZ_MIN && hz <= HZ_MAX ? hz : 0;
}

static uint64_t median3(uint64_t a, uint64_t b, uint64_t c)
{
	if (a > b)
		return median3(b, a, c);
	return c < a ? a : c < b ? c : b;
}

/* Return: ticks of the TSC per second by @ref; 0: it is of no use. */
static uint64_t calibrate(const struct reference *ref)
{
	uint64_t hz[NR_TRIES];

	for (unsigned int i = 0; i < NR_TRIES; i++) {
		hz[i] = try_once(ref);
		if (!hz[i])
			return 0;
	}
	return median3(hz[0], hz[1], hz[2]);
}

static void measure(const struct clock_hardware *hw)
{
	for (size_t i = 0; reference_starts[i]; i++) {
		struct reference ref;
		uint64_t hz;

		if (!reference_starts[i](hw, &ref))
			continue;
		hz = calibrate(&ref);
		if (ref.stop)
			ref.stop(&ref);
		if (hz) {
			hz_now = hz;
			source_now = ref.name;
			return;
		}
	}
}

void clock_init(enum clock_kind kind, const struct clock_hardware *hw)
{
	kind_now = kind;
	if (kind == CLOCK_INSTRUCTIONS)
		source_now = "instructions";
	else
		measure(hw);
}

enum clock_kind clock_kind(void)
{
	return kind_now;
}

uint64_t clock_hz(void)
{
	return hz_now;
}

const char *clock_source(void)
{
	return source_now;
}

uint64_t clock_ticks_to_ns(uint64_t ticks)
{
	return mul_div_u64(ticks, NS_PER_S, hz_now);
}
