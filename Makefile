# Quire: a tiny x86_64 kernel whose subject is kernel memory.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `make help` lists what can be made. Products go to build/, nothing is
# written elsewhere.

CPUS  ?= 2
MEM   ?= 1G
ACCEL ?=
BOOT  ?= iso
ARGS  ?=
BUILD ?= release
V     ?= 0

CC    := $(if $(filter default,$(origin CC)),gcc,$(CC))
LD    := ld
NM    := nm
PYTHON := python3

ifeq ($(filter $(BUILD),release debug),)
$(error BUILD=$(BUILD): must be release or debug)
endif

Q := $(if $(filter 1,$(V)),,@)
# $(call quoted,WORD): as one word of a shell, blanks and quotes and all.
quoted = '$(subst ','\'',$(1))'
# One short line for each command, the command itself with V=1.
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' '$(1)' '$(2)')

# --- the kernel --------------------------------------------------------------

cc_tag := $(if $(findstring clang,$(notdir $(CC))),-clang)
# 11: the layout of struct vmap_area in which nothing is shared, to compare.
VMAP_AREA_WORDS ?=
words_tag := $(if $(VMAP_AREA_WORDS),-words$(VMAP_AREA_WORDS))
KERNEL_OUT := build/$(BUILD)$(cc_tag)$(words_tag)$(if $(WERROR),-werror)
ELF        := $(KERNEL_OUT)/quire.elf

# What stands in a directory debug/ is not in the release build.
NOT_BUILT := $(if $(filter release,$(BUILD)),-not -path '*/debug/*')
SRCS := $(sort $(shell find arch/x86_64 arch/common lib mm kernel tests/unit tests/bench \
	-name '*.[cS]' -not -path '*/hosted/*' $(NOT_BUILT)))
OBJS := $(SRCS:%=$(KERNEL_OUT)/obj/%.o)

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wwrite-strings -Wvla -Wundef -Wno-unused-parameter $(if $(WERROR),-Werror)
INCLUDES := -Iarch/include -Iarch/x86_64/include -I.
# The same tree gives the same bytes wherever it is built.
REPRODUCIBLE := $(call quoted,-ffile-prefix-map=$(CURDIR)/=) \
	$(call quoted,-fdebug-prefix-map=$(CURDIR)=.)

CFLAGS := -std=gnu11 -g -ffreestanding -fno-pic -fno-pie -mcmodel=kernel \
	-mno-red-zone -mgeneral-regs-only -fcf-protection=none \
	-fno-asynchronous-unwind-tables -fno-omit-frame-pointer \
	-fno-strict-aliasing -fno-common -fno-stack-protector \
	$(REPRODUCIBLE) $(WARNINGS) $(INCLUDES)
# Thousands of small constant structures stand in the suites: no padding.
CFLAGS += $(if $(findstring clang,$(CC)),,-malign-data=abi)
CFLAGS_release := -O2
CFLAGS_debug   := -O1 -DQUIRE_DEBUG
CFLAGS += $(CFLAGS_$(BUILD))
CFLAGS += $(if $(VMAP_AREA_WORDS),-DVMAP_AREA_WORDS=$(VMAP_AREA_WORDS))
LDFLAGS := -nostdlib -static -z max-page-size=4096 -z noexecstack \
	--build-id=none --no-warn-rwx-segments -T linker.ld

.PHONY: all
all: $(ELF)

$(KERNEL_OUT)/obj/%.c.o: %.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -MMD -MP -c $< -o $@

$(KERNEL_OUT)/obj/%.S.o: %.S
	$(call say,AS,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -MMD -MP -c $< -o $@

# Linked twice: the second time with the table of the first one's functions,
# which backtraces read. The table lies behind the code, so that the code's
# addresses are the same in both.
$(ELF): $(OBJS) linker.ld tools/symbols.py
	$(call say,LD,$@)
	$(Q)$(PYTHON) tools/symbols.py --empty > $(KERNEL_OUT)/symbols.S
	$(Q)$(CC) $(CFLAGS) -c $(KERNEL_OUT)/symbols.S -o $(KERNEL_OUT)/symbols.o
	$(Q)$(LD) $(LDFLAGS) $(OBJS) $(KERNEL_OUT)/symbols.o -o $@.pass1
	$(Q)$(PYTHON) tools/symbols.py --nm $(NM) $@.pass1 > $(KERNEL_OUT)/symbols.S
	$(Q)$(CC) $(CFLAGS) -c $(KERNEL_OUT)/symbols.S -o $(KERNEL_OUT)/symbols.o
	$(Q)$(LD) $(LDFLAGS) $(OBJS) $(KERNEL_OUT)/symbols.o -o $@.pass2
	$(Q)$(PYTHON) tools/symbols.py --check --nm $(NM) $@.pass1 $@.pass2
	$(Q)mv $@.pass2 $@

-include $(OBJS:.o=.d)

# --- the hosted build --------------------------------------------------------
# lib/, mm/ and their unit suites as a Linux process under sanitizers.

HOST_CC   ?= gcc
SAN       ?= address
ifeq ($(filter $(SAN),address thread),)
$(error SAN=$(SAN): must be address or thread)
endif
HOST_OUT  := build/host$(if $(findstring clang,$(notdir $(HOST_CC))),-clang)$(if \
	$(filter thread,$(SAN)),-thread)$(if $(WERROR),-werror)
HOST_TEST := $(HOST_OUT)/quire-host
# What is pure logic of the other machine is tested here too.
HOST_SHARED := arch/x86_64/cpu/apic.c arch/x86_64/cpu/roster.c \
	tests/unit/x86_64/apic.c
HOST_SRCS := $(sort $(shell find arch/hosted arch/common lib mm tests/unit \
	tests/bench tests/hosted_*.c -name '*.c' -not -path '*/x86_64/*' \
	-not -path 'tests/*/kernel/*') $(HOST_SHARED))
HOST_OBJS := $(HOST_SRCS:%=$(HOST_OUT)/obj/%.o)
HOST_SANITIZE_address := -fsanitize=address,undefined
HOST_SANITIZE_thread  := -fsanitize=thread,undefined -DTHREAD_SANITIZER
# gcc loses track of what is initialised between its own calls.
HOST_SANITIZE_thread  += $(if $(findstring clang,$(HOST_CC)),,-Wno-maybe-uninitialized)
HOST_INCLUDES := -Iarch/include -Iarch/hosted/include -I.
HOST_CFLAGS := -std=gnu11 -g -O1 -fno-omit-frame-pointer \
	$(HOST_SANITIZE_$(SAN)) -fno-sanitize-recover=undefined \
	-fno-common -fno-strict-aliasing -DQUIRE_DEBUG \
	$(WARNINGS) $(HOST_INCLUDES)

# The kernel's own string and print functions must not stand in for the C
# library's, which the sanitizers watch: they are renamed. arch/hosted itself
# is written against the C library.
HOST_RENAME := $(addprefix $(HOST_OUT)/obj/,lib/%.o mm/%.o tests/%.o)
$(HOST_RENAME): HOST_CFLAGS += -include machine/rename.h

$(HOST_OUT)/obj/%.c.o: %.c
	$(call say,HOSTCC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(HOST_CC) $(HOST_CFLAGS) -MMD -MP -c $< -o $@

$(HOST_TEST): $(HOST_OBJS)
	$(call say,HOSTLD,$@)
	$(Q)$(HOST_CC) $(HOST_CFLAGS) $^ -lpthread -o $@

-include $(HOST_OBJS:.o=.d)

# --- for the user ------------------------------------------------------------
# What is said on make's command line reaches tools/*.py through the
# environment, so that ARGS="a b" meets no shell on its way.

MACHINE   ?=
CPU       ?=
MODULES   ?=
QEMUFLAGS ?=
TIMEOUT   ?=
BENCH     ?=
OUT       ?=
T         ?=
ROW       ?=
JOBS      ?= $(shell nproc 2>/dev/null || echo 2)

export CPUS MEM ACCEL BOOT ARGS BUILD CC MACHINE CPU MODULES QEMUFLAGS \
	TIMEOUT BENCH OUT T ROW JOBS ELF KERNEL_OUT HOST_TEST
export PYTHONPYCACHEPREFIX := build/pycache

# A make below this one, as parallel as the machine allows.
SUBMAKE = $(MAKE) --no-print-directory $(if $(filter 1,$(V)),,-s) \
	$(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))
# $(call need,TARGET): install or name what TARGET lacks.
need = @$(PYTHON) tools/doctor.py --install $(1)

.PHONY: run test bench debug iso doctor clean help host-test host-build \
	compile_commands.json

run:
	$(call need,run)
	@$(SUBMAKE) $(ELF)
	@$(PYTHON) tools/run.py

test:
	$(call need,test)
	@$(PYTHON) tools/test.py

bench:
	$(call need,bench)
	@$(SUBMAKE) $(ELF)
	@$(PYTHON) tools/bench.py

# The debug build, unless told otherwise, and stopped before it starts.
debug:
	@$(MAKE) --no-print-directory debug-attach \
		$(if $(filter command line,$(origin BUILD)),,BUILD=debug) \
		$(if $(filter command line,$(origin BOOT)),,BOOT=direct)

.PHONY: debug-attach
debug-attach:
	$(call need,debug)
	@$(SUBMAKE) $(ELF)
	@$(PYTHON) tools/debug.py

iso:
	$(call need,iso)
	@$(SUBMAKE) $(ELF)
	@$(PYTHON) tools/iso.py

host-build: $(HOST_TEST)

# T='list*' runs a part; ARGS holds more words of the kernel command line.
host-test:
	$(call need,host-test)
	@$(SUBMAKE) host-build
	@$(PYTHON) tools/host_test.py

doctor:
	@$(PYTHON) tools/doctor.py

compile_commands.json:
	@$(MAKE) --no-print-directory -Bn V=1 $(ELF) host-build | \
		$(PYTHON) tools/compile_commands.py

clean:
	rm -rf build compile_commands.json

help:
	@$(PYTHON) tools/help.py
