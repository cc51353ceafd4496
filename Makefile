# Bestiary: controller, simulator, viewer. `make help` lists the targets.
#
# Knobs: MODE=release|debug  SAN=address,undefined  WERROR=1  CC  CFLAGS (added)  PREFIX  V=1
# Release builds go to build/; every other combination to build/VARIANT/.

MODE ?= release
SAN ?=
OBJCOPY ?= objcopy
PREFIX ?= /usr/local
space := $(empty) $(empty)
comma := ,
VARIANT_PARTS := $(filter-out release,$(MODE)) $(if $(SAN),san-$(subst $(comma),-,$(SAN))) $(VARIANT)
B := build$(if $(strip $(VARIANT_PARTS)),/$(subst $(space),-,$(strip $(VARIANT_PARTS))))
BIN := $(B)/bin
Q := $(if $(V),,@)

# ---- libraries, found with pkg-config; a missing library is named by its package ----
PKG = $(shell pkg-config $(1) 2>/dev/null)
MSGPACK := $(firstword $(foreach p,msgpack-c msgpack,$(if $(call PKG,--modversion $(p)),$(p))))
define need
$(if $(call PKG,--modversion $(1)),,$(error $(1) is missing: install the package $(2) (Debian's name)))
endef
ifeq ($(filter clean help lint format,$(MAKECMDGOALS)),)
$(call need,libuv,libuv1-dev)
$(call need,sqlite3,libsqlite3-dev)
$(call need,jansson,libjansson-dev)
$(call need,inih,libinih-dev)
$(call need,zlib,zlib1g-dev)
$(if $(MSGPACK),,$(error msgpack-c is missing: install the package libmsgpack-dev))
endif
HAVE_CAIRO := $(if $(call PKG,--modversion cairo),1)
HAVE_SDL := $(if $(HAVE_CAIRO),$(if $(call PKG,--modversion sdl2),1))
HAVE_GIF := $(if $(wildcard /usr/include/gif_lib.h /usr/local/include/gif_lib.h),1)

# programs of tests, benches and tables are linked with Check
ifneq ($(filter tests test oracle accuracy fuzz-genetics,$(MAKECMDGOALS)),)
$(call need,check,check)
endif

# ---- flags: digests depend on -ffp-contract=off and on the absence of -ffast-math; and gcc 12 with
# -march=native makes fused multiply-adds in its SLP vectoriser in spite of the former. Under sanitizers
# -O1 compiles in half the time of -O3, and the tests hardly take longer ----
OPT := $(if $(filter debug,$(MODE)),-O0 -g3,$(if $(SAN),-O1,-O3) -g)
# the address sanitizer finds where these lead to; twice looked for they take a third of the time of the physics' tests
UNASKED := $(if $(findstring address,$(SAN)),$(addprefix -fno-sanitize=,object-size null pointer-overflow))
# checks of invariants that take long: common/error.h
DEAR := $(if $(SAN)$(filter debug,$(MODE)),-DCHECKS_ARE_DEAR=1)
# against what a bug could be made to do: checked copies, guarded stacks, tables that cannot be written
HARDEN := -fstack-protector-strong $(if $(SAN)$(filter debug,$(MODE)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
FLOATS := -ffp-contract=off -fno-tree-slp-vectorize -fno-math-errno
BASE := -std=c11 $(OPT) $(DEAR) $(HARDEN) $(FLOATS) -D_POSIX_C_SOURCE=200809L -I. \
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla \
	-Wno-unused-parameter $(if $(WERROR),-Werror) \
	$(if $(SAN),-fsanitize=$(SAN) $(UNASKED) $(if $(findstring clang,$(CC)),,-Wno-format-truncation) -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
ALL_CFLAGS = $(BASE) $(call PKG,--cflags $(MSGPACK) libuv sqlite3 jansson inih zlib) \
	$(if $(HAVE_CAIRO),-DHAVE_CAIRO $(call PKG,--cflags cairo)) \
	$(if $(HAVE_SDL),-DHAVE_SDL $(call PKG,--cflags sdl2)) $(if $(HAVE_GIF),-DHAVE_GIF) $(CFLAGS)
ALL_CFLAGS := $(ALL_CFLAGS)
# the build of scripts/costs takes the same instructions on every amd64
ifeq ($(VARIANT),costs)
AVX :=
ALL_CFLAGS += -DWITHOUT_CLONES
endif
# under sanitizers the compiler takes long: programs that do not simulate are quick anyhow and are not optimised
$(B)/obj/controller/%.o $(B)/obj/viewer/%.o $(B)/obj/common/store/%.o: ALL_CFLAGS += $(if $(SAN),-O0)
$(B)/obj/viewer/replay/preserve_replay.o: ALL_CFLAGS += -pthread
LINK := -Wl,-z,relro,-z,now $(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS)
LIBS_COMMON := $(call PKG,--libs $(MSGPACK) jansson inih zlib) -lm
LIBS_CONTROLLER := $(call PKG,--libs libuv sqlite3)
LIBS_VIEWER := $(call PKG,--libs sqlite3) $(if $(HAVE_CAIRO),$(call PKG,--libs cairo)) \
	$(if $(HAVE_SDL),$(call PKG,--libs sdl2)) $(if $(HAVE_GIF),-lgif) -pthread

# ---- folders of C, in the order of their dependence ----
# drawing needs cairo, and gifs need giflib as well
DRAWING := $(wildcard viewer/draw/draw*.c viewer/window/creature_*.c viewer/window/p*.c) \
	$(addprefix viewer/draw/eye/,eye.c limbs.c raster.c shade.c skin.c) $(addprefix viewer/export/export_,still.c video.c)
LEFT_OUT := $(if $(HAVE_CAIRO),$(if $(HAVE_GIF),,viewer/export/export_gif.c),$(DRAWING) viewer/export/export_gif.c)
lib_objects = $(patsubst %.c,$(B)/obj/%.o,$(filter-out $(1)/main.c common/store/% $(LEFT_OUT),$(wildcard $(1)/*.c $(1)/*/*.c $(1)/*/*/*.c)))
L_COMMON := $(B)/libcommon.a
L_STORE := $(B)/libstore.a
L_PROTO := $(B)/libproto.a
L_SIMULATOR := $(B)/libsimulator.a
L_CONTROLLER := $(B)/libcontroller.a
L_VIEWER := $(B)/libviewer.a
PROGRAMS := $(BIN)/controller $(BIN)/simulator $(BIN)/viewer

all: $(PROGRAMS)
	$(if $(HAVE_CAIRO),,@echo "left out: pictures and replays (install libcairo2-dev)")
	$(if $(HAVE_GIF),,@echo "left out: gif export (install libgif-dev)")
	$(if $(HAVE_SDL),,@echo "left out: the viewer's window (install libsdl2-dev and libcairo2-dev)")

$(B)/lib%.a:
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(L_COMMON): $(call lib_objects,common)
$(L_STORE): $(patsubst %.c,$(B)/obj/%.o,$(wildcard common/store/*.c))
$(L_PROTO): $(call lib_objects,proto)
$(L_SIMULATOR): $(call lib_objects,simulator)
$(L_CONTROLLER): $(call lib_objects,controller)
$(L_VIEWER): $(call lib_objects,viewer)

define compile
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@
endef
$(B)/obj/%.o: %.c
	$(compile)

# ---- where an evaluation's time goes: gcc optimises these rooms as one for the programs below. All other programs have
# them from the libraries ----
ifneq ($(if $(SAN)$(filter debug,$(MODE)),,$(findstring Free Software,$(shell $(CC) --version))),)
WHOLE := $(patsubst %.c,$(B)/obj/whole/%.o,$(wildcard $(addsuffix /*.c,$(addprefix simulator/,\
	body contact links world mind planar planar/* spatial spatial/* evaluate)) $(addprefix common/math/,detmath.c hash.c solids.c) \
	common/growth/joint.c))
# with AVX, where the machine that builds has it and builds for its own kind: the same bits, as it has no fused
# multiply-add. `make AVX=` builds for every amd64
IS_NATIVE := $(filter $(shell uname -m)-%,$(shell $(CC) -dumpmachine))
AVX ?= $(if $(IS_NATIVE),$(if $(shell grep -sw -m1 avx /proc/cpuinfo),-mavx))
$(B)/obj/simulator/main.o: ALL_CFLAGS += $(if $(AVX),-DNEEDS_AVX)
# loops here run over 3 to 12 numbers: a call of memset or memcpy, or a vector loop with its tests, costs more than it saves
$(WHOLE): ALL_CFLAGS += -flto $(AVX) -fno-tree-loop-distribute-patterns -fvect-cost-model=very-cheap
$(WHOLE): $(B)/obj/whole/%.o: %.c
	$(compile)
WITH_WHOLE := $(BIN)/simulator $(B)/stress/stress \
	$(addprefix $(B)/bench/bench_,simulator contest space peers space_peers)
$(WITH_WHOLE): $(WHOLE)
$(WITH_WHOLE): LINK += -flto=auto $(OPT) $(FLOATS)

# programs optimised for what the first ones were seen to do, in build/pgo/bin; the same digests
pgo:
	$(Q)rm -rf build/pgo
	$(Q)$(MAKE) VARIANT=pgo CFLAGS='$(CFLAGS) -fprofile-generate' LDFLAGS='$(LDFLAGS) -fprofile-generate' \
		build/pgo/bench/bench_simulator build/pgo/bench/bench_space
	$(Q)build/pgo/bench/bench_simulator random_walk,random_swim,evolved_walk,evolved_swim,boxes_walk,boxes_swim,spider 1
	$(Q)build/pgo/bench/bench_space space_walker,space_snake 1
	$(Q)find build/pgo -name '*.[oa]' -delete
	$(Q)rm -rf build/pgo/bench
	$(Q)$(MAKE) VARIANT=pgo CFLAGS='$(CFLAGS) -fprofile-use -fprofile-partial-training -Wno-missing-profile'
endif
whole_first = $(filter $(WHOLE),$^) $(filter-out $(WHOLE),$^)

$(BIN)/simulator: $(B)/obj/simulator/main.o $(L_SIMULATOR) $(L_PROTO) $(L_COMMON)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $(whole_first) $(LIBS_COMMON)
$(BIN)/controller: $(B)/obj/controller/main.o $(L_CONTROLLER) $(L_STORE) $(L_PROTO) $(L_COMMON)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(LIBS_CONTROLLER) $(LIBS_COMMON)
$(BIN)/viewer: $(B)/obj/viewer/main.o $(L_VIEWER) $(L_STORE) $(L_SIMULATOR) $(L_PROTO) $(L_COMMON)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $^ $(LIBS_VIEWER) $(LIBS_COMMON)

# ---- libbestiary: all of these rooms but the files that know of files, terminals and processes. The object of the
# static library shows the interface alone, as the shared one does ----
L_LIBRARY := $(B)/libbestiary.a
SHARED := $(B)/libbestiary.so.1
ABOVE := common/creature/creature_file.c common/formats/file_kind.c common/formats/html.c common/params/params_read.c proto/hello.c
LIBRARY := $(filter-out $(ABOVE) $(wildcard $(addprefix common/,system/*.c store/*.c) simulator/tools/*.c simulator/tools/*/*.c),\
	$(wildcard $(addsuffix /*.c,common common/* proto simulator/* simulator/*/* controller/evolution library)) \
	simulator/fingerprint.c) common/system/arena.c
$(B)/obj/pic/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c $< -o $@
$(L_LIBRARY): $(LIBRARY:%.c=$(B)/obj/pic/%.o)
	$(Q)$(CC) -r -nostdlib -o $(B)/obj/bestiary.o $^
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='bestiary_*' $(B)/obj/bestiary.o
	$(Q)rm -f $@ && $(AR) rcs $@ $(B)/obj/bestiary.o
$(SHARED): $(LIBRARY:%.c=$(B)/obj/pic/%.o) library/bestiary.map
	$(Q)$(CC) $(LINK) -shared $(if $(SAN),,-Wl,-z,defs) -Wl,-soname,$(@F),--version-script=library/bestiary.map -o $@ $(filter %.o,$^) $(LIBS_COMMON)
	$(Q)ln -sf $(@F) $(B)/libbestiary.so
library: $(L_LIBRARY) $(SHARED)
$(B)/embed: examples/embed.c $(SHARED) include/bestiary.h
	$(Q)$(CC) -std=c11 -Wall -Wextra $(LINK) -Iinclude -o $@ $< -L$(B) -lbestiary -Wl,-rpath,$(abspath $(B))
$(B)/everywhere: tests/golden/everywhere.c $(L_LIBRARY) include/bestiary.h
	$(Q)$(CC) -std=c11 -Wall -Wextra $(LINK) -Iinclude -o $@ $< $(L_LIBRARY) $(LIBS_COMMON)
$(B)/library_run: tests/integration/library_run.c $(SHARED) include/bestiary.h
	$(Q)$(CC) -std=c11 -Wall -Wextra $(LINK) -Iinclude -o $@ $< -L$(B) -lbestiary -Wl,-rpath,$(abspath $(B))
$(B)/embed_static: examples/embed.c $(L_LIBRARY) include/bestiary.h
	$(Q)$(CC) -std=c11 $(LINK) -Iinclude -o $@ $< $(L_LIBRARY) $(LIBS_COMMON)

# ---- tests: one program per file in tests/unit/PART, tests/oracle, tests/golden and tests/fuzz. `make tests` links those of
# a kind as one, all, to which their names lead (tests/programs.c); `make build/tests/unit/test_qr` one alone ----
KINDS ?= unit oracle golden fuzz bench stress
TEST_SOURCES := $(sort $(wildcard $(foreach kind,$(KINDS),tests/$(kind)/test_*.c tests/$(kind)/*/test_*.c)) \
	$(if $(filter watched,$(KINDS)),$(shell grep -l 'runs: watched' tests/*/test_*.c tests/*/*/test_*.c)))
kind_of = $(word 2,$(subst /, ,$(1)))
LIBS_TEST := $(shell pkg-config --libs check 2>/dev/null)
# half of all lines; the longest tests take as much time at -O1 as at -O3, as it is spent in the libraries
$(patsubst %.c,$(B)/obj/%.o,$(TEST_SOURCES)): ALL_CFLAGS += $(if $(filter -O3,$(OPT)),-O1,-O0)
# LAPACK's least squares are compared with ours where it is installed
ifneq ($(call PKG,--modversion lapacke),)
$(B)/obj/tests/unit/simulator/test_qr.o: ALL_CFLAGS += -DHAVE_LAPACKE $(call PKG,--cflags lapacke)
$(addprefix $(B)/tests/unit/,test_qr all): LIBS_TEST += $(call PKG,--libs lapacke)
endif
# and motions with MuJoCo's, which has no pkg-config file
ifneq ($(wildcard /usr/include/mujoco/mujoco.h /usr/local/include/mujoco/mujoco.h),)
$(addprefix $(B)/obj/tests/oracle/,test_mujoco.o test_mjcf.o test_spatial_mujoco.o test_transfer.o): ALL_CFLAGS += -DHAVE_MUJOCO
$(addprefix $(B)/tests/oracle/,test_mujoco test_mjcf test_spatial_mujoco test_transfer all): LIBS_TEST += -lmujoco
endif
ALL_LIBS := $(L_VIEWER) $(L_CONTROLLER) $(L_SIMULATOR) $(L_STORE) $(L_PROTO) $(L_COMMON)
link_test = $(Q)rm -f $@ && $(CC) $(LINK) -o $@ $^ $(LIBS_VIEWER) $(LIBS_CONTROLLER) $(LIBS_COMMON) $(LIBS_TEST)
define programs_of_folder
$(B)/tests/$(call kind_of,$(1))/%: $(B)/obj/$(1)%.o $(ALL_LIBS)
	@mkdir -p $$(@D)
	$$(link_test)
$(B)/together/$(call kind_of,$(1))/%.o: $(B)/obj/$(1)%.o
	@mkdir -p $$(@D)
	$$(Q)$(OBJCOPY) --redefine-sym main=$$(*F)_main --keep-global-symbol=$$(*F)_main $$< $$@
endef
$(foreach folder,$(sort $(dir $(TEST_SOURCES))) tests/bench/ tests/stress/,$(eval $(call programs_of_folder,$(folder))))

# linked alone: errors are planted between the solver and its parts
$(B)/tests/oracle/test_planted: LINK += -Wl,--wrap=contacts_solve,--wrap=contacts_book,--wrap=contacts_outer_impulse \
	-Wl,--wrap=tree_drag_power,--wrap=tree_drag_power_now,--wrap=tree_accelerate
$(B)/tests/oracle/test_spatial_planted: LINK += -Wl,--wrap=spatial_tree_set_velocity,--wrap=spatial_tree_accelerate \
	-Wl,--wrap=spatial_drag_set,--wrap=spatial_limits_solve,--wrap=contact_solver_solve,--wrap=exposure_find \
	-Wl,--wrap=spatial_contacts_book,--wrap=spatial_contacts_impulse,--wrap=spatial_limits_find \
	-Wl,--wrap=spatial_momentum_set,--wrap=spatial_contacts_stride
$(B)/tests/oracle/test_turning: LINK += -Wl,--wrap=contacts_add_drifts,--wrap=spatial_contacts_measure_drifts
# and a network file system
$(B)/tests/unit/test_store_network: LINK += -Wl,--wrap=file_is_on_network
# one that starts itself as a worker, and one that has kinds of its own
ALONE := $(addprefix $(B)/tests/,oracle/test_planted oracle/test_spatial_planted oracle/test_turning unit/test_store_network unit/test_farm \
	unit/test_kind)
TESTS := $(foreach source,$(TEST_SOURCES),$(B)/tests/$(call kind_of,$(source))/$(basename $(notdir $(source))))
TESTS_ALONE := $(filter $(ALONE),$(TESTS))
TESTS_TOGETHER := $(filter-out $(ALONE),$(TESTS))
TEST_FOLDERS := $(patsubst %/,%,$(sort $(dir $(TESTS_TOGETHER))))
together = $(notdir $(filter $(1)/%,$(TESTS_TOGETHER)))
define all_of_folder
$(1)/all: $(patsubst %,$(1:$(B)/tests/%=$(B)/together/%)/%.o,$(call together,$(1))) $(1)/all.o $(ALL_LIBS)
	$$(link_test)
	$$(Q)for name in $(call together,$(1)); do ln -sf all $$(@D)/$$$$name; done
$(1)/all.o: tests/programs.c $(filter tests/$(notdir $(1))/%,$(TEST_SOURCES))
	@mkdir -p $$(@D)
	$$(Q)printf 'PROGRAM(%s)\n' $(call together,$(1)) >$(1)/all.h
	$$(Q)$$(CC) $$(ALL_CFLAGS) -DPROGRAMS='"$(1)/all.h"' -c $$< -o $$@
endef
$(foreach folder,$(TEST_FOLDERS),$(eval $(call all_of_folder,$(folder))))

# those of benches and stresses that are only tried are not optimised as one
TRIED := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard $(patsubst %,tests/%/*.c,$(filter bench stress,$(KINDS)))))
BENCHES := $(patsubst tests/%.c,$(B)/%,$(wildcard tests/bench/bench_*.c))
# those that are users of the library
$(addprefix $(B)/tests/,unit/all unit/test_library fuzz/all fuzz/test_input_fuzz): $(L_LIBRARY)
tests: $(addsuffix /all,$(TEST_FOLDERS)) $(TESTS_ALONE) $(PROGRAMS) $(TRIED) $(addprefix $(B)/,embed embed_static everywhere library_run)
test: tests
	$(Q)BUILD=$(B) scripts/run-tests

# tables of the reference cases, in the plane and in space, on both solvers
ORACLE_SPACE := $(addprefix $(B)/tests/oracle/test_spatial,_touching _forms _contacts _exact)
oracle: $(B)/tests/oracle/test_scenes $(B)/tests/oracle/test_space $(ORACLE_SPACE)
	$(Q)$< --markdown
	$(Q)BUILD=$(B) scripts/oracle-space

# the tables of the documentation that come from these programs, written in place
accuracy: $(addprefix $(B)/tests/oracle/,test_scenes test_mujoco test_space test_spatial_mujoco test_mjcf \
	test_transfer) $(ORACLE_SPACE)
	$(Q)BUILD=$(B) scripts/measure-accuracy

# random genetics, FUZZ_COUNT children, each checked; a failure names child and seed
FUZZ_COUNT ?= 1000000
fuzz-genetics: $(B)/tests/fuzz/test_genetics_fuzz
	$(Q)$< $(FUZZ_COUNT)

$(B)/bench/%: $(B)/obj/tests/bench/%.o $(ALL_LIBS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $(whole_first) $(LIBS_CONTROLLER) $(LIBS_VIEWER) $(LIBS_COMMON)
bench: $(BENCHES) $(PROGRAMS)
	$(Q)for b in $(BENCHES); do $$b || exit 1; done

# many creatures at once, and what the guards say of them; see tests/stress/stress.c
$(B)/stress/%: $(B)/obj/tests/stress/%.o $(ALL_LIBS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINK) -o $@ $(whole_first) $(LIBS_CONTROLLER) $(LIBS_COMMON)
stress: $(B)/stress/stress
	$(Q)nice $< $(STRESS)
# the energy ledger's residual: random creatures, and those of short runs
residuals: $(B)/stress/stress $(PROGRAMS)
	$(Q)nice tests/stress/residuals $(B)
	$(Q)scripts/write-block docs/physics-trust.md residuals <$(B)/residuals.md
# when the two solvers part, as tables and as docs/images/parting.svg
parting: $(B)/stress/parting
	$(Q)nice $< $(B)/parting.csv >$(B)/parting.md
	$(Q)cat $(B)/parting.md
	$(Q)sed '/^$$/,$$d' $(B)/parting.md | scripts/write-block docs/physics-trust.md parting
	$(Q)scripts/plot "Two solvers, and the same solver twice" "time, s" \
		<$(B)/parting.csv >docs/images/parting.svg

# whole runs, minutes: the size of Sims's, and how the rate grows with the workers
bench-run: $(B)/bench/run $(PROGRAMS)
	$(Q)$(B)/bench/run whole
	$(Q)$(B)/bench/run scaling

# how good a creature a run gives for its processor time, minutes to hours; SEARCH: options of scripts/bench-search
bench-search: $(PROGRAMS)
	$(Q)scripts/bench-search --build $(B) $(SEARCH)

# errors against processor time of both solvers, as a picture of the documentation
precision: $(B)/bench/precision
	$(Q)$(B)/bench/precision >$(B)/precision.csv
	$(Q)scripts/plot "Work and precision of the two solvers" "processor time, ms" \
		<$(B)/precision.csv >$(B)/precision.svg
	$(Q)cp $(B)/precision.csv $(B)/precision.svg docs/images/

include page/page.mk
include bench/peers/peers.mk

SOURCES := $(wildcard $(foreach f,common proto simulator controller viewer library page include examples,$(f)/*.[ch] $(f)/*/*.[ch] $(f)/*/*/*.[ch]) \
	tests/*/*.[ch] bench/peers/*.[ch] bench/peers/*.cc)
# cppcheck takes results that a callee of another file fills for uninitialized
UNSURE := missingIncludeSystem uninitvar uninitStructMember ctuuninitvar
lint:
	$(Q)scripts/check-layers
	$(Q)clang-format --dry-run -Werror $(SOURCES)
	$(Q)shellcheck $$(grep -L '^#!.*python' scripts/*) page/assemble page/site .ci/run $(wildcard tests/integration/*.sh)
	$(Q)cppcheck --quiet --std=c11 --enable=warning,portability --error-exitcode=1 \
		$(UNSURE:%=--suppress=%) -I. common proto simulator controller viewer library page
format:
	$(Q)clang-format -i $(SOURCES)

# by gcc, for this kind of machine: programs of `make pgo`, which takes two builds; `make install PGO=` takes those of `make`
PGO ?= $(if $(WHOLE),$(IS_NATIVE))
install-library: library
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,include lib/pkgconfig)
	install -m 644 include/bestiary.h $(DESTDIR)$(PREFIX)/include
	install -m 644 $(L_LIBRARY) $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(SHARED) $(DESTDIR)$(PREFIX)/lib
	ln -sf $(notdir $(SHARED)) $(DESTDIR)$(PREFIX)/lib/libbestiary.so
	install -m 644 -D -t $(DESTDIR)$(PREFIX)/share/bestiary/python python/bestiary.py
	sed "s|@PREFIX@|$(PREFIX)|; s|@REQUIRES@|$(MSGPACK) jansson inih zlib|; \
		s|@VERSION@|$$(sed -n 's/.*BESTIARY_VERSION "\(.*\)"/\1/p' common/version.h)|" \
		library/bestiary.pc.in >$(DESTDIR)$(PREFIX)/lib/pkgconfig/bestiary.pc
# where zsh looks: Debian keeps what packages bring apart
ZSH := share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
install: $(if $(PGO),pgo,all) install-library
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/bestiary
	install -m 755 $(if $(PGO),$(PROGRAMS:$(B)/%=build/pgo/%),$(PROGRAMS)) $(DESTDIR)$(PREFIX)/bin
	install -m 755 scripts/experiment $(DESTDIR)$(PREFIX)/bin/bestiary-experiment
	cp -R examples $(DESTDIR)$(PREFIX)/share/bestiary/
	install -d $(addprefix $(DESTDIR)$(PREFIX)/share/,man/man1 applications mime/packages)
	for p in controller simulator viewer; do \
		scripts/manual-page $(B)/bin/$$p >$(DESTDIR)$(PREFIX)/share/man/man1/$$p.1 || exit 1; \
		install -m 644 -D packaging/completion.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$p; \
		install -m 644 -D packaging/completion.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/$$p.fish; done
	install -m 644 -D packaging/completion.zsh $(DESTDIR)$(PREFIX)/$(ZSH)/_bestiary
	install -m 644 packaging/bestiary.desktop $(DESTDIR)$(PREFIX)/share/applications
	install -m 644 packaging/bestiary.xml $(DESTDIR)$(PREFIX)/share/mime/packages
	install -m 644 -D packaging/bestiary.svg $(DESTDIR)$(PREFIX)/share/icons/hicolor/scalable/apps/bestiary.svg

# what `make install` put there
uninstall:
	rm -rf $(DESTDIR)$(PREFIX)/share/bestiary
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,$(addprefix bin/,controller simulator viewer bestiary-experiment) include/bestiary.h \
		$(addprefix lib/,libbestiary.a libbestiary.so libbestiary.so.1 pkgconfig/bestiary.pc) \
		$(ZSH)/_bestiary $(addprefix share/,$(foreach p,controller simulator viewer,man/man1/$p.1 bash-completion/completions/$p fish/vendor_completions.d/$p.fish) \
		applications/bestiary.desktop \
		mime/packages/bestiary.xml icons/hicolor/scalable/apps/bestiary.svg))
deb: all
	$(Q)scripts/package-debian $(B)

clean:
	rm -rf build

help:
	@echo "make            build controller, simulator and viewer into build/bin"
	@echo "make test       build and run all tests       make bench   run the benchmarks"
	@echo "make oracle     tables of the reference cases of the physics, on both solvers"
	@echo "make accuracy   measures anew and writes the tables of docs/physics.md, physics-space.md, -trust.md, trace.md"
	@echo "make precision  errors against time of both solvers, as docs/images/precision.svg"
	@echo "make fuzz-genetics FUZZ_COUNT=1000000       random breedings and mutations, every child checked"
	@echo "make bench-run  whole runs of 300 creatures and 100 generations, and on 1, 2, ... workers"
	@echo "make bench-search SEARCH='--against BUILD ...'  champions' scores by processor time, beside other builds"
	@echo "make bench-peers  the same bodies in other physics engines, those that are installed; BOX3D=DIR: its source, too"
	@echo "make stress     violent creatures in every world (STRESS='-n N --log FILE ...')"
	@echo "make residuals  what the energy ledger leaves over;   make parting   when the solvers part"
	@echo "make pgo        programs optimised for what they do, in build/pgo/bin"
	@echo "make install PREFIX=~/.local, make uninstall;   make deb: a package for Debian and Ubuntu"
	@echo "make lint       layer check, clang-format, shellcheck, cppcheck"
	@echo "make format     lay the sources out           make clean   remove build/"
	@echo "make library    libbestiary.a and .so, for programs that include include/bestiary.h"
	@echo "make web        the library as WebAssembly (scripts/dependencies --install web); then pages live"
	@echo "make site       a static web site of pages that live, in build/site (SITE=...)"
	@echo "make install PREFIX=/usr/local                programs, library and examples"
	@echo "knobs: KINDS='unit golden'  MODE=debug  SAN=address,undefined  WERROR=1  CC=clang  VARIANT=name  AVX=  CFLAGS=..."

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
.PHONY: all library install-library pgo tests test fuzz-genetics oracle accuracy stress residuals parting bench bench-peers bench-run bench-search precision lint format install uninstall deb clean help
.SECONDARY:
