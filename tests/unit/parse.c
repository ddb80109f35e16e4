/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <lib/errno.h>
#include <lib/string.h>
#include <lib/test.h>

TEST(parse, numbers)
{
	static const struct {
		const char *s;
		uint64_t value;
	} good[] = {
		{"0", 0},
		{"7", 7},
		{"010", 10},
		{"18446744073709551615", UINT64_MAX},
		{"0x0", 0},
		{"0xff", 255},
		{"0XdeadBEEF", 0xdeadbeef},
		{"0xffffffffffffffff", UINT64_MAX},
		{"1K", 1024},
		{"3k", 3072},
		{"2M", 2 << 20},
		{"6G", 6UL << 30},
		{"0x10M", 16 << 20},
		{"17179869183G", 17179869183UL << 30},
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		uint64_t value = 99;

		EXPECTF(!parse_u64(good[i].s, &value), "\"%s\"", good[i].s);
		EXPECT_EQ(value, good[i].value);
	}
}

TEST(parse, refused)
{
	static const struct {
		const char *s;
		int error;
	} bad[] = {
		{"", EINVAL},
		{" 1", EINVAL},
		{"1 ", EINVAL},
		{"-1", EINVAL},
		{"+1", EINVAL},
		{"x", EINVAL},
		{"0x", EINVAL},
		{"0xg", EINVAL},
		{"12a", EINVAL},
		{"1KB", EINVAL},
		{"K", EINVAL},
		{"1T", EINVAL},
		{"1.5", EINVAL},
		{"18446744073709551616", ERANGE},
		{"99999999999999999999999999999999999999", ERANGE},
		{"0x10000000000000000", ERANGE},
		{"17179869184G", ERANGE},
		{"18446744073709551615K", ERANGE},
		{"99999999999999999999999x", EINVAL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		uint64_t value = 99;
		int error = parse_u64(bad[i].s, &value);

		EXPECTF(error == -bad[i].error, "\"%s\": %d", bad[i].s, error);
		EXPECT_EQ(value, 99);
	}
}
