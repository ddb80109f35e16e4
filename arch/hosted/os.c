/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "os.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/*
 * Read by the sanitizers at start. A report of theirs ends the process with
 * the status of a panic. Leaks are the business of the test core's leak
 * check: nothing here comes from malloc.
 */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
	return "exitcode=2:detect_leaks=0:strict_string_checks=1";
}

const char *__ubsan_default_options(void)
{
	return "exitcode=2:print_stacktrace=1";
}

uintptr_t os_reserve(uintptr_t hint, size_t size, size_t align)
{
	void *p = mmap((void *)hint, size + align, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return 0;
	return ((uintptr_t)p + align - 1) & ~(align - 1);
}

int os_commit(uintptr_t addr, size_t size)
{
	return mprotect((void *)addr, size, PROT_READ | PROT_WRITE);
}

void os_write(const char *s, size_t n)
{
	while (n > 0) {
		ssize_t r = write(STDOUT_FILENO, s, n);

		if (r < 0 && errno != EINTR)
			return;
		if (r > 0) {
			s += r;
			n -= r;
		}
	}
}

int os_getc(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	unsigned char c;

	if (poll(&in, 1, 0) != 1 || read(STDIN_FILENO, &c, 1) != 1)
		return -1;
	return c;
}

uint64_t os_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

void os_stack_bounds(uintptr_t *low, uintptr_t *high)
{
	pthread_attr_t attr;
	void *base = NULL;
	size_t size = 0;

	if (pthread_getattr_np(pthread_self(), &attr) == 0) {
		pthread_attr_getstack(&attr, &base, &size);
		pthread_attr_destroy(&attr);
	}
	*low = (uintptr_t)base;
	*high = (uintptr_t)base + size;
}

void os_print_stack(void)
{
	__sanitizer_print_stack_trace();
}

_Noreturn void os_exit(int status)
{
	_exit(status);
}
