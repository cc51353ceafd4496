/* See solids.h. The axis of greatest separation says what touches: a face, to whose sides the most opposed face of
 * the other box is clipped (Sutherland and Hodgman 1974), or two edges, which touch in a point. */
#include "simulator/boxes/contacts/solids.h"

#include <math.h>

/* An axis must separate by this much more, and by this share of the depth, than the one before it in the
 * order: held from the step before, faces of the larger box, faces of the other, edges. */
#define AXIS_PREFERENCE_M     1e-5
#define AXIS_PREFERENCE_SHARE 0.01
/* Points that were there before are preferred as if their distances were longer by this share and length. */
#define POINT_PREFERENCE_M     1e-5
#define POINT_PREFERENCE_SHARE 0.02
/* Points nearer to the line through two others say nothing new, m. */
#define SPREAD_MIN_M 1e-9
/* Edges that are apart touch at most this far beyond their ends, m. */
#define BEYOND_M 1e-4

/* ---------------------------------------------------------------- fewer points */

/* A point that was chosen in the same place before is preferred. */
static double preferred(const struct solid_manifold *held, int step,
                        const struct solid_point *point, double length)
{
    if (!held || step >= held->count || held->points[step].feature != point->feature)
        return length;
    return length + fabs(length) * POINT_PREFERENCE_SHARE + POINT_PREFERENCE_M;
}

/* On which side of the line through the first two points, and how far. */
static double aside_of(const struct solid_point *point, const struct solid_point *chosen,
                       struct vec3 normal)
{
    struct vec3 along = vec3_sub(chosen[1].at, chosen[0].at);
    struct vec3 from = vec3_sub(point->at, chosen[0].at);
    double length = vec3_length(along);
    return vec3_dot(vec3_cross(normal, along), from) / (length > 0 ? length : 1);
}

/* What a point is chosen by: the first by depth, the second by its distance from the first, the third by its
 * distance from the line through the two, the fourth by that on the other side. */
static double point_score(const struct solid_point *point, const struct solid_point *chosen,
                          int step, struct vec3 normal)
{
    if (step == 0)
        return -point->gap;
    if (step == 1)
        return vec3_length(vec3_sub(point->at, chosen[0].at));
    double aside = aside_of(point, chosen, normal);
    if (step == 2)
        return fabs(aside);
    return aside_of(&chosen[2], chosen, normal) > 0 ? -aside : aside;
}

/* Of more than four points the ones that hold best; ties by the lowest feature. */
static void keep_four(const struct solid_point *points, int count,
                      const struct solid_manifold *held, struct solid_manifold *manifold)
{
    struct solid_point chosen[SOLIDS_POINTS_MAX];
    int is_taken[SOLIDS_CLIPPED_MAX] = {0};
    manifold->count = 0;
    for (int step = 0; step < SOLIDS_POINTS_MAX && count > SOLIDS_POINTS_MAX; step++) {
        int best = -1;
        double most = step < 2 ? -HUGE_VAL : SPREAD_MIN_M;
        for (int i = 0; i < count; i++) {
            double score = point_score(&points[i], chosen, step, manifold->normal);
            score = preferred(held, step, &points[i], score);
            if (is_taken[i] || score < most ||
                (best >= 0 && score == most && points[i].feature > points[best].feature))
                continue;
            best = i;
            most = score;
        }
        if (best < 0)
            break;
        is_taken[best] = 1;
        chosen[step] = points[best];
        manifold->points[manifold->count++] = points[best];
    }
    for (int i = 0; i < count && count <= SOLIDS_POINTS_MAX; i++)
        manifold->points[manifold->count++] = points[i];
}

/* ---------------------------------------------------------------- a half-space */

void solids_meet_plane(const struct solid *s, struct vec3 normal, double offset, double margin,
                       const struct solid_manifold *held, struct solid_manifold *manifold)
{
    struct solid_point points[SOLIDS_CLIPPED_MAX];
    double height = vec3_dot(normal, s->centre) - offset, along[3];
    int count = 0;
    manifold->normal = normal;
    manifold->axis = 0;
    for (int k = 0; k < 3; k++)
        along[k] = s->half[k] * vec3_dot(normal, s->axes[k]);
    for (int corner = 0; corner < 8; corner++) {
        double gap = height;
        for (int k = 0; k < 3; k++)
            gap += corner >> k & 1 ? along[k] : -along[k];
        if (gap < margin)
            points[count++] = (struct solid_point){
                vec3_along(solids_corner(s, corner), normal, -gap / 2), gap, corner};
    }
    keep_four(points, count, held, manifold);
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

/* A corner of a polygon: in the reference face's own directions, and how far in front of it; between two
 * edges, 0 .. 3 of the incident face, 4 .. 7 sides of the reference face. */
struct corner {
    double s, t, gap;
    int in, out;
};

/* Cuts off what lies beyond side * (s or t) = limit; returns the number of corners left. Rounding alone could
 * make more than there is room for. */
static int cut(const struct corner *from, int count, int is_t, double side, double limit, int edge,
               struct corner *to)
{
    int left = 0;
    for (int i = 0; i < count && left < SOLIDS_CLIPPED_MAX; i++) {
        const struct corner *a = &from[i], *b = &from[(i + 1) % count];
        double da = side * (is_t ? a->t : a->s) - limit, db = side * (is_t ? b->t : b->s) - limit;
        if (da <= 0)
            to[left++] = *a;
        if ((da <= 0) == (db <= 0) || left == SOLIDS_CLIPPED_MAX)
            continue;
        double share = da / (da - db);
        struct corner at = {a->s + share * (b->s - a->s), a->t + share * (b->t - a->t),
                            a->gap + share * (b->gap - a->gap), a->out, a->out};
        if (da <= 0)
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

/* Clips the other box's face to the reference box's face `axis`; `way`: from the reference to the other. */
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
    struct corner one[SOLIDS_CLIPPED_MAX], two[SOLIDS_CLIPPED_MAX];
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

/* The middle of the edge along axis k that is farthest along a direction; *name gets the signs. */
static struct vec3 farthest_edge(const struct solid *s, int k, struct vec3 way, int *name)
{
    struct vec3 at = s->centre;
    *name = 0;
    for (int i = 1; i < 3; i++) {
        int axis = (k + i) % 3, is_positive = vec3_dot(s->axes[axis], way) > 0;
        at = vec3_along(at, s->axes[axis], is_positive ? s->half[axis] : -s->half[axis]);
        *name = 2 * *name + is_positive;
    }
    return at;
}

static double clamped(double x, double most)
{
    return x > most ? most : x < -most ? -most : x;
}

/* Two edges that pass one another touch where they are nearest. */
static int meet_edges(const struct solids_pair *p, int i, int j, double gap, struct vec3 *normal,
                      struct solid_point *point)
{
    struct vec3 u = p->a->axes[i], v = p->b->axes[j], n = vec3_cross(u, v);
    double square = vec3_dot(n, n), c = p->c[i][j];
    int name_a, name_b;
    n = vec3_scale(n, (vec3_dot(n, p->way) < 0 ? -1 : 1) / sqrt(square));
    struct vec3 at_a = farthest_edge(p->a, i, n, &name_a);
    struct vec3 at_b = farthest_edge(p->b, j, vec3_negated(n), &name_b);
    struct vec3 between = vec3_sub(at_b, at_a);
    double by_u = vec3_dot(between, u), by_v = vec3_dot(between, v);
    double along_u = (by_u - c * by_v) / square, along_v = (c * by_u - by_v) / square;
    double on_u = clamped(along_u, p->a->half[i]), on_v = clamped(along_v, p->b->half[j]);
    *normal = n;
    if (gap > 0 && (fabs(along_u - on_u) > BEYOND_M || fabs(along_v - on_v) > BEYOND_M))
        return 0;
    struct vec3 of_a = vec3_along(at_a, u, on_u), of_b = vec3_along(at_b, v, on_v);
    *point =
        (struct solid_point){vec3_scale(vec3_add(of_a, of_b), 0.5), gap,
                             (SOLIDS_FACES * 12 + (3 * i + j) * 16 + name_a * 4 + name_b) * 64};
    return 1;
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

int solids_clip(const struct solid *a, const struct solid *b, double margin,
                const struct solid_manifold *held, struct solid_manifold *manifold,
                struct solid_point points[SOLIDS_CLIPPED_MAX])
{
    int is_ordered = is_in_order(a, b), count;
    struct solids_pair p;
    struct vec3 n; /* from p.a to p.b, or from p.b to p.a */
    manifold->count = 0;
    manifold->normal = (struct vec3){0, 1, 0};
    solids_pair_set(&p, is_ordered ? a : b, is_ordered ? b : a);
    int axis = manifold->axis = choose_axis(&p, margin, held ? held->axis : -1);
    if (axis < 0)
        return 0;
    if (axis >= SOLIDS_FACES)
        count = meet_edges(&p, (axis - SOLIDS_FACES) / 3, (axis - SOLIDS_FACES) % 3,
                           p.separation[axis], &n, points);
    else if (axis < 3)
        count = clip_face(p.a, axis, p.b, p.way, 0, margin, &n, points);
    else
        count = clip_face(p.b, axis - 3, p.a, vec3_negated(p.way), 1, margin, &n, points);
    int is_towards_b = axis < 3 || axis >= SOLIDS_FACES;
    manifold->normal = is_towards_b == is_ordered ? vec3_negated(n) : n;
    return count;
}

void solids_meet(const struct solid *a, const struct solid *b, double margin,
                 const struct solid_manifold *held, struct solid_manifold *manifold)
{
    struct solid_point points[SOLIDS_CLIPPED_MAX];
    int count = solids_clip(a, b, margin, held, manifold, points);
    keep_four(points, count, held, manifold);
}
