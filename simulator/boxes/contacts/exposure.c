/* See exposure.h. Each shadow is cut out of the pieces that are left: along its sides one after the other, what
 * lies beyond a side is a piece, what remains within all sides is hidden. */
#include "simulator/boxes/contacts/exposure.h"

#include <string.h>

/* A box hides a face only if it reaches farther in front of it than this, m: flush faces stay exposed. */
#define FRONT_M 1e-9
/* Smaller pieces are dropped, as a share of the face. */
#define AREA_MIN 1e-12
/* Corners of a shadow that are nearer to one another, by its size, are one: rounding would point a side between them any
 * way, and what lies beyond a side is exposed. Boxes at right angles have all their corners twice. */
#define DOUBLE_SHARE 1e-8
/* What is clear by these, in m and as a share of the lengths, needs no look: they are far above rounding, so
 * that the pieces are bit for bit those of all cuts. */
#define CLEAR_M     1e-7
#define CLEAR_SHARE 1e-12

enum { SHADOW_MAX = 20 };

/* A face: its axes across, and its middle. */
struct face {
    struct vec3 normal, middle, s, t;
    double half_s, half_t;
};

static void set_face(struct face *f, const struct solid *solid, int index)
{
    int k = index / 2, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    f->normal = index % 2 ? solid->axes[k] : vec3_negated(solid->axes[k]);
    f->middle = vec3_along(solid->centre, f->normal, solid->half[k]);
    f->s = solid->axes[k1];
    f->t = solid->axes[k2];
    f->half_s = solid->half[k1];
    f->half_t = solid->half[k2];
}

double exposure_area(const struct exposure_piece *p)
{
    const struct exposure_corner *a = &p->corners[0];
    double sum = 0, last_s = 0, last_t = 0;
    for (int i = 1; i < p->count; i++) {
        double s = p->corners[i].s - a->s, t = p->corners[i].t - a->t;
        sum += last_s * t - s * last_t;
        last_s = s;
        last_t = t;
    }
    return sum / 2;
}

/* ---------------------------------------------------------------- shadows */

/* Positive where c is left of the way from a to b. */
static double side_of(const struct exposure_corner *a, const struct exposure_corner *b,
                      const struct exposure_corner *c)
{
    return (b->s - a->s) * (c->t - a->t) - (b->t - a->t) * (c->s - a->s);
}

static int is_before(const struct exposure_corner *a, const struct exposure_corner *b)
{
    return a->s < b->s || (a->s == b->s && a->t < b->t);
}

static void sort(struct exposure_corner *points, int count)
{
    for (int i = 1; i < count; i++) {
        struct exposure_corner held = points[i];
        int j = i;
        for (; j > 0 && is_before(&held, &points[j - 1]); j--)
            points[j] = points[j - 1];
        points[j] = held;
    }
}

static int are_apart(const struct exposure_corner *a, const struct exposure_corner *b, double least)
{
    return fabs(a->s - b->s) + fabs(a->t - b->t) > least;
}

/* Andrew's monotone chain (1979): lower hull, then upper; counter-clockwise. Corners are at least `least` apart, and the
 * first stands again after the last. */
static int make_hull(struct exposure_corner *points, int count, double least,
                     struct exposure_corner *hull)
{
    int size = 0, corners = 0;
    sort(points, count);
    for (int pass = 0, kept = 2; pass < 2; pass++, kept = size + 1) {
        for (int k = pass; k < count; k++) {
            const struct exposure_corner *p = &points[pass ? count - 1 - k : k];
            while (size >= kept && side_of(&hull[size - 2], &hull[size - 1], p) <= 0)
                size--;
            hull[size++] = *p;
        }
    }
    for (int i = 0; i < size - 1; i++)
        if (corners == 0 || (are_apart(&hull[i], &hull[corners - 1], least) &&
                             are_apart(&hull[i], &hull[0], least)))
            hull[corners++] = hull[i];
    hull[corners] = hull[0];
    return corners;
}

/* 1 if a box may throw a shadow on a face. */
static int is_in_front(const struct face *f, const struct solid *other)
{
    struct vec3 from = vec3_sub(other->centre, f->middle);
    return vec3_dot(from, f->normal) + solids_reach(other, f->normal) > FRONT_M &&
           fabs(vec3_dot(from, f->s)) - solids_reach(other, f->s) < f->half_s &&
           fabs(vec3_dot(from, f->t)) - solids_reach(other, f->t) < f->half_t;
}

/* 1 if a plane along a side of b clearly parts it from all rays of face k of a, on the side of `sign`. */
static int is_clear(const struct solids_pair *p, int k, double sign)
{
    const double *half = p->a->half;
    int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    for (int j = 0; j < 3; j++) {
        double at = sign * half[k] * p->c[k][j] - p->by_b[j];
        double ahead = sign * p->c[k][j] < 0 ? -at : at;
        if (ahead >
            p->b->half[j] + half[k1] * fabs(p->c[k1][j]) + half[k2] * fabs(p->c[k2][j]) + CLEAR_M)
            return 1;
    }
    return 0;
}

/* Faces of a, a bit each, on which b may throw a shadow: of the others it clearly does not. */
static int shaded_faces(const struct solid *a, const struct solid *b)
{
    struct solids_pair p;
    int faces = 0;
    solids_pair_set(&p, a, b);
    for (int k = 0; k < 3; k++) {
        double reach = fabs(p.by_a[k]) - a->half[k] - p.separation[k];
        if (p.separation[(k + 1) % 3] > CLEAR_M || p.separation[(k + 2) % 3] > CLEAR_M)
            continue;
        for (int end = 0; end < 2; end++) {
            double sign = end ? 1 : -1;
            if (sign * p.by_a[k] - a->half[k] + reach > FRONT_M / 2 && !is_clear(&p, k, sign))
                faces |= 1 << (2 * k + end);
        }
    }
    return faces;
}

void exposure_screen(const struct solid *solids, int count, int box, int *shaded)
{
    for (int i = 0; i < count; i++)
        shaded[i] = i == box ? 0 : shaded_faces(&solids[box], &solids[i]);
}

/* The corners of a box as a face sees them: before it, and along its axes. */
struct view {
    double height[8], s[8], t[8];
};

/* Bit for bit with solids_corner(). All corners at once, as compilers make vectors of that. */
static void view_corners(const struct face *f, const struct solid *other, struct view *v)
{
    static const double end[3][8] = {
        {-1, 1, -1, 1, -1, 1, -1, 1}, {-1, -1, 1, 1, -1, -1, 1, 1}, {-1, -1, -1, -1, 1, 1, 1, 1}};
    struct vec3 centre = other->centre, a = vec3_scale(other->axes[0], other->half[0]);
    struct vec3 b = vec3_scale(other->axes[1], other->half[1]);
    struct vec3 c = vec3_scale(other->axes[2], other->half[2]);
    for (int i = 0; i < 8; i++) {
        double ea = end[0][i], eb = end[1][i], ec = end[2][i];
        struct vec3 from = {centre.x + ea * a.x + eb * b.x + ec * c.x - f->middle.x,
                            centre.y + ea * a.y + eb * b.y + ec * c.y - f->middle.y,
                            centre.z + ea * a.z + eb * b.z + ec * c.z - f->middle.z};
        v->height[i] = vec3_dot(from, f->normal);
        v->s[i] = vec3_dot(from, f->s);
        v->t[i] = vec3_dot(from, f->t);
    }
}

/* The corners of a box's shadow, counter-clockwise, and the first again; fewer than three: no shadow. */
static int find_shadow(const struct face *f, const struct solid *other,
                       struct exposure_corner *shadow)
{
    static const char edges[12][2] = {{0, 1}, {0, 2}, {0, 4}, {1, 3}, {1, 5}, {2, 3},
                                      {2, 6}, {3, 7}, {4, 5}, {4, 6}, {5, 7}, {6, 7}};
    struct exposure_corner points[SHADOW_MAX];
    struct view v;
    int count = 0, is_front[8];
    view_corners(f, other, &v);
    for (int i = 0; i < 8; i++) {
        is_front[i] = v.height[i] >= 0;
        if (is_front[i])
            points[count++] = (struct exposure_corner){v.s[i], v.t[i]};
    }
    for (int k = 0; k < 12; k++) {
        int i = edges[k][0], j = edges[k][1];
        if (is_front[i] == is_front[j])
            continue;
        double share = v.height[i] / (v.height[i] - v.height[j]);
        points[count++] = (struct exposure_corner){v.s[i] + share * (v.s[j] - v.s[i]),
                                                   v.t[i] + share * (v.t[j] - v.t[i])};
    }
    double size = other->half[0] + other->half[1] + other->half[2];
    return count < 3 ? 0 : make_hull(points, count, DOUBLE_SHARE * size, shadow);
}

/* ---------------------------------------------------------------- pieces */

/* A side of a shadow: from a corner on, the shadow to the left. What is farther from it, in units of side_at(),
 * is clearly on one side. */
struct side {
    struct exposure_corner from, along;
    double clear;
};

/* No point of the pieces is farther than `reach` from the middle in s and t together. */
static void set_sides(struct side *sides, const struct exposure_corner *shadow, int corners,
                      double reach)
{
    for (int i = 0; i < corners; i++) {
        const struct exposure_corner *a = &shadow[i], *b = &shadow[i + 1];
        struct exposure_corner along = {b->s - a->s, b->t - a->t};
        double length = fabs(along.s) + fabs(along.t);
        sides[i] =
            (struct side){*a, along, CLEAR_SHARE * length * (fabs(a->s) + fabs(a->t) + reach)};
    }
}

/* side_of() the line. */
static double side_at(const struct side *side, const struct exposure_corner *c)
{
    return side->along.s * (c->t - side->from.t) - side->along.t * (c->s - side->from.s);
}

/* Returns the number of corners. */
static int put_corner(struct exposure_piece *p, int count, double s, double t)
{
    if (count < EXPOSURE_CORNERS_MAX)
        p->corners[count++] = (struct exposure_corner){s, t};
    return count;
}

/* Parts a piece into what lies left of the line, and the rest. */
static void split(const struct exposure_piece *piece, const struct side *side,
                  struct exposure_piece *left, struct exposure_piece *right)
{
    const struct exposure_corner *first = &piece->corners[0], *end = first + piece->count;
    double at_first = side_at(side, first), at_p = at_first;
    int lefts = 0, rights = 0;
    for (const struct exposure_corner *p = first; p < end; p++) {
        const struct exposure_corner *q = p + 1 < end ? p + 1 : first;
        double at_q = p + 1 < end ? side_at(side, q) : at_first;
        if (at_p >= 0)
            lefts = put_corner(left, lefts, p->s, p->t);
        if (at_p <= 0)
            rights = put_corner(right, rights, p->s, p->t);
        if ((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) {
            double share = at_p / (at_p - at_q);
            double s = p->s + share * (q->s - p->s), t = p->t + share * (q->t - p->t);
            lefts = put_corner(left, lefts, s, t);
            rights = put_corner(right, rights, s, t);
        }
        at_p = at_q;
    }
    left->count = lefts;
    right->count = rights;
}

/* 1: a piece is clearly left of the line, -1: clearly right of it, 0: the line may cut it. */
static int clear_side(const struct exposure_piece *piece, const struct side *side)
{
    double first = side_at(side, &piece->corners[0]);
    if (fabs(first) <= side->clear)
        return 0;
    double sign = first > 0 ? 1 : -1;
    for (int i = 1; i < piece->count; i++)
        if (sign * side_at(side, &piece->corners[i]) <= side->clear)
            return 0;
    return first > 0 ? 1 : -1;
}

static void copy_piece(struct exposure_piece *to, const struct exposure_piece *from)
{
    to->count = from->count;
    for (int i = 0; i < from->count; i++)
        to->corners[i] = from->corners[i];
}

/* Cuts a shadow out of a piece; returns the number of pieces that are left of it, at most `room`. A piece that
 * the shadow does not touch stays whole. */
static int cut_out(const struct exposure_piece *piece, const struct side *sides, int side_count,
                   double least, struct exposure_piece *pieces, int room)
{
    struct exposure_piece lefts[2], spare;
    const struct exposure_piece *rest = piece;
    const struct side *cutting[SHADOW_MAX];
    int count = 0, cuts = 0, is_apart = 0;
    for (int i = 0; i < side_count && !is_apart; i++) {
        int side = clear_side(piece, &sides[i]);
        if (side == 0)
            cutting[cuts++] = &sides[i];
        is_apart = side < 0;
    }
    for (int i = 0; i < cuts && !is_apart; i++) {
        struct exposure_piece *left = &lefts[i % 2];
        struct exposure_piece *right = count < room ? &pieces[count] : &spare;
        split(rest, cutting[i], left, right);
        count += exposure_area(right) > least && count < room;
        rest = left;
        is_apart = !(exposure_area(rest) > least);
    }
    if (!is_apart)
        return count;
    copy_piece(&pieces[0], piece);
    return 1;
}

int exposure_find(const struct solid *solids, int solid_count, int box, int index,
                  const int *shaded, struct exposure_piece pieces[EXPOSURE_PIECES_MAX])
{
    struct face f;
    struct exposure_piece others[EXPOSURE_PIECES_MAX];
    struct exposure_corner shadow[SHADOW_MAX + 1];
    struct side sides[SHADOW_MAX];
    int count = 1;
    set_face(&f, &solids[box], index);
    double u = f.half_s, v = f.half_t, least = AREA_MIN * 4 * u * v;
    const struct exposure_corner whole[4] = {{-u, -v}, {u, -v}, {u, v}, {-u, v}};
    pieces[0].count = 4;
    memcpy(pieces[0].corners, whole, sizeof whole);
    for (int i = 0; i < solid_count && count > 0; i++) {
        if (i == box || !(shaded[i] >> index & 1) || !is_in_front(&f, &solids[i]))
            continue;
        int corners = find_shadow(&f, &solids[i], shadow), left = 0;
        if (corners < 3)
            continue;
        set_sides(sides, shadow, corners, u + v);
        for (int k = 0; k < count && left < EXPOSURE_PIECES_MAX; k++)
            left += cut_out(&pieces[k], sides, corners, least, others + left,
                            EXPOSURE_PIECES_MAX - left);
        count = left;
        for (int k = 0; k < count; k++)
            copy_piece(&pieces[k], &others[k]);
    }
    return count;
}
