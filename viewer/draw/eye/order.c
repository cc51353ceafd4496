#include "viewer/draw/eye/order.h"

#include <limits.h>
#include <stdlib.h>

#include "common/error.h"
#include "common/rows.h"

/* So many polygons are tried as the next plane. */
#define TRIES 8
/* A cut counts as much as so many polygons that lie on one side only. */
#define CUT_COST 8

struct order {
    struct order_eye eye;
    double slack_m;
    struct order_piece *pieces;
    int count, room;
    int has_failed; /* memory is out */
};

struct order *order_create(struct order_eye eye, double slack_m)
{
    struct order *order = calloc(1, sizeof *order);
    if (order) {
        order->eye = eye;
        order->slack_m = slack_m;
    }
    return order;
}

void order_destroy(struct order *order)
{
    if (order)
        free(order->pieces);
    free(order);
}

/* The number of the new piece, or -1. */
static int append(struct order *order, const struct order_piece *piece)
{
    struct order_piece *added =
        rows_add(&order->pieces, &order->count, &order->room, INT_MAX, sizeof *added);
    if (!added) {
        order->has_failed = 1;
        return -1;
    }
    *added = *piece;
    return order->count - 1;
}

void order_add_polygon(struct order *order, int owner, const struct vec3 *corners, int count)
{
    ENSURE(count >= 3, "a polygon of %d corners", count);
    struct order_piece piece = {.owner = owner, .count = count};
    struct vec3 normal =
        vec3_cross(vec3_sub(corners[1], corners[0]), vec3_sub(corners[2], corners[0]));
    double size = vec3_length(normal);
    struct vec3 way = order->eye.at;
    if (!order->eye.is_parallel)
        way = vec3_sub(way, corners[0]);
    if (!(size > 0) || !(vec3_dot(normal, way) > 0))
        return;
    piece.normal = vec3_scale(normal, 1 / size);
    for (int i = 0; i < count; i++)
        piece.corners[i] = corners[i];
    append(order, &piece);
}

void order_add_spot(struct order *order, int owner, struct vec3 at, double near, double rank)
{
    struct order_piece piece = {
        .owner = owner, .count = 1, .corners = {at}, .near = near, .rank = rank};
    append(order, &piece);
}

/* ---- planes ---- */

/* How far before a polygon's plane a place is, m. */
static double height(const struct order_piece *plane, struct vec3 at)
{
    return vec3_dot(plane->normal, vec3_sub(at, plane->corners[0]));
}

enum side { BEYOND = 1, BEFORE = 2, INSIDE = 0, BOTH = BEYOND | BEFORE };

static enum side side_of(const struct order *order, const struct order_piece *plane,
                         const struct order_piece *piece)
{
    enum side side = INSIDE;
    for (int i = 0; i < piece->count; i++) {
        double h = height(plane, piece->corners[i]);
        side |= h > order->slack_m ? BEFORE : h < -order->slack_m ? BEYOND : INSIDE;
    }
    /* a spot in the plane of a polygon counts as before it */
    return piece->count == 1 && side == INSIDE ? BEFORE : side;
}

static void add_corner(struct order_piece *piece, struct vec3 at, int is_cut)
{
    piece->cuts |= (unsigned)is_cut << piece->count;
    piece->corners[piece->count++] = at;
}

/* The part of a polygon before the plane (sign 1) or beyond it (-1): Sutherland and Hodgman,
 * Reentrant polygon clipping, CACM 17(1), 1974. */
static struct order_piece part_of(const struct order_piece *plane, const struct order_piece *piece,
                                  int sign)
{
    struct order_piece part = *piece;
    part.count = 0;
    part.cuts = 0;
    for (int i = 0; i < piece->count; i++) {
        struct vec3 a = piece->corners[i], b = piece->corners[(i + 1) % piece->count];
        double from = sign * height(plane, a), to = sign * height(plane, b);
        int was_cut = (int)(piece->cuts >> i & 1);
        if (from >= 0)
            add_corner(&part, a, was_cut);
        if ((from >= 0) == (to >= 0))
            continue;
        /* a side that leaves goes on along the cut */
        add_corner(&part, vec3_along(a, vec3_sub(b, a), from / (from - to)),
                   from >= 0 ? 1 : was_cut);
    }
    return part;
}

/* ---- the walk ---- */

struct walk {
    struct order *order;
    order_visit *visit;
    void *context;
};

static void visit_spots(const struct walk *walk, int *list, int count)
{
    const struct order_piece *pieces = walk->order->pieces;
    for (int i = 1; i < count; i++) {
        int piece = list[i], k = i;
        for (; k > 0; k--) {
            const struct order_piece *a = &pieces[piece], *b = &pieces[list[k - 1]];
            if (a->near > b->near || (a->near == b->near && a->rank >= b->rank))
                break;
            list[k] = list[k - 1];
        }
        list[k] = piece;
    }
    for (int i = 0; i < count; i++)
        walk->visit(walk->context, &pieces[list[i]]);
}

/* The polygon of the list whose plane costs least, by cuts and how unequal the sides are; or -1:
 * there are only spots. */
static int choose_plane(const struct order *order, const int *list, int count)
{
    int best = -1, least = 0, polygons = 0, tried = 0;
    for (int i = 0; i < count; i++)
        polygons += order->pieces[list[i]].count > 1;
    int stride = 1 + (polygons - 1) / TRIES;
    for (int i = 0; i < count; i++) {
        if (order->pieces[list[i]].count == 1 || tried++ % stride)
            continue;
        int sides[4] = {0, 0, 0, 0};
        for (int k = 0; k < count; k++)
            if (k != i)
                sides[side_of(order, &order->pieces[list[i]], &order->pieces[list[k]])]++;
        int cost = CUT_COST * sides[BOTH] + abs(sides[BEYOND] - sides[BEFORE]);
        if (best < 0 || cost < least) {
            best = list[i];
            least = cost;
        }
    }
    return best;
}

/* The far side, the plane, the near side. */
static void walk_list(const struct walk *walk, int *list, int count)
{
    struct order *order = walk->order;
    int plane = choose_plane(order, list, count);
    if (plane < 0) {
        visit_spots(walk, list, count);
        return;
    }
    /* lists of what is inside, beyond and before, by enum side */
    int *parts = malloc(3 * (size_t)count * sizeof *parts), counts[3] = {0, 0, 0};
    if (!parts) {
        order->has_failed = 1;
        return;
    }
    int *const lists[3] = {parts, parts + count, parts + 2 * count};
    for (int i = 0; i < count; i++) {
        struct order_piece piece = order->pieces[list[i]], self = order->pieces[plane];
        enum side side = list[i] == plane ? INSIDE : side_of(order, &self, &piece);
        /* a polygon without room for another corner is not cut and counts as before the plane */
        if (side == BOTH && piece.count == ORDER_CORNERS_MAX)
            side = BEFORE;
        if (side == BOTH) {
            struct order_piece far = part_of(&self, &piece, -1), near = part_of(&self, &piece, 1);
            int new_piece = append(order, &far);
            if (new_piece < 0)
                continue;
            order->pieces[list[i]] = near;
            lists[BEYOND][counts[BEYOND]++] = new_piece;
            side = BEFORE;
        }
        lists[side][counts[side]++] = list[i];
    }
    walk_list(walk, lists[BEYOND], counts[BEYOND]);
    for (int i = 0; i < counts[INSIDE]; i++)
        walk->visit(walk->context, &order->pieces[lists[INSIDE][i]]);
    walk_list(walk, lists[BEFORE], counts[BEFORE]);
    free(parts);
}

int order_walk(struct order *order, order_visit *visit, void *context)
{
    struct walk walk = {order, visit, context};
    int *list = malloc(((size_t)order->count + 1) * sizeof *list), count = order->count;
    if (!list)
        return ERR_MEMORY;
    for (int i = 0; i < count; i++)
        list[i] = i;
    walk_list(&walk, list, count);
    free(list);
    return order->has_failed ? ERR_MEMORY : 0;
}
