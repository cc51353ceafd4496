/* Contests of two creatures: their aims, starts and margins. After Sims 1994b, "Evolving 3D
 * morphology and behavior by competition".
 *
 * The first creature starts at -x, the second at x, each behind a line that leans away from the
 * other one, so that height gains nothing. */
#ifndef COMMON_JUDGE_CONTEST_H
#define COMMON_JUDGE_CONTEST_H

#include <stdint.h>

#include "common/error.h"
#include "common/judge/measures.h"
#include "common/math/rng.h"
#include "common/params/params.h"

struct genome;

extern const char *const contest_goal_names[CONTEST_GOAL_COUNT];

/* The side of the cube, and the width of the ball, m. */
#define CONTEST_CUBE_M 0.25
/* Distances are means over this time at the end. */
#define CONTEST_LAST_S 1.0
/* Guards that a creature pinned by another one breaks do not look for this time after a touch. */
#define CONTEST_GRACE_S 0.25
/* The worth of a win when the other one's evaluation ended by a verdict: less than most fair
 * ones. */
#define CONTEST_WALKOVER 0.5
/* A creature that never came nearer to the cube than this share of the way has not won it. */
#define CONTEST_NEAR_SHARE 0.8

/* How one pair meets. */
struct contest_bout {
    uint64_t seed;      /* of the evaluation */
    int is_exchanged;   /* the second creature is the first */
    double heading_rad; /* both are turned by this before they settle; in space */
    double line_m;      /* how far from the middle its line is */
};
enum { CONTEST_BOUTS = 2 }; /* of a pair of files */

/* The state of one side at the end. */
struct contest_side {
    int verdict;
    uint64_t digest;
    /* from its surface to the goal's centre (the cube's, the other's of mass), at the start */
    double start_m;
    double least_m; /* the same, the least */
    /* the same at the end; half of it for a side that touches the cube's far face; sumo: from the
     * middle */
    double distance_m;
    double touched_s;         /* when it first touched the goal; -1: never */
    double margin;            /* -1 .. 1; the sum of both is 0 */
    struct measures measures; /* of its evaluation, and what the contest came to */
};

struct contest_result {
    struct contest_side sides[2];
    double time_s;
    double object_way_m;        /* of the object, along x; 0 without one */
    uint64_t digest;            /* of the motion of all */
    uint64_t arena_bytes, work; /* as of evaluations */
};

/* 1 if the goal has an object between the creatures. */
int contest_has_object(int goal);
/* Changes parameters into those of a contest: others and the object are seen, there is no light,
 * and creatures that wait or are slow are not stopped. */
void contest_apply(struct params *params);
/* Whether creatures of such genomes can have such a contest. ERR_USAGE, or ERR_RANGE of the solver,
 * with a message that names what cannot. */
int contest_check(const struct genome *a, const struct genome *b, const struct params *params,
                  struct error *error);
/* A bout, from 1, of every pair of a kind: in space from a heading that the seed draws (the first
 * one is given), in the plane and where the two have different parts every second one with sides
 * exchanged. A start that is perturbed has another heading, and lines farther from the middle. */
struct contest_bout contest_make_bout(int body_kind, const struct params *params, uint64_t seed,
                                      int number);
/* Fills the margins, and the measures of the contest. A creature that a guard stopped has lost by
 * everything. */
void contest_judge(const struct params *params, struct contest_result *result);

#endif
