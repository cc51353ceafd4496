/* What is exposed of a face, in the plainest way: each shadow is the hull of the box's corners in
 * front of the face's plane and of its edges' cuts with that plane, and is cut out of all pieces
 * along all its sides. It shares nothing with exposure_find(), which knows a shadow's outline and
 * keeps what is hidden. */
#ifndef TESTS_EXPOSURE_REFERENCE_H
#define TESTS_EXPOSURE_REFERENCE_H

#include "simulator/links/exposure.h"

struct reference_face {
    struct vec3 normal, middle, s, t;
    double half_s, half_t;
};

static inline double reference_side(struct exposure_corner a, struct exposure_corner b,
                                    struct exposure_corner c)
{
    return (b.s - a.s) * (c.t - a.t) - (b.t - a.t) * (c.s - a.s);
}

static inline int reference_apart(struct exposure_corner a, struct exposure_corner b, double least)
{
    return fabs(a.s - b.s) + fabs(a.t - b.t) > least;
}

/* The corners in their order, the first again at the end. */
static inline int reference_hull(struct exposure_corner *points, int count, double least,
                                 struct exposure_corner *hull)
{
    int size = 0, corners = 0;
    for (int i = 1; i < count; i++)
        for (int j = i;
             j > 0 && (points[j].s < points[j - 1].s ||
                       (points[j].s == points[j - 1].s && points[j].t < points[j - 1].t));
             j--) {
            struct exposure_corner held = points[j];
            points[j] = points[j - 1];
            points[j - 1] = held;
        }
    for (int pass = 0, kept = 2; pass < 2; pass++, kept = size + 1)
        for (int k = pass; k < count; k++) {
            struct exposure_corner p = points[pass ? count - 1 - k : k];
            while (size >= kept && reference_side(hull[size - 2], hull[size - 1], p) <= 0)
                size--;
            hull[size++] = p;
        }
    for (int i = 0; i < size - 1; i++)
        if (i == 0 || (reference_apart(hull[i], hull[corners - 1], least) &&
                       reference_apart(hull[i], hull[0], least)))
            hull[corners++] = hull[i];
    hull[corners] = hull[0];
    return corners;
}

static inline int reference_shadow(const struct reference_face *f, const struct solid *other,
                                   struct exposure_corner *shadow)
{
    struct exposure_corner points[20], at[8];
    double height[8];
    int count = 0;
    for (int i = 0; i < 8; i++) {
        struct vec3 from = vec3_sub(solids_corner(other, i), f->middle);
        height[i] = vec3_dot(from, f->normal);
        at[i] = (struct exposure_corner){vec3_dot(from, f->s), vec3_dot(from, f->t)};
        if (height[i] >= 0)
            points[count++] = at[i];
    }
    for (int i = 0; i < 8; i++)
        for (int bit = 1; bit < 8; bit *= 2) {
            int j = i | bit;
            if (i == j || (height[i] >= 0) == (height[j] >= 0))
                continue;
            double share = height[i] / (height[i] - height[j]);
            points[count++] = (struct exposure_corner){at[i].s + share * (at[j].s - at[i].s),
                                                       at[i].t + share * (at[j].t - at[i].t)};
        }
    double size = other->half[0] + other->half[1] + other->half[2];
    return count < 3 ? 0 : reference_hull(points, count, 1e-8 * size, shadow);
}

static inline void reference_put(struct exposure_piece *p, double s, double t)
{
    if (p->count < EXPOSURE_CORNERS_MAX)
        p->corners[p->count++] = (struct exposure_corner){s, t};
}

static inline void reference_split(const struct exposure_piece *piece, struct exposure_corner a,
                                   struct exposure_corner b, struct exposure_piece *left,
                                   struct exposure_piece *right)
{
    left->count = right->count = 0;
    for (int i = 0; i < piece->count; i++) {
        struct exposure_corner p = piece->corners[i], q = piece->corners[(i + 1) % piece->count];
        double at_p = reference_side(a, b, p), at_q = reference_side(a, b, q);
        if (at_p >= 0)
            reference_put(left, p.s, p.t);
        if (at_p <= 0)
            reference_put(right, p.s, p.t);
        if ((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) {
            double share = at_p / (at_p - at_q);
            double s = p.s + share * (q.s - p.s), t = p.t + share * (q.t - p.t);
            reference_put(left, s, t);
            reference_put(right, s, t);
        }
    }
}

/* A piece of which nothing is hidden stays whole. */
static inline int reference_cut(const struct exposure_piece *piece,
                                const struct exposure_corner *shadow, int corners, double least,
                                struct exposure_piece *pieces, int room)
{
    struct exposure_piece left, right, rest = *piece;
    int count = 0;
    for (int i = 0; i < corners; i++) {
        reference_split(&rest, shadow[i], shadow[i + 1], &left, &right);
        if (exposure_area(&right) > least && count < room)
            pieces[count++] = right;
        rest = left;
        if (!(exposure_area(&rest) > least)) {
            pieces[0] = *piece;
            return 1;
        }
    }
    return count;
}

/* 1 if a box is in front of a face. */
static inline int reference_is_front(const struct reference_face *f, const struct solid *other)
{
    struct vec3 from = vec3_sub(other->centre, f->middle);
    return vec3_dot(from, f->normal) + solids_reach(other, f->normal) > 1e-9 &&
           fabs(vec3_dot(from, f->s)) - solids_reach(other, f->s) < f->half_s &&
           fabs(vec3_dot(from, f->t)) - solids_reach(other, f->t) < f->half_t;
}

static inline int exposure_reference(const struct solid *solids, int solid_count, int box,
                                     int index, struct exposure_piece *pieces)
{
    const struct solid *a = &solids[box];
    int k = index / 2, k1 = (k + 1) % 3, k2 = (k + 2) % 3, count = 1;
    struct reference_face f = {.s = a->axes[k1], .t = a->axes[k2]};
    struct exposure_corner shadow[21];
    f.normal = index % 2 ? a->axes[k] : vec3_negated(a->axes[k]);
    f.middle = vec3_along(a->centre, f.normal, a->half[k]);
    double u = f.half_s = a->half[k1], v = f.half_t = a->half[k2], least = 1e-12 * 4 * u * v;
    pieces[0] = (struct exposure_piece){4, {{-u, -v}, {u, -v}, {u, v}, {-u, v}}};
    for (int i = 0; i < solid_count; i++) {
        struct exposure_piece next[EXPOSURE_PIECES_MAX];
        int left = 0;
        int corners = i == box || !reference_is_front(&f, &solids[i])
                          ? 0
                          : reference_shadow(&f, &solids[i], shadow);
        if (corners < 3)
            continue;
        for (int n = 0; n < count && left < EXPOSURE_PIECES_MAX; n++)
            left += reference_cut(&pieces[n], shadow, corners, least, next + left,
                                  EXPOSURE_PIECES_MAX - left);
        count = left;
        for (int n = 0; n < count; n++)
            pieces[n] = next[n];
    }
    return count;
}

#endif
