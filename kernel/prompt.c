/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command prompt: the first word of a line names the command, the rest is
 * the argument.
 */
#include <arch/cpu.h>
#include <arch/machine.h>
#include <kernel/line.h>
#include <kernel/prompt.h>
#include <kernel/thread.h>
#include <lib/bench.h>
#include <lib/compiler.h>
#include <lib/param.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <lib/test.h>

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

static void read_line(struct line *line)
{
	struct line_answer answer;

	*line = (struct line){0};
	do {
		answer = line_key(line, wait_for_key());
		printk("%s", answer.echo);
	} while (!answer.complete);
}

static void execute(struct line *line)
{
	const char *argument, *name = line_split(line, &argument);

	if (line->too_long) {
		printk("a line has at most %d characters, this one had more\n",
		       LINE_SIZE - 1);
		return;
	}
	if (!*name)
		return;
	LINKER_SET_FOREACH(prompt_commands, const struct prompt_command, it)
	{
		const struct prompt_command *c = *it;

		if (strcmp(c->name, name) != 0)
			continue;
		if (*argument && !c->argument)
			printk("%s takes no argument, got \"%s\"\n", name,
			       argument);
		else
			c->run(argument);
		return;
	}
	printk("unknown command \"%s\"; `help` lists all\n", name);
}

void prompt_run(void)
{
	static struct line line;

	printk("Type `help` for the commands, `quit` to power off.\n");
	while (!leaving) {
		printk("quire> ");
		read_line(&line);
		execute(&line);
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
