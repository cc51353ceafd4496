/* See solids.h. An axis made of two edges that are nearly parallel is no axis: its direction would
 * be made of rounding. */
#include "common/math/solids.h"

#include <math.h>

#include "common/error.h"

/* Edges are parallel if the square of the sine between them is smaller. */
#define PARALLEL 1e-6

void solids_place(struct solid *s, struct vec3 centre, const struct mat3 *turn, struct vec3 half)
{
    *s = (struct solid){
        .centre = centre, .axes = {turn->x, turn->y, turn->z}, .half = {half.x, half.y, half.z}};
}

struct vec3 solids_corner(const struct solid *s, int corner)
{
    ENSURE(corner >= 0 && corner < 8, "corner %d", corner);
    struct vec3 at = s->centre;
    for (int k = 0; k < 3; k++)
        at = vec3_along(at, s->axes[k], corner >> k & 1 ? s->half[k] : -s->half[k]);
    return at;
}

double solids_reach(const struct solid *s, struct vec3 way)
{
    if (s->is_round)
        return s->half[0];
    return s->half[0] * fabs(vec3_dot(s->axes[0], way)) +
           s->half[1] * fabs(vec3_dot(s->axes[1], way)) +
           s->half[2] * fabs(vec3_dot(s->axes[2], way));
}

static double edge_separation(const struct solids_pair *p, int i, int j)
{
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    double square = p->c[i1][j] * p->c[i1][j] + p->c[i2][j] * p->c[i2][j];
    if (square < PARALLEL)
        return -HUGE_VAL;
    double apart = fabs(p->by_a[i2] * p->c[i1][j] - p->by_a[i1] * p->c[i2][j]);
    double reach = p->a->half[i1] * fabs(p->c[i2][j]) + p->a->half[i2] * fabs(p->c[i1][j]) +
                   p->b->half[j1] * fabs(p->c[i][j2]) + p->b->half[j2] * fabs(p->c[i][j1]);
    return (apart - reach) / sqrt(square);
}

void solids_pair_set(struct solids_pair *p, const struct solid *a, const struct solid *b)
{
    p->a = a;
    p->b = b;
    p->way = vec3_sub(b->centre, a->centre);
    for (int i = 0; i < 3; i++) {
        p->by_a[i] = vec3_dot(p->way, a->axes[i]);
        p->by_b[i] = vec3_dot(p->way, b->axes[i]);
        for (int j = 0; j < 3; j++)
            p->c[i][j] = vec3_dot(a->axes[i], b->axes[j]);
    }
    for (int i = 0; i < 3; i++) {
        double of_a = fabs(p->by_a[i]) - a->half[i], of_b = fabs(p->by_b[i]) - b->half[i];
        for (int j = 0; j < 3; j++) {
            of_a -= b->half[j] * fabs(p->c[i][j]);
            of_b -= a->half[j] * fabs(p->c[j][i]);
        }
        p->separation[i] = of_a;
        p->separation[3 + i] = of_b;
    }
}

int solids_pair_set_edges(struct solids_pair *p, double margin)
{
    for (int k = 0; k < SOLIDS_FACES; k++)
        if (p->separation[k] >= margin)
            return 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            p->separation[SOLIDS_FACES + 3 * i + j] = edge_separation(p, i, j);
    return 1;
}

double solids_distance(const double at[3], const double half[3], double way[3])
{
    double square = 0;
    int nearest = 0;
    for (int k = 0; k < 3; k++) {
        double beyond = fabs(at[k]) - half[k];
        way[k] = beyond > 0 ? copysign(beyond, at[k]) : 0;
        square += way[k] * way[k];
        if (beyond > fabs(at[nearest]) - half[nearest])
            nearest = k;
    }
    if (square > 0)
        return sqrt(square);
    way[nearest] = copysign(1, at[nearest]);
    return fabs(at[nearest]) - half[nearest];
}

double solids_ball_gap(const struct solid *ball, const struct solid *other, struct vec3 *normal)
{
    ENSURE(ball->is_round, "a ball with sides of %g, %g and %g m", 2 * ball->half[0],
           2 * ball->half[1], 2 * ball->half[2]);
    struct vec3 off = vec3_sub(ball->centre, other->centre);
    static const double point[3] = {0, 0, 0};
    double at[3], way[3];
    for (int k = 0; k < 3; k++)
        at[k] = vec3_dot(off, other->axes[k]);
    double apart = solids_distance(at, other->is_round ? point : other->half, way);
    struct vec3 out = vec3_scale(other->axes[0], way[0]);
    out = vec3_along(vec3_along(out, other->axes[1], way[1]), other->axes[2], way[2]);
    *normal = vec3_scale(out, 1 / vec3_length(out));
    return apart - ball->half[0] - (other->is_round ? other->half[0] : 0);
}

enum solids_nearest solids_nearest_to_ball(const struct solid *ball, const struct solid *other,
                                           struct vec3 *edge)
{
    struct vec3 off = vec3_sub(ball->centre, other->centre);
    int beyond = 0;
    if (other->is_round)
        return SOLIDS_POINT;
    for (int k = 0; k < 3; k++)
        if (fabs(vec3_dot(off, other->axes[k])) > other->half[k])
            beyond++;
        else
            *edge = other->axes[k];
    return beyond > 1 ? (enum solids_nearest)beyond : SOLIDS_FACE;
}

/* The direction of axis k, from b to a. */
static struct vec3 axis_of(const struct solids_pair *p, int k)
{
    int edges = k - SOLIDS_FACES;
    struct vec3 axis = k < 3 ? p->a->axes[k]
                       : k < SOLIDS_FACES
                           ? p->b->axes[k - 3]
                           : vec3_cross(p->a->axes[edges / 3], p->b->axes[edges % 3]);
    double length = vec3_length(axis);
    return vec3_scale(axis, vec3_dot(axis, p->way) > 0 ? -1 / length : 1 / length);
}

double solids_separation_along(const struct solid *a, const struct solid *b, struct vec3 *normal)
{
    struct solids_pair p;
    int most = 0;
    if (a->is_round)
        return solids_ball_gap(a, b, normal);
    if (b->is_round) {
        double gap = solids_ball_gap(b, a, normal);
        *normal = vec3_negated(*normal);
        return gap;
    }
    solids_pair_set(&p, a, b);
    solids_pair_set_edges(&p, HUGE_VAL);
    for (int k = 1; k < SOLIDS_AXES; k++)
        most = p.separation[k] > p.separation[most] ? k : most;
    *normal = axis_of(&p, most);
    return p.separation[most];
}

double solids_separation(const struct solid *a, const struct solid *b)
{
    struct vec3 normal;
    return solids_separation_along(a, b, &normal);
}
