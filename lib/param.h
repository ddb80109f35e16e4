/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boot parameters: `name=value` words of the kernel command line, each
 * registered by the file that uses it.
 *
 *   static unsigned int nr_threads = 1;
 *   PARAM_UINT("test_vmalloc.nr_threads", nr_threads, "workers");
 *
 * Words are separated by blanks; double quotes keep blanks together. A bare
 * `name` turns a bool on. Numbers as parse_u64 reads them (0x…, K, M, G), in
 * the range of their variable.
 */
#ifndef LIB_PARAM_H
#define LIB_PARAM_H

#include <lib/compiler.h>
#include <stdbool.h>
#include <stddef.h>

enum param_kind {
	PARAM_KIND_UINT, /* unsigned integer of any size */
	PARAM_KIND_INT,  /* signed integer of any size */
	PARAM_KIND_BOOL, /* 1 y true, 0 n false, or bare */
	PARAM_KIND_STR,  /* array of char, NUL-terminated */
	PARAM_KIND_FN,   /* handed to a function */
};

/* Takes a value. Return: 0; a negative error number: refused. */
typedef int (*param_fn)(const char *value);

struct param {
	const char *name;
	const char *help; /* says what is accepted, too */
	enum param_kind kind;
	size_t size; /* bytes of the variable */
	void *var;
	param_fn fn;
};

#define PARAM_DEFINE(id, ...)                                                  \
	static const struct param param_##id = {__VA_ARGS__};                  \
	LINKER_SET(boot_params, param_##id)

/* @id is the variable itself, whose name need not be the parameter's. */
#define PARAM_UINT(param_name, id, help_text)                                  \
	static_assert((__typeof__(id))-1 > 0, #id " must be unsigned");        \
	PARAM_DEFINE(id, .name = (param_name), .help = (help_text),            \
		     .kind = PARAM_KIND_UINT, .size = sizeof(id),              \
		     .var = &(id))

#define PARAM_INT(param_name, id, help_text)                                   \
	static_assert((__typeof__(id))-1 < 0, #id " must be signed");          \
	PARAM_DEFINE(id, .name = (param_name), .help = (help_text),            \
		     .kind = PARAM_KIND_INT, .size = sizeof(id), .var = &(id))

#define PARAM_BOOL(param_name, id, help_text)                                  \
	static_assert(sizeof(id) == sizeof(bool), #id " must be bool");        \
	PARAM_DEFINE(id, .name = (param_name), .help = (help_text),            \
		     .kind = PARAM_KIND_BOOL, .size = sizeof(id),              \
		     .var = &(id))

#define PARAM_STR(param_name, id, help_text)                                   \
	PARAM_DEFINE(id, .name = (param_name), .help = (help_text),            \
		     .kind = PARAM_KIND_STR, .size = sizeof(id), .var = (id))

#define PARAM_FN(param_name, id, help_text)                                    \
	PARAM_DEFINE(id, .name = (param_name), .help = (help_text),            \
		     .kind = PARAM_KIND_FN, .fn = (id))

/*
 * Take every word of @cmdline. One line is printed for each word that can't be
 * used, and the others are taken all the same.
 * Context: boot and the prompt, one CPU.
 * Return: how many words could not be used.
 */
int param_parse(const char *cmdline);

/*
 * Find the next word of the command line @p.
 * Context: any.
 * Return: where it starts, its bytes, quotes included, being in @len; NULL when
 * there is none.
 */
const char *param_next_word(const char *p, size_t *len);

/* Print every parameter with its help, sorted by name. Any context. */
void param_print_help(void);

#endif
