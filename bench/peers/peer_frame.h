/* What bench_peers.c and bench_space_peers.c do alike: engines take turns at the same scenes.
 *
 *   bench_X [REPETITIONS]   speed: creatures on land, 10 s in each of their gaits, making and
 *                           forgetting the creature included. Of 16 gaits it is the median, as one
 *                           gait may fall in one engine and walk in another. The engines take turns
 *                           within each repetition; the ratio is the median over the repetitions of
 *                           an engine's time by ours, the first contender's, in the same
 *                           repetition.
 *   bench_X --precision     accuracy beside speed, over steps from 1/60 s to 1/3840 s, for scripts/plot:
 *     double pendulum: error of its end after some seconds against a reference, and how much its
 *       energy has changed after 10 s, as a share of the greatest that could be kinetic;
 *     the first creature without muscles, dropped turning from 1 m, 3 s: it can only lose energy,
 *       so the sum of all increases from one step to the next is an error, given as a share of what
 *       was lost; and how far the lowest corner is above or below the ground at most, from 2 s on.
 *
 * Before any of that each engine must make the first creature's joints follow their targets in
 * empty space. Times are processor times of the thread. */
#ifndef BENCH_PEERS_PEER_FRAME_H
#define BENCH_PEERS_PEER_FRAME_H

#include <stdio.h>

#include "bench/peers/engine.h"

#define PEER_EVALUATE_S 10.0
enum { PEER_CREATURES_MAX = 3, PEER_GAITS = 16, PEER_JOINTS_MAX = 16 };

struct peer_contender {
    const struct peer_engine *engine;
    double hz;
    int is_for_precision; /* only */
};

/* Called after each step, at_s after the start. */
typedef void peer_observer(void *context, void *world, double at_s);

/* A workload of the CSV: what stands for all gaits of a creature. */
struct peer_creature {
    const char *workload; /* NULL: none */
    int gait_count;       /* at most PEER_GAITS */
    double (*typical)(double *values, int count);
};

struct peer_bench {
    const char *program;
    int repetitions;                         /* unless the command line says otherwise */
    const struct peer_contender *contenders; /* the first: the others are compared with it */
    int contender_count;
    struct peer_scene *scene;  /* room for one */
    struct peer_state *states; /* and for those of its bodies */

    /* The creature of that number on land, in a gait. */
    void (*make_creature)(struct peer_scene *scene, int creature, int gait);
    void (*make_weightless)(struct peer_scene *scene); /* the first one in empty space */
    void (*make_fall)(struct peer_scene *scene);
    void (*make_pendulum)(struct peer_scene *scene); /* has no ground */
    int (*has_ground)(const struct peer_scene *scene);
    /* Targets of all joints at a time, rad; none are set where there are no motors. */
    void (*set_targets)(const struct peer_scene *scene, double at_s, double (*targets)[2]);
    /* Sum over the joints of how far they are from their targets, rad, and the most that it may be
     * on average. */
    double (*motor_error_rad)(const struct peer_scene *scene, const struct peer_state *states,
                              double at_s);
    double motor_error_max_rad;
    void (*read_start)(const struct peer_scene *scene, struct peer_state *states);
    double (*energy_j)(const struct peer_scene *scene, const struct peer_state *states);
    double (*lowest_corner_m)(const struct peer_scene *scene, const struct peer_state *states);
    /* Error of the place of the pendulum's end at pendulum_s, m; its energy when it hangs still,
     * J. */
    double (*pendulum_error_m)(const struct peer_state *states);
    double pendulum_s, pendulum_bottom_j;

    struct peer_creature creatures[PEER_CREATURES_MAX];
    const char *columns; /* of the CSV between ratio and repetitions, such as "a,b,"; */
    void (*print_columns)(FILE *csv, const struct peer_contender *contender, int creature);
    const char *pendulum_panels[2], *fall_panels[2]; /* error, energy; energy, ground */
};

/* Moves a scene for a time, and forgets it. The targets of a gait are a polygon along its sine with
 * corners at PEER_TICKS_HZ. Ends the program where an engine cannot make the scene. */
void peer_run(const struct peer_bench *bench, const struct peer_contender *contender,
              double until_s, peer_observer *observe, void *context);
/* Changes the order of the values. */
double peer_median(double *values, int count);
double peer_mean(double *values, int count);
/* The program. */
int peer_main(int argc, char **argv, const struct peer_bench *bench);

#endif
