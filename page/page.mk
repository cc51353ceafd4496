# ---- pages: their parts, which the viewer has in itself, and the module that lives in them ----
PAGE_PARTS := build/page
$(PAGE_PARTS)/tail: page/assemble $(wildcard page/*.js) page/page.html page/style.css \
		$(wildcard examples/creatures/*.json)
	$(Q)page/assemble $(abspath $(@D))
PAGE_OBJECTS := $(B)/obj/viewer/export/page_parts.o
$(PAGE_OBJECTS): $(PAGE_PARTS)/tail
$(PAGE_OBJECTS): ALL_CFLAGS += -DPAGE_FOLDER='"$(PAGE_PARTS)"'

# The library and the page's replay as one module of WebAssembly, by clang 16 or later. `make web` makes it; from then on
# `make` keeps it fresh, and the viewer's pages live. Without SIMD, which clang 14 has wrong; of what takes digests
# apart WebAssembly has nothing: no fused multiply-add, no other rounding
WEB := build/web
WEB_VERSION := $(firstword $(foreach v,16 17 18 19,$(if $(shell command -v clang-$(v)),-$(v))))
WEB_CC := clang$(WEB_VERSION)
WEB_CFLAGS := --target=wasm32-wasi -std=c11 -O3 -ffp-contract=off -fno-math-errno -D_POSIX_C_SOURCE=200809L \
	-I. -isystem $(WEB)/libraries/include -fvisibility=hidden -ffunction-sections -Wall -Wextra -Wno-unused-parameter
WEB_SOURCES := $(filter-out common/params/params_file.c,$(LIBRARY)) page/module.c page/plan.c page/water.c page/params_text.c viewer/export/page_data.c \
	$(addprefix viewer/,replay/replay.c replay/replay_contest.c replay/replay_record.c replay/preserve_film.c draw/eye/camera.c draw/palette.c)
WEB_OBJECTS := $(WEB_SOURCES:%.c=$(WEB)/obj/%.o)
web: $(WEB)/bestiary.wasm.gz
	$(Q)$(MAKE) all
$(WEB)/libraries/complete: scripts/web-libraries
	$(Q)rm -rf $(@D) && $< $(@D)
$(WEB)/obj/%.o: %.c | $(WEB)/libraries/complete
	@mkdir -p $(@D)
	$(Q)$(WEB_CC) $(WEB_CFLAGS) -MMD -MP -c $< -o $@
# the sources of others are known when they are fetched
$(WEB)/obj/libraries.o: $(WEB)/libraries/complete
	@mkdir -p $(WEB)/obj/libraries
	$(Q)for source in $(WEB)/libraries/*.c; do \
		$(WEB_CC) $(WEB_CFLAGS) -Os -DHAVE_CONFIG_H -w -c $$source -o $(WEB)/obj/libraries/$$(basename $$source .c).o || exit 1; done
	$(Q)wasm-ld$(WEB_VERSION) -r -o $@ $(WEB)/obj/libraries/*.o
$(WEB)/bestiary.wasm: $(WEB_OBJECTS) $(WEB)/obj/libraries.o
	$(Q)$(WEB_CC) --target=wasm32-wasi -mexec-model=reactor -o $@ $^ -Wl,--gc-sections,--strip-all \
		-Wl,-z,stack-size=1048576 -Wl,--max-memory=1073741824
# a program of the library's alone, for its digests
$(WEB)/obj/tests/golden/everywhere.o: WEB_CFLAGS += -Iinclude
$(WEB)/everywhere.wasm: $(WEB)/obj/tests/golden/everywhere.o $(filter-out $(WEB)/obj/page/module.o $(WEB)/obj/page/water.o $(WEB)/obj/viewer/%,$(WEB_OBJECTS)) \
		$(WEB)/obj/libraries.o
	$(Q)$(WEB_CC) --target=wasm32-wasi -o $@ $^ -Wl,--gc-sections,--strip-all -Wl,-z,stack-size=1048576
$(WEB)/bestiary.wasm.gz: $(WEB)/bestiary.wasm
	$(Q)gzip -9 -n -c $< >$@
ifneq ($(or $(wildcard $(WEB)/bestiary.wasm.gz),$(filter web,$(MAKECMDGOALS))),)
$(PAGE_OBJECTS): $(WEB)/bestiary.wasm.gz
$(PAGE_OBJECTS): ALL_CFLAGS += -DPAGE_MODULE='"$(WEB)/bestiary.wasm.gz"'
-include $(shell find $(WEB)/obj -name '*.d' 2>/dev/null)
endif
# a folder for any web server
SITE ?= build/site
site: web
	$(Q)page/site $(BIN)/viewer $(SITE)
.PHONY: web site
