/* Limits of the joints of bodies in space, as rows: a gap, which must not become negative, and how
 * it changes with the rates of one link. Slides and turns have intervals, a ball a cone for its
 * axis and an interval for its twist. Impulses along rows keep them; momentum stays what it was, as
 * they act between two links. */
#ifndef SIMULATOR_SPATIAL_TREE_SPATIAL_LIMITS_H
#define SIMULATOR_SPATIAL_TREE_SPATIAL_LIMITS_H

#include "common/system/arena.h"
#include "simulator/links/spatial_tree.h"

struct spatial_limit {
    int link;           /* whose joint it is */
    int id;             /* the same in all steps: 0 .. row_max - 1 */
    int rate, count;    /* the first of its rates, and how many: 1, or 3 of a ball */
    double gradient[3]; /* of the gap */
    double gap;         /* rad or m */
    double impulse;     /* along the gradient, >= 0 */
    double bound;       /* least rate of the gap after the impulses, at the pose given */
    double *response;   /* of all rates to a unit impulse, once it acts */
    double sign;        /* +-1: the gap opens with a freedom's value, or closes */
    int is_refused;     /* an impulse on it is of no use */
    /* how a ball's value changes with its rates, at a pose; NULL: it is no ball's */
    struct vec3 (*turning)(struct quaternion ball);
};

struct spatial_limits {
    const struct body_link *links;
    int row_max, has_turning;   /* rows at most; some turn with a ball */
    struct spatial_limit *rows; /* found by the last spatial_limits_find() */
    int count;
    double *given; /* by id: impulses in the last step with contacts; the contacts' to keep */
    /* scratch: an impulse on all joints (0 between uses), and rates before others change them */
    double *push, *before;
    /* of a solution: the rows that act, what all rows lack, the impulses that are sought, and
     * [row_max][row_max]: how much a row yields to the impulse of one that acts, and Cholesky's
     * factor of those that act */
    int *acting;
    double *lacking, *sought, *yields, *factor;
};

/* How fast the gap of a row opens at some rates. */
static inline double spatial_limits_rate(const struct spatial_limit *row, const double *rates)
{
    double sum = 0;
    for (int k = 0; k < row->count; k++)
        sum += row->gradient[k] * rates[row->rate + k];
    return sum;
}

int spatial_limits_create(struct spatial_limits *limits, const struct spatial_tree *tree,
                          const struct body_link *links, struct arena *arena);
/* The smallest gap at the coordinates; HUGE_VAL without limits. */
double spatial_limits_gap(struct spatial_limits *limits, const struct spatial_tree *tree,
                          const double *q);
/* A step of 2 half_s whose middle has the coordinates q and about the rates `middle`, and whose end
 * has the rates `end` as long as nothing stops them. If a gap at q, or when those rates have acted
 * for a time from there, is not positive: those rows, and others that are near. How many. The time
 * is half a step; or a step where are_pushed: contacts may close limits that the rates leave open,
 * so that all that are near count. */
int spatial_limits_find(struct spatial_limits *limits, const struct spatial_tree *tree,
                        const double *q, const double *middle, const double *end, double half_s,
                        int are_pushed);
/* How long steps may be, s, in which joints slide along limits that are curved, such that these
 * hardly turn: at most time_s, at least least_s. Where a ball with a narrow cone swings about, it
 * turns by more than a step can follow. */
double spatial_limits_stride(struct spatial_limits *limits, const struct spatial_tree *tree,
                             const double *q, const double *rates, double time_s, double least_s);
/* When the first joint hits a limit, s from now, if the rates at q go on with the accelerations
 * qdd; HUGE_VAL: none does. Joints that come slowly hit nothing. */
double spatial_limits_hit(struct spatial_limits *limits, const struct spatial_tree *tree,
                          const double *q, const double *rates, const double *qdd);
/* Rows whose gaps the rates close within time_s, to be stopped at once. How many. */
int spatial_limits_find_hit(struct spatial_limits *limits, const struct spatial_tree *tree,
                            const double *q, const double *rates, double time_s);
/* Impulses that keep the rows found within their bounds: adds what they change to the rates, which
 * are those at the end of the step. The tree has the factors of what yields: its mass matrix, or,
 * of impulses that are spread over a step, that of its accelerations. Returns the impulses' work,
 * which act where the rates before are `middle`. */
double spatial_limits_solve(struct spatial_limits *limits, struct spatial_tree *tree,
                            const double *middle, double *rates);
/* Moves q until no gap is negative, along responses; adds the way of each freedom to `way`. */
void spatial_limits_project(struct spatial_limits *limits, struct spatial_tree *tree, double *q,
                            double *way);

#endif
