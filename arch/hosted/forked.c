/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpus.h"

#include <arch/cpu.h>
#include <errno.h>
#include <lib/panic.h>
#include <machine/forked.h>
#include <sys/wait.h>
#include <unistd.h>

/* Read @fd to its end; keep what fits. */
static void collect(int fd, char *output, size_t size)
{
	char spill[512];
	size_t used = 0;
	ssize_t n;

	do {
		if (used + 1 < size)
			n = read(fd, output + used, size - used - 1);
		else
			n = read(fd, spill, sizeof(spill));
		if (n > 0 && used + 1 < size)
			used += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	output[used] = '\0';
}

int hosted_run_forked(void (*fn)(void), char *output, size_t size)
{
	int fds[2], status;
	pid_t pid;

	ASSERTF(cpu_id() == 0, "CPU %u", cpu_id());
	output[0] = '\0';
	if (pipe(fds))
		return -1;
	pid = fork();
	if (pid == 0) {
		cpus_forked();
		dup2(fds[1], STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		fn();
		_exit(0);
	}
	close(fds[1]);
	collect(fds[0], output, size);
	close(fds[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
