/* See drag.h. Two parts are tested for shadows in both directions at once, in vectors of two. A
 * face looks into the strip in front of it; a part that reaches into the strip hides a piece of the
 * face. Most pieces end where the part ends, which takes no division. Tried and lost: to leave out
 * faces that are wholly hidden already, nearest parts first (0.3 % of a swimmer of ten parts).
 * Shadows are not kept from step to step: 58 % of the pairs of parts of evolved swimmers, and 78 %
 * of random ones, have a face that is hidden in part, and that changes in every step. */
#include "simulator/planar/steps/drag.h"

#include <math.h>

#include "common/math/detmath.h"
#include "common/error.h"
#include "common/math/pair.h"

#define PI 3.14159265358979323846
/* A part hides an edge only if it reaches farther in front of it than this, m: flush faces stay
 * exposed. */
#define FRONT_M 1e-9

/* Outward normal and direction of the faces in a part's frame, in the order of enum face. */
static const double face_x[4] = {1, 0, -1, 0}, face_y[4] = {0, 1, 0, -1};

/* ---------------------------------------------------------------- creation */

static int take_memory(struct drag *g, struct arena *arena)
{
    size_t parts = (size_t)g->part_count, links = (size_t)g->link_count, edges = 4 * parts;
    g->parts = arena_take(arena, parts, sizeof g->parts[0]);
    g->centres = arena_take(arena, links, sizeof g->centres[0]);
    g->mass = arena_take(arena, links, sizeof g->mass[0]);
    g->inertia = arena_take(arena, links, sizeof g->inertia[0]);
    g->edges = arena_take(arena, edges, sizeof g->edges[0]);
    g->rest_pieces = arena_take(arena, edges * parts, sizeof g->rest_pieces[0]);
    g->pieces = arena_take(arena, edges * parts, sizeof g->pieces[0]);
    g->rest_counts = arena_take(arena, edges, sizeof g->rest_counts[0]);
    g->counts = arena_take(arena, edges, sizeof g->counts[0]);
    g->is_shaded = arena_take(arena, edges, sizeof g->is_shaded[0]);
    g->rest = arena_take(arena, edges, sizeof g->rest[0]);
    g->pairs = arena_take(arena, parts * (parts - 1) / 2, sizeof g->pairs[0]);
    g->velocity = arena_take(arena, links, sizeof g->velocity[0]);
    g->tensors = arena_take(arena, links, sizeof g->tensors[0]);
    g->rates = arena_take(arena, links, sizeof g->rates[0]);
    g->columns = arena_take(arena, links, sizeof g->columns[0]);
    return arena->is_exhausted ? ERR_MEMORY : 0;
}

static void set_edge(struct drag *g, int i, int face)
{
    const struct drag_part *part = &g->parts[i];
    struct drag_edge *edge = &g->edges[4 * i + face];
    int is_end = face == FACE_RIGHT || face == FACE_LEFT;
    double depth = is_end ? part->half_width : part->half_height;
    edge->half_length = is_end ? part->half_height : part->half_width;
    edge->nx = part->cos * face_x[face] - part->sin * face_y[face];
    edge->ny = part->sin * face_x[face] + part->cos * face_y[face];
    double mx = part->local.x + depth * edge->nx, my = part->local.y + depth * edge->ny;
    edge->arm = mx * edge->ny - my * edge->nx;
    double reach = mx * edge->nx + my * edge->ny;
    edge->spread = !part->is_stretching ? 0 : is_end ? reach : -reach;
}

static void init_part(struct drag *g, int i, const struct phenotype *phenotype)
{
    const struct part *from = &phenotype->parts[i];
    struct drag_part *part = &g->parts[i];
    *part =
        (struct drag_part){.half_width = from->width_m / 2,
                           .half_height = from->height_m / 2,
                           .link = from->link,
                           .is_fixed = phenotype_is_fixed(phenotype, i),
                           .is_stretching = phenotype->body->links[from->link].kind == LINK_STRETCH,
                           .shape = from->shape,
                           .local = from->local};
    det_sincos(from->local_angle_rad, &part->sin, &part->cos);
    part->radius =
        from->shape == PART_DISK
            ? part->half_width
            : sqrt(part->half_width * part->half_width + part->half_height * part->half_height);
    g->has_stretch |= part->is_stretching;
    for (int face = 0; face < 4; face++)
        set_edge(g, i, face);
}

/* ---------------------------------------------------------------- tensors */

/* Adds the integrals over r x n = p from `low` to `high` of density a + w p, times g g'. */
static void add_moments(const struct drag_edge *edge, double low, double high, double a, double w,
                        struct tensor *t)
{
    double low2 = low * low, high2 = high * high;
    double p1 = high - low, p2 = (high2 - low2) / 2, p3 = (high2 * high - low2 * low) / 3;
    double m0 = a * p1, m1 = a * p2, m2 = a * p3;
    if (w != 0) {
        m0 += w * p2;
        m1 += w * p3;
        m2 += w * ((high2 * high2 - low2 * low2) / 4);
    }
    t->nn += m2;
    t->nx += m1 * edge->nx;
    t->ny += m1 * edge->ny;
    t->xx += m0 * edge->nx * edge->nx;
    t->xy += m0 * edge->nx * edge->ny;
    t->yy += m0 * edge->ny * edge->ny;
}

/* Adds a stretch on which the normal velocity a + w p keeps its sign. */
static void add_stretch(const struct drag *g, const struct drag_edge *edge, double low, double high,
                        double a, double w, struct tensor *t)
{
    double speed = a + w * ((low + high) / 2);
    if (g->is_leading && !(speed > 0))
        return;
    if (!g->is_quadratic)
        add_moments(edge, low, high, 1, 0, t);
    else
        add_moments(edge, low, high, speed < 0 ? -a : a, speed < 0 ? -w : w, t);
}

/* Adds a piece of an edge, by the law for the link's velocity. */
static void add_piece(const struct drag *g, const struct drag_edge *edge,
                      const struct drag_piece *piece, const struct motion *v, double rate,
                      struct tensor *t)
{
    double low = edge->arm - piece->to, high = edge->arm - piece->from;
    double a = edge->nx * v->x + edge->ny * v->y + rate * edge->spread, at_low = a + v->w * low;
    double at_high = a + v->w * high;
    if ((at_low < 0) == (at_high < 0)) {
        add_stretch(g, edge, low, high, a, v->w, t);
        return;
    }
    double turn = -a / v->w;
    turn = turn < low ? low : turn > high ? high : turn;
    add_stretch(g, edge, low, turn, a, v->w, t);
    add_stretch(g, edge, turn, high, a, v->w, t);
}

/* A disk's rim, all of it: turning moves no piece along its normal. For a centre that moves at u
 * the integrals of cos^2, |cos|^3 and |cos| sin^2 around the rim are pi, 8/3 and 4/3. */
static void add_rim(const struct drag *g, const struct drag_part *part, const struct motion *v,
                    struct tensor *t)
{
    double rx = part->local.x, ry = part->local.y, radius = part->half_width;
    double share = g->is_leading ? 0.5 : 1;
    double xx = share * PI * radius, xy = 0, yy = xx;
    if (g->is_quadratic) {
        double ux = v->x - v->w * ry, uy = v->y + v->w * rx, u = sqrt(ux * ux + uy * uy);
        double c = u > 0 ? ux / u : 1, s = u > 0 ? uy / u : 0;
        double along = share * radius * u * 8 / 3, across = share * radius * u * 4 / 3;
        xx = along * c * c + across * s * s;
        xy = (along - across) * c * s;
        yy = along * s * s + across * c * c;
    }
    double nx = -ry * xx + rx * xy, ny = -ry * xy + rx * yy;
    tensor_add(t, &(struct tensor){-ry * nx + rx * ny, nx, ny, xx, xy, yy}, 1);
}

/* Adds the fourth column of the tensor of an edge of a link that stretches. */
static void add_column(const struct drag *g, int edge, int link, const struct tensor *t)
{
    const struct drag_edge *e = &g->edges[edge];
    struct tree_column *column = &g->columns[link];
    double share = g->coefficient * e->spread, m0 = t->xx + t->yy;
    column->n += share * (t->nx * e->nx + t->ny * e->ny);
    column->x += share * m0 * e->nx;
    column->y += share * m0 * e->ny;
    column->d += share * m0 * e->spread;
}

/* The tensor of some pieces of an edge. Those from either end are added alike: so the pieces of a
 * mirrored body, which are in the opposite order, give the mirrored bits. */
static struct tensor pieces_tensor(const struct drag *g, int edge, const struct drag_piece *pieces,
                                   int count, const struct motion *v)
{
    struct tensor sum = {.nn = 0};
    double rate = g->rates[g->parts[edge / 4].link];
    int half = count / 2;
    if (count % 2 == 1)
        add_piece(g, &g->edges[edge], &pieces[half], v, rate, &sum);
    if (half == 0)
        return sum;
    struct tensor ends = pieces_tensor(g, edge, pieces, half, v);
    struct tensor others = pieces_tensor(g, edge, pieces + count - half, half, v);
    tensor_add(&ends, &others, 1);
    tensor_add(&sum, &ends, 1);
    return sum;
}

/* Adds the tensor of one edge, of its exposed pieces. */
static void add_edge(const struct drag *g, int edge, const struct motion *v, struct tensor *t)
{
    int link = g->parts[edge / 4].link;
    const struct drag_piece *pieces =
        (g->is_shaded[edge] ? g->pieces : g->rest_pieces) + edge * g->part_count;
    struct tensor sum = pieces_tensor(g, edge, pieces, g->counts[edge], v);
    if (g->counts[edge] > 0)
        tensor_add(t, &sum, 1);
    if (g->edges[edge].spread != 0)
        add_column(g, edge, link, &sum);
}

/* The tensor of a part, coefficient 1. Opposite faces are added to the same sum: so a mirrored body
 * gives the mirrored bits. */
static struct tensor part_tensor(const struct drag *g, int i, const struct motion *v)
{
    struct tensor ends = {.nn = 0}, sides = {.nn = 0};
    if (g->parts[i].shape == PART_DISK)
        add_rim(g, &g->parts[i], v, &ends);
    if (g->parts[i].shape == PART_BOX) {
        add_edge(g, 4 * i + FACE_RIGHT, v, &ends);
        add_edge(g, 4 * i + FACE_LEFT, v, &ends);
        add_edge(g, 4 * i + FACE_TOP, v, &sides);
        add_edge(g, 4 * i + FACE_BOTTOM, v, &sides);
    }
    tensor_add(&ends, &sides, 1);
    return ends;
}

/* Integrals of 1, p and p^2 over r x n = p, of some pieces of an edge: the linear law needs no
 * more. Those from either end are added alike. */
static struct drag_moments piece_moments(const struct drag_edge *edge,
                                         const struct drag_piece *pieces, int count)
{
    struct drag_moments m = {0, 0, 0};
    int half = count / 2;
    if (count % 2 == 1) {
        double low = edge->arm - pieces[half].to, high = edge->arm - pieces[half].from;
        double low2 = low * low, high2 = high * high;
        m = (struct drag_moments){high - low, (high2 - low2) * 0.5,
                                  (high2 * high - low2 * low) * (1.0 / 3)};
    }
    if (half == 0)
        return m;
    struct drag_moments ends = piece_moments(edge, pieces, half);
    struct drag_moments others = piece_moments(edge, pieces + count - half, half);
    return (struct drag_moments){m.m0 + (ends.m0 + others.m0), m.m1 + (ends.m1 + others.m1),
                                 m.m2 + (ends.m2 + others.m2)};
}

/* Moments of a face and the opposite one, for the normal of the first. */
static inline struct drag_moments face_moments(const struct drag *g, int edge, int opposite)
{
    struct drag_moments m[2];
    int edges[2] = {edge, opposite};
    for (int k = 0; k < 2; k++) {
        int at = edges[k];
        m[k] = g->is_shaded[at]
                   ? piece_moments(&g->edges[at], &g->pieces[at * g->part_count], g->counts[at])
                   : g->rest[at];
    }
    return (struct drag_moments){m[0].m0 + m[1].m0, m[0].m1 - m[1].m1, m[0].m2 + m[1].m2};
}

/* The tensor of a rectangle by the linear law on all faces, coefficient 1. */
static struct tensor linear_tensor(const struct drag *g, int i)
{
    const struct drag_edge *right = &g->edges[4 * i + FACE_RIGHT];
    double c = right->nx, s = right->ny; /* the normal of the top is (-s, c) */
    struct drag_moments e = face_moments(g, 4 * i + FACE_RIGHT, 4 * i + FACE_LEFT);
    struct drag_moments t = face_moments(g, 4 * i + FACE_TOP, 4 * i + FACE_BOTTOM);
    return (struct tensor){.nn = e.m2 + t.m2,
                           .nx = e.m1 * c - t.m1 * s,
                           .ny = e.m1 * s + t.m1 * c,
                           .xx = e.m0 * (c * c) + t.m0 * (s * s),
                           .xy = (e.m0 - t.m0) * (c * s),
                           .yy = e.m0 * (s * s) + t.m0 * (c * c)};
}

void drag_update(struct drag *g)
{
    for (int i = 0; i < g->link_count; i++)
        g->tensors[i] = (struct tensor){.nn = 0};
    for (int i = 0; i < g->link_count && g->has_stretch; i++)
        g->columns[i] = (struct tree_column){0, 0, 0, 0};
    for (int i = 0; i < g->part_count; i++) {
        int link = g->parts[i].link;
        if (g->parts[i].is_fixed)
            continue;
        int is_linear = g->kind != DRAG_MOVING && g->parts[i].shape == PART_BOX;
        struct tensor t = is_linear ? linear_tensor(g, i) : part_tensor(g, i, &g->velocity[link]);
        tensor_add(&g->tensors[link], &t, g->coefficient);
    }
}

double drag_rate(const struct drag *g)
{
    double fastest = 0;
    for (int i = 0; i < g->link_count; i++) {
        const struct tensor *t = &g->tensors[i];
        double x = g->centres[i].x, y = g->centres[i].y;
        double nx = t->nx + y * t->xx - x * t->xy, ny = t->ny + y * t->xy - x * t->yy;
        double nn = t->nn + y * (t->nx + nx) - x * (t->ny + ny);
        if (g->mass[i] <= 0)
            continue;
        double along = (t->xx + t->yy) / g->mass[i], turning = nn / g->inertia[i];
        fastest = along > fastest ? along : fastest;
        fastest = turning > fastest ? turning : fastest;
        if (g->has_stretch)
            fastest =
                det_max(fastest, g->columns[i].d / (g->inertia[i] + g->mass[i] * (x * x + y * y)));
    }
    /* the slope of |v| v is 2 |v| */
    return g->is_quadratic ? 2 * fastest : fastest;
}

/* ---------------------------------------------------------------- exposure */

/* Takes [low, high] away from several pieces of an edge; returns how many are left. */
static int hide_several(struct drag_piece *pieces, int count, double low, double high)
{
    if (low <= pieces[0].from && high >= pieces[count - 1].to)
        return 0;
    for (int i = 0; i < count; i++) {
        struct drag_piece piece = pieces[i];
        if (high <= piece.from || low >= piece.to)
            continue;
        int has_left = low > piece.from, has_right = high < piece.to;
        if (has_left && has_right) {
            /* the interval lies within this piece: no other is touched */
            for (int k = count; k > i + 1; k--)
                pieces[k] = pieces[k - 1];
            pieces[i].to = low;
            pieces[i + 1] = (struct drag_piece){high, piece.to};
            return count + 1;
        }
        if (has_left) {
            pieces[i].to = low;
        } else if (has_right) {
            pieces[i].from = high;
        } else {
            for (int k = i; k < count - 1; k++)
                pieces[k] = pieces[k + 1];
            count--;
            i--;
        }
    }
    return count;
}

/* Hides a stretch of any number of pieces; mostly there is one. */
static inline int hide(struct drag_piece *pieces, int count, double low, double high)
{
    if (count > 1)
        return hide_several(pieces, count, low, high);
    double from = pieces[0].from, to = pieces[0].to;
    if (high <= from || low >= to)
        return 1;
    if (low > from && high < to) {
        pieces[0].to = low;
        pieces[1] = (struct drag_piece){high, to};
        return 2;
    }
    pieces[0] = (struct drag_piece){high < to && high > from ? high : from,
                                    low > from && low < to ? low : to};
    return !(low <= from && high >= to);
}

/* Takes the shadow [low, high] from what an edge exposes, which is not nothing. */
ALWAYS_INLINE static inline void shade_edge(struct drag *g, int edge, double low, double high)
{
    struct drag_piece *pieces = g->pieces + edge * g->part_count;
    int count = g->counts[edge];
    if (!g->is_shaded[edge]) {
        /* the first shadow in this step */
        const struct drag_piece *rest = g->rest_pieces + edge * g->part_count;
        g->is_shaded[edge] = 1;
        pieces[0] = rest[0];
        for (int k = 1; k < count; k++)
            pieces[k] = rest[k];
    }
    g->counts[edge] = hide(pieces, count, low, high);
}

/* A rectangle as seen from an edge: s along it from its middle, d in front of it. */
struct view {
    double s, d; /* centre */
    double s_reach;
    double way;            /* in front of the centre is the corner farthest along */
    double s1, d1, s2, d2; /* half axes */
};

/* Narrows an interval to where a line of constant d = 0 is between two opposite sides of a
 * rectangle: along its half axis (es, ed) of the squared length `square` its points have the
 * coordinate ((s - v.s) es - v.d ed), no larger than the square. */
static inline void cut_sides(double s, double d, double es, double ed, double *low, double *high)
{
    if (es == 0)
        return;
    double square = es * es + ed * ed, way = d * ed;
    double one = s + (way - square) / es, two = s + (way + square) / es;
    double from = one < two ? one : two, to = one < two ? two : one;
    *low = from > *low ? from : *low;
    *high = to < *high ? to : *high;
}

/* Takes the shadow of the share of a rectangle in front of an edge, where it is on both sides of
 * the line: up to its corners farthest along, where these are in front, else up to the end of the
 * chord that the line cuts. */
ALWAYS_INLINE static inline void shade_partly(struct drag *g, int edge, const struct view *v)
{
    double first = v->s - v->s_reach, last = v->s + v->s_reach, low = first, high = last;
    int is_first = v->d - v->way >= 0, is_last = v->d + v->way >= 0;
    if (!is_first || !is_last) {
        cut_sides(v->s, v->d, v->s1, v->d1, &low, &high);
        cut_sides(v->s, v->d, v->s2, v->d2, &low, &high);
    }
    shade_edge(g, edge, is_first ? first : low, is_last ? last : high);
}

/* A part as others see it, in both directions of a pair: its centre in the other's frame, its half
 * axes (x1, y1) and (x2, y2), how far it reaches, and where its corners farthest along y and x
 * are. */
struct sight {
    pair ux, uy, x1, y1, x2, y2, rx, ry, along_y, along_x;
};

/* The faces that a part stands in front of, at least with a piece of it, and those that it is
 * wholly in front of: bits in the order of enum face. */
enum {
    BEFORE_RIGHT = 1 << FACE_RIGHT,
    BEFORE_TOP = 1 << FACE_TOP,
    BEFORE_LEFT = 1 << FACE_LEFT,
    BEFORE_BOTTOM = 1 << FACE_BOTTOM,
    WHOLLY = 4 /* places further */
};

/* x, -x where y is negative, and 0 where y is: either corner is as far, and neither comes first. */
static inline pair signed_like(pair x, pair y)
{
    const pair_bits sign = {INT64_MIN, INT64_MIN};
    pair_bits is_none = pair_is_equal(y, pair_of(0));
    return (pair)(((pair_bits)x ^ (pair_is_less(y, pair_of(0)) & sign)) & ~is_none);
}

/* The two parts of a pair as they see one another, and the faces that each stands in front of: ends
 * see what is beside them, top and bottom what is above and below. */
static inline pair_bits look(const struct drag_pair *two, const struct box *a, const struct box *b,
                             struct sight *sight)
{
    pair cos = {a->cos, b->cos}, sin = {a->sin, b->sin};
    double x = b->x - a->x, y = b->y - a->y;
    double s = a->cos * b->sin - a->sin * b->cos, c = a->cos * b->cos + a->sin * b->sin;
    pair dx = {x, -x}, dy = {y, -y}, turned = {s, -s};
    pair at_width = PAIR(two->half_width, 0), at_height = PAIR(two->half_height, 0);
    pair by_width = PAIR(two->by_half_width, 0), by_height = PAIR(two->by_half_height, 0);
    pair round = PAIR(two->by_round, 0);
    pair ux = cos * dx + sin * dy, uy = cos * dy - sin * dx;
    pair x1 = c * by_width, y1 = turned * by_width;
    pair x2 = -turned * by_height, y2 = c * by_height;
    pair rx = pair_absolute(x1) + pair_absolute(x2) + round,
         ry = pair_absolute(y1) + pair_absolute(y2) + round;
    *sight = (struct sight){ux,
                            uy,
                            x1,
                            y1,
                            x2,
                            y2,
                            rx,
                            ry,
                            signed_like(x1, y1) + signed_like(x2, y2),
                            signed_like(y1, x1) + signed_like(y2, x2)};

    /* beyond these bounds it is in front of the right or left face, the top or bottom one */
    pair width = at_width - rx + FRONT_M, height = at_height - ry + FRONT_M;
    pair far_x = at_width + rx, far_y = at_height + ry, off_x = pair_absolute(ux),
         off_y = pair_absolute(uy);
    pair_bits ends = pair_is_less(off_y, far_y), sides = pair_is_less(off_x, far_x);
    pair_bits code = (ends & pair_is_less(width, ux) & BEFORE_RIGHT) |
                     (ends & pair_is_less(width, -ux) & BEFORE_LEFT) |
                     (sides & pair_is_less(height, uy) & BEFORE_TOP) |
                     (sides & pair_is_less(height, -uy) & BEFORE_BOTTOM);
    pair_bits whole = (pair_is_at_most(far_x, off_x) & ((BEFORE_RIGHT | BEFORE_LEFT) << WHOLLY)) |
                      (pair_is_at_most(far_y, off_y) & ((BEFORE_TOP | BEFORE_BOTTOM) << WHOLLY));
    return code | whole;
}

/* Takes the shadow of a part from a face that it is before. */
ALWAYS_INLINE static inline void shade_face(struct drag *g, int edge, const struct drag_part *by,
                                            int is_wholly, const struct view *v)
{
    if (g->counts[edge] == 0)
        return;
    if (is_wholly) {
        shade_edge(g, edge, v->s - v->s_reach, v->s + v->s_reach);
    } else if (by->shape == PART_DISK) {
        double r = by->radius, half = v->d < 0 ? sqrt(det_max(0, r * r - v->d * v->d)) : r;
        shade_edge(g, edge, v->s - half, v->s + half);
    } else {
        shade_partly(g, edge, v);
    }
}

/* Takes the shadow of part `by` from those faces of part `at` that it is before; k: the
 * direction. */
static inline void shade_part(struct drag *g, int at, const struct drag_part *by, int faces,
                              const struct sight *sight, int k)
{
    double width = g->parts[at].half_width, height = g->parts[at].half_height;
    double ux = sight->ux[k], uy = sight->uy[k], rx = sight->rx[k], ry = sight->ry[k];
    double x1 = sight->x1[k], y1 = sight->y1[k], x2 = sight->x2[k], y2 = sight->y2[k];
    double along_y = sight->along_y[k], along_x = sight->along_x[k];
    int whole = faces >> WHOLLY;
    if (faces & BEFORE_RIGHT)
        shade_face(g, 4 * at + FACE_RIGHT, by, whole & BEFORE_RIGHT,
                   &(struct view){uy, ux - width, ry, along_y, y1, x1, y2, x2});
    if (faces & BEFORE_TOP)
        shade_face(g, 4 * at + FACE_TOP, by, whole & BEFORE_TOP,
                   &(struct view){-ux, uy - height, rx, -along_x, -x1, y1, -x2, y2});
    if (faces & BEFORE_LEFT)
        shade_face(g, 4 * at + FACE_LEFT, by, whole & BEFORE_LEFT,
                   &(struct view){-uy, -ux - width, ry, along_y, -y1, -x1, -y2, -x2});
    if (faces & BEFORE_BOTTOM)
        shade_face(g, 4 * at + FACE_BOTTOM, by, whole & BEFORE_BOTTOM,
                   &(struct view){ux, -uy - height, rx, -along_x, x1, -y1, x2, -y2});
}

/* Shadows of a pair on one another, given their boxes. */
static void cast_shadows(struct drag *g, const struct drag_pair *two, const struct box *of_a,
                         const struct box *of_b)
{
    const int any = BEFORE_RIGHT | BEFORE_TOP | BEFORE_LEFT | BEFORE_BOTTOM;
    struct sight sight;
    pair_bits faces = look(two, of_a, of_b, &sight);
    if (faces[0] & any)
        shade_part(g, two->a, &g->parts[two->b], (int)faces[0], &sight, 0);
    if (faces[1] & any)
        shade_part(g, two->b, &g->parts[two->a], (int)faces[1], &sight, 1);
}

static struct drag_pair drag_pair_of(const struct drag *g, int a, int b)
{
    struct drag_pair two = {.a = a, .b = b};
    for (int k = 0; k < 2; k++) {
        const struct drag_part *at = &g->parts[k ? b : a], *by = &g->parts[k ? a : b];
        int is_disk = by->shape == PART_DISK;
        two.half_width[k] = at->half_width;
        two.half_height[k] = at->half_height;
        two.by_half_width[k] = is_disk ? 0 : by->half_width;
        two.by_half_height[k] = is_disk ? 0 : by->half_height;
        two.by_round[k] = is_disk ? by->radius : 0;
    }
    return two;
}

static int can_shade(const struct drag_part *part)
{
    return !part->is_fixed && part->shape != PART_PLANE;
}

/* All is as at rest. */
static void begin_exposure(struct drag *g)
{
    for (int i = 0; i < 4 * g->part_count; i++) {
        g->counts[i] = g->rest_counts[i];
        g->is_shaded[i] = 0;
    }
}

/* The pieces of each link's parts that the others of the link leave exposed. */
static void expose_links(struct drag *g)
{
    for (int i = 0; i < 4 * g->part_count; i++) {
        double half = g->edges[i].half_length;
        g->counts[i] = g->is_shaded[i] = 1;
        g->pieces[i * g->part_count] = (struct drag_piece){-half, half};
    }
    for (int i = 0; i < g->part_count && g->has_exposure; i++)
        for (int k = 0; k < i; k++) {
            const struct drag_part *a = &g->parts[i], *b = &g->parts[k];
            if (a->link != b->link || !can_shade(a) || !can_shade(b))
                continue;
            struct box of_a = {.x = a->local.x, .y = a->local.y, .cos = a->cos, .sin = a->sin};
            struct box of_b = {.x = b->local.x, .y = b->local.y, .cos = b->cos, .sin = b->sin};
            struct drag_pair two = drag_pair_of(g, i, k);
            cast_shadows(g, &two, &of_a, &of_b);
        }
    for (int i = 0; i < 4 * g->part_count; i++) {
        struct drag_piece *rest = &g->rest_pieces[i * g->part_count];
        g->rest_counts[i] = g->counts[i];
        for (int k = 0; k < g->counts[i]; k++)
            rest[k] = g->pieces[i * g->part_count + k];
        g->rest[i] = piece_moments(&g->edges[i], rest, g->counts[i]);
    }
    begin_exposure(g);
}

void drag_set_sides(struct drag *g, int i, const struct tree_sides *sides)
{
    struct drag_part *part = &g->parts[i];
    double width = sides->half_width, height = sides->half_height, square = width * width;
    square += height * height;
    part->half_width = width;
    part->half_height = height;
    part->radius = sqrt(square);
    part->local = g->centres[part->link] = sides->centre;
    g->inertia[part->link] = g->mass[part->link] * square / 3;
    for (int face = 0; face < 4; face++) {
        int edge = 4 * i + face;
        set_edge(g, i, face);
        double half = g->edges[edge].half_length;
        g->rest_pieces[edge * g->part_count] = (struct drag_piece){-half, half};
    }
    for (int k = 0; k < g->pair_count; k++)
        if (g->pairs[k].a == i || g->pairs[k].b == i)
            g->pairs[k] = drag_pair_of(g, g->pairs[k].a, g->pairs[k].b);
}

void drag_expose(struct drag *g, const struct box *boxes)
{
    begin_exposure(g);
    for (int i = 0; i < g->pair_count; i++) {
        const struct drag_pair *two = &g->pairs[i];
        cast_shadows(g, two, &boxes[two->a], &boxes[two->b]);
    }
}

/* ---------------------------------------------------------------- settings */

void drag_set_world(struct drag *g, const struct world *world)
{
    g->is_quadratic = world->drag_law == DRAG_LAW_QUADRATIC;
    g->is_leading = world->drag_faces == DRAG_FACES_LEADING;
    g->has_exposure = world->drag_exposure;
    g->coefficient = g->is_quadratic ? world->quadratic_drag_kg_m2 : world->viscosity_pa_s;
    g->kind = DRAG_PLAIN;
    if (!(g->coefficient > 0))
        g->kind = DRAG_NONE;
    else if (g->is_quadratic || g->is_leading || g->has_stretch)
        g->kind = DRAG_MOVING;
    else if (g->has_exposure)
        g->kind = DRAG_EXPOSED;
    expose_links(g);
}

int drag_create(struct drag *g, const struct phenotype *phenotype, const struct world *world,
                struct arena *arena)
{
    *g = (struct drag){.part_count = phenotype->part_count,
                       .link_count = phenotype->body->link_count};
    if (take_memory(g, arena) != 0)
        return ERR_MEMORY;
    for (int i = 0; i < g->part_count; i++)
        init_part(g, i, phenotype);
    for (int i = 0; i < g->link_count; i++) {
        int is_fixed = i == 0 && body_is_fixed(phenotype->body);
        g->centres[i] = vec3_flat(phenotype->body->links[i].centre);
        g->mass[i] = is_fixed ? 0 : phenotype->body->links[i].mass_kg;
        g->inertia[i] = phenotype->body->links[i].inertia.zz;
    }
    for (int i = 0; i < g->part_count; i++)
        for (int k = 0; k < i; k++)
            if (g->parts[i].link != g->parts[k].link && can_shade(&g->parts[i]) &&
                can_shade(&g->parts[k]))
                g->pairs[g->pair_count++] = drag_pair_of(g, i, k);
    drag_set_world(g, world);
    return 0;
}
