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
# One short line for each command, the command itself with V=1.
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' '$(1)' '$(2)')

# --- the kernel --------------------------------------------------------------

cc_tag := $(if $(findstring clang,$(notdir $(CC))),-clang)
OUT    := build/$(BUILD)$(cc_tag)
ELF    := $(OUT)/quire.elf
ISO    := $(OUT)/quire.iso

SRCS := $(sort $(shell find arch/x86_64 lib mm kernel tests/unit tests/bench \
	-name '*.[cS]' -not -path '*/hosted/*'))
OBJS := $(SRCS:%=$(OUT)/obj/%.o)

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wwrite-strings -Wvla -Wundef -Wno-unused-parameter $(if $(WERROR),-Werror)
INCLUDES := -Iarch/include -Iarch/x86_64/include -I.
# The same tree gives the same bytes wherever it is built.
REPRODUCIBLE := -ffile-prefix-map=$(CURDIR)/= -fdebug-prefix-map=$(CURDIR)=.

CFLAGS := -std=gnu11 -g -ffreestanding -fno-pic -fno-pie -mcmodel=kernel \
	-mno-red-zone -mgeneral-regs-only -fcf-protection=none \
	-fno-asynchronous-unwind-tables -fno-omit-frame-pointer \
	-fno-strict-aliasing -fno-common -fno-stack-protector \
	$(REPRODUCIBLE) $(WARNINGS) $(INCLUDES)
CFLAGS_release := -O2
CFLAGS_debug   := -O1 -DQUIRE_DEBUG
CFLAGS += $(CFLAGS_$(BUILD))
LDFLAGS := -nostdlib -static -z max-page-size=4096 -z noexecstack \
	--build-id=none --no-warn-rwx-segments -T linker.ld

.PHONY: all
all: $(ELF)

$(OUT)/obj/%.c.o: %.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -MMD -MP -c $< -o $@

$(OUT)/obj/%.S.o: %.S
	$(call say,AS,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -MMD -MP -c $< -o $@

# Linked twice: the second time with the table of the first one's functions,
# which backtraces read. The table lies behind the code, so that the code's
# addresses are the same in both.
$(ELF): $(OBJS) linker.ld tools/symbols.py
	$(call say,LD,$@)
	$(Q)$(PYTHON) tools/symbols.py --empty > $(OUT)/symbols.S
	$(Q)$(CC) $(CFLAGS) -c $(OUT)/symbols.S -o $(OUT)/symbols.o
	$(Q)$(LD) $(LDFLAGS) $(OBJS) $(OUT)/symbols.o -o $@.pass1
	$(Q)$(PYTHON) tools/symbols.py --nm $(NM) $@.pass1 > $(OUT)/symbols.S
	$(Q)$(CC) $(CFLAGS) -c $(OUT)/symbols.S -o $(OUT)/symbols.o
	$(Q)$(LD) $(LDFLAGS) $(OBJS) $(OUT)/symbols.o -o $@.pass2
	$(Q)$(PYTHON) tools/symbols.py --check --nm $(NM) $@.pass1 $@.pass2
	$(Q)mv $@.pass2 $@

-include $(OBJS:.o=.d)

# --- the hosted build --------------------------------------------------------
# lib/, mm/ and their unit suites as a Linux process under sanitizers.

HOST_CC   ?= gcc
HOST_OUT  := build/host$(if $(findstring clang,$(notdir $(HOST_CC))),-clang)
HOST_TEST := $(HOST_OUT)/quire-host
HOST_SRCS := $(sort $(shell find arch/hosted lib mm tests/unit \
	tests/hosted_main.c -name '*.c' -not -path '*/x86_64/*'))
HOST_OBJS := $(HOST_SRCS:%=$(HOST_OUT)/obj/%.o)
HOST_INCLUDES := -Iarch/include -Iarch/hosted/include -I.
HOST_CFLAGS := -std=gnu11 -g -O1 -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=undefined \
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

# T='list*' runs a part; ARGS holds more words of the kernel command line.
.PHONY: host-test
host-test: $(HOST_TEST)
	$(Q)$(HOST_TEST) $(if $(T),'test=$(T)') $(ARGS)

-include $(HOST_OBJS:.o=.d)
