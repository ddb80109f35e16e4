/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys to a line, without a console. */
#include <kernel/line.h>
#include <lib/compiler.h>

#define ESC    0x1b
#define DELETE 0x7f
#define BELL   "\a"

/* Return: whether @c is part of what one key of the terminal sends. */
static bool swallow(struct line *line, int c)
{
	switch (line->state) {
	case LINE_ESCAPE:
		if (c == '[')
			line->state = LINE_SEQUENCE;
		else if (c == 'O')
			line->state = LINE_LAST;
		else
			break;
		return true;
	case LINE_SEQUENCE:
		if (c < 0x20 || c > 0x7e)
			break;
		if (c >= 0x40)
			line->state = LINE_PLAIN;
		return true;
	case LINE_LAST:
		line->state = LINE_PLAIN;
		return c >= 0x20;
	default:
		break;
	}
	line->state = c == ESC ? LINE_ESCAPE : LINE_PLAIN;
	return c == ESC;
}

static const char *erase(struct line *line)
{
	if (line->len == 0)
		return "";
	line->len--;
	return "\b \b";
}

static const char *append(struct line *line, char c)
{
	if (line->len == LINE_SIZE - 1) {
		line->too_long = true;
		return BELL;
	}
	line->text[line->len++] = c;
	line->text[line->len] = '\0';
	return &line->text[line->len - 1];
}

struct line_answer line_key(struct line *line, int c)
{
	struct line_answer answer = {.echo = ""};

	if (swallow(line, c))
		return answer;
	if (c == '\r' || c == '\n') {
		line->text[line->len] = '\0';
		answer.complete = true;
		answer.echo = "\n";
	} else if (c == '\b' || c == DELETE)
		answer.echo = erase(line);
	else if (c == '\t')
		answer.echo = append(line, ' ');
	else if (c >= ' ' && c < DELETE)
		answer.echo = append(line, c);
	return answer;
}

static char *skip_blanks(char *p)
{
	while (*p == ' ')
		p++;
	return p;
}

char *line_split(struct line *line, const char **rest)
{
	char *word = skip_blanks(line->text), *p = word;

	while (line->len > 0 && line->text[line->len - 1] == ' ')
		line->text[--line->len] = '\0';
	while (*p && *p != ' ')
		p++;
	*rest = skip_blanks(p);
	*p = '\0';
	return word;
}
