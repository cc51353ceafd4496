/* See spatial_system.h. A touch of boxes has a point of one body and a plane of the other, both at
 * rest in their bodies; or an edge of each. With u the relative velocity of the two bodies where
 * they touch, arms s and r from their centres of mass, and the normal n from body 1 to body 0:
 *
 *   D = n.(p0 - p1),   D' = n.u
 *   face:  n stands in body 1,  D'' = n.(a0 - a1) + n.(w0 x (w0 x s) - w1 x (w1 x r)) + 2 (w1 x n).u
 *   edges: n = +-e0 x e1 / |e0 x e1|; the points wander along the edges by x', y', so that u + x' e0 - y' e1 has no
 *          part across n:  D'' = n.(...) as above without the last term, + n'.u + n.(x' w0 x e0 - y' w1 x e1)
 *
 * Where body 1 stretches (see spatial_system.c) its face moves with that, and what is on it along it.
 * With q = p0 - D n, which is on the face, at the arm r1 in body 1, J its mirror, and u the
 * velocity of p0 against body 1 as it turns and goes:
 *
 *   D'  = n.(u - e' J r1)        D'' has -n.(e'' J r1 + e'^2 r1) besides
 *   along t:  t.(u - e' J r1)    has -t.(e'' J r1 + e' J u)
 *
 * On a ground with relief a corner touches, or the lowest point of an edge or a face: see relief.h.
 * That point wanders, so that along the ground it is another one whose velocity counts: that gains
 * w x its way.
 *
 * A disk in the plane or a ball in space, of radius R, has its centre p0 fixed in body 0 and
 * touches at q = p0 - R n
 *
 *   a face:                            n stands in body 1,           D = n.(p0 - p1) - R
 *   a corner, another disk or ball:    n = (p0 - p1) / |p0 - p1|,    D = |p0 - p1| - R - R1
 *   an edge of a box, along e:         as a corner that is where p0 - p1 is across e
 *
 * With W the turning of n (w1, or n x n'), the arms s and r of q from both centres of mass, and
 * u = v0 + w0 x s - v1 - w1 x r, a direction e that turns with n has
 *
 *   e.u' = e.(accelerations) + (W x e).u + e.(w0 x s' - w1 x r')
 *   s' = w0 x (p0 - c0) - R W x n,   r' = v0 + s' - v1
 *
 * From a corner n' is what p0 - p1 gains across n, divided by |p0 - p1|; from an edge that along it
 * is (w1 x n).e instead.
 *
 * Where boxes touch is found by simulator/contact/solids.h: that is geometry, which the fast
 * solver shares; here all points of a face count, not only four. In the plane z = 0, where boxes
 * are rectangles, disks and half-planes, it is found by simulator/contact/collide.h. */
#include "simulator/reference/spatial_system.h"

#include <math.h>

#include "common/growth/box_half.h"
#include "common/error.h"
#include "common/math/detmath.h"
#include "simulator/contact/collide.h"

/* Limits of a ball, after the freedoms that slide or turn. */
enum { LIMIT_TWIST = JOINT_RATES_MAX, LIMIT_SWING };
/* A point may get another name without being another one within this distance, m. */
#define MATCH_M 1e-5
/* A centre this near to a point, m, has no direction from it. */
#define NEAREST_M 1e-12

/* A touch on a crest wanders no faster, m/s. */
#define WANDERING_M_S 100.0

/* ---------------------------------------------------------------- creation */

/* 1 if it is one of the boxes, and can move. */
static int is_moving(const struct spatial_constraint *c, int box)
{
    return box >= 0 && spatial_tree_piece(spatial_surfaces_link(&c->carriers, &c->boxes[box]))->up;
}

static void add_pair(void *constraint, int a, int b)
{
    struct spatial_constraint *c = constraint;
    c->pairs[c->pair_count++] = (struct touch_pair){
        a, b, {.axis = -1}, -1, pair_meeting(c->base.world.surfaces.meetings, c->box_count, a, b)};
}

void spatial_touch_list_pairs(struct spatial_constraint *c)
{
    c->pair_count = 0;
    spatial_surfaces_list(&c->base.world.surfaces, &c->carriers, c->boxes, c->box_count, add_pair,
                          c);
}

static void add_limit(struct spatial_constraint *c, int body, int freedom, double side, double end)
{
    if (isfinite(end))
        c->limits[c->limit_count++] = (struct limit){body, freedom, side, end};
}

static void list_limits(struct spatial_constraint *c)
{
    for (int i = 0; i < c->count; i++) {
        const struct rigid *b = &c->bodies[i];
        int first = b->joint->is_root ? b->stretch : 0;
        int intervals = b->joint->is_root ? b->rates : b->plain + b->joint->has_ball;
        for (int k = first; k < intervals; k++) {
            int freedom = k < b->plain ? k : LIMIT_TWIST;
            add_limit(c, i, freedom, 1, b->link->lower[k]);
            add_limit(c, i, freedom, -1, b->link->upper[k]);
        }
        if (first == 0 && b->joint->has_ball)
            add_limit(c, i, LIMIT_SWING, -1, b->link->cone_rad);
    }
}

/* By how much a side may be shorter than at birth. */
static double least_share(const struct spatial_constraint *c, int box)
{
    const struct rigid *b = spatial_system_body(c, c->boxes[box].link);
    if (!spatial_system_stretches(b))
        return 1;
    return det_exp(det_min(b->link->lower[b->stretch], -b->link->upper[b->stretch]));
}

int spatial_touch_create(struct spatial_constraint *c, struct arena *arena)
{
    size_t n = (size_t)c->box_count, fixed = (size_t)c->base.world.surfaces.fixed_count;
    c->solids = arena_take(arena, n, sizeof c->solids[0]);
    c->pairs = arena_take(arena, n * (n + 1 + fixed), sizeof c->pairs[0]);
    c->limits = arena_take(arena, (size_t)(2 * c->rates + c->count), sizeof c->limits[0]);
    if (!c->solids || !c->pairs || !c->limits)
        return ERR_MEMORY;
    spatial_touch_list_pairs(c);
    list_limits(c);
    c->touch_room = SOLIDS_POINTS_MAX * c->pair_count;
    c->touch_room = c->touch_room < TOUCHES_ROOM ? c->touch_room : TOUCHES_ROOM;
    c->touch_room += c->limit_count;
    c->found_room = c->touch_room;
    c->found = arena_take(arena, (size_t)c->found_room, sizeof c->found[0]);
    c->thinnest_m = HUGE_VAL;
    for (int i = 0; i < c->box_count; i++) {
        struct vec3 size = c->boxes[i].size_m;
        c->thinnest_m = det_min(c->thinnest_m, det_min(size.x, size.y) * least_share(c, i));
        c->thinnest_m = c->shapes ? c->thinnest_m : det_min(c->thinnest_m, size.z);
    }
    for (int i = 0; i < c->base.world.surfaces.fixed_count; i++)
        for (int k = 0; k < (c->shapes ? 2 : 3); k++)
            c->thinnest_m = det_min(c->thinnest_m, 2 * c->base.world.surfaces.fixed[i].half[k]);
    return c->found ? 0 : ERR_MEMORY;
}

/* NULL: memory is out, and the step fails. */
static struct touch *next_found(struct spatial_constraint *c)
{
    if (c->found_count == c->found_room) {
        int room = 2 * c->found_room;
        struct touch *found =
            arena_extend(c->arena, c->found, (size_t)c->found_count, (size_t)room, sizeof found[0]);
        if (!found)
            return NULL;
        c->found = found;
        c->found_room = room;
    }
    return &c->found[c->found_count];
}

/* ---------------------------------------------------------------- boxes that touch */

/* Where in a body a place is, in its axes, from its centre of mass, at birth; and back. */
static struct vec3 local_of(const struct rigid *b, struct vec3 at)
{
    return sym3_apply(&b->shrunk, mat3_back(&b->turned, vec3_sub(at, b->place.centre)));
}

static struct vec3 place_of(const struct rigid *b, struct vec3 local)
{
    return vec3_add(b->place.centre, mat3_apply(&b->turned, spatial_system_grown(b, local)));
}

/* Row i of a touch, along e, at arms s and r from its bodies' centres of mass, which move so with
 * their stretches; but for its deviation and curvature. */
static void set_row(const struct spatial_constraint *c, struct touch *t, int i, struct vec3 e,
                    struct vec3 s, struct vec3 r, const struct vec3 spreads[2])
{
    struct wrench own = {e, vec3_cross(s, e), vec3_dot(e, spreads[0])};
    struct wrench others = {vec3_negated(e), vec3_negated(vec3_cross(r, e)),
                            -vec3_dot(e, spreads[1])};
    spatial_system_set_row(c, &t->rows[i], t->bodies[0], t->bodies[1], own, others);
    t->directions[i] = e;
}

/* Two edges: where they are nearest, and what of the acceleration of D no accelerations make. */
static double update_edges(struct touch *t, const struct rigid *a, const struct rigid *b,
                           struct vec3 *on_a, struct vec3 *on_b)
{
    struct vec3 e0 = mat3_apply(&a->turned, t->edges[0]), e1 = mat3_apply(&b->turned, t->edges[1]);
    struct vec3 w0 = a->place.spin, w1 = b->place.spin, way = vec3_sub(*on_b, *on_a);
    struct vec3 n = vec3_scale(vec3_cross(e0, e1), t->sign);
    double c = vec3_dot(e0, e1), square = vec3_dot(n, n), size = sqrt(square);
    double by0 = vec3_dot(way, e0), by1 = vec3_dot(way, e1);
    *on_a = vec3_along(*on_a, e0, (by0 - c * by1) / square);
    *on_b = vec3_along(*on_b, e1, (c * by0 - by1) / square);
    struct vec3 s = vec3_sub(*on_a, a->place.centre), r = vec3_sub(*on_b, b->place.centre);
    struct vec3 u = vec3_sub(vec3_add(a->place.velocity, vec3_cross(w0, s)),
                             vec3_add(b->place.velocity, vec3_cross(w1, r)));
    double u0 = vec3_dot(u, e0), u1 = vec3_dot(u, e1);
    double x = (c * u1 - u0) / square, y = (u1 - c * u0) / square;
    struct vec3 turned0 = vec3_cross(w0, e0), turned1 = vec3_cross(w1, e1);
    struct vec3 change = vec3_add(vec3_cross(turned0, e1), vec3_cross(e0, turned1));
    n = vec3_scale(n, 1 / size);
    change = vec3_scale(change, t->sign / size);
    change = vec3_along(change, n, -vec3_dot(n, change));
    t->directions[0] = n;
    t->directions[1] = e1;
    t->directions[2] = vec3_cross(n, e1);
    return vec3_dot(change, u) + x * vec3_dot(n, turned0) - y * vec3_dot(n, turned1);
}

struct vec3 spatial_touch_size_m(const struct spatial_constraint *c, int box)
{
    struct vec3 size = c->boxes[box].size_m;
    struct vec3 sides = spatial_system_body(c, c->boxes[box].link)->sides;
    return c->shapes ? (struct vec3){size.x * sides.x, size.y * sides.y, 0} : size;
}

static void place_solid(const struct spatial_constraint *c, int i, struct solid *solid)
{
    const struct body_box *box = &c->boxes[i];
    const struct rigid *b = spatial_system_body(c, box->link);
    struct mat3 own = quaternion_matrix(quaternion_normalised(box->turn));
    struct mat3 turn = mat3_product(&b->turned, &own);
    struct vec3 arm = vec3_add(box->centre, b->hinge.own);
    solids_place(solid, vec3_add(b->place.centre, mat3_apply(&b->turned, arm)), &turn,
                 vec3_scale(spatial_touch_size_m(c, i), 0.5));
    solid->is_round = box->is_round;
}

static void update_relief(const struct spatial_constraint *c, struct touch *t)
{
    const struct relief *relief = &c->base.world.surfaces.relief;
    const struct rigid *a = spatial_system_body(c, t->bodies[0]);
    struct solid solid;
    struct relief_shape shape;
    place_solid(c, c->pairs[t->pair].a, &solid);
    struct relief_feature f = relief_feature_of(&solid, t->feature);
    relief_descend(relief, &f, t->along);
    t->at = relief_place(&f, t->along);
    relief_shape_at(relief, t->at.x, t->at.z, &shape);
    struct vec3 n = relief_normal(&shape), spin = a->place.spin;
    struct vec3 s = vec3_sub(t->at, a->place.centre);
    const struct vec3 spreads[2] = {spatial_system_spread(a, s), {0, 0, 0}};
    struct vec3 u = spatial_system_velocity(a, s, spreads[0]);
    struct vec3 inward = spatial_system_inward(a, s, spreads[0]);
    struct vec3 across = vec3_cross(n, c->shapes ? (struct vec3){0, 0, 1} : (struct vec3){1, 0, 0});
    across = vec3_scale(across, 1 / vec3_length(across));
    const struct vec3 directions[3] = {n, across, vec3_cross(n, across)};
    struct vec3 r = vec3_sub(t->at, spatial_system_body(c, t->bodies[1])->place.centre);
    struct relief_motion motion = relief_motion_of(&shape, &f, u, spin, WANDERING_M_S);
    struct vec3 other = vec3_add(inward, vec3_cross(spin, motion.wandering));
    other = vec3_along(other, spatial_system_spread(a, motion.wandering), a->place.stretch_rate);
    for (int i = 0; i < 3; i++) {
        set_row(c, t, i, directions[i], s, r, spreads);
        t->rows[i].curvature = vec3_dot(directions[i], i == 0 ? inward : other);
    }
    t->rows[0].curvature += motion.turning;
    t->rows[0].deviation = n.y * (t->at.y - shape.height);
}

static void update_boxes(const struct spatial_constraint *c, struct touch *t)
{
    const struct rigid *a = spatial_system_body(c, t->bodies[0]),
                       *b = spatial_system_body(c, t->bodies[1]);
    struct vec3 on_a = place_of(a, t->points[0]);
    struct vec3 on_b = place_of(b, t->points[1]);
    struct vec3 w1 = b->place.spin;
    double wandering = 0, rate = b->place.stretch_rate;
    if (t->kind == TOUCH_EDGES) {
        wandering = update_edges(t, a, b, &on_a, &on_b);
    } else {
        t->directions[0] = mat3_apply(&b->turned, t->normal);
        for (int k = 0; k < 2; k++)
            t->directions[1 + k] = mat3_apply(&b->turned, t->tangents[k]);
    }
    double gap = vec3_dot(t->directions[0], vec3_sub(on_a, on_b));
    if (t->kind == TOUCH_FACE)
        on_b = on_a;
    struct vec3 s = vec3_sub(on_a, a->place.centre), r = vec3_sub(on_b, b->place.centre);
    struct vec3 on_face = vec3_along(r, t->directions[0], -gap);
    const struct vec3 spreads[2] = {spatial_system_spread(a, s), spatial_system_spread(b, on_face)};
    struct vec3 u = vec3_sub(spatial_system_velocity(a, s, spreads[0]),
                             vec3_add(b->place.velocity, vec3_cross(w1, r)));
    struct vec3 inward =
        vec3_sub(spatial_system_inward(a, s, spreads[0]), vec3_cross(w1, vec3_cross(w1, r)));
    const struct vec3 along = spatial_system_spread(b, u),
                      moved[3] = {vec3_scale(on_face, rate), along, along};
    for (int i = 0; i < 3; i++) {
        struct vec3 e = t->directions[i];
        set_row(c, t, i, e, s, r, spreads);
        t->rows[i].curvature =
            vec3_dot(e, inward) + 2 * vec3_dot(vec3_cross(w1, e), u) - rate * vec3_dot(e, moved[i]);
    }
    if (t->kind == TOUCH_EDGES)
        t->rows[0].curvature = vec3_dot(t->directions[0], inward) + wandering;
    t->rows[0].deviation = gap;
    t->at = on_a;
}

/* ---------------------------------------------------------------- what is round */

static struct vec3 arm_of(const struct rigid *b, struct vec3 at)
{
    return vec3_sub(at, b->place.centre);
}

/* Sets the normal and the gap; returns how the normal turns. */
static struct vec3 find_normal(struct touch *t, const struct rigid *a, const struct rigid *b,
                               struct vec3 centre, struct vec3 *n)
{
    struct vec3 other = place_of(b, t->points[1]), way = vec3_sub(centre, other);
    struct vec3 edge = mat3_apply(&b->turned, t->edges[1]);
    t->rows[0].deviation = -t->radii[0] - t->radii[1];
    if (t->nearest == SOLIDS_FACE) {
        *n = mat3_apply(&b->turned, t->normal);
        t->rows[0].deviation += vec3_dot(*n, way);
        return b->place.spin;
    }
    if (t->nearest == SOLIDS_EDGE) {
        other = vec3_along(other, edge, vec3_dot(way, edge));
        way = vec3_sub(centre, other);
    }
    double length = vec3_length(way);
    struct vec3 u = vec3_sub(spatial_system_velocity(a, arm_of(a, centre), none),
                             spatial_system_velocity(b, arm_of(b, other), none));
    *n = length > NEAREST_M ? vec3_scale(way, 1 / length) : (struct vec3){0, 1, 0};
    t->rows[0].deviation += length;
    struct vec3 turning = vec3_scale(vec3_cross(*n, u), 1 / det_max(length, NEAREST_M));
    if (t->nearest == SOLIDS_EDGE) {
        /* n' = W x n; along the edge it is to be (w1 x n).e, which W.(n x e) is */
        struct vec3 across = vec3_cross(*n, edge);
        struct vec3 off = vec3_sub(b->place.spin, turning);
        turning = vec3_along(turning, across, vec3_dot(off, across));
    }
    return turning;
}

/* Across the normal: in the plane, and in space as near to a direction of body 1 as may be. */
static struct vec3 find_across(const struct spatial_constraint *c, const struct touch *t,
                               const struct rigid *b, struct vec3 n)
{
    if (c->shapes)
        return vec3_cross(n, (struct vec3){0, 0, 1});
    struct vec3 along = mat3_apply(&b->turned, t->tangents[0]);
    along = vec3_along(along, n, -vec3_dot(along, n));
    return vec3_scale(along, 1 / vec3_length(along));
}

static void update_round(const struct spatial_constraint *c, struct touch *t)
{
    const struct rigid *a = spatial_system_body(c, t->bodies[0]),
                       *b = spatial_system_body(c, t->bodies[1]);
    struct vec3 centre = place_of(a, t->points[0]), n;
    struct vec3 turning = find_normal(t, a, b, centre, &n);
    double gap = t->rows[0].deviation;
    struct vec3 shift = vec3_scale(n, -t->radii[0]);
    t->at = vec3_add(centre, shift);
    struct vec3 s = arm_of(a, t->at), r = arm_of(b, t->at);
    struct vec3 u =
        vec3_sub(spatial_system_velocity(a, s, none), spatial_system_velocity(b, r, none));
    struct vec3 s_rate =
        vec3_add(vec3_cross(a->place.spin, arm_of(a, centre)), vec3_cross(turning, shift));
    struct vec3 r_rate = vec3_add(s_rate, vec3_sub(a->place.velocity, b->place.velocity));
    struct vec3 inward =
        vec3_sub(vec3_cross(a->place.spin, s_rate), vec3_cross(b->place.spin, r_rate));
    struct vec3 along = find_across(c, t, b, n);
    const struct vec3 directions[3] = {n, along, vec3_cross(n, along)}, rigid[2] = {none, none};
    for (int i = 0; i < 3; i++) {
        set_row(c, t, i, directions[i], s, r, rigid);
        t->rows[i].curvature =
            vec3_dot(vec3_cross(turning, directions[i]), u) + vec3_dot(directions[i], inward);
    }
    t->rows[0].deviation = gap;
}

/* ---------------------------------------------------------------- limits */

/* With the frame's axis x0 and the child's x: twist changes by g.(wc - wp), g = (x0 + x) / (1 +
 * x0.x), and swing so by g = x0 x x / |x0 x x|. */
static void set_ball_row(const struct spatial_constraint *c, int i, int is_swing, struct row *row)
{
    const struct rigid *b = &c->bodies[i], *p = spatial_system_body(c, b->parent);
    struct vec3 x0 = b->hinge.f.x, x = b->turned.x;
    struct vec3 x0_rate = vec3_cross(p->place.spin, x0), x_rate = vec3_cross(b->place.spin, x);
    struct vec3 way = is_swing ? vec3_cross(x0, x) : vec3_add(x0, x);
    struct vec3 change = is_swing ? vec3_add(vec3_cross(x0_rate, x), vec3_cross(x0, x_rate))
                                  : vec3_add(x0_rate, x_rate);
    double size = is_swing ? vec3_length(way) : 1 + vec3_dot(x0, x);
    double share = size > 0 ? 1 / size : 0;
    struct vec3 g = vec3_scale(way, share);
    double size_rate = is_swing ? vec3_dot(g, change) : vec3_dot(x0_rate, x) + vec3_dot(x0, x_rate);
    change = vec3_along(change, g, -size_rate);
    spatial_system_set_turn_row(c, &b->hinge, g, vec3_scale(change, share), row);
}

/* A limit's coordinate. */
static double limit_value(const struct spatial_constraint *c, int i, int freedom)
{
    const struct rigid *b = &c->bodies[i];
    const double *q = c->base.q + b->coordinate;
    if (freedom < LIMIT_TWIST)
        return q[freedom];
    struct quaternion turn = quaternion_read(q + b->plain);
    return freedom == LIMIT_TWIST ? joint_twist(turn) : joint_swing(turn);
}

static void update_limit(const struct spatial_constraint *c, struct touch *t)
{
    const struct limit *l = &c->limits[t->feature];
    struct row *row = &t->rows[0];
    if (l->freedom >= LIMIT_TWIST)
        set_ball_row(c, l->body, l->freedom == LIMIT_SWING, row);
    else
        spatial_system_set_freedom_row(c, l->body, l->freedom, row);
    for (int k = 0; k < 2; k++)
        row->j[k] = row->g[k] = wrench_along((struct wrench){none, none, 0}, &row->j[k], l->side);
    row->rate *= l->side;
    row->curvature *= l->side;
    row->deviation = l->side * (limit_value(c, l->body, l->freedom) - l->end);
}

void spatial_touch_update(const struct spatial_constraint *c, struct touch *t)
{
    if (t->kind == TOUCH_LIMIT)
        update_limit(c, t);
    else if (t->kind == TOUCH_RELIEF)
        update_relief(c, t);
    else if (t->kind == TOUCH_ROUND)
        update_round(c, t);
    else
        update_boxes(c, t);
}

struct vec3 spatial_touch_force(const struct touch *t, const double force[3])
{
    struct vec3 sum = vec3_scale(t->directions[0], force[0]);
    for (int k = 1; k < t->size; k++)
        sum = vec3_along(sum, t->directions[k], force[k]);
    return sum;
}

double spatial_touch_steadying(const struct spatial_constraint *c, const struct touch *t,
                               double speed, double force)
{
    if (t->size < 3)
        return 0;
    return det_max(0, c->turning_s * t->friction * force * t->mobility - speed);
}

/* ---------------------------------------------------------------- finding */

/* A box, or the fixed one of that number. */
static const struct solid *solid_of(const struct spatial_constraint *c, int box)
{
    return box >= 0 ? &c->solids[box] : &c->base.world.surfaces.fixed[CONTACT_OBSTACLE - box];
}

static int link_of(const struct spatial_constraint *c, int box)
{
    return box >= 0 ? c->boxes[box].link : WORLD;
}

/* 1 if the spheres around two are within a margin. */
static int are_near(const struct spatial_constraint *c, const struct touch_pair *p, double margin)
{
    const struct solid *a = &c->solids[p->a];
    if (p->b == CONTACT_GROUND)
        return a->centre.y - solids_radius(a) < margin;
    const struct solid *b = solid_of(c, p->b);
    struct vec3 way = vec3_sub(b->centre, a->centre);
    double reach = solids_radius(a) + solids_radius(b) + margin;
    return vec3_dot(way, way) < reach * reach;
}

/* The edges are those whose product is the normal: which box is whose is not told. */
static void set_edges(struct touch *t, const struct touch_pair *p,
                      const struct spatial_constraint *c, int axis, struct vec3 n)
{
    const struct solid *a = &c->solids[p->a], *b = solid_of(c, p->b);
    int i = (axis - 6) / 3, j = (axis - 6) % 3;
    struct vec3 one = vec3_cross(a->axes[i], b->axes[j]);
    struct vec3 two = vec3_cross(a->axes[j], b->axes[i]);
    double by_one = vec3_dot(one, n), by_two = vec3_dot(two, n);
    int is_one = fabs(by_one) * vec3_length(two) >= fabs(by_two) * vec3_length(one);
    t->kind = TOUCH_EDGES;
    t->edges[0] = mat3_back(&spatial_system_body(c, t->bodies[0])->turned, a->axes[is_one ? i : j]);
    t->edges[1] = mat3_back(&spatial_system_body(c, t->bodies[1])->turned, b->axes[is_one ? j : i]);
    t->sign = (is_one ? by_one : by_two) < 0 ? -1 : 1;
}

/* 1 if the face that the points are on is that of the first box. */
static int is_first_face(const struct spatial_constraint *c, const struct touch_pair *p,
                         const struct solid_manifold *m)
{
    if (p->b == CONTACT_GROUND)
        return 0;
    int axis = m->axis % 3;
    double by_a = fabs(vec3_dot(m->normal, c->solids[p->a].axes[axis]));
    return by_a > fabs(vec3_dot(m->normal, solid_of(c, p->b)->axes[axis]));
}

/* A touch of a pair at a point, with the normal from the pair's second to its first, as the next of
 * found[]: a corner on a face of the second, or if is_swapped of the first; NULL: memory is out.
 * Its kind may be changed before it counts. */
static struct touch *begin_touch(struct spatial_constraint *c, int pair, struct vec3 normal,
                                 const struct solid_point *point, int is_swapped)
{
    const struct touch_pair *p = &c->pairs[pair];
    const struct spatial_surfaces *s = &c->base.world.surfaces;
    int one = link_of(c, p->a), two = link_of(c, p->b);
    int is_inner = is_moving(c, p->a) && is_moving(c, p->b);
    struct vec3 n = is_swapped ? vec3_negated(normal) : normal;
    int is_along_z = c->shapes || !(fabs(n.x) < 0.7);
    struct vec3 aside = is_along_z ? (struct vec3){0, 0, 1} : (struct vec3){1, 0, 0};
    struct touch *t = next_found(c);
    if (!t)
        return NULL;
    *t = (struct touch){.kind = TOUCH_FACE,
                        .bodies = {is_swapped ? two : one, is_swapped ? one : two},
                        .pair = pair,
                        .feature = point->feature,
                        .is_swapped = is_swapped,
                        .friction = is_inner ? s->own_friction : s->friction,
                        .elasticity = is_inner ? s->own_elasticity : s->elasticity};
    const struct rigid *a = spatial_system_body(c, t->bodies[0]),
                       *b = spatial_system_body(c, t->bodies[1]);
    struct vec3 across = vec3_cross(n, aside);
    across = vec3_scale(across, 1 / vec3_length(across));
    t->points[0] = local_of(a, vec3_along(point->at, n, point->gap / 2));
    t->points[1] = local_of(b, vec3_along(point->at, n, -point->gap / 2));
    t->normal = mat3_back(&b->turned, n);
    t->tangents[0] = mat3_back(&b->turned, across);
    t->tangents[1] = mat3_back(&b->turned, vec3_cross(n, across));
    return t;
}

static void end_touch(struct spatial_constraint *c, struct touch *t)
{
    t->size = !(t->friction > 0) ? 1 : c->shapes ? 2 : 3;
    spatial_touch_update(c, t);
    c->found_count++;
}

/* Makes it a touch of TOUCH_ROUND, at a point and with the pair's normal, where 0 is round; of an
 * edge its direction is set already. */
static void make_round(const struct spatial_constraint *c, struct touch *t, double radius,
                       double other_radius, enum solids_nearest nearest,
                       const struct solid_point *point, struct vec3 normal)
{
    struct vec3 n = t->is_swapped ? vec3_negated(normal) : normal;
    t->kind = TOUCH_ROUND;
    t->nearest = nearest;
    t->radii[0] = radius;
    t->radii[1] = other_radius;
    for (int k = 0; k < 2; k++) {
        double way = (k == 0 ? 1 : -1) * (point->gap / 2 + t->radii[k]);
        t->points[k] =
            local_of(spatial_system_body(c, t->bodies[k]), vec3_along(point->at, n, way));
    }
}

/* A point of two of which one is a ball, or both are: it is 0. */
static void add_round(struct spatial_constraint *c, int pair, const struct solid_manifold *m,
                      const struct solid_point *point)
{
    const struct touch_pair *p = &c->pairs[pair];
    const struct solid *one = &c->solids[p->a];
    const struct solid *two = p->b == CONTACT_GROUND ? NULL : solid_of(c, p->b);
    int is_swapped = !one->is_round;
    const struct solid *ball = is_swapped ? two : one, *other = is_swapped ? one : two;
    struct vec3 edge = none;
    struct touch *t = begin_touch(c, pair, m->normal, point, is_swapped);
    if (!t)
        return;
    enum solids_nearest nearest = other ? solids_nearest_to_ball(ball, other, &edge) : SOLIDS_FACE;
    t->edges[1] = mat3_back(&spatial_system_body(c, t->bodies[1])->turned, edge);
    make_round(c, t, ball->half[0], other && other->is_round ? other->half[0] : 0, nearest, point,
               m->normal);
    end_touch(c, t);
}

static void add_point(struct spatial_constraint *c, int pair, const struct solid_manifold *m,
                      const struct solid_point *point)
{
    const struct touch_pair *p = &c->pairs[pair];
    int are_edges = p->b != CONTACT_GROUND && m->axis >= 6;
    int is_swapped = !are_edges && is_first_face(c, p, m);
    struct touch *t = begin_touch(c, pair, m->normal, point, is_swapped);
    if (!t)
        return;
    if (are_edges)
        set_edges(t, p, c, m->axis, m->normal);
    end_touch(c, t);
}

/* The name of a lowest point: that of a touch which presses there, so that it stays the same while
 * it wanders. */
static int name_on_relief(const struct spatial_constraint *c, int pair,
                          const struct relief_point *point)
{
    double near = RELIEF_SAME_SHARE * c->base.world.surfaces.relief.wavelength_m;
    int own = point->name % RELIEF_NAMES, last = own - RELIEF_NAMES;
    for (int i = 0; i < c->touch_count; i++) {
        const struct touch *t = &c->touches[i];
        if (t->kind != TOUCH_RELIEF || t->pair != pair || t->feature % RELIEF_NAMES != own)
            continue;
        if (fabs(t->along[0] - point->s[0]) + fabs(t->along[1] - point->s[1]) < near)
            return t->feature;
        last = t->feature > last ? t->feature : last;
    }
    return last + RELIEF_NAMES + (point->name - own);
}

static void find_on_relief(struct spatial_constraint *c, int pair, double margin)
{
    const struct spatial_surfaces *s = &c->base.world.surfaces;
    const struct touch_pair *p = &c->pairs[pair];
    struct relief_points points;
    relief_meet(&s->relief, &c->solids[p->a], margin, &points);
    for (int i = 0; i < points.count; i++) {
        const struct relief_point *point = &points.list[i];
        struct touch *t = next_found(c);
        if (!t)
            return;
        *t = (struct touch){.kind = TOUCH_RELIEF,
                            .bodies = {link_of(c, p->a), WORLD},
                            .pair = pair,
                            .feature = name_on_relief(c, pair, point),
                            .along = {point->s[0], point->s[1]},
                            .friction = s->friction,
                            .elasticity = s->elasticity};
        end_touch(c, t);
    }
}

/* ---------------------------------------------------------------- the plane z = 0 */

static struct box box_of(const struct solid *s, enum part_shape shape)
{
    return (struct box){.x = s->centre.x,
                        .y = s->centre.y,
                        .half_width = s->half[0],
                        .half_height = s->half[1],
                        .cos = s->axes[0].x,
                        .sin = s->axes[0].y,
                        .shape = shape};
}

static enum part_shape shape_of(const struct spatial_constraint *c, int box)
{
    return box >= 0 ? (enum part_shape)c->shapes[box] : PART_BOX;
}

/* The cosine between a direction and the face that looks most along it; 0: there is no face. */
static double facing(const struct box *box, double x, double y)
{
    double along = fabs(box->cos * x + box->sin * y), across = fabs(box->cos * y - box->sin * x);
    if (box->shape != PART_BOX)
        return box->shape == PART_PLANE ? across : 0;
    return det_max(along, across);
}

static double radius_of(const struct box *box)
{
    return box->shape == PART_DISK ? box->half_width : 0;
}

/* The feature nearest to a disk: of a rectangle, of a half-plane, of another disk, or of the
 * ground, NULL. */
static enum solids_nearest nearest_to(const struct box *disk, const struct box *other)
{
    struct nearest nearest;
    if (!other || other->shape == PART_PLANE)
        return SOLIDS_FACE;
    if (other->shape == PART_DISK)
        return SOLIDS_POINT;
    collide_nearest(other, disk->x, disk->y, &nearest);
    return nearest.is_corner ? SOLIDS_POINT : SOLIDS_FACE;
}

/* On the ground and on half-planes points are found on what touches them, not half way. */
static struct vec3 middle_of(const struct manifold_point *point, struct vec3 n, int is_on_first,
                             int is_on_second)
{
    double way = is_on_first ? -point->gap / 2 : is_on_second ? point->gap / 2 : 0;
    return vec3_along((struct vec3){point->x, point->y, 0}, n, way);
}

/* As find_pair(), in the plane: the points of rectangles, disks and half-planes. */
static void find_flat(struct spatial_constraint *c, int pair, double margin)
{
    const struct touch_pair *p = &c->pairs[pair];
    int is_ground = p->b == CONTACT_GROUND;
    struct box one = box_of(&c->solids[p->a], shape_of(c, p->a)), two = {0};
    struct manifold m;
    if (is_ground) {
        collide_ground(&one, margin, &m);
    } else {
        two = box_of(solid_of(c, p->b), shape_of(c, p->b));
        collide_boxes(&one, &two, margin, &m);
    }
    struct vec3 n = {m.normal_x, m.normal_y, 0};
    int is_swapped = !is_ground && facing(&one, n.x, n.y) > facing(&two, n.x, n.y);
    const struct box *first = is_swapped ? &two : &one, *second = is_swapped ? &one : &two;
    for (int i = 0; i < m.count; i++) {
        struct solid_point point = {middle_of(&m.points[i], n, is_ground || two.shape == PART_PLANE,
                                              one.shape == PART_PLANE),
                                    m.points[i].gap, m.points[i].feature};
        struct touch *t = begin_touch(c, pair, n, &point, is_swapped);
        if (!t)
            return;
        if (first->shape == PART_DISK)
            make_round(c, t, radius_of(first), is_ground ? 0 : radius_of(second),
                       nearest_to(first, is_ground ? NULL : second), &point, n);
        end_touch(c, t);
    }
}

/* ---------------------------------------------------------------- all that touches */

static void find_pair(struct spatial_constraint *c, int i, double margin)
{
    struct touch_pair *p = &c->pairs[i];
    struct solid_manifold m = {.axis = -1};
    p->axis = -1;
    if (!are_near(c, p, margin))
        return;
    if (p->b == CONTACT_GROUND && c->base.world.surfaces.relief.depth_m > 0) {
        find_on_relief(c, i, margin);
        return;
    }
    if (c->shapes) {
        find_flat(c, i, margin);
        return;
    }
    if (p->b == CONTACT_GROUND) {
        solids_meet_plane(&c->solids[p->a], (struct vec3){0, 1, 0}, 0, margin, &m);
    } else {
        struct solid one = c->solids[p->a], two = *solid_of(c, p->b);
        box_half_cut(p->meeting, &one, &two);
        solids_meet(&one, &two, margin, &p->held, &m);
    }
    p->axis = m.axis;
    int is_round = c->solids[p->a].is_round || (p->b >= 0 && c->solids[p->b].is_round);
    for (int k = 0; k < m.count && is_round; k++)
        add_round(c, i, &m, &m.points[k]);
    for (int k = 0; k < m.count && !is_round; k++)
        add_point(c, i, &m, &m.points[k]);
}

static void find_limit(struct spatial_constraint *c, int i, double margin)
{
    const struct limit *l = &c->limits[i];
    double gap = l->side * (limit_value(c, l->body, l->freedom) - l->end);
    struct touch *t = gap < margin ? next_found(c) : NULL;
    if (!t)
        return;
    c->found_count++;
    *t = (struct touch){.kind = TOUCH_LIMIT,
                        .size = 1,
                        .bodies = {l->body, c->bodies[l->body].parent},
                        .pair = -1,
                        .feature = i};
    spatial_touch_update(c, t);
}

void spatial_touch_find(struct spatial_constraint *c, double margin)
{
    c->found_count = 0;
    if (c->base.settings.integrator == INTEGRATOR_RK4)
        return;
    for (int i = 0; i < c->box_count; i++)
        place_solid(c, i, &c->solids[i]);
    for (int i = 0; i < c->pair_count; i++)
        find_pair(c, i, margin);
    for (int i = 0; i < c->limit_count; i++)
        find_limit(c, i, margin);
}

void spatial_touch_hold(struct spatial_constraint *c)
{
    for (int i = 0; i < c->pair_count; i++)
        c->pairs[i].held.axis = c->pairs[i].axis;
}

struct touch *spatial_touch_match(const struct spatial_constraint *c, const struct touch *t)
{
    struct touch *best = NULL;
    double nearest = MATCH_M;
    for (int i = 0; i < c->found_count; i++) {
        struct touch *f = &c->found[i];
        if (f->pair != t->pair || f->kind != t->kind || f->bodies[0] != t->bodies[0])
            continue;
        if (f->feature == t->feature)
            return f;
        double apart = vec3_length(vec3_sub(f->at, t->at));
        if (t->pair >= 0 && apart < nearest) {
            nearest = apart;
            best = f;
        }
    }
    return best;
}
