/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command prompt: a line is read with backspace as the only editing key,
 * its first word names the command, the rest is the argument.
 */
#include <arch/cpu.h>
#include <arch/machine.h>
#include <kernel/prompt.h>
#include <kernel/thread.h>
#include <lib/bench.h>
#include <lib/compiler.h>
#include <lib/param.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <lib/test.h>

#define LINE_MAX 128

static bool leaving;

static int wait_for_key(void)
{
	int c;

	while ((c = console_getc()) < 0) {
		cpu_relax();
		thread_yield();
	}
	return c;
}

/* Read one line into @line, NUL-terminated, without its end. */
static void read_line(char line[LINE_MAX])
{
	size_t n = 0;

	for (;;) {
		int c = wait_for_key();

		if (c == '\r' || c == '\n')
			break;
		if ((c == '\b' || c == 0x7f) && n > 0) {
			n--;
			printk("\b \b");
		} else if (c >= ' ' && c < 0x7f && n < LINE_MAX - 1) {
			line[n++] = c;
			printk("%c", c);
		}
	}
	line[n] = '\0';
	printk("\n");
}

/* Cut @line into its first word and what follows the blanks behind it. */
static const char *split(char *line)
{
	char *p = line;

	while (*p && *p != ' ')
		p++;
	while (*p == ' ')
		*p++ = '\0';
	return p;
}

static void execute(char *line)
{
	const char *argument = split(line);

	if (!*line)
		return;
	LINKER_SET_FOREACH(prompt_commands, const struct prompt_command, it)
	{
		const struct prompt_command *c = *it;

		if (strcmp(c->name, line) != 0)
			continue;
		if (*argument && !c->argument)
			printk("%s takes no argument, got \"%s\"\n", line,
			       argument);
		else
			c->run(argument);
		return;
	}
	printk("unknown command \"%s\"; `help` lists all\n", line);
}

void prompt_run(void)
{
	char line[LINE_MAX];

	printk("Type `help` for the commands, `quit` to power off.\n");
	while (!leaving) {
		printk("quire> ");
		read_line(line);
		char *p = line;

		while (*p == ' ')
			p++;
		execute(p);
	}
}

static void run_help(const char *argument)
{
	LINKER_SET_FOREACH(prompt_commands, const struct prompt_command, it)
	printk("  %-8s %-8s %s\n", (*it)->name,
	       (*it)->argument ? (*it)->argument : "", (*it)->help);
}

static void run_tests(const char *glob)
{
	test_run(*glob ? glob : "*");
}

static void run_benches(const char *glob)
{
	bench_run(*glob ? glob : "*");
}

static void run_params(const char *argument)
{
	param_print_help();
}

static void run_quit(const char *argument)
{
	leaving = true;
}

PROMPT_COMMAND(help, "help", NULL, "this list", run_help);
PROMPT_COMMAND(run, "run", "GLOB", "run the suites or cases that match",
	       run_tests);
PROMPT_COMMAND(bench, "bench", "GLOB", "run the benchmarks that match",
	       run_benches);
PROMPT_COMMAND(params, "params", NULL, "what the kernel command line takes",
	       run_params);
PROMPT_COMMAND(quit, "quit", NULL, "power off with the verdict of the boot",
	       run_quit);
