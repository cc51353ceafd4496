/* See exposure.h. Everything is seen from the face: s and t along it, h in front of its plane.
 *
 * The shadow of a box is known without a search. Let its half sides e1, e2, e3 be turned so that
 * each leads away from the plane, and be numbered counter-clockwise. Seen along the normal its
 * outline is a hexagon, with corners
 *
 *   + - -,  + + -,  - + -,  - + +,  - - +,  + - +      (signs of e1, e2, e3 from its centre)
 *
 * around the corner + + + that is farthest from the plane. Where a box passes through the plane,
 * the part behind it is cut off: at the sides of the hexagon that pass through it, and at the edges
 * from + + + to those corners with two + that are behind it. */
#include "simulator/links/exposure.h"

#include <math.h>

#include "common/math/pair.h"

/* A box hides a face only if it reaches farther in front of it than this, m: flush faces stay
 * exposed. */
#define FRONT_M 1e-9
/* Smaller pieces are dropped, as a share of the face. */
#define AREA_MIN 1e-12
/* Corners of a shadow that are nearer to one another, by its size, are one: rounding would point a
 * side between them any way, and points beyond a side are exposed. Boxes at right angles have all
 * their corners twice. */
#define DOUBLE_SHARE 1e-8

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

/* ---------------------------------------------------------------- shadows of boxes on faces */

/* 1 if a plane along a side of b parts it from all rays of face k of a, on the side of `sign`. */
static int is_parted(const struct solids_pair *p, int k, double sign)
{
    const double *half = p->a->half;
    int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    for (int j = 0; j < 3; j++) {
        double at = sign * half[k] * p->c[k][j] - p->by_b[j];
        double ahead = sign * p->c[k][j] < 0 ? -at : at;
        if (ahead >= p->b->half[j] + half[k1] * fabs(p->c[k1][j]) + half[k2] * fabs(p->c[k2][j]))
            return 1;
    }
    return 0;
}

/* Which of the faces across axis k are shaded. */
static inline int shaded_across(const struct solids_pair *p, int k)
{
    double reach = fabs(p->by_a[k]) - p->a->half[k] - p->separation[k];
    int faces = 0;
    if ((p->separation[(k + 1) % 3] >= 0) | (p->separation[(k + 2) % 3] >= 0))
        return 0;
    for (int end = 0; end < 2; end++) {
        double sign = end ? 1 : -1;
        if (sign * p->by_a[k] - p->a->half[k] + reach > FRONT_M && !is_parted(p, k, sign))
            faces |= 1 << (2 * k + end);
    }
    return faces;
}

void exposure_screen(const struct solid *solids, int count, int box, struct exposure_other *others)
{
    for (int i = 0; i < count; i++) {
        others[i].faces = 0;
        if (i == box)
            continue;
        const struct solids_pair *p = &others[i].pair;
        solids_pair_set(&others[i].pair, &solids[box], &solids[i]);
        others[i].faces = shaded_across(p, 0) | shaded_across(p, 1) | shaded_across(p, 2);
    }
}

/* ---------------------------------------------------------------- shadows */

/* s and t, side by side, and h. */
struct point {
    pair at;
    double h;
};

static inline struct point point_add(struct point a, struct point b)
{
    return (struct point){a.at + b.at, a.h + b.h};
}

static inline struct point point_sub(struct point a, struct point b)
{
    return (struct point){a.at - b.at, a.h - b.h};
}

static inline pair corner_pair(const struct exposure_corner *c)
{
    return PAIR(&c->s, 0);
}

static inline int are_apart(pair a, pair b, double least)
{
    return pair_sum(pair_absolute(a - b)) > least;
}

/* Corners that are near to the last one are left out. */
static inline void put_corner(struct exposure_shadow *o, double least, pair at)
{
    if (o->count == 0 || are_apart(at, corner_pair(&o->corners[o->count - 1]), least))
        PAIR(&o->corners[o->count++].s, 0) = at;
}

/* Where the way from a to b passes through the plane. */
static inline void put_cut(struct exposure_shadow *o, double least, const struct point *a,
                           const struct point *b)
{
    double share = a->h / (a->h - b->h);
    put_corner(o, least, a->at + share * (b->at - a->at));
}

/* The half sides of the pair's second box, as a face of the first one sees them, and turned and
 * numbered as above. */
static inline void turn_sides(const struct solids_pair *p, int face, struct point e[3])
{
    int k = face / 2, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    double sign = face % 2 ? 1 : -1, is_left = sign;
    struct point sides[3];
    /* - 0 counts as ahead */
    for (int j = 0; j < 3; j++) {
        double ahead = sign * p->c[k][j] + 0.0, half = copysign(p->b->half[j], ahead);
        sides[j] = (struct point){half * (pair){p->c[k1][j], p->c[k2][j]}, half * ahead};
        is_left *= copysign(1, ahead);
    }
    e[0] = sides[0];
    e[1] = sides[is_left > 0 ? 1 : 2];
    e[2] = sides[is_left > 0 ? 2 : 1];
}

/* The six corners of the hexagon, and the seventh, + + +. */
static inline void find_corners(const struct solids_pair *p, int face, struct point at[7])
{
    int k = face / 2, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    double ahead = face % 2 ? p->by_a[k] : -p->by_a[k];
    struct point e[3], centre = {{p->by_a[k1], p->by_a[k2]}, ahead - p->a->half[k]};
    turn_sides(p, face, e);
    struct point plus = point_add(centre, e[0]), minus = point_sub(centre, e[0]);
    struct point plus_plus = point_add(plus, e[1]), plus_minus = point_sub(plus, e[1]);
    struct point minus_plus = point_add(minus, e[1]), minus_minus = point_sub(minus, e[1]);
    at[0] = point_sub(plus_minus, e[2]);
    at[1] = point_sub(plus_plus, e[2]);
    at[2] = point_sub(minus_plus, e[2]);
    at[3] = point_add(minus_plus, e[2]);
    at[4] = point_add(minus_minus, e[2]);
    at[5] = point_add(plus_minus, e[2]);
    at[6] = point_add(plus_plus, e[2]);
}

static void find_shadow(const struct solids_pair *p, int face, struct exposure_shadow *o)
{
    const double *half = p->b->half, least = DOUBLE_SHARE * (half[0] + half[1] + half[2]);
    struct point at[7];
    find_corners(p, face, at);
    o->count = 0;
    int is_a_ahead = at[0].h >= 0;
    for (int i = 0; i < 6; i++) {
        const struct point *a = &at[i], *b = &at[i < 5 ? i + 1 : 0];
        int is_b_ahead = b->h >= 0;
        if (is_a_ahead)
            put_corner(o, least, a->at);
        else if (i % 2)
            put_cut(o, least, &at[6], a);
        if (is_a_ahead != is_b_ahead)
            put_cut(o, least, a, b);
        is_a_ahead = is_b_ahead;
    }
    pair first = corner_pair(&o->corners[0]), low = first, high = first;
    while (o->count > 1 && !are_apart(corner_pair(&o->corners[o->count - 1]), first, least))
        o->count--;
    for (int i = 1; i < o->count; i++) {
        low = pair_lesser(corner_pair(&o->corners[i]), low);
        high = pair_greater(corner_pair(&o->corners[i]), high);
    }
    PAIR(&o->low.s, 0) = low;
    PAIR(&o->high.s, 0) = high;
}

/* ---------------------------------------------------------------- pieces */

static inline void put(struct exposure_piece *p, double s, double t)
{
    if (p->count < EXPOSURE_CORNERS_MAX)
        p->corners[p->count++] = (struct exposure_corner){s, t};
}

static inline void copy_piece(struct exposure_piece *to, const struct exposure_piece *from)
{
    to->count = from->count;
    for (int i = 0; i < from->count; i++)
        to->corners[i] = from->corners[i];
}

/* A polygon that is cut, and where it is put when it is cut next. */
struct clipped {
    const struct exposure_corner *corners;
    int count, room;
    struct exposure_corner rooms[2][EXPOSURE_CORNERS_MAX];
};

/* Keeps what is within side x s <= limit, or side x t <= limit. Which corners are cannot be
 * foretold: a jump would cost more than the corner that is written and not counted. */
static inline __attribute__((always_inline)) void cut_off(struct clipped *c, int is_t, double side,
                                                          double limit)
{
    struct exposure_corner *to = c->rooms[c->room];
    pair p = corner_pair(&c->corners[c->count - 1]);
    double at_p = limit - side * p[is_t], on = side * limit;
    int left = 0, is_p_within = at_p >= 0;
    for (int i = 0; i < c->count && left < EXPOSURE_CORNERS_MAX - 1; i++) {
        pair q = corner_pair(&c->corners[i]);
        double at_q = limit - side * q[is_t], share = at_p / (at_p - at_q);
        pair cut = p + share * (q - p);
        int is_q_within = at_q >= 0;
        PAIR(&to[left].s, 0) = is_t ? (pair){cut[0], on} : (pair){on, cut[1]};
        left += is_p_within != is_q_within;
        PAIR(&to[left].s, 0) = q;
        left += is_q_within;
        p = q;
        at_p = at_q;
        is_p_within = is_q_within;
    }
    c->corners = to;
    c->count = left;
    c->room = !c->room;
}

/* A shadow, clipped to a face of 2 u x 2 v. */
static void clip_to_face(const struct exposure_shadow *shadow, double u, double v,
                         struct exposure_piece *piece)
{
    struct clipped c;
    c.corners = shadow->corners;
    c.count = shadow->count;
    c.room = 0;
    if (shadow->high.s > u && c.count > 0)
        cut_off(&c, 0, 1, u);
    if (shadow->low.s < -u && c.count > 0)
        cut_off(&c, 0, -1, u);
    if (shadow->high.t > v && c.count > 0)
        cut_off(&c, 1, 1, v);
    if (shadow->low.t < -v && c.count > 0)
        cut_off(&c, 1, -1, v);
    piece->count = c.count;
    for (int i = 0; i < c.count; i++)
        piece->corners[i] = c.corners[i];
}

/* A side of a shadow: from a corner on, the shadow to the left. */
struct side {
    struct exposure_corner from, along;
};

static inline struct side side_of(const struct exposure_shadow *o, int i)
{
    const struct exposure_corner *a = &o->corners[i],
                                 *b = &o->corners[i + 1 < o->count ? i + 1 : 0];
    return (struct side){*a, {b->s - a->s, b->t - a->t}};
}

/* Positive left of the line. */
static inline double side_at(const struct side *side, const struct exposure_corner *c)
{
    return side->along.s * (c->t - side->from.t) - side->along.t * (c->s - side->from.s);
}

/* Parts a piece into what lies left of the line, and the rest. */
static void split(const struct exposure_piece *piece, const struct side *side,
                  struct exposure_piece *left, struct exposure_piece *right)
{
    double at_first = side_at(side, &piece->corners[0]), at_p = at_first;
    left->count = right->count = 0;
    for (int i = 0; i < piece->count; i++) {
        const struct exposure_corner *p = &piece->corners[i];
        const struct exposure_corner *q = &piece->corners[i + 1 < piece->count ? i + 1 : 0];
        double at_q = i + 1 < piece->count ? side_at(side, q) : at_first;
        if (at_p >= 0)
            put(left, p->s, p->t);
        if (at_p <= 0)
            put(right, p->s, p->t);
        if ((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) {
            double share = at_p / (at_p - at_q);
            double s = p->s + share * (q->s - p->s), t = p->t + share * (q->t - p->t);
            put(left, s, t);
            put(right, s, t);
        }
        at_p = at_q;
    }
}

/* 1 if the rectangles around a piece and a shadow share nothing. */
static inline int are_apart_by_bounds(const struct exposure_piece *piece,
                                      const struct exposure_shadow *shadow)
{
    pair low = corner_pair(&shadow->low), high = corner_pair(&shadow->high);
    pair_bits are_below = ~(pair_bits){0}, are_above = are_below;
    for (int i = 0; i < piece->count; i++) {
        pair corner = corner_pair(&piece->corners[i]);
        are_below &= pair_is_at_most(corner, low);
        are_above &= pair_is_at_most(high, corner);
    }
    return pair_mask(are_below | are_above) != 0;
}

/* Lists the sides of a shadow that cut a piece; returns their number, or -1 if one of the sides has
 * all of the piece beyond it. */
static int find_cutting(const struct exposure_piece *piece, const struct exposure_shadow *shadow,
                        struct side cutting[EXPOSURE_SIDES_MAX])
{
    pair s[EXPOSURE_CORNERS_MAX / 2], t[EXPOSURE_CORNERS_MAX / 2];
    int count = 0, pairs = (piece->count + 1) / 2;
    if (are_apart_by_bounds(piece, shadow))
        return -1;
    /* the last corner may count twice */
    for (int k = 0; k < pairs; k++) {
        const struct exposure_corner *c = &piece->corners[2 * k];
        const struct exposure_corner *next = 2 * k + 1 < piece->count ? c + 1 : c;
        s[k] = (pair){c->s, next->s};
        t[k] = (pair){c->t, next->t};
    }
    for (int i = 0; i < shadow->count; i++) {
        struct side side = side_of(shadow, i);
        pair_bits lefts = {0, 0}, rights = {0, 0};
        for (int k = 0; k < pairs; k++) {
            pair at = side.along.s * (t[k] - side.from.t) - side.along.t * (s[k] - side.from.s);
            lefts |= pair_is_less((pair){0, 0}, at);
            rights |= pair_is_less(at, (pair){0, 0});
        }
        if (pair_mask(rights) == 0)
            continue;
        if (pair_mask(lefts) == 0)
            return -1;
        cutting[count++] = side;
    }
    return count;
}

/* Cuts a shadow out of a list of pieces, from the last one on: the rest of one goes to the end of
 * the list, and the last one to its place. One that the shadow does not touch stays whole. Returns
 * their number; more than `room`: there was no room. */
static int cut_out(const struct exposure_shadow *shadow, double least,
                   struct exposure_piece *pieces, int found, int room)
{
    struct side cutting[EXPOSURE_SIDES_MAX];
    struct exposure_piece rests[2], part;
    for (int k = found - 1; k >= 0; k--) {
        int cuts = find_cutting(&pieces[k], shadow, cutting), count = found, is_outside = cuts < 0;
        if (cuts > 0)
            copy_piece(&rests[0], &pieces[k]);
        for (int i = 0; i < cuts && !is_outside; i++) {
            split(&rests[i % 2], &cutting[i], &rests[(i + 1) % 2], &part);
            is_outside = !(exposure_area(&rests[(i + 1) % 2]) > least);
            if (!(exposure_area(&part) > least))
                continue;
            if (count == room)
                return room + 1;
            copy_piece(&pieces[count++], &part);
        }
        if (is_outside)
            continue;
        found = count - 1;
        copy_piece(&pieces[k], &pieces[found]);
    }
    return found;
}

int exposure_find(const struct solid *solid, int index, struct exposure_other *others, int count,
                  struct exposure_piece pieces[EXPOSURE_PIECES_MAX])
{
    double u = solid->half[(index / 2 + 1) % 3], v = solid->half[(index / 2 + 2) % 3];
    double whole = 4 * u * v, least = AREA_MIN * whole, hidden = 0;
    int found = 0, shadows = 0;
    for (int i = 0; i < count; i++) {
        struct exposure_shadow *shadow = &others[i].shadow;
        struct exposure_piece *first = &pieces[found];
        int room = EXPOSURE_PIECES_MAX - found, more = 1;
        shadow->count = 0;
        if (!(others[i].faces >> index & 1))
            continue;
        if (room == 0)
            return EXPOSURE_ALL_HIDDEN;
        find_shadow(&others[i].pair, index, shadow);
        clip_to_face(shadow, u, v, first);
        if (shadow->count < 3 || !(exposure_area(first) > least)) {
            shadow->count = 0;
            continue;
        }
        for (int k = 0; k < i && shadows > 0 && more <= room; k++)
            if (others[k].shadow.count > 0)
                more = cut_out(&others[k].shadow, least, first, more, room);
        if (more > room)
            return EXPOSURE_ALL_HIDDEN;
        shadows++;
        for (int k = 0; k < more; k++)
            hidden += exposure_area(&first[k]);
        found += more;
        if (!(whole - hidden > least))
            return EXPOSURE_ALL_HIDDEN;
    }
    return found;
}
