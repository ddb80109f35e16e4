/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power-on of the hosted machine:
 *
 *     quire-host [--ram=SIZE] [--high-ram=SIZE] [word...]
 *
 * The words are the kernel command line. Builds what a boot loader would hand
 * over, and enters the kernel.
 */
#include "cpus.h"
#include "ram.h"

#include <arch/boot_info.h>
#include <arch/clock.h>
#include <arch/page.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_RAM (256UL << 20)

static _Noreturn void __attribute__((format(printf, 1, 2)))
die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("quire-host: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(2);
}

/* A number of bytes, with K, M or G behind it; whole pages, @min to @max. */
static size_t parse_size(const char *option, const char *s, size_t min,
			 size_t max)
{
	char *end;
	unsigned long v = strtoul(s, &end, 0);
	static const char units[] = "KMG";
	const char *unit = *end ? strchr(units, *end) : NULL;
	unsigned int shift = unit ? 10 * (unit - units + 1) : 0;

	if (end == s || *s == '-' || end[unit ? 1 : 0] || v > max >> shift ||
	    v << shift < min || (v << shift) % PAGE_SIZE)
		die("%s%s: must be whole pages, %zu to %zu MiB", option, s,
		    min >> 20, max >> 20);
	return v << shift;
}

/* Value of "--name=value" when @arg begins with @option, else NULL. */
static const char *option_value(const char *arg, const char *option)
{
	size_t n = strlen(option);

	return strncmp(arg, option, n) ? NULL : arg + n;
}

/* Append @word to the command line; a value with blanks in it is quoted. */
static void add_word(struct boot_info *info, const char *word)
{
	const char *quote = strchr(word, ' ') && !strchr(word, '"') ? "\"" : "";
	const char *value = strchr(word, '=') ? strchr(word, '=') + 1 : word;
	size_t used = strlen(info->cmdline);
	size_t room = sizeof(info->cmdline) - used;
	int n = snprintf(info->cmdline + used, room, "%s%.*s%s%s%s",
			 used ? " " : "", (int)(value - word), word, quote,
			 value, quote);

	if (n < 0 || (size_t)n >= room)
		die("command line longer than %d bytes", BOOT_MAX_CMDLINE - 1);
}

int main(int argc, char **argv)
{
	static struct boot_info info = {
		.protocol = "hosted",
		.loader = "Linux process",
	};
	size_t low = DEFAULT_RAM, high = 0;

	info.start_ticks = clock_ticks();
	cpus_init();
	for (int i = 1; i < argc; i++) {
		const char *v;

		if ((v = option_value(argv[i], "--ram=")))
			low = parse_size("--ram=", v, RAM_LOW_MIN, RAM_LOW_MAX);
		else if ((v = option_value(argv[i], "--high-ram=")))
			high = parse_size("--high-ram=", v, 0, 64UL << 30);
		else if (argv[i][0] == '-')
			die("unknown option %s (there are --ram=SIZE and "
			    "--high-ram=SIZE)",
			    argv[i]);
		else
			add_word(&info, argv[i]);
	}
	if (ram_init(low, high, &info))
		die("no address space for %zu MiB of RAM", (low + high) >> 20);
	kernel_main(&info);
}
