/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values in expectations: how they compare, and how they are printed. */
#include <lib/printk.h>
#include <lib/test_core.h>

/* Return: < 0, 0 or > 0 as the number @a is less than, equal to, or greater
 * than @b, whatever their types. */
static int order(struct test_value a, struct test_value b)
{
	bool a_negative = a.type == TEST_SIGNED && (int64_t)a.bits < 0;
	bool b_negative = b.type == TEST_SIGNED && (int64_t)b.bits < 0;

	if (a_negative != b_negative)
		return a_negative ? -1 : 1;
	return (a.bits > b.bits) - (a.bits < b.bits);
}

bool test_value_holds(enum test_op op, struct test_value a, struct test_value b)
{
	int sign = order(a, b);

	switch (op) {
	case TEST_EQ:
		return sign == 0;
	case TEST_NE:
		return sign != 0;
	case TEST_LT:
		return sign < 0;
	case TEST_LE:
		return sign <= 0;
	case TEST_GT:
		return sign > 0;
	default:
		return sign >= 0;
	}
}

void test_print_value(const char *text, struct test_value value)
{
	printk("%s = ", text);
	switch (value.type) {
	case TEST_SIGNED:
		printk("%ld (0x%lx)", (int64_t)value.bits, value.bits);
		break;
	case TEST_UNSIGNED:
		printk("%lu (0x%lx)", value.bits, value.bits);
		break;
	case TEST_BOOL:
		printk("%s", value.bits ? "true" : "false");
		break;
	case TEST_POINTER:
		printk("0x%016lx", value.bits);
		break;
	}
}

void test_print_string(const char *text, const char *s)
{
	if (!s) {
		printk("%s = (null)", text);
		return;
	}
	printk("%s = \"", text);
	for (; *s; s++) {
		if (*s == '\n')
			printk("\\n");
		else if (*s == '"' || *s == '\\')
			printk("\\%c", *s);
		else if (*s < ' ')
			printk("\\x%02hhx", *s);
		else
			printk("%c", *s);
	}
	printk("\"");
}
