/* See solids.h. The axis of greatest separation says what touches: a face, to whose sides the most
 * opposed face of the other box is clipped (Sutherland and Hodgman 1974), or two edges, which touch
 * in a point. */
#include "simulator/contact/solids.h"

#include <math.h>

/* An axis must separate by this much more, and by this share of the depth, than the one before it
 * in the order: held from the step before, faces of the larger box, faces of the other, edges. */
#define AXIS_PREFERENCE_M     1e-5
#define AXIS_PREFERENCE_SHARE 0.01
/* Edges that are apart touch at most this far beyond their ends, m. */
#define BEYOND_M 1e-4
/* A point this far beyond the side of a face is not cut off, m: a point on the side would be by
 * rounding. */
#define SIDE_M 1e-10

/* ---------------------------------------------------------------- a half-space */

/* A ball touches in one point; `at`: on the ball. */
static void touch_in_point(struct solid_manifold *manifold, struct vec3 at, double gap)
{
    manifold->count = 1;
    manifold->points[0] = (struct solid_point){vec3_along(at, manifold->normal, -gap / 2), gap, 0};
}

static void meet_ball(const struct solid *ball, const struct solid *other, double margin,
                      int is_second, struct solid_manifold *manifold)
{
    struct vec3 normal;
    double gap = solids_ball_gap(ball, other, &normal);
    *manifold = (struct solid_manifold){.normal = normal, .axis = -1};
    if (gap >= margin)
        return;
    manifold->axis = 0;
    touch_in_point(manifold, vec3_along(ball->centre, normal, 0 - ball->half[0]), gap);
    if (is_second)
        manifold->normal = vec3_scale(normal, -1);
}

void solids_meet_plane(const struct solid *s, struct vec3 normal, double offset, double margin,
                       struct solid_manifold *manifold)
{
    double height = vec3_dot(normal, s->centre) - offset, along[3];
    *manifold = (struct solid_manifold){.normal = normal, .axis = 3};
    if (s->is_round && height - s->half[0] < margin)
        touch_in_point(manifold, vec3_along(s->centre, normal, 0 - s->half[0]),
                       height - s->half[0]);
    if (s->is_round)
        return;
    for (int k = 0; k < 3; k++)
        along[k] = s->half[k] * vec3_dot(normal, s->axes[k]);
    for (int corner = 0; corner < 8; corner++) {
        double gap = height;
        for (int k = 0; k < 3; k++)
            gap += corner >> k & 1 ? along[k] : -along[k];
        if (gap < margin)
            manifold->points[manifold->count++] = (struct solid_point){
                vec3_along(solids_corner(s, corner), normal, -gap / 2), gap, corner};
    }
}

/* ---------------------------------------------------------------- 15 axes */

/* The axis that says what touches, -1 if the boxes are a margin apart. */
static int choose_axis(struct solids_pair *p, double margin, int held)
{
    int best = held >= 0 && held < SOLIDS_AXES ? held : 0;
    if (!solids_pair_set_edges(p, margin))
        return -1;
    if (p->separation[best] == -HUGE_VAL)
        best = 0;
    for (int k = 0; k < SOLIDS_AXES; k++) {
        double s = p->separation[k], now = p->separation[best];
        if (s >= margin)
            return -1;
        if (s > now + AXIS_PREFERENCE_M + AXIS_PREFERENCE_SHARE * fabs(now))
            best = k;
    }
    return best;
}

/* ---------------------------------------------------------------- faces */

/* A corner of a polygon: in the reference face's own directions, and how far in front of it;
 * between two edges, 0 .. 3 of the incident face, 4 .. 7 sides of the reference face. */
struct corner {
    double s, t, gap;
    int in, out;
};

/* Cuts off what lies beyond side * (s or t) = limit; returns the number of corners left. Rounding
 * alone could make more than there is room for. */
static int cut(const struct corner *from, int count, int is_t, double side, double limit, int edge,
               struct corner *to)
{
    int left = 0;
    for (int i = 0; i < count && left < SOLIDS_POINTS_MAX; i++) {
        const struct corner *a = &from[i], *b = &from[(i + 1) % count];
        double da = side * (is_t ? a->t : a->s) - limit, db = side * (is_t ? b->t : b->s) - limit;
        int is_inside = da <= SIDE_M;
        if (is_inside)
            to[left++] = *a;
        if (is_inside == (db <= SIDE_M) || left == SOLIDS_POINTS_MAX)
            continue;
        double share = det_min(det_max(da / (da - db), 0), 1);
        struct corner at = {a->s + share * (b->s - a->s), a->t + share * (b->t - a->t),
                            a->gap + share * (b->gap - a->gap), a->out, a->out};
        if (is_inside)
            at.out = edge;
        else
            at.in = edge;
        to[left++] = at;
    }
    return left;
}

/* The face of a box that looks most against a direction: axis and sign. */
static int opposed_face(const struct solid *s, struct vec3 way, double *sign)
{
    int face = 0;
    double most = -1, facing;
    for (int k = 0; k < 3; k++)
        if (fabs(facing = vec3_dot(s->axes[k], way)) > most) {
            most = fabs(facing);
            face = k;
            *sign = facing > 0 ? -1 : 1;
        }
    return face;
}

/* Clips the other box's face to the reference box's face `axis`; `way`: from the reference to the
 * other. */
static int clip_face(const struct solid *reference, int axis, const struct solid *other,
                     struct vec3 way, int side, double margin, struct vec3 *normal,
                     struct solid_point *points)
{
    static const double around[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    double turn = vec3_dot(way, reference->axes[axis]) < 0 ? -1 : 1, sign = 1;
    struct vec3 n = vec3_scale(reference->axes[axis], turn);
    int k1 = (axis + 1) % 3, k2 = (axis + 2) % 3, face = opposed_face(other, n, &sign);
    int f1 = (face + 1) % 3, f2 = (face + 2) % 3;
    struct vec3 middle = vec3_along(other->centre, other->axes[face], sign * other->half[face]);
    struct corner one[SOLIDS_POINTS_MAX], two[SOLIDS_POINTS_MAX];
    *normal = n;
    for (int i = 0; i < 4; i++) {
        struct vec3 at = vec3_along(middle, other->axes[f1], around[i][0] * other->half[f1]);
        at = vec3_along(at, other->axes[f2], around[i][1] * other->half[f2]);
        at = vec3_sub(at, reference->centre);
        one[i] =
            (struct corner){vec3_dot(at, reference->axes[k1]), vec3_dot(at, reference->axes[k2]),
                            vec3_dot(at, n) - reference->half[axis], (i + 3) % 4, i};
    }
    int count = cut(one, 4, 0, 1, reference->half[k1], 4, two);
    count = cut(two, count, 0, -1, reference->half[k1], 5, one);
    count = cut(one, count, 1, 1, reference->half[k2], 6, two);
    count = cut(two, count, 1, -1, reference->half[k2], 7, one);
    int kept = 0, base = ((side * 3 + axis) * 2 + (turn > 0)) * 6 + face * 2 + (sign > 0);
    for (int i = 0; i < count; i++) {
        const struct corner *c = &one[i];
        if (c->gap >= margin)
            continue;
        struct vec3 at = vec3_along(reference->centre, n, reference->half[axis] + c->gap / 2);
        at = vec3_along(at, reference->axes[k1], c->s);
        points[kept++] = (struct solid_point){vec3_along(at, reference->axes[k2], c->t), c->gap,
                                              base * 64 + c->in * 8 + c->out};
    }
    return kept;
}

/* ---------------------------------------------------------------- edges */

/* One of the four edges of a box along an axis. */
struct edge {
    struct vec3 at; /* its middle */
    double behind;  /* the one that is farthest along a direction, in that direction */
    int name;       /* signs of its place */
};

/* The edges along axis k. The first is the farthest along a direction. */
static void set_edges(const struct solid *s, int k, struct vec3 way, struct edge edges[4])
{
    for (int flips = 0; flips < 4; flips++) {
        edges[flips] = (struct edge){.at = s->centre};
        for (int i = 1; i < 3; i++) {
            int axis = (k + i) % 3, is_flipped = flips >> (i - 1) & 1;
            double out = vec3_dot(s->axes[axis], way);
            int is_positive = (out > 0) != is_flipped;
            struct edge *e = &edges[flips];
            e->at = vec3_along(e->at, s->axes[axis], is_positive ? s->half[axis] : -s->half[axis]);
            e->behind += is_flipped ? 2 * s->half[axis] * fabs(out) : 0;
            e->name = 2 * e->name + is_positive;
        }
    }
}

/* Two edges that pass one another touch where they are nearest. Returns how far that is beyond
 * their ends. */
static double cross_edges(const struct solids_pair *p, int i, int j, const struct edge *a,
                          const struct edge *b, struct solid_point *point)
{
    struct vec3 u = p->a->axes[i], v = p->b->axes[j], between = vec3_sub(b->at, a->at);
    double c = p->c[i][j], square = 1 - c * c;
    double by_u = vec3_dot(between, u), by_v = vec3_dot(between, v);
    double along_u = (by_u - c * by_v) / square, along_v = (c * by_u - by_v) / square;
    double on_u = det_min(det_max(along_u, -p->a->half[i]), p->a->half[i]);
    double on_v = det_min(det_max(along_v, -p->b->half[j]), p->b->half[j]);
    struct vec3 of_a = vec3_along(a->at, u, on_u), of_b = vec3_along(b->at, v, on_v);
    point->at = vec3_scale(vec3_add(of_a, of_b), 0.5);
    point->feature = (SOLIDS_FACES * 12 + (3 * i + j) * 16 + a->name * 4 + b->name) * 64;
    return det_max(fabs(along_u - on_u), fabs(along_v - on_v));
}

/* The edges in front, and those behind them that are within the margin, too: a bar that rocks from
 * one edge of a thin box to the other touches both. */
static int meet_edges(const struct solids_pair *p, int i, int j, double gap, double margin,
                      struct vec3 *normal, struct solid_point *points)
{
    struct vec3 n = vec3_cross(p->a->axes[i], p->b->axes[j]);
    struct edge a[4], b[4];
    int count = 0;
    n = vec3_scale(n, (vec3_dot(n, p->way) < 0 ? -1 : 1) / sqrt(vec3_dot(n, n)));
    *normal = n;
    set_edges(p->a, i, n, a);
    set_edges(p->b, j, vec3_negated(n), b);
    for (int pair = 0; pair < 16 && count < SOLIDS_POINTS_MAX; pair++) {
        const struct edge *one = &a[pair / 4], *other = &b[pair % 4];
        struct solid_point *point = &points[count];
        point->gap = gap + one->behind + other->behind;
        if (point->gap >= margin)
            continue;
        double beyond = cross_edges(p, i, j, one, other, point);
        int is_touching = beyond <= BEYOND_M || (pair == 0 && gap <= 0);
        if (pair == 0 && !is_touching)
            return 0;
        count += is_touching;
    }
    return count;
}

/* ---------------------------------------------------------------- both */

/* The larger box comes first, whichever is given first; of equal ones by their sides. */
static int is_in_order(const struct solid *a, const struct solid *b)
{
    double of_a = a->half[0] * a->half[1] * a->half[2];
    double of_b = b->half[0] * b->half[1] * b->half[2];
    if (of_a != of_b)
        return of_a > of_b;
    for (int k = 0; k < 3; k++)
        if (a->half[k] != b->half[k])
            return a->half[k] > b->half[k];
    return 1;
}

void solids_meet(const struct solid *a, const struct solid *b, double margin,
                 const struct solid_manifold *held, struct solid_manifold *manifold)
{
    if (a->is_round || b->is_round) {
        meet_ball(a->is_round ? a : b, a->is_round ? b : a, margin, !a->is_round, manifold);
        return;
    }
    int is_ordered = is_in_order(a, b);
    struct solid_point *points = manifold->points;
    struct solids_pair p;
    struct vec3 n; /* from p.a to p.b, or from p.b to p.a */
    int preferred = held ? held->axis : -1;
    manifold->count = 0;
    manifold->normal = (struct vec3){0, 1, 0};
    solids_pair_set(&p, is_ordered ? a : b, is_ordered ? b : a);
    manifold->is_swapped = !is_ordered;
    int axis = manifold->axis = choose_axis(&p, margin, preferred);
    if (axis < 0)
        return;
    if (axis >= SOLIDS_FACES)
        manifold->count = meet_edges(&p, (axis - SOLIDS_FACES) / 3, (axis - SOLIDS_FACES) % 3,
                                     p.separation[axis], margin, &n, points);
    else if (axis < 3)
        manifold->count = clip_face(p.a, axis, p.b, p.way, 0, margin, &n, points);
    else
        manifold->count = clip_face(p.b, axis - 3, p.a, vec3_negated(p.way), 1, margin, &n, points);
    int is_towards_b = axis < 3 || axis >= SOLIDS_FACES;
    manifold->normal = is_towards_b == is_ordered ? vec3_negated(n) : n;
}
