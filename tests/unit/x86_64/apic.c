/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The local APIC's registers in both their forms, and which CPUs are started,
 * on an APIC that is nothing but memory: no machine at hand has an x2APIC, or
 * ids with gaps. Runs in the hosted build too.
 */
#include <arch/x86_64/cpu/apic.h>
#include <arch/x86_64/cpu/roster.h>
#include <lib/compiler.h>
#include <lib/errno.h>
#include <lib/test.h>
#include <tests/unit/one_line.h>

/* --- an APIC made of memory ----------------------------------------------- */

static uint32_t regs[APIC_REGS_SIZE / sizeof(uint32_t)];

/* The MSRs from MSR_X2APIC(0) on, and MSR_APIC_BASE. */
static uint64_t msrs[64], base_msr;
static unsigned int nr_wrong_msrs, nr_msr_writes;

static uint64_t *msr(uint32_t number)
{
	if (number == MSR_APIC_BASE)
		return &base_msr;
	if (number - MSR_X2APIC(0) < ARRAY_SIZE(msrs))
		return &msrs[number - MSR_X2APIC(0)];
	nr_wrong_msrs++;
	return &msrs[0];
}

static uint64_t read_mock(uint32_t number)
{
	return *msr(number);
}

static void write_mock(uint32_t number, uint64_t value)
{
	nr_msr_writes++;
	*msr(number) = value;
}

static struct apic fresh_apic(uint64_t base)
{
	for (size_t i = 0; i < ARRAY_SIZE(regs); i++)
		regs[i] = 0;
	for (size_t i = 0; i < ARRAY_SIZE(msrs); i++)
		msrs[i] = 0;
	nr_wrong_msrs = nr_msr_writes = 0;
	base_msr = base;
	return (struct apic){
		.regs = regs,
		.read_msr = read_mock,
		.write_msr = write_mock,
	};
}

#define BASE_ON 0xfee00800UL /* as after a reset */
#define BASE_X2 0xfee00c00UL

/* --- switching it on ------------------------------------------------------ */

TEST(apic, in_memory_where_there_is_no_x2apic)
{
	struct apic apic = fresh_apic(BASE_ON);

	EXPECT(apic_switch_on(&apic, false));
	EXPECT(!apic.x2);
	EXPECT_EQ(base_msr, BASE_ON);
	EXPECT_EQ(nr_msr_writes, 0);
}

TEST(apic, by_msr_where_there_is)
{
	struct apic apic = fresh_apic(BASE_ON);

	apic.regs = NULL;
	EXPECT(apic_switch_on(&apic, true));
	EXPECT(apic.x2);
	EXPECT_EQ(base_msr, BASE_X2);
	EXPECT_EQ(nr_msr_writes, 1);
	EXPECT(apic_switch_on(&apic, true));
	EXPECT_EQ(nr_msr_writes, 1);
}

/* There is no way back from there. */
TEST(apic, stays_as_the_firmware_left_it)
{
	struct apic apic = fresh_apic(BASE_X2);

	EXPECT(apic_switch_on(&apic, false));
	EXPECT(apic.x2);
	EXPECT_EQ(base_msr, BASE_X2);
}

TEST(apic, of_no_use)
{
	struct apic apic = fresh_apic(BASE_ON & ~MSR_APIC_BASE_ON);

	EXPECT(!apic_switch_on(&apic, false));
	EXPECT(!apic_switch_on(&apic, true));
	EXPECT_EQ(base_msr, BASE_ON & ~MSR_APIC_BASE_ON);
	apic = fresh_apic(BASE_ON);
	apic.regs = NULL;
	EXPECT(!apic_switch_on(&apic, false));
}

/* --- registers ------------------------------------------------------------ */

TEST(apic, registers_in_memory)
{
	struct apic apic = fresh_apic(BASE_ON);

	apic_enable(&apic, 0xff);
	EXPECT_EQ(regs[0xf0 / 4], 0x1ff);
	EXPECT_EQ(regs[0x320 / 4], 1 << 16);
	EXPECT_EQ(regs[0x370 / 4], 1 << 16);
	regs[0x20 / 4] = 0x05000000;
	EXPECT_EQ(apic_id(&apic), 5);
	regs[0xb0 / 4] = 1;
	apic_end_of_interrupt(&apic);
	EXPECT_EQ(regs[0xb0 / 4], 0);
	apic_write(&apic, APIC_TIMER_INITIAL, 1234);
	EXPECT_EQ(regs[0x380 / 4], 1234);
	EXPECT_EQ(nr_msr_writes, 0);
}

TEST(apic, registers_as_msrs)
{
	struct apic apic = fresh_apic(BASE_X2);

	apic_switch_on(&apic, true);
	apic_enable(&apic, 0xff);
	EXPECT_EQ(msrs[0x0f], 0x1ff);
	EXPECT_EQ(msrs[0x32], 1 << 16);
	EXPECT_EQ(msrs[0x37], 1 << 16);
	msrs[0x02] = 0x12345;
	EXPECT_EQ(apic_id(&apic), 0x12345);
	msrs[0x0b] = 1;
	apic_end_of_interrupt(&apic);
	EXPECT_EQ(msrs[0x0b], 0);
	apic_write(&apic, APIC_TIMER_INITIAL, 1234);
	EXPECT_EQ(msrs[0x38], 1234);
	EXPECT_EQ(nr_wrong_msrs, 0);
	for (size_t i = 0; i < ARRAY_SIZE(regs); i++)
		EXPECT_EQ(regs[i], 0);
}

TEST(apic, sending_in_memory)
{
	struct apic apic = fresh_apic(BASE_ON);

	apic_send(&apic, 5, APIC_SEND_VECTOR(0xe1));
	EXPECT_EQ(regs[0x310 / 4], 0x05000000);
	EXPECT_EQ(regs[0x300 / 4], 0x40e1);
	apic_send(&apic, 2, APIC_SEND_INIT);
	EXPECT_EQ(regs[0x310 / 4], 0x02000000);
	EXPECT_EQ(regs[0x300 / 4], 0x4500);
	apic_send(&apic, 254, APIC_SEND_STARTUP(0x9e));
	EXPECT_EQ(regs[0x310 / 4], 0xfe000000);
	EXPECT_EQ(regs[0x300 / 4], 0x469e);
	apic_send(&apic, 0, APIC_ALL_OTHERS | APIC_SEND_VECTOR(0xf0));
	EXPECT_EQ(regs[0x300 / 4], 0xc40f0);
}

/* One write of all 64 bits. */
TEST(apic, sending_by_msr)
{
	struct apic apic = fresh_apic(BASE_X2);

	apic_switch_on(&apic, true);
	apic_send(&apic, 5, APIC_SEND_VECTOR(0xe1));
	EXPECT_EQ(msrs[0x30], 0x5000040e1UL);
	EXPECT_EQ(nr_msr_writes, 1);
	apic_send(&apic, 0x12345, APIC_SEND_NMI);
	EXPECT_EQ(msrs[0x30], 0x1234500004400UL);
	EXPECT_EQ(msrs[0x31], 0);
	EXPECT_EQ(nr_wrong_msrs, 0);
}

TEST(apic, addresses)
{
	struct apic apic = fresh_apic(BASE_ON);

	EXPECT(apic_has_address(&apic, 0));
	EXPECT(apic_has_address(&apic, 254));
	EXPECT(!apic_has_address(&apic, 255)); /* all of them */
	EXPECT(!apic_has_address(&apic, 300));
	apic.x2 = true;
	EXPECT(apic_has_address(&apic, 255));
	EXPECT(apic_has_address(&apic, UINT32_MAX - 1));
	EXPECT(!apic_has_address(&apic, UINT32_MAX));
}

/* --- which CPUs are started ----------------------------------------------- */

static uint32_t asked[2 * MAX_CPUS];
static unsigned int nr_asked;
static struct roster roster;
static uint32_t deaf_id; /* does not answer */
static bool no_memory;
static struct apic mock;

/* As a machine would, but that nobody has to answer. */
static int start(unsigned int cpu, uint32_t apic_id)
{
	EXPECT_EQ(cpu, roster.nr);
	asked[nr_asked++] = apic_id;
	if (no_memory)
		return -ENOMEM;
	apic_send(&mock, apic_id, APIC_SEND_INIT);
	apic_send(&mock, apic_id, APIC_SEND_STARTUP(8));
	return apic_id == deaf_id ? -ENOENT : 0;
}

static void begin(uint32_t boot_id)
{
	mock = fresh_apic(BASE_ON);
	roster = (struct roster){.nr = 1, .apic_id = {boot_id}};
	nr_asked = 0;
	deaf_id = UINT32_MAX;
	no_memory = false;
}

static void start_list(const struct smp_cpu *cpus, size_t nr, unsigned int max)
{
	struct smp_boot boot = {.cpus = cpus, .nr = nr, .max = max};

	roster_start(&roster, &boot, &mock, start);
}

static const struct smp_cpu with_gaps[] = {{0}, {2}, {5}};

TEST(roster, ids_with_gaps)
{
	begin(0);
	start_list(with_gaps, 3, MAX_CPUS);
	EXPECT_EQ(nr_asked, 2);
	EXPECT_EQ(roster.nr, 3);
	EXPECT_EQ(roster.apic_id[0], 0);
	EXPECT_EQ(roster.apic_id[1], 2);
	EXPECT_EQ(roster.apic_id[2], 5);
	EXPECT(roster.complete);
	EXPECT_EQ(regs[0x310 / 4], 0x05000000);
	EXPECT_EQ(regs[0x300 / 4], 0x4608);
}

/* CPU 0 is the one that boots, wherever the table names it. */
TEST(roster, boot_cpu_last_in_the_table)
{
	begin(5);
	start_list(with_gaps, 3, MAX_CPUS);
	EXPECT_EQ(roster.nr, 3);
	EXPECT_EQ(roster.apic_id[0], 5);
	EXPECT_EQ(roster.apic_id[1], 0);
	EXPECT_EQ(roster.apic_id[2], 2);
}

TEST(roster, boot_cpu_not_in_the_table)
{
	begin(7);
	start_list(with_gaps, 3, MAX_CPUS);
	EXPECT_EQ(roster.nr, 4);
	EXPECT(roster.complete);
}

TEST(roster, who_does_not_answer_is_left_out)
{
	begin(0);
	deaf_id = 2;
	EXPECT_ONE_LINE(start_list(with_gaps, 3, MAX_CPUS),
			"CPU with APIC id 2: does not answer, left out");
	EXPECT_EQ(roster.nr, 2);
	EXPECT_EQ(roster.apic_id[1], 5);
	EXPECT(!roster.complete);
}

TEST(roster, no_memory_for_a_cpu)
{
	begin(0);
	no_memory = true;
	EXPECT_ONE_LINE(start_list(with_gaps, 2, MAX_CPUS),
			"CPU with APIC id 2: no memory for it, left out");
	EXPECT_EQ(roster.nr, 1);
}

TEST(roster, no_address_without_x2apic)
{
	static const struct smp_cpu far[] = {{0}, {300}};

	begin(0);
	EXPECT_ONE_LINE(start_list(far, 2, MAX_CPUS),
			"CPU with APIC id 300: has no address without x2APIC");
	EXPECT_EQ(nr_asked, 0);
	EXPECT(!roster.complete);
	mock.x2 = true;
	start_list(far, 2, MAX_CPUS);
	EXPECT_EQ(roster.nr, 2);
	EXPECT_EQ(msrs[0x30], 0x12c00004608UL);
	EXPECT(roster.complete);
}

TEST(roster, as_many_as_wanted)
{
	begin(0);
	start_list(with_gaps, 3, 1);
	EXPECT_EQ(nr_asked, 0);
	EXPECT(!roster.complete);
	start_list(with_gaps, 3, 2);
	EXPECT_EQ(roster.nr, 2);
	EXPECT(!roster.complete);
	start_list(with_gaps, 3, 3);
	EXPECT_EQ(nr_asked, 2);
	EXPECT_EQ(roster.nr, 3);
	EXPECT(roster.complete);
}

TEST(roster, more_than_the_build_runs)
{
	struct smp_cpu cpus[MAX_CPUS + 2];

	begin(0);
	for (unsigned int i = 0; i < ARRAY_SIZE(cpus); i++)
		cpus[i].apic_id = 2 * i;
	EXPECT_ONE_LINE(start_list(cpus, ARRAY_SIZE(cpus), MAX_CPUS),
			"CPUs: 2 left out, this build runs 64");
	EXPECT_EQ(roster.nr, MAX_CPUS);
	EXPECT_EQ(roster.apic_id[MAX_CPUS - 1], 2 * (MAX_CPUS - 1));
	EXPECT(!roster.complete);
}

TEST(roster, empty_table)
{
	begin(3);
	start_list(NULL, 0, MAX_CPUS);
	EXPECT_EQ(roster.nr, 1);
	EXPECT(roster.complete);
}
