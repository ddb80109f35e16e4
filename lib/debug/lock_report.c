/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the checks of locks found, in words. */
#include <lib/compiler.h>
#include <lib/debug/lock_check.h>
#include <lib/printf.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <lib/symbols.h>

#define MAX_NAME 64

static bool same_name(const struct lock_class *a, const struct lock_class *b)
{
	return a->key && b->key && a->subclass == b->subclass &&
	       !strcmp(lock_text(a->name), lock_text(b->name));
}

/* The name of class @n; with its number where another one is called the
 * same. */
static void class_name(char buf[MAX_NAME], const struct lock_graph *graph,
		       unsigned int n)
{
	const struct lock_class *class = &graph->classes[n];
	size_t len = scnprintf(buf, MAX_NAME, "%s", lock_text(class->name));

	if (class->subclass)
		len += scnprintf(buf + len, MAX_NAME - len, "/%u",
				 class->subclass);
	for (unsigned int i = 1; i <= graph->nr_classes; i++)
		if (i != n && same_name(class, &graph->classes[i])) {
			scnprintf(buf + len, MAX_NAME - len, "#%u", n);
			break;
		}
}

static void print_site(const struct lock_site *site)
{
	printk("%s:%d (%s)", site->file, site->line, site->function);
}

static void print_witness(const struct lock_witness *witness)
{
	print_site(witness->site);
	printk("\n");
	backtrace_print_pcs(witness->pcs, witness->nr_pcs);
}

static size_t order_headline(char *buf, size_t size,
			     const struct lock_report *report)
{
	char from[MAX_NAME], to[MAX_NAME];

	class_name(from, report->graph, report->path.classes[0]);
	class_name(to, report->graph, report->path.classes[1]);
	return scnprintf(buf, size,
			 "lock order: %s is taken while %s is held, but comes "
			 "before it elsewhere",
			 to, from);
}

static size_t interrupt_headline(char *buf, size_t size,
				 const struct lock_report *report)
{
	char first[MAX_NAME], last[MAX_NAME];

	class_name(first, report->graph, report->path.classes[0]);
	class_name(last, report->graph, lock_path_last(&report->path));
	if (report->path.nr == 1)
		return scnprintf(buf, size,
				 "lock in interrupts: %s is taken in interrupt "
				 "handlers, and with interrupts on",
				 first);
	return scnprintf(buf, size,
			 "lock in interrupts: %s is taken in interrupt "
			 "handlers; %s, taken while it is held, also with "
			 "interrupts on",
			 first, last);
}

void lock_report_headline(char *buf, size_t size,
			  const struct lock_report *report)
{
	const char *name = report->name;
	unsigned int cpu = report->now.cpu;

	switch (report->fault) {
	case LOCK_FAULT_TWICE:
		scnprintf(buf, size, "lock taken twice: CPU %u holds %s", cpu,
			  name);
		break;
	case LOCK_FAULT_NOT_HELD:
		scnprintf(buf, size,
			  "lock not held: CPU %u gives up %s, which %s", cpu,
			  name, report->holder ? "another holds" : "is free");
		break;
	case LOCK_FAULT_SAME_CLASS:
		scnprintf(buf, size,
			  "lock class: CPU %u takes %s and holds another of "
			  "its class",
			  cpu, name);
		break;
	case LOCK_FAULT_ORDER:
		order_headline(buf, size, report);
		break;
	case LOCK_FAULT_INTERRUPT:
		interrupt_headline(buf, size, report);
		break;
	}
}

static void print_two_places(const struct lock_report *report)
{
	printk("CPU %u %s at ", report->now.cpu,
	       report->fault == LOCK_FAULT_NOT_HELD ? "gives it up"
						    : "takes it");
	print_witness(&report->now);
	if (!report->taken)
		return;
	if (report->fault == LOCK_FAULT_SAME_CLASS)
		printk("and took the other at ");
	else if (report->fault == LOCK_FAULT_TWICE)
		printk("and took it before at ");
	else if (report->holder)
		printk("but CPU %u took it at ", report->holder - 1);
	else
		printk("and it was taken last at ");
	print_site(report->taken);
	printk("\n");
}

/* @now: the one that closes a cycle, and was not there before. */
static void print_edge(const struct lock_graph *graph, unsigned int from,
		       unsigned int to, bool now)
{
	const struct lock_edge *edge = lock_graph_edge(graph, from, to);
	char from_name[MAX_NAME], to_name[MAX_NAME];

	class_name(from_name, graph, from);
	class_name(to_name, graph, to);
	printk("%s CPU %u %s %s, taken at ", now ? "now" : "earlier",
	       edge->witness.cpu, now ? "holds" : "held", from_name);
	print_site(edge->held);
	printk(",\nand %s %s at ", now ? "takes" : "took", to_name);
	print_witness(&edge->witness);
}

static void print_edges(const struct lock_report *report)
{
	const struct lock_path *path = &report->path;
	bool whole = path->nr <= LOCK_MAX_PATH;
	unsigned int nr = whole ? path->nr : LOCK_MAX_PATH - 1;

	for (unsigned int i = 1; i < nr; i++)
		print_edge(report->graph, path->classes[i - 1],
			   path->classes[i],
			   i == 1 && report->fault == LOCK_FAULT_ORDER);
	if (!whole)
		printk("and so on, %u classes in all\n", path->nr);
}

static void print_use(const struct lock_report *report, unsigned int class,
		      enum lock_use use)
{
	const struct lock_witness *witness =
		&report->graph->classes[class].use[use];
	char name[MAX_NAME];

	class_name(name, report->graph, class);
	printk("CPU %u took %s %s at ", witness->cpu, name,
	       use == LOCK_USED_IN_INTERRUPT ? "in an interrupt handler"
					     : "with interrupts on");
	print_witness(witness);
}

void lock_report_print(const struct lock_report *report)
{
	switch (report->fault) {
	case LOCK_FAULT_TWICE:
	case LOCK_FAULT_NOT_HELD:
	case LOCK_FAULT_SAME_CLASS:
		print_two_places(report);
		break;
	case LOCK_FAULT_ORDER:
		print_edges(report);
		break;
	case LOCK_FAULT_INTERRUPT:
		print_use(report, report->path.classes[0],
			  LOCK_USED_IN_INTERRUPT);
		print_edges(report);
		print_use(report, lock_path_last(&report->path),
			  LOCK_USED_INTERRUPTS_ON);
		break;
	}
}

static void print_class(const struct lock_graph *graph, unsigned int class)
{
	const struct lock_class *c = &graph->classes[class];
	char name[MAX_NAME];

	class_name(name, graph, class);
	printk("%s%s%s\n", name,
	       c->used[LOCK_USED_IN_INTERRUPT] ? ", in interrupt handlers" : "",
	       c->used[LOCK_USED_INTERRUPTS_ON] ? ", with interrupts on" : "");
	for (unsigned int i = 0; i < graph->nr_edges; i++) {
		const struct lock_edge *edge = &graph->edges[i];

		if (edge->from != class)
			continue;
		class_name(name, graph, edge->to);
		printk("  > %s at ", name);
		print_site(edge->witness.site);
		printk("\n");
	}
}

void lock_graph_print(const struct lock_graph *graph)
{
	for (unsigned int i = 1; i <= graph->nr_classes; i++)
		if (graph->classes[i].key)
			print_class(graph, i);
}
