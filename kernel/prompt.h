/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command prompt on the serial console. */
#ifndef KERNEL_PROMPT_H
#define KERNEL_PROMPT_H

/*
 * Read commands from the console and carry them out until `quit`.
 * Context: thread, after the boot; polls the console.
 */
void prompt_run(void);

/*
 * Add a command: `name [argument]`. In a linker set, so that every part of
 * the kernel brings its own.
 */
struct prompt_command {
	const char *name;
	const char *argument; /* for the help: "GLOB"; NULL: takes none */
	const char *help;
	void (*run)(const char *argument);
};

#define PROMPT_COMMAND(_id, _name, _argument, _help, _run)                     \
	static const struct prompt_command prompt_command_##_id = {            \
		.name = _name,                                                 \
		.argument = _argument,                                         \
		.help = _help,                                                 \
		.run = _run,                                                   \
	};                                                                     \
	LINKER_SET(prompt_commands, prompt_command_##_id)

#endif
