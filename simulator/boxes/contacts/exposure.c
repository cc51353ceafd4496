/* See exposure.h. Each shadow is cut out of the pieces that are left: along its sides one after the other, what
 * lies beyond a side is a piece, what remains within all sides is hidden. */
#include "simulator/boxes/contacts/exposure.h"

/* A box hides a face only if it reaches farther in front of it than this, m: flush faces stay exposed. */
#define FRONT_M 1e-9
/* Smaller pieces are dropped, as a share of the face. */
#define AREA_MIN 1e-12
/* What is clear by these, in m and as a share of the lengths, needs no cut: they are far above rounding, so
 * that the pieces are bit for bit those of the cuts. */
#define CLEAR_M     1e-7
#define CLEAR_SHARE 1e-12

enum { SHADOW_MAX = 20 };

/* A face: its box, axes across, and its middle. */
struct face {
    const struct solid *solid;
    struct vec3 normal, middle, s, t;
    double half_s, half_t;
};

static void set_face(struct face *f, const struct solid *solid, int index)
{
    int k = index / 2, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    f->solid = solid;
    f->normal = index % 2 ? solid->axes[k] : vec3_negated(solid->axes[k]);
    f->middle = vec3_along(solid->centre, f->normal, solid->half[k]);
    f->s = solid->axes[k1];
    f->t = solid->axes[k2];
    f->half_s = solid->half[k1];
    f->half_t = solid->half[k2];
}

double exposure_area(const struct exposure_piece *p)
{
    double sum = 0;
    for (int i = 2; i < p->count; i++) {
        const struct exposure_corner *a = &p->corners[0], *b = &p->corners[i - 1],
                                     *c = &p->corners[i];
        sum += (b->s - a->s) * (c->t - a->t) - (c->s - a->s) * (b->t - a->t);
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

/* Andrew's monotone chain (1979): lower hull, then upper; counter-clockwise. The first corner
 * stands again after the last. */
static int make_hull(struct exposure_corner *points, int count, struct exposure_corner *hull)
{
    int size = 0;
    sort(points, count);
    for (int pass = 0, kept = 2; pass < 2; pass++, kept = size + 1) {
        for (int k = pass; k < count; k++) {
            const struct exposure_corner *p = &points[pass ? count - 1 - k : k];
            while (size >= kept && side_of(&hull[size - 2], &hull[size - 1], p) <= 0)
                size--;
            hull[size++] = *p;
        }
    }
    return size - 1;
}

static struct exposure_corner on_face(const struct face *f, struct vec3 at)
{
    struct vec3 from = vec3_sub(at, f->middle);
    return (struct exposure_corner){vec3_dot(from, f->s), vec3_dot(from, f->t)};
}

/* 1 if a box may throw a shadow on a face. */
static int is_in_front(const struct face *f, const struct solid *other)
{
    struct vec3 from = vec3_sub(other->centre, f->middle);
    return vec3_dot(from, f->normal) + solids_reach(other, f->normal) > FRONT_M &&
           fabs(vec3_dot(from, f->s)) - solids_reach(other, f->s) < f->half_s &&
           fabs(vec3_dot(from, f->t)) - solids_reach(other, f->t) < f->half_t;
}

/* 1 if a plane along a side of a box clearly parts it from all rays of a face. */
static int is_clear(const struct face *f, const struct solid *other)
{
    struct vec3 from = vec3_sub(f->middle, other->centre);
    for (int k = 0; k < 3; k++) {
        struct vec3 axis = other->axes[k];
        double at = vec3_dot(from, axis);
        double ahead = vec3_dot(f->normal, axis) < 0 ? -at : at;
        if (ahead > other->half[k] + f->half_s * fabs(vec3_dot(f->s, axis)) +
                        f->half_t * fabs(vec3_dot(f->t, axis)) + CLEAR_M)
            return 1;
    }
    return 0;
}

/* Bit for bit those of solids_corner(), with fewer additions. */
static void find_corners(const struct solid *solid, struct vec3 corners[8])
{
    corners[0] = solid->centre;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 1 << k; i++) {
            corners[i | 1 << k] = vec3_along(corners[i], solid->axes[k], solid->half[k]);
            corners[i] = vec3_along(corners[i], solid->axes[k], -solid->half[k]);
        }
}

/* The corners of a box's shadow, counter-clockwise, and the first again; fewer than three: no shadow. */
static int find_shadow(const struct face *f, const struct solid *other,
                       struct exposure_corner *shadow)
{
    struct exposure_corner points[SHADOW_MAX], at[8];
    struct vec3 corners[8];
    double height[8];
    int count = 0;
    find_corners(other, corners);
    for (int i = 0; i < 8; i++) {
        height[i] = vec3_dot(vec3_sub(corners[i], f->middle), f->normal);
        at[i] = on_face(f, corners[i]);
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
    return count < 3 ? 0 : make_hull(points, count, shadow);
}

/* ---------------------------------------------------------------- pieces */

static void put_corner(struct exposure_piece *p, double s, double t)
{
    if (p->count < EXPOSURE_CORNERS_MAX)
        p->corners[p->count++] = (struct exposure_corner){s, t};
}

/* Parts a piece along the line from a to b: into what lies left of the line, and the rest. */
static void split(const struct exposure_piece *piece, const struct exposure_corner *a,
                  const struct exposure_corner *b, struct exposure_piece *left,
                  struct exposure_piece *right)
{
    left->count = right->count = 0;
    for (int i = 0; i < piece->count; i++) {
        const struct exposure_corner *p = &piece->corners[i];
        const struct exposure_corner *q = &piece->corners[i + 1 < piece->count ? i + 1 : 0];
        double at_p = side_of(a, b, p), at_q = side_of(a, b, q);
        if (at_p >= 0)
            put_corner(left, p->s, p->t);
        if (at_p <= 0)
            put_corner(right, p->s, p->t);
        if ((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) {
            double share = at_p / (at_p - at_q);
            double s = p->s + share * (q->s - p->s), t = p->t + share * (q->t - p->t);
            put_corner(left, s, t);
            put_corner(right, s, t);
        }
    }
}

/* 1: a piece is clearly left of the line from a to b, -1: clearly right of it, 0: the line may cut it. */
static int clear_side(const struct exposure_piece *piece, const struct exposure_corner *a,
                      const struct exposure_corner *b, double reach)
{
    double length = fabs(b->s - a->s) + fabs(b->t - a->t);
    double clear = CLEAR_SHARE * length * (fabs(a->s) + fabs(a->t) + reach);
    int is_left = 1, is_right = 1;
    for (int i = 0; i < piece->count && (is_left || is_right); i++) {
        double at = side_of(a, b, &piece->corners[i]);
        is_left &= at > clear;
        is_right &= at < -clear;
    }
    return is_left - is_right;
}

static void copy_piece(struct exposure_piece *to, const struct exposure_piece *from)
{
    to->count = from->count;
    for (int i = 0; i < from->count; i++)
        to->corners[i] = from->corners[i];
}

/* Cuts a shadow out of a piece; returns the number of pieces that are left of it, at most `room`. A piece that
 * the shadow does not touch stays whole. No point of the piece is farther than `reach` from the middle in s and t
 * together. */
static int cut_out(const struct exposure_piece *piece, const struct exposure_corner *shadow,
                   int corners, double least, double reach, struct exposure_piece *pieces, int room)
{
    struct exposure_piece lefts[2], spare;
    const struct exposure_piece *rest = piece;
    int count = 0, is_cut[SHADOW_MAX + 1], cuts = 0, is_apart = 0;
    for (int i = 0; i < corners && !is_apart; i++) {
        int side = clear_side(piece, &shadow[i], &shadow[i + 1], reach);
        is_cut[i] = side == 0;
        is_apart = side < 0;
    }
    for (int i = 0; i < corners && !is_apart; i++) {
        struct exposure_piece *left = &lefts[cuts % 2];
        struct exposure_piece *right = count < room ? &pieces[count] : &spare;
        if (!is_cut[i])
            continue;
        split(rest, &shadow[i], &shadow[i + 1], left, right);
        count += exposure_area(right) > least && count < room;
        rest = left;
        cuts++;
        is_apart = !(exposure_area(rest) > least);
    }
    if (!is_apart)
        return count;
    copy_piece(&pieces[0], piece);
    return 1;
}

int exposure_find(const struct solid *solids, int solid_count, int box, int index,
                  struct exposure_piece pieces[EXPOSURE_PIECES_MAX])
{
    struct face f;
    struct exposure_piece others[EXPOSURE_PIECES_MAX];
    struct exposure_corner shadow[SHADOW_MAX + 1];
    int count = 1;
    set_face(&f, &solids[box], index);
    double u = f.half_s, v = f.half_t, least = AREA_MIN * 4 * u * v;
    pieces[0] = (struct exposure_piece){4, {{-u, -v}, {u, -v}, {u, v}, {-u, v}}};
    for (int i = 0; i < solid_count && count > 0; i++) {
        if (i == box || !is_in_front(&f, &solids[i]) || is_clear(&f, &solids[i]))
            continue;
        int corners = find_shadow(&f, &solids[i], shadow), left = 0;
        if (corners < 3)
            continue;
        for (int k = 0; k < count && left < EXPOSURE_PIECES_MAX; k++)
            left += cut_out(&pieces[k], shadow, corners, least, u + v, others + left,
                            EXPOSURE_PIECES_MAX - left);
        count = left;
        for (int k = 0; k < count; k++)
            copy_piece(&pieces[k], &others[k]);
    }
    return count;
}
