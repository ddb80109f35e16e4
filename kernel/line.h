/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line as it is typed: keys go in, what a terminal has to show comes out.
 *
 * Backspace is the only editing key. Blanks and tabs alike become one blank.
 * What a terminal sends for arrows and the like (ESC [ … letter, ESC O
 * letter) is swallowed whole. A key too many rings the bell, and the line
 * then counts as too long.
 */
#ifndef KERNEL_LINE_H
#define KERNEL_LINE_H

#include <stdbool.h>
#include <stddef.h>

#define LINE_SIZE 128

struct line {
	char text[LINE_SIZE]; /* NUL-terminated once complete */
	size_t len;
	bool too_long; /* keys were dropped */
	enum {
		LINE_PLAIN,
		LINE_ESCAPE,   /* after ESC */
		LINE_SEQUENCE, /* after ESC [ */
		LINE_LAST,     /* after ESC O */
	} state;
};

/* What follows from a key. */
struct line_answer {
	bool complete;    /* the line has ended */
	const char *echo; /* to be shown; valid until the next key */
};

/*
 * Take the key @c. @line is zero before its first key.
 * Context: any; the caller owns @line.
 * Return: what follows.
 */
struct line_answer line_key(struct line *line, int c);

/*
 * Cut blanks off both ends of @line, and its first word from the rest.
 * Context: as line_key; @line is complete.
 * Return: the first word, "" when there is none; the rest is in @rest.
 */
char *line_split(struct line *line, const char **rest);

#endif
