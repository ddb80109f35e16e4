/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "os.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NS_PER_S 1000000000ULL

/*
 * Read by the sanitizers at start. A report of theirs ends the process with
 * the status of a panic. Leaks are the business of the test core's leak
 * check: nothing here comes from malloc.
 */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
	return "exitcode=2:detect_leaks=0:strict_string_checks=1";
}

const char *__ubsan_default_options(void)
{
	return "exitcode=2:print_stacktrace=1";
}

/* A copy of the process may start CPUs of its own. */
const char *__tsan_default_options(void)
{
	return "exitcode=2:halt_on_error=1:die_after_fork=0:second_deadlock_"
	       "stack=1";
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
	return (uint64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

uintptr_t os_map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? 0 : (uintptr_t)p;
}

int os_thread_start(void *(*fn)(void *unused), uintptr_t *thread)
{
	pthread_t t;

	if (pthread_create(&t, NULL, fn, NULL))
		return -1;
	*thread = (uintptr_t)t;
	return 0;
}

uintptr_t os_thread_self(void)
{
	return (uintptr_t)pthread_self();
}

void os_wait(const _Atomic uint32_t *word, uint32_t value, uint64_t until)
{
	struct timespec t = {until / NS_PER_S, until % NS_PER_S};

	syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value,
		until ? &t : NULL, NULL, FUTEX_BITSET_MATCH_ANY);
}

void os_wake(const _Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

void os_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

/* ThreadSanitizer lets a signal in at atomic operations only, and spin loops
 * may have none. */
void os_yield(void)
{
	static atomic_int door;

	sched_yield();
	atomic_load(&door);
}

void os_pause(void)
{
	pause();
}

static bool (*nmi_handler)(uintptr_t pc, const void *frame);

static void on_signal(int signal, siginfo_t *info, void *context)
{
	const mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
	int saved = errno;

	(void)signal;
	(void)info;
#if defined(__x86_64__)
	nmi_handler(m->gregs[REG_RIP], (void *)m->gregs[REG_RBP]);
#elif defined(__aarch64__)
	nmi_handler(m->pc, (void *)m->regs[29]);
#endif
	errno = saved;
}

void os_on_nmi(bool (*handler)(uintptr_t pc, const void *frame))
{
	/* No SA_RESTART: a CPU that waits must come back from the system call,
	 * since ThreadSanitizer puts the handler off until then. */
	struct sigaction action = {
		.sa_sigaction = on_signal,
		.sa_flags = SA_SIGINFO,
	};

	nmi_handler = handler;
	sigaction(SIGUSR1, &action, NULL);
}

void os_send_nmi(uintptr_t thread)
{
	pthread_kill((pthread_t)thread, SIGUSR1);
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
