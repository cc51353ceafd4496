/* evaluate(): the one pure function. Genome, parameters and seed in; verdict, measures and digest
 * out. Simulator, viewer, tests and benchmarks all call it.
 *
 * Phases: express; push apart what overlaps; settle on the ground; zero the velocities; run
 * simulation.duration_s with the brain. The digest rolls over the state of every part at every brain
 * tick of the scored time: equal digests mean the same motion. */
#ifndef SIMULATOR_EVALUATE_H
#define SIMULATOR_EVALUATE_H

#include "simulator/brain.h"
#include "simulator/dynamics.h"
#include "simulator/light.h"

/* Enough for any phenotype within the bounds of the parameters' table. */
#define EVALUATE_ARENA_BYTES (8u << 20)

enum evaluate_phase { PHASE_PUSH_APART, PHASE_SETTLE, PHASE_SCORE };

/* What an observer sees at the start and after every brain tick. All pointers are read-only and good
 * during the call. */
struct evaluate_view {
    enum evaluate_phase phase;
    double time_s; /* scored time; settling counts up to 0 from below: time - end of settling is not
                      known in advance, so it is the time since the phase began */
    const struct phenotype *phenotype;
    const struct dynamics *dynamics;
    const struct brain *brain;
    const double *sensors; /* part_count * SENSOR_COUNT */
    const double *signals; /* per effector, after the filter */
    const struct ledger *ledger;
    const struct light *light; /* kind LIGHT_NONE: there is none */
    struct vec2 start;         /* centre of mass at the settled start */
};
/* Returns 0 to go on, another value to stop early (verdict and measures as of then). */
typedef int evaluate_observer(void *context, const struct evaluate_view *view);

struct evaluation {
    int verdict;
    struct measures measures;
    uint64_t digest;
    uint64_t arena_bytes; /* used */
};

/* Depends on nothing but its inputs: not on the worker, the order, the time, addresses, earlier
 * evaluations or the CPU's features. The arena is reset first. observer may be NULL. */
void evaluate(const struct genome *genome, const struct params *params, uint64_t seed,
              struct arena *arena, evaluate_observer *observer, void *context,
              struct evaluation *evaluation);

#endif
