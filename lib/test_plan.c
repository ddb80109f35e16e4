/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of a test session: the suites of which the glob selects a case, in
 * the order of their names.
 *
 * Cases come out of the linker set file by file, so that most belong to the
 * suite of the case before; only the first of a suite costs a search.
 */
#include <lib/panic.h>
#include <lib/printf.h>
#include <lib/string.h>
#include <lib/test_core.h>

static const struct test_suite *find_needs(const struct test_set *set,
					   const char *name)
{
	for (const struct test_suite *const *it = set->suites;
	     it < set->suites_end; it++) {
		if (!strcmp((*it)->name, name))
			return *it;
	}
	return NULL;
}

/* Insert suite @name at index @i of the plan. */
static struct test_planned *insert_suite(struct test_session *session,
					 unsigned int i, const char *name)
{
	struct test_planned *planned = &session->suites[i];

	ASSERTF(session->nr_suites < TEST_MAX_SUITES, "%u test suites",
		session->nr_suites + 1);
	memmove(planned + 1, planned,
		(session->nr_suites - i) * sizeof(*planned));
	session->nr_suites++;
	*planned = (struct test_planned){
		.name = name,
		.needs = find_needs(&session->set, name),
		.all = glob_match(session->glob, name),
	};
	return planned;
}

/* Find suite @name in the plan, or add it. */
static struct test_planned *get_suite(struct test_session *session,
				      const char *name)
{
	unsigned int i = session->nr_suites;

	while (i && strcmp(session->suites[i - 1].name, name) > 0)
		i--;
	if (i && !strcmp(session->suites[i - 1].name, name))
		return &session->suites[i - 1];
	return insert_suite(session, i, name);
}

bool test_selects(const struct test_session *session,
		  const struct test_planned *planned, const struct test_case *c)
{
	char name[TEST_MAX_NAME];

	if (c->suite != planned->name && strcmp(c->suite, planned->name))
		return false;
	if (planned->all)
		return true;
	scnprintf(name, sizeof(name), "%s.%s", c->suite, c->name);
	return glob_match(session->glob, name);
}

/* Take the suites without a selected case out of the plan. */
static void drop_empty_suites(struct test_session *session)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < session->nr_suites; i++) {
		if (session->suites[i].nr_cases)
			session->suites[kept++] = session->suites[i];
	}
	session->nr_suites = kept;
}

bool test_plan(struct test_session *session)
{
	const struct test_set *set = &session->set;
	struct test_planned *planned = NULL;

	for (const struct test_case *const *it = set->cases;
	     it < set->cases_end; it++) {
		if (!planned || strcmp(planned->name, (*it)->suite))
			planned = get_suite(session, (*it)->suite);
		planned->nr_cases += test_selects(session, planned, *it);
	}
	drop_empty_suites(session);
	return session->nr_suites > 0;
}
