/* See drag.h. The exposure of all pairs is tested with circles first: a part whose circle lies beyond
 * both strips that the faces of another look into cannot hide anything of it. */
#include "simulator/drag.h"

#include <math.h>

#include "common/detmath.h"
#include "common/error.h"

#define PI 3.14159265358979323846
/* What reaches this little in front of an edge does not hide it, m: flush faces stay exposed. */
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
    int is_complete = g->parts && g->centres && g->mass && g->inertia && g->edges &&
                      g->rest_pieces && g->pieces && g->rest_counts && g->counts && g->is_shaded &&
                      g->rest && g->pairs && g->velocity && g->tensors;
    return is_complete ? 0 : ERR_MEMORY;
}

static void init_part(struct drag *g, int i, const struct phenotype *phenotype)
{
    const struct part *from = &phenotype->parts[i];
    struct drag_part *part = &g->parts[i];
    *part = (struct drag_part){.half_width = from->width_m / 2,
                               .half_height = from->height_m / 2,
                               .link = from->link,
                               .is_fixed = phenotype_is_fixed(phenotype, i),
                               .shape = from->shape,
                               .local = from->local};
    det_sincos(from->local_angle_rad, &part->sin, &part->cos);
    part->radius =
        from->shape == PART_DISK
            ? part->half_width
            : sqrt(part->half_width * part->half_width + part->half_height * part->half_height);
    for (int face = 0; face < 4; face++) {
        struct drag_edge *edge = &g->edges[4 * i + face];
        int is_end = face == FACE_RIGHT || face == FACE_LEFT;
        double depth = is_end ? part->half_width : part->half_height;
        edge->half_length = is_end ? part->half_height : part->half_width;
        edge->nx = part->cos * face_x[face] - part->sin * face_y[face];
        edge->ny = part->sin * face_x[face] + part->cos * face_y[face];
        double mx = from->local.x + depth * edge->nx, my = from->local.y + depth * edge->ny;
        edge->arm = mx * edge->ny - my * edge->nx;
    }
}

/* ---------------------------------------------------------------- tensors */

static void add_tensor(struct tensor *to, const struct tensor *t, double share)
{
    to->nn += share * t->nn;
    to->nx += share * t->nx;
    to->ny += share * t->ny;
    to->xx += share * t->xx;
    to->xy += share * t->xy;
    to->yy += share * t->yy;
}

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

/* Of a stretch on which the normal velocity a + w p keeps its sign. */
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

/* Of a piece of an edge: by the law for the link's velocity, or linear on all faces if v is NULL. */
static void add_piece(const struct drag *g, const struct drag_edge *edge,
                      const struct drag_piece *piece, const struct motion *v, struct tensor *t)
{
    double low = edge->arm - piece->to, high = edge->arm - piece->from;
    if (!v) {
        add_moments(edge, low, high, 1, 0, t);
        return;
    }
    double a = edge->nx * v->x + edge->ny * v->y, at_low = a + v->w * low;
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

/* A disk's rim, all of it: turning moves no piece along its normal. For a centre that moves at u the
 * integrals of cos^2, |cos|^3 and |cos| sin^2 around the rim are pi, 8/3 and 4/3. */
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
    add_tensor(t, &(struct tensor){-ry * nx + rx * ny, nx, ny, xx, xy, yy}, 1);
}

/* Adds the tensor of one edge, of its exposed pieces. */
static void add_edge(const struct drag *g, int edge, const struct motion *v, struct tensor *t)
{
    if (!g->is_shaded[edge] && g->kind != DRAG_MOVING) {
        add_tensor(t, &g->rest[edge], 1);
        return;
    }
    const struct drag_piece *pieces =
        (g->is_shaded[edge] ? g->pieces : g->rest_pieces) + edge * g->part_count;
    struct tensor sum = {.nn = 0};
    for (int k = 0; k < g->counts[edge]; k++)
        add_piece(g, &g->edges[edge], &pieces[k], g->kind == DRAG_MOVING ? v : NULL, &sum);
    if (g->counts[edge] > 0)
        add_tensor(t, &sum, 1);
}

/* The tensor of a part, coefficient 1. Opposite faces are added to the same sum: so a mirrored body
 * gives the mirrored bits. */
static struct tensor part_tensor(const struct drag *g, int i, const struct motion *v)
{
    struct tensor ends = {.nn = 0}, sides = {.nn = 0};
    if (g->parts[i].shape == PART_DISK)
        add_rim(g, &g->parts[i], v, &ends);
    if (g->parts[i].shape == PART_RECTANGLE) {
        add_edge(g, 4 * i + FACE_RIGHT, v, &ends);
        add_edge(g, 4 * i + FACE_LEFT, v, &ends);
        add_edge(g, 4 * i + FACE_TOP, v, &sides);
        add_edge(g, 4 * i + FACE_BOTTOM, v, &sides);
    }
    add_tensor(&ends, &sides, 1);
    return ends;
}

void drag_update(struct drag *g)
{
    for (int i = 0; i < g->link_count; i++)
        g->tensors[i] = (struct tensor){.nn = 0};
    for (int i = 0; i < g->part_count; i++) {
        int link = g->parts[i].link;
        if (g->parts[i].is_fixed)
            continue;
        struct tensor t = part_tensor(g, i, &g->velocity[link]);
        add_tensor(&g->tensors[link], &t, g->coefficient);
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
        if (g->mass[i] > 0)
            fastest = fmax(fastest, fmax((t->xx + t->yy) / g->mass[i], nn / g->inertia[i]));
    }
    /* the slope of |v| v is 2 |v| */
    return g->is_quadratic ? 2 * fastest : fastest;
}

/* ---------------------------------------------------------------- exposure */

/* Takes [low, high] away from the pieces of an edge; returns how many are left. */
static int hide(struct drag_piece *pieces, int count, double low, double high)
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

/* Another part as seen from an edge: s along it from its middle, d in front of it. */
struct view {
    double s, d; /* centre */
    double s_reach, d_reach;
    double s1, d1, s2, d2; /* half axes of a rectangle */
};

/* Narrows an interval to where a line of constant d = 0 is between two opposite sides of a rectangle:
 * along its half axis (es, ed) of the squared length `square` its points have the coordinate
 * ((s - v.s) es - v.d ed), no larger than the square. */
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

/* The interval of s that the share of a rectangle in front of the edge covers, where the rectangle is
 * on both sides of the line: up to its corners farthest along, where these are in front, else up to
 * the end of the chord that the line cuts. */
static inline void cut_rectangle(const struct view *v, double *low, double *high)
{
    double way = (v->s1 >= 0 ? v->d1 : -v->d1) + (v->s2 >= 0 ? v->d2 : -v->d2);
    double first = *low, last = *high;
    int is_first = v->d - way >= 0, is_last = v->d + way >= 0;
    if (is_first && is_last)
        return;
    cut_sides(v->s, v->d, v->s1, v->d1, low, high);
    cut_sides(v->s, v->d, v->s2, v->d2, low, high);
    *low = is_first ? first : *low;
    *high = is_last ? last : *high;
}

/* Takes the shadow of a part from one face of another. */
static inline void shade_face(struct drag *g, int edge, const struct drag_part *by,
                              const struct view *v)
{
    if (v->d + v->d_reach <= FRONT_M || g->counts[edge] == 0)
        return;
    double low = v->s - v->s_reach, high = v->s + v->s_reach;
    if (v->d < v->d_reach && by->shape == PART_RECTANGLE) {
        cut_rectangle(v, &low, &high);
    } else if (v->d < 0) {
        double half = sqrt(fmax(0, by->radius * by->radius - v->d * v->d));
        low = v->s - half;
        high = v->s + half;
    }
    struct drag_piece *pieces = g->pieces + edge * g->part_count;
    if (!g->is_shaded[edge]) {
        /* the first shadow in this step */
        g->is_shaded[edge] = 1;
        for (int k = 0; k < g->counts[edge]; k++)
            pieces[k] = g->rest_pieces[edge * g->part_count + k];
    }
    g->counts[edge] = hide(pieces, g->counts[edge], low, high);
}

/* Takes the shadow of part b from the faces of part a. (ux, uy): b's centre in a's frame, (c, s) b's x
 * axis there. */
static inline void cast_shadow(struct drag *g, int a, int b, double ux, double uy, double c,
                               double s)
{
    const struct drag_part *at = &g->parts[a], *by = &g->parts[b];
    double rx = by->radius, ry = rx, x1 = 0, y1 = 0, x2 = 0, y2 = 0;
    if (by->shape == PART_RECTANGLE) {
        x1 = c * by->half_width, y1 = s * by->half_width;
        x2 = -s * by->half_height, y2 = c * by->half_height;
        rx = fabs(x1) + fabs(x2);
        ry = fabs(y1) + fabs(y2);
    }

    /* ends see what is beside them, top and bottom what is above and below */
    if (fabs(uy) < at->half_height + ry) {
        double right = ux - at->half_width, left = -ux - at->half_width;
        shade_face(g, 4 * a + FACE_RIGHT, by, &(struct view){uy, right, ry, rx, y1, x1, y2, x2});
        shade_face(g, 4 * a + FACE_LEFT, by, &(struct view){-uy, left, ry, rx, -y1, -x1, -y2, -x2});
    }
    if (fabs(ux) < at->half_width + rx) {
        double top = uy - at->half_height, bottom = -uy - at->half_height;
        shade_face(g, 4 * a + FACE_TOP, by, &(struct view){-ux, top, rx, ry, -x1, y1, -x2, y2});
        shade_face(g, 4 * a + FACE_BOTTOM, by,
                   &(struct view){ux, bottom, rx, ry, x1, -y1, x2, -y2});
    }
}

/* Shadows of a and b on one another, given their boxes. */
static void cast_shadows(struct drag *g, int a, int b, const struct box *of_a,
                         const struct box *of_b)
{
    double dx = of_b->x - of_a->x, dy = of_b->y - of_a->y;
    const struct drag_part *pa = &g->parts[a], *pb = &g->parts[b];
    double ux = of_a->cos * dx + of_a->sin * dy, uy = of_a->cos * dy - of_a->sin * dx;
    double vx = -(of_b->cos * dx + of_b->sin * dy), vy = -(of_b->cos * dy - of_b->sin * dx);
    double c = of_a->cos * of_b->cos + of_a->sin * of_b->sin;
    double s = of_a->cos * of_b->sin - of_a->sin * of_b->cos;
    if (fabs(ux) < pa->half_width + pb->radius || fabs(uy) < pa->half_height + pb->radius)
        cast_shadow(g, a, b, ux, uy, c, s);
    if (fabs(vx) < pb->half_width + pa->radius || fabs(vy) < pb->half_height + pa->radius)
        cast_shadow(g, b, a, vx, vy, c, -s);
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

/* What the parts of each link leave exposed of one another. */
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
            cast_shadows(g, i, k, &of_a, &of_b);
        }
    for (int i = 0; i < 4 * g->part_count; i++) {
        g->rest_counts[i] = g->counts[i];
        g->rest[i] = (struct tensor){.nn = 0};
        for (int k = 0; k < g->counts[i]; k++) {
            g->rest_pieces[i * g->part_count + k] = g->pieces[i * g->part_count + k];
            add_piece(g, &g->edges[i], &g->pieces[i * g->part_count + k], NULL, &g->rest[i]);
        }
    }
    begin_exposure(g);
}

void drag_expose(struct drag *g, const struct box *boxes)
{
    begin_exposure(g);
    for (int i = 0; i < g->pair_count; i++) {
        const struct drag_pair *pair = &g->pairs[i];
        cast_shadows(g, pair->a, pair->b, &boxes[pair->a], &boxes[pair->b]);
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
    else if (g->is_quadratic || g->is_leading)
        g->kind = DRAG_MOVING;
    else if (g->has_exposure)
        g->kind = DRAG_EXPOSED;
    expose_links(g);
}

int drag_create(struct drag *g, const struct phenotype *phenotype, const struct world *world,
                struct arena *arena)
{
    *g = (struct drag){.part_count = phenotype->part_count, .link_count = phenotype->link_count};
    if (take_memory(g, arena) != 0)
        return ERR_MEMORY;
    for (int i = 0; i < g->part_count; i++)
        init_part(g, i, phenotype);
    for (int i = 0; i < g->link_count; i++) {
        int is_fixed = i == 0 && phenotype->is_root_fixed;
        g->centres[i] = phenotype->links[i].centre;
        g->mass[i] = is_fixed ? 0 : phenotype->links[i].mass_kg;
        g->inertia[i] = phenotype->links[i].inertia_kg_m2;
    }
    for (int i = 0; i < g->part_count; i++)
        for (int k = 0; k < i; k++)
            if (g->parts[i].link != g->parts[k].link && can_shade(&g->parts[i]) &&
                can_shade(&g->parts[k]))
                g->pairs[g->pair_count++] = (struct drag_pair){i, k};
    drag_set_world(g, world);
    return 0;
}
