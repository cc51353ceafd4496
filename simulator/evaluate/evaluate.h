/* evaluate(): the one pure function. Genomes (usually one), parameters and seeds in; verdicts,
 * measures and digests out. Simulator, viewer, tests and benchmarks all call it.
 *
 * Phases: express; push apart what overlaps; settle on the ground; zero the velocities; run
 * simulation.duration_s with the brain. The digest rolls over the state of every part at every
 * brain tick of the scored time: equal digests mean the same motion. */
#ifndef SIMULATOR_EVALUATE_EVALUATE_H
#define SIMULATOR_EVALUATE_EVALUATE_H

#include "simulator/mind/brain.h"
#include "simulator/body/forest.h"
#include "simulator/world/light.h"

/* Enough for any phenotype within the bounds of the parameters' table. */
#define EVALUATE_ARENA_BYTES (64u << 20)

struct run; /* an evaluation under way */

enum evaluate_phase { PHASE_PUSH_APART, PHASE_SETTLE, PHASE_SCORE };

/* An observer's view at the start and after every brain tick. All pointers are read-only and good
 * during the call. */
struct evaluate_view {
    enum evaluate_phase phase;
    int creature;  /* its number among those evaluated together */
    double time_s; /* scored time; settling counts up to 0 from below: time - end of settling is not
                      known in advance, so it is the time since the phase began */
    const struct phenotype *phenotype;
    const struct dynamics *dynamics;
    const struct brain *brain;
    const double *sensors; /* part_count * SENSOR_COUNT */
    const double *signals; /* per effector, after the filter */
    const struct ledger *ledger;
    const struct light *light; /* kind LIGHT_NONE: there is none */
    const struct run *run;     /* for evaluate_measures() */
};
/* Returns 0 to go on, another value to stop early (verdict and measures as of then). */
typedef int evaluate_observer(void *context, const struct evaluate_view *view);

/* The measures as they would be if the evaluation ended at this view (before the scored time: of
 * the body alone). Changes nothing. */
void evaluate_measures(const struct evaluate_view *view, struct measures *measures);

/* Changes what a genome grew into before it is simulated, for viewers that ask what would be
 * without this neuron. May change neurons' and effectors' inputs and functions, no count and no
 * body. */
typedef void evaluate_editor(void *context, struct phenotype *phenotype);

struct evaluation {
    int verdict;
    struct measures measures;
    uint64_t digest;
    /* The least of the paces that guard.hopeless_m_s was compared with; 0 if there were none. Any
     * bar below it would have changed nothing. */
    double pace_least_m_s;
    uint64_t arena_bytes; /* used */
    uint64_t work;        /* see dynamics_work() */
};

/* Depends on nothing but its inputs: not on the worker, the order, the time, addresses, earlier
 * evaluations or the CPU's features. The arena is reset first. observer may be NULL. */
void evaluate(const struct genome *genome, const struct params *params, uint64_t seed,
              struct arena *arena, evaluate_observer *observer, void *context,
              struct evaluation *evaluation);
/* Evaluates the phenotype after edit() has changed it; edit may be NULL. edit and observer are both
 * called with context. */
void evaluate_edited(const struct genome *genome, const struct params *params, uint64_t seed,
                     struct arena *arena, evaluate_editor *edit, evaluate_observer *observer,
                     void *context, struct evaluation *evaluation);

/* How one stands that is to face another one across the origin. */
struct evaluate_stance {
    /* -1: at -x; 1: at x, in space turned by half about the vertical; 0: it faces no other one, and
     * stands where it would alone */
    int side;
    int is_mirrored;    /* it grows as its mirror image, to the bit; in the plane */
    double heading_rad; /* it is turned by this about the vertical before it settles; in space */
    /* all of it is behind a line that goes through this x (of its side) on the ground and leans
     * away from the other one by 45 degrees (where nothing falls: upright), and touches it; its
     * centre of mass is at z = 0 */
    double line_m;
    /* 1: it hunts the other one, which is its object; -1: it is hunted, and its object is as far
     * behind it as the other one is before it; 0: neither */
    int pursuit;
};

/* A creature of several in one world. */
struct evaluate_task {
    const struct genome *genome;
    uint64_t seed;
    double x_m, z_m; /* where it starts, from where it would start alone; m */
    /* a creature at rest with no other one near is not moved; changes the digest */
    int may_rest;
    struct evaluate_stance stance;
};

/* Evaluates several creatures of one kind in one world. Each is made and settles by itself. Then
 * they share the scored time, in which they may touch one another. Each has a verdict, measures and
 * a digest of its own. A creature that no other one comes near has those of an evaluation by itself
 * with the same x_m and z_m. When a verdict ends the evaluation of one, its body stays, limp,
 * unless it is broken. Each has a light of its own. */
void evaluate_together(const struct evaluate_task *tasks, int count, const struct params *params,
                       struct arena *arena, evaluate_observer *observer, void *context,
                       struct evaluation *results);

#endif
