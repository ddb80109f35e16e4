/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The leak check: counters of the subject before and after a suite. */
#include <lib/panic.h>
#include <lib/test_core.h>

static void take(const struct test_session *session,
		 struct test_counters *counters)
{
	counters->nr = session->leak->snapshot(
		counters->values, counters->names, TEST_MAX_VALUES);
	ASSERTF(counters->nr <= TEST_MAX_VALUES, "%zu counters", counters->nr);
}

void test_leak_before(struct test_session *session)
{
	take(session, &session->before);
}

void test_leak_after(struct test_session *session)
{
	const struct test_counters *before = &session->before;
	struct test_counters after;

	take(session, &after);
	if (after.nr != before->nr)
		test_fail("leak_check: %zu counters before, %zu after",
			  before->nr, after.nr);
	for (size_t i = 0; i < before->nr && i < after.nr; i++) {
		if (after.values[i] != before->values[i])
			test_fail("leak_check: %s: %lu before, %lu after",
				  after.names[i], before->values[i],
				  after.values[i]);
	}
}
