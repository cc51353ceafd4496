/* One evaluation on its way; for simulator/evaluate/ and simulator/preserve/. One struct carries it
 * through its phases: evaluate.c makes body and brain and keeps the order, settle.c brings the body
 * to its start, guards.c looks for what must not happen, course.c measures. A function that can end
 * the evaluation returns a verdict, VERDICT_OK meaning "go on". */
#ifndef SIMULATOR_EVALUATE_RUN_H
#define SIMULATOR_EVALUATE_RUN_H

#include <limits.h>
#include <math.h>

#include "common/judge/contest.h"
#include "simulator/evaluate/evaluate.h"
#include "simulator/evaluate/gait.h"
#include "simulator/mind/senses.h"
#include "simulator/world/sound.h"

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

/* The muscles' power is a mean over no more ticks. */
enum { POWER_TICKS_MAX = 100 };

/* A creature that is evaluated: its body, its mind, and what is known of its course. */
struct run {
    const struct params *params;
    int creature; /* its number among those evaluated together */
    uint64_t seed;
    struct vec3 start_at; /* where it is put; y: 0 */
    struct evaluate_stance stance;
    int may_rest;
    int is_live; /* no verdict has ended its evaluation */
    struct phenotype phenotype;
    struct world world;
    struct brain *brain;
    struct dynamics *dynamics;
    const struct arena *arena; /* of all that it takes, also on the way */
    struct evaluation *result;
    evaluate_editor *edit;
    evaluate_observer *observer;
    void *context;

    double dt_s, tick_s;
    int steps_per_tick;
    struct senses senses;
    struct light light;
    double *signals;       /* per effector, then per emitter, of the last think */
    const double *outside; /* per effector, instead of the brain's; NULL: the brain's */
    double *filtered;      /* per effector: clamped and filtered, in the gene's sign */
    int *reversals;        /* per link or drive: count, and the sign of the last fast motion */
    int *direction;
    double *turned_at;    /* of drives: farthest in the direction of now, m or rad */
    struct vec3 *middles; /* of parts, for their extent */
    double thinnest_m;
    double fallen_m;       /* below this height it has fallen off */
    double pace_least_m_s; /* of those that bars were compared with; infinite before the first */

    /* operations, see struct dynamics: allowed (0: any number), and taken by brain, senses and
     * measures */
    uint64_t work_max, tick_work;

    enum evaluate_phase phase;
    double time_s;
    struct vec3 start; /* rectangles: z is 0, here and below */
    double drop_m;     /* above where it was at rest, at the start */
    int has_landed;    /* since then; until then heights are no achievement */
    int is_stopped;    /* by the observer */
    int is_played;     /* with: no guard ends it */

    /* guards */
    struct vec3 momentum, angular_momentum; /* after the last step */
    struct vec3 centre;                     /* of mass, then */
    int turn_steps, strain_ticks;
    double penetration_s;
    double joint_speed_s; /* how long some joint has been too fast */
    double met_s;         /* when it last touched another one, -infinity: never */
    double joint_pulse_s; /* by how much, as a share of the bound, times how long */
    struct vec3 still_at; /* where the window for "motionless" began */
    double still_since_s, still_reach_m;

    /* running measures */
    struct vec3 last, windows[MEASURE_WINDOWS + 1];
    double height_sum_m, lowest_sum_m, head_sum_m, clearance_sum_m;
    double head_first_m; /* of the path: its way along the direction to the head */
    int has_touched;     /* in a step of this tick */
    uint64_t ticks, contact_ticks;
    struct gait gait;
    double blows_j;                  /* energy lost in impacts that was already heard */
    double spent_j[POWER_TICKS_MAX]; /* energy used up to the last ticks, in turn */
};

/* The creatures that are in one world. */
struct habitat {
    struct run *runs; /* per creature */
    int count;
    struct vec3 *centres;        /* per creature: of mass, at the tick's beginning */
    struct forest forest;        /* of those that got as far as the scored time */
    int *run_of;                 /* per body of the forest: its run */
    int has_second_first;        /* the body of creature 1 comes before that of 0 in the forest */
    int *part_counts, *may_rest; /* per body */
    struct scent *scent;         /* NULL: there is none */
    struct sound *sound;
    /* Things that are evaluated but do nothing: from this creature on. They have parameters of
     * their own, and do not keep the evaluation going. INT_MAX: there are none. */
    int first_thing;
    const struct params *thing_params;
    /* NULL, or called at the start and after every tick: other than 0 ends the evaluation of
     * all. */
    int (*watch)(void *referee, const struct habitat *habitat);
    void *referee;
};

/* An evaluation that is taken tick by tick. */
struct course {
    struct habitat *habitat;
    struct evaluation *results;
    struct arena *arena;
    struct forest_tick steps;
    uint64_t tick, ticks;
    int is_scored; /* some creature got as far as the scored time */
};

/* emissions.c: makes the scent and the sound that the parameters switch on. ERR_MEMORY,
 * ERR_LIMIT. */
int habitat_make_emissions(struct habitat *habitat, struct arena *arena);
/* A creature's senses of others by scent and sound, NULL where they are switched off; once a
 * tick. */
void emissions_sense(const struct scent *scent, struct sound *sound, int body, struct vec3 place,
                     struct surroundings *around);
/* The emissions of all in a tick, after all have thought; then the tick of scent and sound. */
void habitat_emit(struct habitat *habitat);
/* Does so for one creature: its emitters as its brain has them, and its blows since the last call.
 * `full` is what a full signal emits of a scent in a tick. Scent and sound are NULL where they are
 * switched off. Returns how much scent it emitted. */
int64_t run_emit(struct run *run, struct scent *scent, double full, struct sound *sound);

/* evaluate.c: evaluates several tasks, creatures of one kind, in the habitat, which names things and
 * referee and is zero besides. Each is made and settles by itself. Then they share the scored time,
 * in which they may touch one another. Each has a verdict, measures, a digest and a light of its
 * own; a creature that no other one comes near has those of an evaluation by itself with the same
 * x_m and z_m. When a verdict ends the evaluation of one, its body stays, limp, unless it is
 * broken. */
void evaluate_habitat(struct habitat *habitat, const struct evaluate_task *tasks, int count,
                      const struct run *like, struct arena *arena, struct evaluation *results);

/* evaluate.c: makes body and brain of params, seed, edit and observer, which the run names. All
 * memory is the arena's. A verdict. */
int run_make(struct run *run, const struct genome *genome, struct arena *arena);
/* evaluate.c: from here on everything counts: velocities zero, ledger empty, clock at 0. Measures
 * from the start are from its place of rest, though it may be dropped from above. */
void run_begin(struct run *run);
/* evaluate.c: one brain tick, two thinks; the targets then move linearly to the filtered
 * signals. */
void run_think(struct run *run, const struct surroundings *around);
/* evaluate.c: one step before the scored time, unless its cost ends the evaluation; and a call of
 * the observer. */
int run_step(struct run *run);
void run_observe(struct run *run);

/* evaluate.c: arithmetic operations so far, of its body and its mind (struct dynamics). */
uint64_t run_work(const struct run *run);

/* settle.c: without gravity, ground and muscles, until nothing overlaps. */
int run_push_apart(struct run *run);
/* As run_push_apart() for a newborn, which `creature.overlap` may refuse. */
int run_part_newborn(struct run *run);
/* On the surface, damped, muscles slack or holding, until it is at rest. */
int run_settle(struct run *run);
/* perturb.c: where the parameters ask for it, the start is another one: at rest, body and joints
 * are turned a little (joints within their limits, parts apart, the lowest point at its height),
 * resistance is more or less, the floor slopes. A verdict. */
int run_perturb_start(struct run *run);
/* Lifts it off the floor. */
void run_perturb_height(struct run *run);
/* settle.c: turns it to its heading, before it settles. */
void run_turn(struct run *run);
/* Makes it face the other one, behind its line, after it has settled. */
void run_face(struct run *run);
/* settle.c: puts the body's lowest point at a height, and not into an obstacle. */
void run_put_at(struct run *run, double height_m);

/* guards.c: greatest speeds, touches, and the guards that look at every step. */
int run_watch_step(struct run *run);
/* guards.c: the guards begin to count anew. The account of motion is the caller's. */
void run_forgive(struct run *run);
/* The guards that look once a tick. */
int run_watch_tick(struct run *run);

/* course.c: diagonal of the bounding box. */
double run_size(const struct run *run);
/* 1 if the centre of mass is below everything that could carry it. */
int run_has_fallen(const struct run *run);
/* Whether the scored time ends early. */
int run_judge_end(struct run *run);
/* Properties of the body before it moves, and at the start. */
void run_measure_body(struct run *run);
void run_measure_start(struct run *run);
/* Where the body is after a tick. */
void run_measure_tick(struct run *run);
/* The rolling hash over the state of every part. */
void run_digest_tick(struct run *run);
/* Unearned gains of the ledger, and what they are compared with. */
void run_sum_ledger(const struct run *run, const struct ledger *l, double *gain_j,
                    double *turnover_j);
void run_measure_ledger(struct run *run);
void run_measure_course(struct run *run);
/* Makes measures that are no numbers, or beyond their bounds, 0; only broken runs have such. */
void run_tidy_measures(struct measures *measures);

/* contest.c: a contest of genomes and parameters (contest_apply() made them) that contest_check()
 * lets pass; the first genome is at -x, whether sides are exchanged or not. In the plane the
 * contest of two genomes in the other order is the mirror image, to the bit, unless the start is
 * perturbed, the world has obstacles that are not their own image, or parts are exchanged (tag).
 * The observer (NULL: none) sees each body after every tick. */
void evaluate_contest(const struct genome *const genomes[2], const struct params *params,
                      const struct contest_bout *bout, struct arena *arena,
                      evaluate_observer *observer, void *context, struct contest_result *result);

#endif
