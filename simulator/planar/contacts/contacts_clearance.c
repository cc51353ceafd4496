/* See contacts.h. Whether anything could touch within a step: places of the parts, circles around
 * them, then shapes. Most steps of a walker end here, with what touched last. */
#include "simulator/planar/contacts/contacts_private.h"

#include <math.h>

#include "common/error.h"

/* As CLEARANCE_M, of joints' limits, rad or m. */
#define CLEARANCE_LIMIT 1e-4

/* Where a part is and how fast it moves, from the pose and velocities of the tree, whose root is so
 * far from the ground (-0.0, y) and has this velocity; h: time for which it reaches. */
static inline void put_mover(struct mover *m, pair root, pair root_velocity, double h)
{
    const struct tree_link *l = m->link;
    double w = l->velocity.w, turn = fabs(w) * m->radius;
    pair cos = pair_of(l->cos), sin = pair_of(l->sin);
    pair at = cos * XY(m->local_x) + sin * XY(m->local_across_x);
    pair along = cos * XY(m->cos) + sin * XY(m->across_cos);
    pair v = XY(l->velocity.x) + w * plane_turn(at);
    pair against_root = pair_absolute(v - root_velocity);
    at = root + (XY(l->px) + at);
    m->turn = turn;
    m->reach = m->radius + h * (pair_sum(against_root) + turn);
    XY(m->box.x) = at;
    XY(m->box.cos) = along;
    XY(m->vx) = v;
}

/* x - 0 is x, even where that is -0. */
static inline pair root_place(const struct contact_body *own)
{
    return (pair){-0.0, own->tree->root_y};
}

/* Puts a part that stretches, with its present sides. */
static __attribute__((noinline)) void put_stretching(struct mover *m, pair root, pair root_velocity,
                                                     double h)
{
    const struct tree_link *l = m->link;
    struct tree_sides sides = tree_sides(l);
    double width = sides.half_width, height = sides.half_height, spread;
    m->local_x = sides.centre.x;
    m->local_y = sides.centre.y;
    XY(m->local_across_x) = plane_turn(XY(m->local_x));
    m->box.half_width = width;
    m->box.half_height = height;
    m->radius = sqrt(width * width + height * height);
    m->thin = det_min(width, height);
    put_mover(m, root, root_velocity, h);
    pair drift = l->rate * XY(l->stretch->hx) / l->mass;
    spread = fabs(l->rate) * m->radius;
    XY(m->vx) += drift;
    m->turn += spread;
    m->reach += h * (pair_sum(pair_absolute(drift)) + spread);
}

static void place_mover(const struct contact_body *own, struct mover *m, double h)
{
    pair root = root_place(own), root_velocity = XY(own->tree->links[0].velocity.x);
    if (m->link->stretch)
        put_stretching(m, root, root_velocity, h);
    else
        put_mover(m, root, root_velocity, h);
}

void contacts_place_box(const struct contact_body *own, int part, struct box *box)
{
    place_mover(own, &own->movers[part], 0);
    *box = own->movers[part].box;
}

void contacts_place_movers(struct contact_body *own, double h)
{
    struct mover *movers = own->movers;
    const pair root = root_place(own), root_velocity = XY(own->tree->links[0].velocity.x);
    for (int i = 0, parts = own->parts; i < parts; i++)
        put_mover(&movers[i], root, root_velocity, h);
    for (int i = 0; i < own->parts && own->has_stretch; i++)
        if (movers[i].link->stretch)
            put_stretching(&movers[i], root, root_velocity, h);
}

/* Lists what obstacles any part could come as close to as `more` within h; the movers are
 * placed. */
void contacts_gather_obstacles(struct contact_body *own, double h, double more)
{
    struct span body = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    int obstacles = own->world->obstacles.count;
    ENSURE(obstacles <= own->obstacle_room, "%d obstacles in a world made for %d", obstacles,
           own->obstacle_room);
    for (int i = 0; i < own->parts; i++) {
        const struct mover *m = &own->movers[i];
        double reach = m->radius + more + h * (fabs(m->vx) + fabs(m->vy) + m->turn);
        if (m->is_fixed)
            continue;
        body.low_x = det_min(body.low_x, m->box.x - reach);
        body.low_y = det_min(body.low_y, m->box.y - reach);
        body.high_x = det_max(body.high_x, m->box.x + reach);
        body.high_y = det_max(body.high_y, m->box.y + reach);
    }
    own->near_count = 0;
    for (int k = 0; k < obstacles; k++) {
        const struct span *span = &own->spans[k];
        double low_x = span->low_x - own->tree->root_x, high_x = span->high_x - own->tree->root_x;
        if (body.low_x <= high_x && body.high_x >= low_x && body.low_y <= span->high_y &&
            body.high_y >= span->low_y)
            own->near[own->near_count++] = k;
    }
}

double contacts_overlap(const struct contact_body *own)
{
    /* within one link nothing can be pushed apart, but it is overlap all the same */
    double deepest = 0;
    for (int i = 0; i < own->parts; i++)
        for (int j = 0; j < i; j++) {
            const struct part *parts = own->phenotype->parts;
            if (parts[i].parent == j || parts[j].parent == i)
                continue;
            struct box a, b;
            contacts_place_box(own, i, &a);
            contacts_place_box(own, j, &b);
            deepest = det_max(deepest, -collide_separation(&a, &b));
        }
    return deepest;
}

/* Each of these adds to a clearance; the worst counts. A joint: how far it is from its limits, and
 * whether it could reach them within h. */
static void examine_limit(const struct contact_body *own, int i, const double *q, const double *qd,
                          double h, struct clearance *clearance)
{
    double to_lower = q[2 + i] - own->lower[i], to_upper = own->upper[i] - q[2 + i];
    double gap = to_lower < to_upper ? to_lower : to_upper;
    clearance->is_violated |= gap < 0;
    clearance->may_touch |= gap < CLEARANCE_LIMIT + h * fabs(qd[2 + i]);
}

/* Height of a part above the ground; where that is more than a margin, it may be any number
 * above. */
static double height_of(const struct contact_body *own, int i, double margin)
{
    const struct relief *relief = &own->world->relief;
    double height = collide_lowest(&own->movers[i].box);
    struct relief_points points;
    if (relief->depth_m == 0 || height >= margin)
        return height;
    struct solid solid = collide_solid(&own->movers[i].box, own->tree->root_x);
    relief_meet(relief, &solid, margin, &points);
    return relief_least_gap(&points);
}

static void examine_ground(const struct contact_body *own, int i, double h,
                           struct clearance *clearance)
{
    const struct mover *m = &own->movers[i];
    double margin = CLEARANCE_M + h * (fabs(m->vy) + m->turn);
    if (m->is_fixed || m->box.y - m->radius > margin)
        return;
    double gap = height_of(own, i, margin);
    clearance->is_violated |= gap < 0;
    clearance->may_touch |= gap < margin;
}

static void examine_obstacles(const struct contact_body *own, int i, double h,
                              struct clearance *clearance)
{
    for (int k = 0; k < own->near_count; k++) {
        struct box obstacle = obstacle_box(own, own->near[k]);
        double margin;
        if (!can_reach(&own->movers[i], &obstacle, h, CLEARANCE_M, &margin))
            continue;
        double gap = collide_separation(&own->movers[i].box, &obstacle);
        clearance->is_violated |= gap < 0;
        clearance->may_touch |= gap < margin;
    }
}

static inline int has_surroundings(const struct contact_body *own)
{
    return own->world->has_ground || own->world->obstacles.count > 0;
}

static inline void examine_surroundings(const struct contact_body *own, int i, double h,
                                        struct clearance *clearance)
{
    if (own->world->has_ground)
        examine_ground(own, i, h, clearance);
    if (own->world->obstacles.count > 0)
        examine_obstacles(own, i, h, clearance);
}

static void examine_pair(const struct contact_body *own, int k, double h,
                         struct clearance *clearance)
{
    const struct mover *a = own->pairs[k].a, *b = own->pairs[k].b;
    double margin;
    if (!can_meet(a, b, h, CLEARANCE_M, &margin))
        return;
    double gap = collide_separation(&a->box, &b->box);
    clearance->is_violated |= gap < 0;
    clearance->may_touch |= gap < margin;
}

/* Everything, limits first, since nothing has to be placed for them. is_brief: until something may
 * touch, which is remembered; else whether something is violated, too. */
static inline struct clearance examine(struct contact_body *own, const double *q, const double *qd,
                                       double h, int is_brief)
{
    struct clearance c = {0, 0};
    own->touched_limit = 0;
    for (int i = 1; i < own->links && !(is_brief && c.may_touch); i++) {
        examine_limit(own, i, q, qd, h, &c);
        own->touched_limit = c.may_touch ? i : 0;
    }
    if (is_brief ? c.may_touch : c.is_violated)
        return c;
    contacts_place_movers(own, h);
    if (own->world->obstacles.count > 0)
        contacts_gather_obstacles(own, h, CLEARANCE_M);
    own->touched_part = -1;
    for (int i = 0; i < own->parts && has_surroundings(own) && !(is_brief && c.may_touch); i++) {
        examine_surroundings(own, i, h, &c);
        own->touched_part = c.may_touch ? i : -1;
    }
    for (int k = 0; k < own->pair_count && !(is_brief ? c.may_touch : c.is_violated); k++)
        examine_pair(own, k, h, &c);
    return c;
}

struct clearance contacts_examine(struct contact_body *own, const double *q, const double *qd)
{
    struct clearance c = examine(own, q, qd, own->dt_s * CLEARANCE_STEPS, 0);
    c.may_touch |= c.is_violated;
    return c;
}

/* The last touch is looked at first: mostly it still is one. */
static int may_still_touch(struct contact_body *own, const double *q, const double *qd, double h)
{
    struct clearance clearance = {0, 0};
    if (own->touched_limit > 0)
        examine_limit(own, own->touched_limit, q, qd, h, &clearance);
    if (own->touched_part >= 0 && has_surroundings(own) && !clearance.may_touch) {
        place_mover(own, &own->movers[own->touched_part], h);
        examine_surroundings(own, own->touched_part, h, &clearance);
    }
    return clearance.may_touch;
}

int contacts_may_touch(struct contact_body *own, const double *q, const double *qd)
{
    double h = own->dt_s * CLEARANCE_STEPS;
    return may_still_touch(own, q, qd, h) || examine(own, q, qd, h, 1).may_touch;
}

/* A time, and how much of it the bodies can go on for: at least the least, s. */
struct stride {
    double time_s, least_s, found_s;
};

/* As long as contacts found in the middle of that time have two on the right side of one another:
 * until they could touch, or a share of their thickness along. */
static void shorten(struct stride *s, const struct box *a, const struct box *b, double way,
                    double safe_m)
{
    if (way <= safe_m)
        return;
    double apart = det_max(collide_separation(a, b), safe_m);
    s->found_s = det_min(s->found_s, det_max(s->time_s * (apart / way), s->least_s));
}

static void shorten_for_body(struct stride *s, struct contact_body *own)
{
    double way;
    contacts_place_movers(own, s->time_s);
    contacts_gather_obstacles(own, s->time_s, 0);
    for (int n = 0; n < own->near_count; n++) {
        struct box obstacle = obstacle_box(own, own->near[n]);
        for (int i = 0; i < own->parts; i++) {
            const struct mover *m = &own->movers[i];
            if (can_reach(m, &obstacle, s->time_s, 0, &way))
                shorten(s, &m->box, &obstacle, way, safe_way(m->thin, thin_of(&obstacle)));
        }
    }
    for (int k = 0; k < own->pair_count; k++) {
        const struct mover *a = own->pairs[k].a, *b = own->pairs[k].b;
        if (can_meet(a, b, s->time_s, 0, &way))
            shorten(s, &a->box, &b->box, way, safe_way(a->thin, b->thin));
    }
}

static void shorten_for_bodies(struct stride *s, const struct contact_body *own,
                               const struct contact_body *others)
{
    double way, offset = root_offset(others, own);
    struct mover b;
    for (int i = 0; i < own->parts; i++)
        for (int j = 0; j < others->parts; j++) {
            const struct mover *a = &own->movers[i];
            if (can_meet_another(a, &others->movers[j], offset, s->time_s, 0, &b, &way))
                shorten(s, &a->box, &b.box, way, safe_way(a->thin, b.thin));
        }
}

double contacts_stride(struct contacts *s, double time_s, double least_s)
{
    struct stride stride = {time_s, least_s, time_s};
    for (int a = 0; a < s->body_count; a++)
        shorten_for_body(&stride, s->bodies[a]);
    for (int a = 0; a < s->body_count; a++)
        for (int b = a + 1; b < s->body_count; b++)
            shorten_for_bodies(&stride, s->bodies[a], s->bodies[b]);
    return stride.found_s;
}

void contacts_sweep(struct contact_body *own, struct vec3 *low, struct vec3 *high)
{
    double h = own->dt_s * CLEARANCE_STEPS;
    contacts_place_movers(own, h);
    for (int i = 0; i < own->parts; i++) {
        const struct mover *m = &own->movers[i];
        double reach = m->radius + CLEARANCE_M + h * m->turn;
        struct vec3 at = {own->tree->root_x + m->box.x, m->box.y, 0};
        vec3_widen_bounds(low, high, at,
                          (struct vec3){reach + h * fabs(m->vx), reach + h * fabs(m->vy), 0});
    }
}
