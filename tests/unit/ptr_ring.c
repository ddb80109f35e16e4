/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rings of pointers: order, full and empty, against a model. */
#include <lib/ptr_ring.h>
#include <lib/random.h>
#include <lib/test.h>
#include <tests/unit/one_line.h>

#define SLOTS 512

static void *_Atomic slots[SLOTS];
static char things[2 * SLOTS];

TEST(ptr_ring, first_in_first_out)
{
	struct ptr_ring ring;

	ptr_ring_init(&ring, slots, 3);
	EXPECT(ptr_ring_empty(&ring));
	EXPECT(!ptr_ring_full(&ring));
	EXPECT_NULL(ptr_ring_consume(&ring));
	for (unsigned int i = 0; i < 3; i++) {
		EXPECT_EQ(ptr_ring_produce(&ring, &things[i]), 0);
		EXPECT(ptr_ring_verify(&ring));
		EXPECT(!ptr_ring_empty(&ring));
		EXPECT_EQ(ptr_ring_full(&ring), i == 2);
	}
	EXPECT_EQ(ptr_ring_produce(&ring, &things[3]), -ENOSPC);
	EXPECT(ptr_ring_verify(&ring));
	EXPECT_EQ(ptr_ring_consume(&ring), &things[0]);
	EXPECT_EQ(ptr_ring_produce(&ring, &things[3]), 0);
	for (unsigned int i = 1; i < 4; i++) {
		EXPECT_EQ(ptr_ring_consume(&ring), &things[i]);
		EXPECT(ptr_ring_verify(&ring));
	}
	EXPECT_NULL(ptr_ring_consume(&ring));
	EXPECT(ptr_ring_empty(&ring));
}

TEST(ptr_ring, of_one_slot)
{
	struct ptr_ring ring;

	ptr_ring_init(&ring, slots, 1);
	for (unsigned int i = 0; i < 3; i++) {
		EXPECT_EQ(ptr_ring_produce(&ring, &things[i]), 0);
		EXPECT_EQ(ptr_ring_produce(&ring, &things[9]), -ENOSPC);
		EXPECT(ptr_ring_verify(&ring));
		EXPECT_EQ(ptr_ring_consume(&ring), &things[i]);
		EXPECT_NULL(ptr_ring_consume(&ring));
		EXPECT(ptr_ring_verify(&ring));
	}
}

TEST(ptr_ring, parties_write_to_lines_of_their_own)
{
	EXPECT_EQ(offsetof(struct ptr_ring, producer) % PTR_RING_LINE, 0);
	EXPECT_EQ(offsetof(struct ptr_ring, consumer) % PTR_RING_LINE, 0);
	EXPECT_NE(offsetof(struct ptr_ring, producer),
		  offsetof(struct ptr_ring, consumer));
}

/* The model: the numbers of the first and the next thing in the ring. */
static void run(unsigned int size, unsigned int steps)
{
	unsigned long in = 0, out = 0;
	struct ptr_ring ring;
	struct rng rng;

	rng_seed(&rng, test_seed() + size);
	ptr_ring_init(&ring, slots, size);
	for (unsigned int i = 0; i < steps; i++) {
		/* Filling for a while, then emptying. */
		bool fills = rng_below(&rng, 4) < (i / 1500 % 2 ? 3 : 1);

		if (fills) {
			void *p = &things[in % ARRAY_SIZE(things)];
			int err = ptr_ring_produce(&ring, p);

			REQUIRE_EQ(err, in - out == size ? -ENOSPC : 0);
			in += !err;
		} else {
			char *p = ptr_ring_consume(&ring);

			REQUIRE_EQ(p,
				   in == out
					   ? NULL
					   : &things[out % ARRAY_SIZE(things)]);
			out += !!p;
		}
		REQUIRE_EQ(ptr_ring_full(&ring), in - out == size);
		REQUIRE_EQ(ptr_ring_empty(&ring), in == out);
		if (i % 64 == 0)
			REQUIRE(ptr_ring_verify(&ring));
	}
	EXPECT_GT(out, size);
}

TEST(ptr_ring, random_against_a_model)
{
	run(1, 1000);
	run(2, 1000);
	run(7, 4000);
	run(500, 20000);
	run(SLOTS, 20000);
}

TEST(ptr_ring, verify_sees_what_is_wrong)
{
	struct ptr_ring ring;

	ptr_ring_init(&ring, slots, 4);
	ptr_ring_produce(&ring, things);
	slots[2] = things;
	EXPECT_ONE_LINE(EXPECT(!ptr_ring_verify(&ring)), "R2: slot 2 of 4");
	slots[2] = NULL;
	slots[0] = NULL;
	EXPECT_ONE_LINE(EXPECT(!ptr_ring_verify(&ring)), "R2: slot 0");
	ring.producer = 4;
	EXPECT_ONE_LINE(EXPECT(!ptr_ring_verify(&ring)), "R1");
	ptr_ring_init(&ring, slots, 4);
	ring.consumer = 5;
	EXPECT_ONE_LINE(EXPECT(!ptr_ring_verify(&ring)), "R1");
}
