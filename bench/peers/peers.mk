# make bench-peers: the bodies of tests/bench/fixed.h, and bodies in space, in other physics engines, in one program for the
# plane and one for space, with those of them that are installed. The only place where C++ is compiled. DOCUMENT=1
# also writes the figures into docs/performance.md; ONLY=plane or ONLY=space measures one of them;
# REPETITIONS=N is for the impatient. BOX3D=DIR also builds Box3D, of which there is no package, from its source folder.

PEERS := box2d chipmunk ode mujoco bullet
PEER_PLACES := /usr/include /usr/local/include
PEER_box2d := box2d/box2d.h
PEER_chipmunk := chipmunk/chipmunk.h
PEER_ode := ode/ode.h
PEER_mujoco := mujoco/mujoco.h
PEER_bullet := bullet/btBulletDynamicsCommon.h
PEER_LIBS_bullet := -lBulletDynamics -lBulletCollision -lLinearMath
PEERS_IN_PLANE := box2d chipmunk ode mujoco
PEERS_IN_SPACE := ode mujoco bullet box3d
PEERS_IN_CXX := box2d bullet
HAVE_CXX := $(shell command -v $(CXX))
PEERS_FOUND := $(foreach p,$(PEERS),$(if $(wildcard $(addsuffix /$(PEER_$(p)),$(PEER_PLACES))),$(p)))
PEERS_FOUND := $(if $(HAVE_CXX),$(PEERS_FOUND),$(filter-out $(PEERS_IN_CXX),$(PEERS_FOUND)))
PEERS_MISSING := $(filter-out $(PEERS_FOUND),$(PEERS))
PEERS_INSTALL := $(if $(HAVE_CXX),,g++ )$(PEERS_MISSING:%=lib%-dev)
ifneq ($(BOX3D),)
BOX3D_SOURCES := $(wildcard $(BOX3D)/src/*.c)
ifeq ($(and $(BOX3D_SOURCES),$(wildcard $(BOX3D)/include/box3d/box3d.h)),)
$(error BOX3D=$(BOX3D) is not a source folder of Box3D: it has no src/*.c or no include/box3d/box3d.h)
endif
PEERS_FOUND += box3d
PEER_LIBS_box3d := $(B)/libbox3d.a -pthread
endif
PEER_FLAGS := $(PEERS_FOUND:%=-DHAVE_%)
PLANE_PEERS := $(filter $(PEERS_IN_PLANE),$(PEERS_FOUND))
SPACE_PEERS := $(filter $(PEERS_IN_SPACE),$(PEERS_FOUND))
# C++ links what has some of it
peer_linker = $(if $(filter $(PEERS_IN_CXX),$(1)),$(CXX),$(CC))
peer_libs = $(foreach p,$(1),$(or $(PEER_LIBS_$(p)),-l$(p)))
peer_objects = $(patsubst %,$(B)/obj/bench/peers/%.o,$(1))

# compiled anew where other engines are found than last time
$(B)/peers-found: FORCE
	@mkdir -p $(@D)
	$(Q)echo '$(PEER_FLAGS) $(BOX3D)' | cmp -s - $@ || echo '$(PEER_FLAGS) $(BOX3D)' >$@
.PHONY: FORCE
$(call peer_objects,bench_peers bench_space_peers space_box3d): $(B)/peers-found
$(call peer_objects,bench_peers bench_space_peers): ALL_CFLAGS += $(PEER_FLAGS)
$(call peer_objects,space_box3d): ALL_CFLAGS += -isystem $(BOX3D)/include
# as its own CMakeLists.txt does in a release
$(B)/obj/box3d/%.o: $(BOX3D)/src/%.c $(B)/peers-found
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -O3 -DNDEBUG -ffp-contract=off -I $(BOX3D)/include -c $< -o $@
$(B)/libbox3d.a: $(patsubst $(BOX3D)/src/%.c,$(B)/obj/box3d/%.o,$(BOX3D_SOURCES))
$(B)/obj/%.o: %.cc
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++14 -O3 -g -I. -isystem /usr/include/bullet -Wall -Wextra $(if $(WERROR),-Werror) -MMD -MP -c $< -o $@
$(B)/bench/bench_peers: $(call peer_objects,bench_peers peer_frame peer_bestiary $(PLANE_PEERS:%=peer_%)) $(ALL_LIBS)
	@mkdir -p $(@D)
	$(Q)$(call peer_linker,$(PLANE_PEERS)) $(LINK) -o $@ $(whole_first) $(call peer_libs,$(PLANE_PEERS)) $(LIBS_COMMON)
$(B)/bench/bench_space_peers: $(call peer_objects,bench_space_peers peer_frame space_bestiary $(SPACE_PEERS:%=space_%)) $(ALL_LIBS) $(if $(BOX3D),$(B)/libbox3d.a)
	@mkdir -p $(@D)
	$(Q)$(call peer_linker,$(SPACE_PEERS)) $(LINK) -o $@ $(whole_first) $(call peer_libs,$(SPACE_PEERS)) $(LIBS_COMMON)
bench-peers: $(B)/bench/bench_peers $(B)/bench/bench_space_peers
	$(if $(PEERS_MISSING),@echo "left out: $(PEERS_MISSING) (install $(PEERS_INSTALL))" >&2)
	$(Q)BUILD=$(B) scripts/measure-peers $(if $(DOCUMENT),--document) $(ONLY:%=--%) $(REPETITIONS)
