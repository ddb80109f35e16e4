/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boot parameters. The command line is split into words, quotes taken off, each
 * word cut at its first `=`, the name looked up in the linker set, and the
 * value converted as the parameter's kind says. What is wrong with a word is
 * said in one line, here and nowhere else.
 */
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/param.h>
#include <lib/printf.h>
#include <lib/printk.h>
#include <lib/string.h>

#define MAX_WORD 512

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

const char *param_next_word(const char *p, size_t *len)
{
	bool quoted = false;
	size_t n;

	while (is_blank(*p))
		p++;
	for (n = 0; p[n] && (quoted || !is_blank(p[n])); n++)
		quoted ^= p[n] == '"';
	*len = n;
	return n ? p : NULL;
}

/*
 * Copy the @n bytes of a word at @from, without its quotes, into @word.
 * Return: true; false, a line printed, when it is too long or a quote is not
 * closed.
 */
static bool unquote(const char *from, size_t n, char word[MAX_WORD])
{
	size_t len = 0, quotes = 0;

	for (size_t i = 0; i < n; i++) {
		if (from[i] == '"')
			quotes++;
		else if (len++ < MAX_WORD - 1)
			word[len - 1] = from[i];
	}
	word[min(len, (size_t)MAX_WORD - 1)] = '\0';
	if (quotes % 2)
		printk("parameter word \"%s\": a quote is not closed\n", word);
	else if (len >= MAX_WORD)
		printk("parameter word \"%.32s...\": longer than %d bytes\n",
		       word, MAX_WORD - 1);
	return quotes % 2 == 0 && len < MAX_WORD;
}

static const struct param *find_param(const char *name)
{
	LINKER_SET_FOREACH(boot_params, const struct param, it)
	{
		if (!strcmp((*it)->name, name))
			return *it;
	}
	return NULL;
}

/* Store the low bytes of @value, as many as the variable has. */
static void store_int(const struct param *param, uint64_t value)
{
	memcpy(param->var, &value, param->size); /* little endian */
}

static int set_uint(const struct param *param, const char *text)
{
	uint64_t most = UINT64_MAX >> (64 - 8 * param->size);
	uint64_t value;

	if (parse_u64(text, &value) || value > most) {
		printk("parameter %s=\"%s\": not a number (0..%lu)\n",
		       param->name, text, most);
		return -EINVAL;
	}
	store_int(param, value);
	return 0;
}

static int set_int(const struct param *param, const char *text)
{
	uint64_t most = (uint64_t)INT64_MAX >> (64 - 8 * param->size);
	bool negative = *text == '-';
	uint64_t value;

	if (parse_u64(text + negative, &value) || value > most + negative) {
		printk("parameter %s=\"%s\": not a number (-%lu..%lu)\n",
		       param->name, text, most + 1, most);
		return -EINVAL;
	}
	store_int(param, negative ? -value : value);
	return 0;
}

static bool is_one_of(const char *text, const char *const words[3])
{
	for (int i = 0; i < 3; i++) {
		if (!strcmp(text, words[i]))
			return true;
	}
	return false;
}

static int set_bool(const struct param *param, const char *text)
{
	static const char *const yes[] = {"1", "y", "true"};
	static const char *const no[] = {"0", "n", "false"};
	bool on = is_one_of(text, yes);

	if (!on && !is_one_of(text, no)) {
		printk("parameter %s=\"%s\": not a bool (0 or 1)\n",
		       param->name, text);
		return -EINVAL;
	}
	*(bool *)param->var = on;
	return 0;
}

static int set_str(const struct param *param, const char *text)
{
	if (strlen(text) >= param->size) {
		printk("parameter %s=\"%s\": longer than %zu bytes\n",
		       param->name, text, param->size - 1);
		return -EINVAL;
	}
	strscpy(param->var, text, param->size);
	return 0;
}

static int set_fn(const struct param *param, const char *text)
{
	int error = param->fn(text);

	if (error)
		printk("parameter %s=\"%s\": not valid (%s)\n", param->name,
		       text, param->help);
	return error;
}

static int set_param(const struct param *param, const char *text)
{
	switch (param->kind) {
	case PARAM_KIND_UINT:
		return set_uint(param, text);
	case PARAM_KIND_INT:
		return set_int(param, text);
	case PARAM_KIND_BOOL:
		return set_bool(param, text);
	case PARAM_KIND_STR:
		return set_str(param, text);
	default:
		return set_fn(param, text);
	}
}

/* Take one word, which is cut up. Return: 0 or a negative error number. */
static int take_word(char *word)
{
	char *value = strchr(word, '=');
	const struct param *param;

	if (value)
		*value++ = '\0';
	param = find_param(word);
	if (!param) {
		printk("unknown parameter \"%s\"\n", word);
		return -ENOENT;
	}
	if (!value && param->kind != PARAM_KIND_BOOL) {
		printk("parameter %s: needs a value (%s)\n", param->name,
		       param->help);
		return -EINVAL;
	}
	return set_param(param, value ? value : "1");
}

int param_parse(const char *cmdline)
{
	char word[MAX_WORD];
	int refused = 0;
	size_t len = 0;

	for (const char *p = param_next_word(cmdline, &len); p;
	     p = param_next_word(p + len, &len)) {
		if (!unquote(p, len, word) || take_word(word))
			refused++;
	}
	return refused;
}

/* Return: the parameter that follows @last by name, or NULL. */
static const struct param *next_by_name(const struct param *last)
{
	const struct param *next = NULL;

	LINKER_SET_FOREACH(boot_params, const struct param, it)
	{
		if (last && strcmp((*it)->name, last->name) <= 0)
			continue;
		if (!next || strcmp((*it)->name, next->name) < 0)
			next = *it;
	}
	return next;
}

void param_print_help(void)
{
	static const char *const forms[] = {
		[PARAM_KIND_UINT] = "=N",   [PARAM_KIND_INT] = "=N",
		[PARAM_KIND_BOOL] = "=0|1", [PARAM_KIND_STR] = "=TEXT",
		[PARAM_KIND_FN] = "=VALUE",
	};
	char word[64];

	for (const struct param *p = next_by_name(NULL); p;
	     p = next_by_name(p)) {
		scnprintf(word, sizeof(word), "%s%s", p->name, forms[p->kind]);
		printk("  %-32s %s\n", word, p->help);
	}
}
