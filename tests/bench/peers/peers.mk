# make bench-peers: the bodies of tests/bench/fixed.h in other physics engines, in one program with those
# of them that are installed. The only place where C++ is compiled. DOCUMENT=1 also writes the figures
# into docs/performance.md; REPETITIONS=N is for the impatient.

PEERS := box2d chipmunk ode mujoco
PEER_PLACES := /usr/include /usr/local/include
PEER_box2d := box2d/box2d.h
PEER_chipmunk := chipmunk/chipmunk.h
PEER_ode := ode/ode.h
PEER_mujoco := mujoco/mujoco.h
HAVE_CXX := $(shell command -v $(CXX))
PEERS_FOUND := $(foreach p,$(PEERS),$(if $(wildcard $(addsuffix /$(PEER_$(p)),$(PEER_PLACES))),$(p)))
PEERS_FOUND := $(if $(HAVE_CXX),$(PEERS_FOUND),$(filter-out box2d,$(PEERS_FOUND)))
PEERS_MISSING := $(filter-out $(PEERS_FOUND),$(PEERS))
PEERS_INSTALL := $(if $(HAVE_CXX),,g++ )$(PEERS_MISSING:%=lib%-dev)
PEER_LINKER = $(if $(filter box2d,$(PEERS_FOUND)),$(CXX),$(CC))
PEER_OBJECTS := $(patsubst %,$(B)/obj/tests/bench/peers/%.o,bench_peers peer_bestiary \
	$(PEERS_FOUND:%=peer_%))

$(B)/obj/tests/bench/peers/bench_peers.o: ALL_CFLAGS += $(PEERS_FOUND:%=-DHAVE_%)
$(B)/obj/%.o: %.cc
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++14 -O3 -g -I. -Wall -Wextra $(if $(WERROR),-Werror) -MMD -MP -c $< -o $@
$(B)/bench/bench_peers: $(PEER_OBJECTS) $(ALL_LIBS)
	@mkdir -p $(@D)
	$(Q)$(PEER_LINKER) $(LINK) -o $@ $(whole_first) $(PEERS_FOUND:%=-l%) $(LIBS_COMMON)
bench-peers: $(B)/bench/bench_peers $(B)/bench/plot
	$(if $(PEERS_MISSING),@echo "left out: $(PEERS_MISSING) (install $(PEERS_INSTALL))" >&2)
	$(Q)BUILD=$(B) scripts/measure-peers $(if $(DOCUMENT),--document) $(REPETITIONS)
